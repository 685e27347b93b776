"""The paragraphs of a document, whole, each with the citations in it.

LLM-Ref (section 3.1): each paragraph conveys one thing; nothing is cut into chunks.
"""

from collections import defaultdict
from collections.abc import Sequence

from state.bibliography import Bibliography, InTextCitation
from state.document import JOINT, Block, BlockKind, Document, DocumentEntry
from state.passage import Passage, passage_id
from state.synthesis import Paragraph, ParagraphCitation
from tools.documents.markup import ABSTRACT
from tools.pdf.reference_entries import DATED

_KINDS = frozenset({"text", "abstract", "list"})
_FEWEST = 4
"""Words; what has fewer says nothing by itself."""
_FEWEST_SIGNS = 12
"""The same in signs of scripts that put no space between words."""
_UNSPACED = "\u0e00"
"""The first letter of such scripts."""
_TELLING = 0.5
"""Share of letters among the characters, white space apart, of what is a paragraph of words."""


def paragraphs_of(document: Document, bibliography: Bibliography, paper: str) -> list[Paragraph]:
    """Return the paragraphs of running text in reading order; the same words count once.

    Args:
        document: What was read.
        bibliography: What it cites; its citations name blocks of this document.
        paper: Canonical id of the paper that it is the text of.
    """
    cited: dict[int, list[InTextCitation]] = defaultdict(list)
    for citation in bibliography.citations:
        cited[citation.block].append(citation)
    made: dict[str, Paragraph] = {}
    for place, block in enumerate(document.blocks):
        if not _is_paragraph(block, cited[place]):
            continue
        key = passage_id(paper, block.text)
        if key in made:
            continue
        section = ABSTRACT if block.kind == "abstract" and not block.section else block.section
        made[key] = Paragraph(
            id=key,
            paper=paper,
            number=len(made) + 1,
            section=section,
            page=block.page,
            text=block.text,
            citations=tuple(
                ParagraphCitation(start=item.start, end=item.end, entries=item.entries)
                for item in cited[place]
            ),
        )
    return list(made.values())


def _is_paragraph(block: Block, cited: Sequence[InTextCitation]) -> bool:
    if block.kind not in _KINDS:
        return False
    words = block.text
    for item in sorted(cited, key=lambda item: item.start, reverse=True):
        words = f"{words[: item.start]} {words[item.end :]}"  # fifty numbers of works are no words
    if (
        len(words.split()) < _FEWEST
        and sum(char >= _UNSPACED and char.isalpha() for char in words) < _FEWEST_SIGNS
    ):
        return False
    solid = "".join(words.split())
    return sum(map(str.isalpha, solid)) >= _TELLING * len(solid)


def rebuilt(entry: DocumentEntry, text: str, passages: Sequence[Passage]) -> Document:
    """Return the document of which a library has kept the text and the passages.

    Sections and pages are those of the passages. Blocks that no passage was made of are equations and
    tables or, where they have words and name a year, entries of the list of references.

    Args:
        entry: The document's entry in the library.
        text: Its text, `state.document.joined` of its blocks.
        passages: Those cut from it.
    """
    ordered = sorted(passages, key=lambda item: item.start)
    blocks: list[Block] = []
    start, at = 0, 0
    for part in text.split(JOINT):
        end = start + len(part)
        while at < len(ordered) and ordered[at].end <= start:
            at += 1
        if part.strip():
            inside = at < len(ordered) and ordered[at].start < end
            blocks.append(_block(part, ordered[at] if inside else None))
        start = end + len(JOINT)
    return Document(
        blocks=tuple(blocks), pages=entry.pages, unread=entry.unread, reader=entry.reader
    )


def _block(text: str, source: Passage | None) -> Block:
    if source is None:
        listed = DATED.search(text) and sum(map(str.isalpha, text)) >= _TELLING * len(text)
        return Block(text=text, kind="reference" if listed else "table")
    kind: BlockKind = "abstract" if source.section == ABSTRACT else "text"
    return Block(text=text, section=source.section, page=source.page, kind=kind)
