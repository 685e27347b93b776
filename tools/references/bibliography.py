"""What a document cites: its list of references read, and the citations in its text linked to it."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from state.bibliography import Bibliography, CitationStyle, InTextCitation, ReferenceEntry
from state.document import Block, Document
from tools.references.entries import read_entry, repeats
from tools.references.in_text import Known, Label, Mention, find_known, without_overlaps
from tools.references.linking import Linker, first_keys
from tools.references.marks import marks_citation, raised_mentions, with_keys

CITING = frozenset({"text", "abstract", "list", "footnote", "caption"})
"""Kinds of blocks whose citations are read."""
_LIST = re.compile(
    r"\W*(?:[\dIVX]+\.?\s+)?(?:references?(?: and notes)?|bibliography|literature(?: cited)?|works cited|"
    r"references cited|list of references|literatur(?:verzeichnis)?|bibliographie|referencias)\W*",
    re.IGNORECASE,
)
_COUNTED = 5
"""Fewest bracketed numbers that show a list without printed numbers to be a numbered one."""


def read_bibliography(document: Document) -> Bibliography:
    """Return the entries of a document's list of references, and every citation of them in its text.

    Entries are the blocks of kind "reference"; where there are none, what stands under a heading such
    as 'References'. Deterministic.
    """
    listed = _listed(document.blocks)
    entries = _entries([document.blocks[at] for at in listed])
    style = _style(entries)
    if style == "author_year" and not any(entry.label for entry in entries):
        return _of_unlabelled(document.blocks, entries)
    citations = list(_citations(document.blocks, entries, style, Linker(entries, blocks=listed)))
    return _bibliography(entries, citations)


def _of_unlabelled(blocks: Sequence[Block], entries: Sequence[ReferenceEntry]) -> Bibliography:
    """Read citations by author and year; by number, if the list has only lost its numbers."""
    named = list(_citations(blocks, entries, "author_year", Linker(entries)))
    linked = sum(len(item.entries) for item in named)
    if linked >= max(_COUNTED, len(entries) // 2):
        return _bibliography(entries, named)
    numbers = Linker(entries, counted=True)
    counted = list(_citations(blocks, entries, "number", numbers))
    by_number = {place for item in counted if item.style == "number" for place in item.entries}
    if len(by_number) >= max(_COUNTED, len(entries) // 2) and len(by_number) > linked:
        return _bibliography(entries, counted)
    return _bibliography(entries, named)


def _bibliography(
    entries: Sequence[ReferenceEntry], citations: Sequence[InTextCitation]
) -> Bibliography:
    linked = sum(len(item.entries) for item in citations)
    cited = linked + sum(len(item.unlinked) for item in citations)
    share = linked / cited if cited else float(not entries)
    return Bibliography(
        entries=tuple(entries), citations=tuple(citations), confidence=round(share, 4)
    )


def _listed(blocks: Sequence[Block]) -> list[int]:
    """Return the places of the blocks that are entries."""
    listed = [at for at, block in enumerate(blocks) if block.kind == "reference"]
    return listed or [
        at for at, block in enumerate(blocks)
        if block.section and _LIST.fullmatch(block.section[-1]) and block.kind in {"text", "list"}
    ]  # fmt: skip


def _entries(listed: Sequence[Block]) -> list[ReferenceEntry]:
    entries = [read_entry(block.text, place, block.page) for place, block in enumerate(listed)]
    for place, (before, entry) in enumerate(pairwise(entries), start=1):
        if repeats(entry.text) and not entry.authors:
            entries[place] = entry.model_copy(
                update={
                    "authors": entries[place - 1].authors,
                    "authors_complete": before.authors_complete,
                }
            )
    return entries


def _style(entries: Sequence[ReferenceEntry]) -> CitationStyle:
    numbers = sum(entry.label.isdigit() for entry in entries)
    keys = sum(
        bool(entry.label) and not entry.label.isdigit() and " " not in entry.label
        for entry in entries
    )
    if 2 * numbers > len(entries):
        return "number"
    return "key" if 2 * keys > len(entries) else "author_year"


def _citations(
    blocks: Sequence[Block], entries: Sequence[ReferenceEntry], style: CitationStyle, linker: Linker
) -> Iterator[InTextCitation]:
    labels = (
        [entry.label or str(entry.place + 1) for entry in entries] if style != "author_year" else []
    )
    families = frozenset(key for entry in entries for key in first_keys(entry))
    known = Known(frozenset(labels), families)
    found = [
        (at, block, _mentions(block.text, known, style))
        for at, block in enumerate(blocks)
        if block.kind in CITING
    ]
    if style == "number" and not any(
        item.labels[0].kind == "number" for _, _, many in found for item in many
    ):
        found = [
            (at, block, without_overlaps([*raised_mentions(block.text, known.keys), *mentions]))
            for at, block, mentions in found
        ]
    most = max((int(label) for label in labels if label.isdigit()), default=0)
    most += most // 4 + 5  # entries may have been lost at the list's end
    for at, block, mentions in found:
        for mention in mentions:
            if citation := _citation(at, block.text, mention, style, linker, most):
                yield citation


def _mentions(text: str, known: Known, style: CitationStyle) -> list[Mention]:
    mentions = find_known(text, known)
    if style == "key":
        return with_keys(text, mentions, known.keys)
    return mentions


def _citation(
    at: int, text: str, mention: Mention, style: CitationStyle, linker: Linker, most: int
) -> InTextCitation | None:
    """Return a citation; None where the mention is none, going by the style of the list."""
    kind = mention.labels[0].kind
    if kind == "number" and (style != "number" or not marks_citation(text, mention, most)):
        return None
    if kind == "key" and style != "key":
        return None
    links = [linker.link(label, at) for label in mention.labels]
    unlinked = [label for label, link in zip(mention.labels, links, strict=True) if not link]
    if kind == "author_year" and style != "author_year":
        # In a numbered list names and years are a citation only where they lead to an entry.
        unlinked = []
    if kind == "number":
        unlinked = [label for label in unlinked if int(label.text) <= most]
    places = tuple(dict.fromkeys(chain.from_iterable(links)))
    if not places and (not unlinked or not any(map(_plausible, unlinked))):
        return None
    start = mention.named if 0 <= mention.named < mention.start else mention.start
    return InTextCitation(
        block=at, start=start, end=mention.end, text=text[start : mention.end], style=kind,
        entries=places, unlinked=tuple(dict.fromkeys(label.text for label in unlinked)),
    )  # fmt: skip


def _plausible(label: Label) -> bool:
    """Whether what leads to no entry is still a citation for certain enough to be reported."""
    return label.kind != "author_year" or bool(label.year or len(label.names) > 1)
