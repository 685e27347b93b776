"""What a tool tells of a run: small, in pages, the rest as files to read by their address; and what comes next."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from citeloom.report.for_agents import (
    cells_by_question,
    first_arguments_of,
    with_quotes_said,
    works_by_claim,
)
from citeloom.report.reference_files import FORMS, LISTS, reference_file
from citeloom.runs.runs import Runs, RunSnapshot, Status
from state.results import Reference
from state.run import GraphName
from state.value import FrozenModel
from state.verify import ReadReference
from tools.errors import InputError


def next_step(view: RunSnapshot) -> str:
    """Return what whoever called a tool does next."""
    far = view.progress and f" ({progress_text(view)})"
    told = "problem" if view.problem else "text"
    table = (
        (
            view.status == "working",
            f"Call get_run with this run in a while{far or ''}; it continues by itself.",
        ),
        (
            view.status == "input_required",
            "Put the question to a person, then call get_run with `answer`: '' accepts the "
            "proposal, 'stop' ends the run, other text replaces the proposal.",
        ),
        (
            not view.has_ended,
            "get_run with action 'resume' continues it from where it stopped.",
        ),
        (
            view.status == "failed",
            "Do what `problem` says, then call the tool again: this run cannot continue.",
        ),
        (view.outcome == "nothing", f"Done, with no results: `{told}` says why."),
        (
            bool(view.problem),
            "Not complete: `problem` says why. get_run pages through the `parts` it has; the "
            "linked files have everything.",
        ),
        (
            view.outcome == "partial",
            "Partly done: `parts` say what is missing. get_run pages through them; the "
            "linked files have everything.",
        ),
    )
    done = "Done. get_run pages through `parts`; the linked files have everything."
    return next((what for holds, what in table if holds), done)


def progress_text(view: RunSnapshot) -> str:
    """Return how far a run is, in words."""
    if not (progress := view.progress):
        return ""
    counted = f" {progress.done} of {progress.total}" if progress.total else ""
    return f"{progress.title or progress.stage}{counted}"


RunsOf = Callable[[Mapping[str, str]], Runs]
"""The runs of whoever sent a request with these headers."""
PAGE = 3600
"""Characters of a page; with all around it an answer stays under 6,000."""
_LINE = 600
_SCHEME = "citeloom://runs/"

FILES: Mapping[GraphName, Mapping[str, str]] = {
    "find": {"papers.json": "every paper judged, with its debate"},
    "write": {
        "related_work.md": "the section with its references",
        "references.bib": "the references as BibTeX",
        "audit.json": "the verdict on each citation",
    },
    "ask": {"answer.md": "the answer", "claims.json": "its claims, with their quotes"},
    "synthesize": {"answer.md": "the synthesis", "references.bib": "what it cites, as BibTeX"},
    "verify": {"audit.json": "the verdict on each citation"},
    "references": LISTS,
    "table": {"rows.json": "each paper with its cells and their quotes"},
    "novelty": {
        "claims.json": "each claim with the nearest earlier works",
        "uncompared.json": "what else was found",
        "papers.json": "every paper judged, with its debate",
    },
    "screen": {"decisions.json": "each decision, with the words behind each criterion"},
    "ingest": {"reports.json": "what became of each file"},
}
_WRITTEN = FILES["write"]
_FILES = {**FILES, "revise": _WRITTEN, "review": {**_WRITTEN, **FILES["find"]}}
_TYPES = {
    "md": "text/markdown",
    "bib": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
}
FIRST_PART = {
    "find": "papers",
    "verify": "findings",
    "table": "rows",
    "novelty": "claims",
    "screen": "decisions",
    "references": "references",
    "ingest": "reports",
}
UNLISTED_VALUES = {
    "messages",
    "contexts",
    "links",
    "failures",
    "listings",
    "seconds",
    "selected",
    "plan_papers",
}


class ToolResult(FrozenModel):
    """What every tool gives."""

    run: str = Field(default="", description="Names the run for get_run.")
    graph: GraphName | None = None
    status: Status
    next: str = Field(description="What to do next.")
    outcome: str = Field(
        default="", description="'complete', 'partial' or 'nothing', once the run has ended."
    )
    problem: str = Field(default="", description="Why there is no more, and what to do about it.")
    question: dict[str, Any] | None = Field(
        default=None,
        description="What the run asks a person: `kind`, `instructions`, `proposal` (to edit), "
        "`error` (what was wrong with the last answer).",
    )
    part: str = Field(default="", description="The part that `text` or `items` are a page of.")
    page: int = 1
    pages: int = 1
    text: str = ""
    items: list[dict[str, Any]] = Field(default_factory=list)
    parts: dict[str, int] = Field(
        default={}, description="Other parts that get_run has: lists and their length."
    )


class _Lean(GenerateJsonSchema):
    """Says nothing twice: a client reads every schema in every session."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Name no field again as its title."""
        return False


