"""A paper's related-work section, and what it cites, as rows of `eval writing` have them."""

import re
from dataclasses import dataclass
from typing import Any

from state.bibliography import Bibliography, InTextCitation
from state.document import Document
from state.paper import Paper
from state.synthesis import EntryWorks
from tools.references.read_bibliography import read_bibliography
from tools.references.works import merge_works
from tools.text.sentences import split_sentences

_HEADING = re.compile(
    r"\W*(?:[\dIVX]+(?:\.\d+)*\.?\s+)?(?:(?:background|prior|previous|related)(?: and)? ?)+"
    r"(?:works?|research|studies|literature|approaches|methods)?\W*",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"licen[cs]es?[^<>]{0,40}?:?\s*(CC[ -][\w .-]{2,30}|arXiv\.org perpetual[^<]{0,30})", re.I
)


@dataclass(frozen=True)
class Section:
    """A section with its citations, and the works they lead to."""

    blocks: tuple[tuple[int, str], ...]
    """Place in the document and text of each of its paragraphs."""
    bibliography: Bibliography
    works: dict[str, Paper]
    """What the section cites, by the work's id, as its list of references prints it."""
    keys: dict[int, str]
    """The work of each entry of the list, by its place."""

    @property
    def text(self) -> str:
        """The section as its authors wrote it."""
        return "\n\n".join(text for _, text in self.blocks)

    def sentences(self) -> list[dict[str, Any]]:
        """Return its sentences, each with the ids of the works that it cites."""
        return [
            {"text": span.text, "cites": self._cited(at, span.start, span.end)}
            for at, text in self.blocks
            for span in split_sentences(text)
        ]

    def _cited(self, block: int, start: int, end: int) -> list[str]:
        here = [
            one
            for one in self.bibliography.citations
            if one.block == block and start <= one.start < end
        ]
        return list(dict.fromkeys(key for one in here for key in _works(one, self.keys)))


def related_work(paper: Paper, document: Document) -> Section | None:
    """Return the related-work section of a document, or None where it has none that cites anything."""
    blocks = [
        (at, block.text)
        for at, block in enumerate(document.blocks)
        if block.kind in {"text", "list"}
        and any(_HEADING.fullmatch(title) for title in block.section)
    ]
    bibliography = read_bibliography(document)
    places = {at for at, _ in blocks}
    citations = [one for one in bibliography.citations if one.block in places]
    entries, works = merge_works({paper.id: bibliography}, [])
    keys = _keys(entries, paper.id)
    cited = dict.fromkeys(key for one in citations for key in _works(one, keys))
    named = {work.id: work for work in works if work.id in cited}
    return Section(tuple(blocks), bibliography, named, keys) if named else None


def as_cited(key: str, work: Paper) -> dict[str, Any]:
    """Return a work as a row of `eval writing` lists it."""
    return {
        "key": key,
        "id": work.id,
        "title": work.title,
        "year": work.year,
        "venue": work.venue,
        "authors": [author.name for author in work.authors],
        "abstract": work.abstract,
    }


def licence_of(content: bytes) -> str:
    """Return the licence that arXiv's HTML prints at its head; empty where it prints none."""
    found = _LICENCE.search(content[:20_000].decode("utf-8", "replace"))
    return " ".join(found[1].split()) if found else ""


def _keys(entries: EntryWorks, paper: str) -> dict[int, str]:
    return dict(enumerate(entries.works.get(paper, ())))


def _works(citation: InTextCitation, keys: dict[int, str]) -> list[str]:
    return [keys[place] for place in citation.entries if place in keys]
