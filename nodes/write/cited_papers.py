"""What the writing steps know of the papers they write about."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from nodes.common.ask_person import first_arguments
from state.paper import Paper, index_by_ids
from state.quote import ANNOTATION, Quote
from state.writing import KeyElements, Plan, Sentence
from tools.evidence.prompt_injection import without_injections
from tools.llm.task import count_tokens
from tools.services import Services


class PaperToCite(BaseModel):
    """A paper that is to be cited, as the mind sees it."""

    key: str
    name: str = Field(description="How the text names its authors.")
    plural: bool = Field(exclude=True)
    year: int | None
    venue: str | None = None
    title: str
    abstract: str
    annotated: bool = Field(
        default=False, exclude=True, description="Whether a bibliographer wrote the abstract."
    )
    elements: dict[str, str] | None = Field(
        default=None, description="Verified words that the abstract does not have, by key element."
    )
    cites: list[str] | None = Field(default=None, description="Keys of papers here that it cites.")
    why: str | None = Field(default=None, description="Why the search kept it, in a judge's words.")


async def load_papers_to_cite(
    services: Services, keys: Mapping[str, str], wanted: Sequence[str]
) -> list[PaperToCite]:
    """Return the papers of these keys, with their key elements, in the order of `wanted`."""
    ids = [keys[key] for key in wanted if key in keys]
    papers = await services.run_store.papers.get(list(keys.values()))
    elements = await services.run_store.elements.get(ids)
    by_id = {paper: key for key, paper in keys.items()}
    by_id |= {
        alias: by_id[key] for alias, key in index_by_ids(papers.values()).items() if key in by_id
    }
    known = [papers[key] for key in ids if key in papers]
    # The embedded engine's sentences are compared with the paper's own under its usual name.
    told = services.mind.composes
    whys = await first_arguments(services.run_store, ids) if told else {}
    every = list(papers.values())
    apart = dict(zip(papers, distinct_names(every), strict=True)) if told else {}
    return [
        PaperToCite(
            key=by_id[paper.id],
            name=apart.get(paper.id, paper.citation),
            plural=len(paper.authors) > 1 or (bool(paper.authors) and not paper.authors_complete),
            year=paper.year,
            venue=(without_injections(paper.venue)[0] or None) if told and paper.venue else None,
            title=without_injections(paper.title)[0] if told else paper.title,
            abstract=without_injections(paper.abstract or "")[0] if told else paper.abstract or "",
            annotated=paper.abstract_kind == ANNOTATION,
            elements=verified_words(elements.get(paper.id)) or None,
            cites=[by_id[cited] for cited in paper.references if cited in by_id] or None,
            why=whys.get(paper.id),
        )
        for paper in known
    ]


async def with_elements(
    services: Services, keys: Mapping[str, str], papers: Sequence[PaperToCite]
) -> list[PaperToCite]:
    """Return the papers as ChatCite shows them: by key elements where these stand for a longer abstract."""
    known = await services.run_store.elements.get([keys[paper.key] for paper in papers])
    return [_as_read(paper, known.get(keys[paper.key])) for paper in papers]


def _as_read(paper: PaperToCite, elements: KeyElements | None) -> PaperToCite:
    filled = elements.filled() if elements else {}
    words = {name: item.quote.text for name, item in filled.items() if item.quote}
    longer = count_tokens(paper.abstract) > count_tokens(" ".join(words.values()))
    if longer and len(words) >= _ENOUGH:
        return paper.model_copy(update={"abstract": "", "elements": words})
    return paper


_ENOUGH = 5
"""Key elements, of seven, that can stand for an abstract."""


def distinct_names(papers: Sequence[Paper]) -> list[str]:
    """Return how a text names these papers' authors, with as many of them as tell two papers apart.

    Two papers by 'Lee et al.' become 'Lee, Kim, et al.' and 'Lee, Park, et al.'.
    """
    names = [paper.citation for paper in papers]
    apart: list[str] = []
    for name, paper in zip(names, papers, strict=True):
        families = [author.family for author in paper.authors if author.family]
        if names.count(name) > 1 and len(families) > 2:
            apart.append(f"{families[0]}, {families[1]}, et al.")
        else:
            apart.append(name)
    return apart


async def full_text_quotes(services: Services, ids: Sequence[str]) -> list[Quote]:
    """Return the verified words of these papers' full texts, where these were read."""
    elements = await services.run_store.elements.get(ids)
    filled = [item for known in elements.values() for item in known.filled().values()]
    quotes = (item.quote for item in filled)
    return list(dict.fromkeys(item for item in quotes if item and item.part == "passage"))


def verified_words(elements: KeyElements | None) -> dict[str, str]:
    """Return the words behind key elements that are not in the abstract, which is shown anyway."""
    if elements is None:
        return {}
    return {
        name: element.quote.text
        for name, element in elements.filled().items()
        if element.quote and element.quote.verified and element.quote.part not in SHOWN
    }


SHOWN = ("abstract", ANNOTATION, "title")
"""Parts of a paper that whoever writes about it sees whole."""


def draft_text(sentences: Sequence[Sentence]) -> str:
    """Return a draft's text, markers included, as one paragraph."""
    return " ".join(sentence.text for sentence in sentences)


def lines_with_wrong_count(plan: Plan, cited: Sequence[str]) -> set[int]:
    """Return the lines that count papers of which one is not cited, 'Three papers ...'."""
    return {line.number for line in plan.lines if not set(cited) >= set(line.covers)}