def lean_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a model, without titles."""
    schema = model.model_json_schema(schema_generator=_Lean)
    return {name: part for name, part in schema.items() if name not in {"title", "description"}}


SCHEMA = lean_schema(ToolResult)
for _field in SCHEMA["properties"].values():
    _field.pop("default", None)  # what is its default is left out of a result


def to_tool_result(view: RunSnapshot, part: str = "", page: int = 1) -> ToolResult:
    """Return what a tool says of a run.

    Raises:
        InputError: The run has no such part, or the part no such page.
    """
    values = view.values
    lists = _lists(values)
    parts = {name: len(items) for name, items in lists.items() if items}
    chosen = part or FIRST_PART.get(view.graph, "text")
    if not part and chosen not in parts and "undecided" in parts:
        chosen = "undecided"  # a screening without a model has nothing else
    forms = FORMS.keys() if view.graph == "references" and "references" in parts else ()
    parts |= dict.fromkeys(forms, parts.get("references", 0))
    result: dict[str, Any] = {}
    if view.question:
        result["question"] = _question(view.question)
    elif chosen in {"text", *forms}:
        text = values.get("related_work") or values.get("answer")
        if text := _reference_file(values, chosen) if chosen in forms else text:
            result = part_page(chosen, "text", list(_cut(str(text))), page)
    elif chosen in lists:
        cards = [_card(chosen, item) for item in lists[chosen]]
        result = part_page(chosen, "items", in_pages(cards), page)
    elif part:
        raise InputError(
            f"run '{view.run}' has no part '{part}'; it has: {', '.join(['text', *parts])}"
        )
    return ToolResult(
        run=view.run,
        graph=view.graph,
        status=view.status,
        next=next_step(view),
        outcome=view.outcome,
        problem=_clip(view.problem),
        parts=parts,
        **result,
    )


def _question(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question without its details; a proposal that is too long stands in a file."""
    names = ("kind", "instructions", "error", "why")
    short = {name: _clip(str(question[name])) for name in names if question.get(name)}
    proposal = str(question.get("proposal") or "")
    if len(proposal) > PAGE:
        all_of_it = "question.json has the whole text; an answer replaces it all"
        proposal = f"{proposal[:PAGE]}\n(cut: {all_of_it})"
    return {**short, "proposal": proposal}


def _reference_file(values: Mapping[str, Any], form: str) -> str:
    """Return the references that were read from print in one of their forms."""
    return reference_file(
        form, TypeAdapter(list[ReadReference]).validate_python(values["references"])
    )


