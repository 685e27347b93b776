"""Compare: set the cited papers side by side, a verified quote behind each cell.

Reads `run`, `keys`, `final`. Writes `table`. A cell is the verified quote of one of the
paper's key elements, so that no mind is asked and none is believed.
"""

from collections.abc import Mapping, Sequence

from state.channels import WriteState
from state.paper import Paper
from state.results import TABLE_FACETS, Cell, ComparisonTable, TableFacet, TableRow
from state.writing import Draft, Element, KeyElements
from tools.evidence.prompt_injection import without_injections
from tools.evidence.quotes import quote_paper
from tools.services import NodeRuntime, open_services

_MOST = 30
"""Words after which a cell is cut all the same, and says so."""
_STAND_INS = {"method": "contribution"}
"""Many an abstract says how it proceeds only in saying what it adds: 'We propose a model that ...'."""


async def compare_papers(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Make a row for each cited paper, in the order of first citation."""
    services = open_services(runtime, state["run"])
    keys = state.get("keys", {})
    cited = state.get("final", Draft(id="d")).keys
    ids = list(dict.fromkeys(keys[key] for key in cited if key in keys))
    papers = await services.run_store.papers.get(ids)
    elements = await services.run_store.elements.get(ids)
    return {"table": make_table([papers[paper] for paper in ids if paper in papers], elements)}


def make_table(papers: Sequence[Paper], elements: Mapping[str, KeyElements]) -> ComparisonTable:
    """Return the papers by facets, in their order; one without key elements has a row of empty cells."""
    return ComparisonTable(
        rows=tuple(
            TableRow(
                number=place,
                paper=paper.id,
                name=paper.byline,
                title=paper.title,
                cells=_cells(paper, elements.get(paper.id)),
            )
            for place, paper in enumerate(papers, start=1)
        )
    )


def _cells(paper: Paper, elements: KeyElements | None) -> dict[TableFacet, Cell]:
    filled = elements.filled() if elements else {}
    for facet, other in _STAND_INS.items():
        if facet not in filled and other in filled:
            filled[facet] = filled[other]
    cells = {name: _cell(paper, filled[name]) for name in TABLE_FACETS if name in filled}
    return {name: cell for name, cell in cells.items() if cell is not None}


def _cell(paper: Paper, element: Element) -> Cell | None:
    """Return the words behind the element, if they stand in the paper as it is now."""
    if element.quote is None or not element.quote.verified:
        return None
    of_text = element.quote.part == "passage"
    quote = element.quote if of_text else quote_paper(element.quote.text, paper)
    if not quote.verified or without_injections(quote.text)[1]:
        return None
    return Cell(text=brief(quote.text), quote=quote)


def brief(text: str) -> str:
    """Return a text short enough for a cell: whole, or cut between words, and then it says so."""
    words = text.split()
    if len(words) <= _MOST:
        return " ".join(words)
    return " ".join(words[: _MOST - 1]).rstrip(" ,;:–-(") + " …"
