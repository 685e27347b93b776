"""What a document cites: its list of references read, and the citations in its text linked to it."""

from collections.abc import Iterator, Sequence
from itertools import chain

from state.bibliography import Bibliography, CitationStyle, InTextCitation, ReferenceEntry
from state.document import Block, Document
from tools.references.in_text import Label, Linker, Mention, first_keys
from tools.references.marks import citations_in
from tools.references.read_entry import read_entry, repeats
from tools.text.headings import is_references

CITING = frozenset({"text", "abstract", "list", "footnote", "caption"})
"""Kinds of blocks whose citations are read."""
_LONGEST_ENTRY = 600
"""Characters."""
_FEWEST = 4
"""Entries from which the end of a text is a list: prose that names authors, a year and a title is rarer."""
_COUNTED = 5
"""Fewest bracketed numbers that show a list without printed numbers to be a numbered one."""


def read_bibliography(
    document: Document, known: Sequence[ReferenceEntry] | None = None
) -> Bibliography:
    """Return the entries of a document's list of references, and every citation of them in its text.

    Entries are the blocks of kind "reference"; where there are none, what stands under a heading such
    as 'References'. Deterministic.

    Args:
        document: What was read.
        known: Its list, where it was read before.
    """
    blocks = document.blocks
    entries = list(known) if known is not None else read_entries(document)
    style = style_of(entries)
    citations = list(_citations(blocks, entries, style, Linker(entries)))
    if style == "author_year" and not any(entry.label for entry in entries):
        # The list may only have lost its numbers.
        numbers = Linker(entries, counted=True)
        counted = list(_citations(blocks, entries, "number", numbers))
        places = {place for one in counted if one.style == "number" for place in one.entries}
        linked = sum(len(one.entries) for one in citations)
        if len(places) >= max(_COUNTED, len(entries) // 2, linked + 1):
            citations = counted
    return _bibliography(entries, citations)


def read_entries(document: Document) -> list[ReferenceEntry]:
    """Return the entries of a document's list of references alone; see read_bibliography."""
    blocks = document.blocks
    listed = [block for block in blocks if block.kind == "reference"] or [
        block
        for block in blocks
        if block.section and is_references(block.section[-1]) and block.kind in {"text", "list"}
    ]
    return _entries(listed)


def entries_at_end(paragraphs: Sequence[str]) -> list[str]:
    """Return the paragraphs at the end of a text that read as entries of a list which has no heading.

    None where there are fewer than four; one that cannot be read as an entry may stand between two.
    """
    found: list[str] = []
    missed = 0
    for text in reversed(paragraphs):
        entry = read_entry(text, 0) if len(text) <= _LONGEST_ENTRY else None
        if entry and entry.authors and entry.title and entry.year:
            found.append(text)
            missed = 0
        elif (missed := missed + 1) > 1:
            break
    return found if len(found) >= _FEWEST else []


def _bibliography(
    entries: Sequence[ReferenceEntry], citations: Sequence[InTextCitation]
) -> Bibliography:
    linked = sum(len(item.entries) for item in citations)
    cited = linked + sum(len(item.unlinked) for item in citations)
    share = linked / cited if cited else float(not entries)
    return Bibliography(
        entries=tuple(entries), citations=tuple(citations), confidence=round(share, 4)
    )


def _entries(listed: Sequence[Block]) -> list[ReferenceEntry]:
    entries: list[ReferenceEntry] = []
    for place, block in enumerate(listed):
        entry = read_entry(block.text, place, block.page)
        if entries and repeats(entry.text) and not entry.authors:
            names = ("authors", "authors_complete")
            entry = entry.model_copy(update={name: getattr(entries[-1], name) for name in names})
        entries.append(entry)
    return entries


def style_of(entries: Sequence[ReferenceEntry]) -> CitationStyle:
    """Return how entries with these labels are cited."""
    labels = [entry.label for entry in entries]
    if 2 * sum(map(str.isdigit, labels)) > len(entries):
        return "number"
    keys = [label for label in labels if label and not label.isdigit() and " " not in label]
    return "key" if 2 * len(keys) > len(entries) else "author_year"


def _citations(
    blocks: Sequence[Block], entries: Sequence[ReferenceEntry], style: CitationStyle, linker: Linker
) -> Iterator[InTextCitation]:
    labels = [] if style == "author_year" else [one.label or str(one.place + 1) for one in entries]
    families = frozenset(key for entry in entries for key in first_keys(entry))
    most = max((int(label) for label in labels if label.isdigit()), default=0)
    most += most // 4 + 5  # entries may have been lost at the list's end
    citing = [(at, block.text) for at, block in enumerate(blocks) if block.kind in CITING]
    found = citations_in([text for _, text in citing], labels, families, style, most)
    for (at, text), mentions in zip(citing, found, strict=True):
        for mention in mentions:
            if citation := _citation(at, text, mention, style, linker, most):
                yield citation


def _citation(
    at: int, text: str, mention: Mention, style: CitationStyle, linker: Linker, most: int
) -> InTextCitation | None:
    """Return a citation; None where the mention is none, going by the style of the list."""
    kind = mention.labels[0].kind
    if kind != "author_year" and kind != style:
        return None
    links = {label: linker.link(label) for label in mention.labels}
    places = tuple(dict.fromkeys(chain.from_iterable(links.values())))
    unlinked = [label for label, link in links.items() if not link]
    if kind == "author_year" and style != "author_year":
        # In a numbered list names and years are a citation only where they lead to an entry.
        unlinked = []
    if kind == "number":
        unlinked = [label for label in unlinked if int(label.text) <= most]
    if not places and not any(map(_plausible, unlinked)):
        return None
    start = mention.named if 0 <= mention.named < mention.start else mention.start
    return InTextCitation(
        block=at,
        start=start,
        end=mention.end,
        text=text[start : mention.end],
        style=kind,
        entries=places,
        unsure=tuple(
            dict.fromkeys(place for link in links.values() if len(link) > 1 for place in link)
        ),
        unlinked=tuple(dict.fromkeys(label.text for label in unlinked)),
    )


def _plausible(label: Label) -> bool:
    """Whether what leads to no entry is still a citation for certain enough to be reported."""
    return label.kind != "author_year" or bool(label.year or len(label.names) > 1)
