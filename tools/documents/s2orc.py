"""S2ORC: a paper with its full text as one JSON object, with the places of its parts in that text."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from state.document import Block, BlockKind, Document
from state.paper import Author
from tools.errors import DocumentError

READER = "s2orc 1"
_KINDS: dict[str, BlockKind] = {
    "paragraph": "text", "figurecaption": "caption", "tablecaption": "caption",
    "bibentry": "reference",
}  # fmt: skip


def read_s2orc(paper: Mapping[str, Any]) -> Document:
    """Return the document of a line of S2ORC, as the datasets API of Semantic Scholar gives them.

    Raises:
        DocumentError: It has no text.
    """
    content = paper.get("content") or {}
    text, places = content.get("text") or "", content.get("annotations") or {}
    if not isinstance(text, str) or not isinstance(places, dict):
        raise DocumentError("its content is not as S2ORC's is")
    ids = paper.get("externalids") or {}
    abstract = [Block(text=words, kind="abstract") for _, words in _parts(text, places, "abstract")]
    body = list(_blocks(text, places))
    if not any(block.kind == "text" for block in (*abstract, *body)) and not abstract:
        raise DocumentError("it has no paragraph", remedy="add another copy of it")
    return Document(
        title=next((words for _, words in _parts(text, places, "title")), None),
        authors=tuple(Author(name=name) for name in _names(text, places)),
        abstract=" ".join(block.text for block in abstract) or None,
        doi=ids.get("doi"), arxiv=ids.get("arxiv"),
        blocks=(*abstract, *body), reader=READER,
    )  # fmt: skip


def _blocks(text: str, places: Mapping[str, Any]) -> Iterator[Block]:
    found = [
        (start, kind, words)
        for kind in ("sectionheader", *_KINDS)
        for start, words in _parts(text, places, kind)
    ]
    section: tuple[str, ...] = ()
    for _, kind, words in sorted(found):
        if kind == "sectionheader":
            section = (words,)
        else:
            yield Block(text=words, section=section, kind=_KINDS[kind])


def _parts(text: str, places: Mapping[str, Any], kind: str) -> list[tuple[int, str]]:
    """Return where the parts of a kind begin, and their words; the list of them is JSON in JSON."""
    try:
        spans = [
            (int(one["start"]), int(one["end"])) for one in json.loads(places.get(kind) or "[]")
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise DocumentError(f"its annotation '{kind}' is not as S2ORC's are: {error}") from error
    found = [(start, " ".join(text[start:end].split())) for start, end in sorted(spans)]
    return [(start, words) for start, words in found if words]


def _names(text: str, places: Mapping[str, Any]) -> Iterator[str]:
    """Yield each family name with the given names before it."""
    given: list[str] = []
    parts = [
        (start, kind, words)
        for kind in ("authorfirstname", "authorlastname")
        for start, words in _parts(text, places, kind)
    ]
    for _, kind, words in sorted(parts):
        given.append(words)
        if kind == "authorlastname":
            yield " ".join(given)
            given = []
