"""What the writing steps know of the papers they write about."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from state.paper import Paper, by_any_id
from state.writing import MARKER, KeyElements, Sentence
from tools.services import Services


class LinePaper(BaseModel):
    """A paper that a sentence is to cite, as the mind sees it."""

    key: str = Field(description="Its marker in the text is this key in braces, such as {P1}.")
    name: str = Field(description="How the text names its authors.")
    plural: bool
    year: int | None
    title: str
    abstract: str
    elements: dict[str, str] = Field(description="Its verified words by key element.")
    annotated: bool = Field(
        default=False, exclude=True, description="Whether a bibliographer wrote the abstract."
    )
    cites: list[str] = Field(default=[], description="Keys of other papers here that it cites.")


async def line_papers(
    services: Services, keys: Mapping[str, str], wanted: Sequence[str]
) -> list[LinePaper]:
    """Return the papers of these keys, with their key elements, in the order of `wanted`."""
    ids = [keys[key] for key in wanted if key in keys]
    papers = await services.run_store.papers.get(list(keys.values()))
    elements = await services.run_store.elements.get(ids)
    by_id = {paper: key for key, paper in keys.items()}
    by_id |= {
        alias: by_id[key] for alias, key in by_any_id(papers.values()).items() if key in by_id
    }
    return [
        _line_paper(by_id[key], papers[key], elements.get(key), by_id)
        for key in ids
        if key in papers
    ]


def _line_paper(
    key: str, paper: Paper, elements: KeyElements | None, by_id: Mapping[str, str]
) -> LinePaper:
    return LinePaper(
        key=key,
        name=paper.citation,
        plural=len(paper.authors) > 1 or (bool(paper.authors) and not paper.authors_complete),
        year=paper.year,
        title=paper.title,
        abstract=paper.abstract or "",
        elements=verified_words(elements),
        annotated=paper.abstract_kind == "annotation",
        cites=[by_id[cited] for cited in paper.references if cited in by_id],
    )


def verified_words(elements: KeyElements | None) -> dict[str, str]:
    """Return the whole words behind each key element; an element without a checked quote is left out."""
    if elements is None:
        return {}
    return {
        name: element.quote.text
        for name, element in elements.filled().items()
        if element.quote and element.quote.verified
    }


def plain_text(sentences: Sequence[Sentence]) -> str:
    """Return a draft's text, markers included, as one paragraph."""
    return " ".join(sentence.text for sentence in sentences)


def without_markers(text: str) -> str:
    """Return a sentence without its citation markers."""
    return (
        " ".join(MARKER.sub("", text).split())
        .replace(" ,", ",")
        .replace(" .", ".")
        .replace(" :", ":")
    )