def _lists(values: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    found: dict[str, Sequence[Any]] = {
        name: item
        for name, item in values.items()
        if isinstance(item, list) and name not in UNLISTED_VALUES
    }
    if rows := (values.get("table") or {}).get("rows"):
        found["table"] = rows
    if "selected" in values and "papers" in found:
        found["papers"] = [item for item in found["papers"] if item.get("selected")]
    if any("nearest" in item for item in found.get("claims", ())):
        found["claims"] = [*works_by_claim(values)]
    if "rows" in found:
        found["rows"] = [*cells_by_question(values)]
    if audit := values.get("audit"):
        found["findings"] = _findings(audit)
    return found


def _findings(audit: Mapping[str, Any]) -> Sequence[Any]:
    """Return what an audit says, what is wrong first."""
    counts = {name: item for name, item in audit.items() if isinstance(item, bool | int)}
    wrong = [*audit.get("references", ()), *audit.get("uncited_claims", ())]
    ranked = sorted(audit.get("verdicts", ()), key=lambda item: item["verdict"] == "supported")
    return [{**counts, "reasons": audit.get("reasons", [])}, *wrong, *ranked]


def _card(part: str, item: Any) -> dict[str, Any]:
    """Return what matters of an item."""
    if not isinstance(item, Mapping):
        return {"text": _clip(str(item))}
    told: dict[str, Any] = {}
    if isinstance(paper := item.get("paper"), Mapping):
        shown = ("id", "title", "year", "venue", *(("doi",) if part == "references" else ()))
        told = {name: paper.get(name) for name in shown}
    for side, one in first_arguments_of(item).items():
        told[side] = f"{one['claim']} {with_quotes_said(one.get('quote')) or ''}".rstrip()
    told |= {
        name: worth
        for name, worth in item.items()
        if name not in {"paper", "debate", "found_by", "marked"} or isinstance(worth, str)
    }
    return {
        name: _shorten_value(worth)
        for name, worth in told.items()
        if worth not in (None, "", [], {})
    }


def _shorten_value(worth: Any) -> Any:
    said = with_quotes_said(worth)
    as_text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return said if len(as_text) <= _LINE else _clip(as_text)


def _clip(text: str) -> str:
    return text if len(text) <= _LINE else f"{text[: _LINE - 2]} …"


def in_pages(cards: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return records in pages of PAGE characters; one that is longer alone is cut."""
    pages: list[list[dict[str, Any]]] = [[]]
    room = PAGE
    for card in cards:
        size = len(json.dumps(card, ensure_ascii=False)) + 2
        if size > PAGE:
            card, size = {"text": _clip(json.dumps(card, ensure_ascii=False))}, _LINE
        if size > room and pages[-1]:
            pages.append([])
            room = PAGE
        pages[-1].append(card)
        room -= size
    return pages


def _cut(text: str) -> Iterator[str]:
    """Cut at the last blank before a page's end."""
    while len(text) > PAGE:
        at = max(text.rfind("\n\n", PAGE // 2, PAGE), text.rfind(" ", PAGE // 2, PAGE))
        at = at if at > 0 else PAGE
        yield text[:at]
        text = text[at:].lstrip()
    yield text


def part_page(part: str, kind: str, pages: Sequence[Any], page: int) -> dict[str, Any]:
    """Return the fields of a ToolResult that say one page of a part.

    Raises:
        InputError: There is no such page.
    """
    if page > len(pages):
        raise InputError(f"there is no page {page}: the last page is {len(pages)}")
    return {"part": part, kind: pages[page - 1], "page": page, "pages": len(pages)}


# --- Files ----------------------------------------------------------------------------------------


def files_of(view: RunSnapshot) -> dict[str, str]:
    """Return the addresses of a run's files and what each is; those that it has, once it rests."""
    if view.status == "working":
        return {}
    named = {**_FILES[view.graph], "result.json": "everything the run gives"}
    if view.question:
        named = {"question.json": "the question with all its details"}
    return {f"{_SCHEME}{view.run}/{name}": words for name, words in named.items()}


def mime_of(address: str) -> str:
    """Return the type of a file by its name."""
    return _TYPES.get(address.rpartition(".")[2], "application/json")


def parsed(address: str) -> tuple[str, str]:
    """Return run and file of an address.

    Raises:
        InputError: It is not the address of a file of a run.
    """
    run, _, name = address.removeprefix(_SCHEME).partition("/")
    if not address.startswith(_SCHEME) or not run or not name or "/" in name:
        raise InputError(
            f"'{address}' is not an address of a run's file, such as {_SCHEME}RUN/result.json"
        )
    return run, name


def read(view: RunSnapshot, name: str) -> str:
    """Return the content of a run's file.

    Raises:
        InputError: The run has no such file.
    """
    values, references = view.values, view.values.get("references") or ()
    stem, _, kind = name.rpartition(".")
    held = {**values, **({"question": view.question} if view.question else {}), "result": values}
    if view.graph == "references" and name in LISTS and references:
        form = next(form for form, named in FORMS.items() if named == name)
        return _reference_file(values, form)
    if kind == "json" and held.get(stem) is not None:
        return json.dumps(held[stem], ensure_ascii=False, indent=1) + "\n"
    if kind == "md" and values.get(stem):
        listed = "\n".join(
            f"{item.get('number', '-')}. {item.get('entry') or (item.get('paper') or {}).get('title', '')}"
            for item in references
        )
        return f"{values[stem]}\n" + (f"\n## References\n\n{listed}\n" if listed else "")
    if name == "references.bib" and (values.get("bibtex") or references):
        from tools.bibliography.write_bibtex import to_bibtex

        cited = TypeAdapter(list[Reference])
        return str(values.get("bibtex") or to_bibtex(cited.validate_python(references)))
    known = ", ".join(address.rpartition("/")[2] for address in files_of(view))
    raise InputError(f"run '{view.run}' has no file '{name}'; it may have: {known or 'none yet'}")
