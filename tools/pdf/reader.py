"""Reads a PDF to a Document, and says how far each part of it can be relied on.

Other papers that are bound in one file with the first are told apart by the heads that papers begin with.
"""

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise
from operator import attrgetter
from typing import Any, NamedTuple, cast

from state.document import Block, BlockKind, Document, Unread
from state.paper import Author
from tools.errors import DocumentError, counted, loggable_trace, logger_of
from tools.file_limits import PAGE_LIMITS, PageLimits
from tools.pdf.columns import Columns
from tools.pdf.damaged_files import cut_off, refuse_bombs
from tools.pdf.floats import mark_apart
from tools.pdf.front_matter import FrontMatter, begins_paper, read_front
from tools.pdf.glyphs import LINE_HYPHEN, WordVocabulary
from tools.pdf.headings import (
    Profile,
    follows,
    mark_headings,
    numbers_of,
    profile_of,
    settle_weights,
)
from tools.pdf.lines import TextLine, rejoined
from tools.pdf.page_furniture import DROPPED, clear_marks, mark_furniture
from tools.pdf.paragraphs import Assembler, PageBlock, ends
from tools.pdf.pdfium_pages import PageFault, opened, pages_and_title, read_page
from tools.pdf.reference_entries import BRACKET, DATED, DOTTED, mark_references
from tools.text.headings import is_references
from tools.text.text_quality import text_quality

_SAME = 0.8
"""How like two titles are, 0..1, from which the second is the first again, behind a cover."""
_NAMED = 3
"""Papers of a volume that a message names."""


_ENTRIES, _BETWEEN = 5, 20
"""Entries that make a list of references, and paragraphs behind one from which the next is another."""


class _Head(NamedTuple):
    page: int
    title: str


def first_paper(
    lines: Sequence[TextLine], profile: Profile, name: str
) -> tuple[Sequence[TextLine], tuple[Unread, ...]]:
    """Return the lines of the first paper of a file, and what is left out because it is of others.

    Where no list of references stands before the first of the others, that is a cover, and one paper
    behind it is the file's; where there are several, the file is a volume.

    Raises:
        DocumentError: The file is a volume of several papers.
    """
    heads = _heads(lines, profile)
    if not heads:
        return lines, ()
    before = [line for line in lines if line.page < heads[0].page]
    if any(is_references(line.text) for line in before):
        last = lines[-1].page
        where = f"pages {heads[0].page} to {last}" if last > heads[0].page else f"page {last}"
        cause = f"another paper begins there, “{heads[0].title}”: save it as a file of its own"
        return before, (Unread(where=where, cause=cause),)
    if len(heads) == 1:
        return lines, ()
    told = "; ".join(f"page {head.page}: “{head.title}”" for head in heads[:_NAMED])
    told += "; and more" if len(heads) > _NAMED else ""
    raise DocumentError(
        f"{name} holds several papers ({told}), and CiteLoom takes one paper a file",
        remedy="split it into one PDF for each paper, and add those",
    )


def note_on_lists(blocks: Sequence[Block]) -> tuple[str, ...]:
    """Say that a document has several lists of references, if it has."""
    lists: list[list[Block]] = []
    between = _BETWEEN
    for block in blocks:
        if block.kind == "reference":
            lists += [[]] if between >= _BETWEEN else []
            lists[-1].append(block)
            between = 0
        elif block.kind == "text":
            between += 1
    pages = [str(entries[0].page) for entries in lists if len(entries) >= _ENTRIES]
    if len(pages) < 2:
        return ()
    where = f"{', '.join(pages[:-1])} and {pages[-1]}"
    return (f"it has lists of references on pages {where}: it may hold more than one paper",)


def _heads(lines: Sequence[TextLine], profile: Profile) -> list[_Head]:
    """Return where papers begin behind the first page, each title once."""
    live = [line for line in lines if line.kind != DROPPED]
    pages = [(page, list(group)) for page, group in groupby(live, key=attrgetter("page"))]
    found = [_Head(page, begins_paper(group, profile)) for page, group in pages]
    return [
        head
        for at, head in enumerate(found)
        if at and head.title and not any(_is_same(head, other) for other in found[:at])
    ]


def _is_same(head: _Head, other: _Head) -> bool:
    matcher = SequenceMatcher(None, head.title.lower(), other.title.lower(), autojunk=False)
    return matcher.ratio() >= _SAME


_PROSE = {"text", "list", "abstract"}
_GOES_ON = {"equation", "list", "code"}
_RECOGNISED = (
    "its text comes from scanned pages (OCR) and may have errors: compare important "
    "words, names and numbers with the page"
)
logger = logger_of(__name__)


def read_pdf(content: bytes, *, name: str, limits: PageLimits = PAGE_LIMITS) -> Document:
    """Return what stands in a PDF, from the fonts and places of its characters; without models.

    Raises:
        DocumentError: It is empty, encrypted, damaged, or has no text layer.
    """
    if not content.strip(b"\0 \t\r\n"):
        raise DocumentError(f"{name} is empty", remedy="download it again")
    refuse_bombs(content, name, most=limits.stream)
    with opened(content, name) as handle:
        count, title = pages_and_title(handle)
        pages = _Pages(limits)
        pages.unread += cut_off(content)
        for index in range(min(count, limits.pages)):
            pages.take(handle, index)
    if count > limits.pages:
        where = f"pages {limits.pages + 1} to {count}"
        pages.unread.append(Unread(where=where, cause=f"only the first {limits.pages:,} are read"))
    if not pages.lines:
        raise _no_text(name, pages.unread, count)
    return _document(pages, title, count, name)


class _Pages:
    """What the pages of one file gave."""

    def __init__(self, limits: PageLimits) -> None:
        self.lines: list[TextLine] = []
        self.unread: list[Unread] = []
        self.margin = ""
        self.recognised = 0
        """How many of them have words that were recognised in a picture."""
        self._columns = Columns()
        self._limits = limits
        self._left = limits.characters

    def take(self, handle: Any, index: int) -> None:
        """Read one page; what stops it is recorded and costs this page only."""
        where = f"page {index + 1}"
        if self._left <= 0:
            self.unread.append(Unread(where=where, cause="the file has too many characters before"))
            return
        try:
            sheet = read_page(handle, index, self._limits)
            found = self._columns.lines(sheet)
        except PageFault as fault:
            self.unread.append(Unread(where=where, cause=str(fault)))
            return
        except (ValueError, ArithmeticError, LookupError, OSError) as error:
            logger.warning("A page of a PDF could not be read: %s", loggable_trace(error))
            self.unread.append(Unread(where=where, cause=f"reading it failed: {error}"))
            return
        if not found:
            self.unread.append(Unread(where=where, cause="it has no text layer"))
            return
        self.recognised += sheet.recognised
        if not self.margin:
            self.margin = " ".join(word.text for word in sheet.margin)
        self._left -= sum(len(line.text) for line in found)
        self.lines.extend(rejoined(found))


def _no_text(name: str, unread: Sequence[Unread], count: int) -> DocumentError:
    others = [part for part in unread if part.cause != "it has no text layer"]
    if others:
        return DocumentError(
            f"none of the {counted(count, 'page')} of {name} can be read; {others[0].where}: {others[0].cause}",
            remedy="download it again, or save it anew from a PDF viewer",
        )
    return DocumentError(
        f"{name} has no text layer: its pages are pictures",
        remedy="run it through OCR, such as `ocrmypdf in.pdf out.pdf`, and add the result",
    )


def _document(pages: _Pages, title: str, count: int, name: str) -> Document:
    settle_weights(pages.lines)
    profile = profile_of(pages.lines)
    mark_furniture(pages.lines, profile)
    lines, others = first_paper(pages.lines, profile, name)
    front, pieces = _analysed(lines, profile, pages.margin, title)
    vocabulary = WordVocabulary()
    for line in pages.lines:
        if line.kind != DROPPED:
            vocabulary.learn(line.text)
    blocks = tuple(block for piece in pieces if (block := _block(piece, vocabulary)))
    abstract = " ".join(block.text for block in blocks if block.kind == "abstract")
    read = len({line.page for line in pages.lines})
    recognised = pages.recognised > 0.5 * read
    return Document(
        title=front.title and _clean(front.title),
        authors=tuple(Author(name=author) for author in front.authors),
        abstract=abstract or None,
        year=front.year,
        doi=front.doi,
        arxiv=front.arxiv,
        blocks=blocks,
        pages=count,
        unread=(*pages.unread, *others),
        notes=(*([_RECOGNISED] if recognised else ()), *note_on_lists(blocks)),
        confidence=confidence_of(front, blocks, pages=count, unread=count - read),
    )


def _analysed(
    lines: Sequence[TextLine], profile: Profile, margin: str, title: str
) -> tuple[FrontMatter, list[PageBlock]]:
    """Return what the first page tells, and the pieces of a document; sets the lines' kinds."""
    dropped = [x.text for x in lines if x.kind == DROPPED and x.page == lines[0].page]
    front = read_front(lines, margin, title, profile, dropped)
    mark_apart(lines, profile)
    live = [line for line in lines if line.kind != DROPPED]
    mark_headings(live, profile)
    mark_references(live)
    clear_marks(live)
    return front, Assembler(profile).pieces(live)


def _block(piece: PageBlock, vocabulary: WordVocabulary) -> Block | None:
    text = text_of_lines(piece.lines, vocabulary, rows=piece.kind == "table")
    if not text:
        return None
    section = tuple(_clean(title) for title in piece.section)
    kind = cast(BlockKind, piece.kind)
    turns = tuple(
        (min(len(text_of_lines(piece.lines[:at], vocabulary)), len(text)), line.page)
        for at, (before, line) in enumerate(pairwise(piece.lines), 1)
        if line.page != before.page
    )
    return Block(text=text, section=section, page=piece.lines[0].page, kind=kind, turns=turns)


def text_of_lines(
    lines: Sequence[TextLine], vocabulary: WordVocabulary, *, rows: bool = False
) -> str:
    """Return lines as one text, with words that a hyphen parts at the end of a line mended."""
    text = ""
    for line in lines:
        if rows or not text:
            text = f"{text} {line.text}"
        elif text.endswith((LINE_HYPHEN, "-")) and text[-2:-1].isalnum():
            text = vocabulary.joined(text[:-1], line.text)
        else:
            text = f"{text} {line.text}"
    return _clean(text)


def _clean(text: str) -> str:
    return " ".join(text.replace(LINE_HYPHEN, "").split())


def confidence_of(
    front: FrontMatter, blocks: Sequence[Block], *, pages: int, unread: int
) -> dict[str, float]:
    """Return, for each part of a document, how far it can be relied on, 0..1.

    The evidence: of the title, whether the file names it, or by how much it is set off; of the
    authors, whether every name looks like one; of the abstract, its length and that no address
    stands in it; of the sections, whether their numbers go on without gaps; of the paragraphs,
    how much of the prose stands in blocks that begin and end as sentences do; of the references,
    how many entries have a year, the length of one, and the next label. All but the sections
    are lower in a text layer that is garbled, and the last two where pages were not read.

    Args:
        front: What the first page tells.
        blocks: Those of the document.
        pages: How many the file has.
        unread: How many of them were not read.
    """
    legible = legibility(blocks)
    read = 1 - min(1.0, unread / max(1, pages))
    found = {
        "text": legible,
        "title": front.title_share * legible,
        "authors": _authors(front.authors) * legible,
        "abstract": _abstract(blocks) * legible,
        "sections": _sections(blocks),
        "paragraphs": _paragraphs(blocks) * legible * read,
        "references": _references(blocks) * legible * read,
    }
    return {part: round(value, 2) for part, value in found.items()}


def legibility(blocks: Sequence[Block]) -> float:
    """Return how well the prose of a document reads, 0..1, by characters (see text_quality)."""
    prose = [block.text for block in blocks if block.kind in _PROSE]
    size = sum(map(len, prose))
    return sum(text_quality(text) * len(text) for text in prose) / size if size else 1.0


def _authors(names: Sequence[str]) -> float:
    odd = set("0123456789_@")
    good = [name for name in names if len(name.split()) >= 2 and odd.isdisjoint(name)]
    return 0.95 * len(good) / len(names) if names else 0.0


def _abstract(blocks: Sequence[Block]) -> float:
    text = " ".join(block.text for block in blocks if block.kind == "abstract")
    if not text:
        return 0.0
    evidence = [20 <= len(text.split()) <= 500, "@" not in text, ends(text)]
    return sum(evidence) / len(evidence)


def _sections(blocks: Sequence[Block]) -> float:
    """Return the share of numbered headings whose number is the one to come."""
    titles = dict.fromkeys(title for block in blocks for title in block.section)
    numbers = [number for title in titles if (number := numbers_of(title))]
    if len(numbers) < 2:
        return 0.6 if len(titles) > 3 else 0.3 if titles else 0.0
    steps = [numbers[0] == (1,), *(follows(b, a) for a, b in pairwise(numbers))]
    return sum(steps) / len(steps)


def _paragraphs(blocks: Sequence[Block]) -> float:
    """Return the share of the prose, by characters, in blocks that are whole."""
    whole = total = 0
    for index, block in enumerate(blocks):
        if block.kind not in _PROSE:
            continue
        before = blocks[index - 1].kind if index else ""
        after = blocks[index + 1].kind if index + 1 < len(blocks) else ""
        begins = not block.text[0].islower() or before in _GOES_ON
        closed = ends(block.text) or after in _GOES_ON
        total += len(block.text)
        whole += len(block.text) * (begins + closed) // 2
    return whole / total if total else 0.0


def _references(blocks: Sequence[Block]) -> float:
    texts = [block.text for block in blocks if block.kind == "reference"]
    if not texts:
        return 0.0
    dated = sum(bool(DATED.search(text)) for text in texts)
    sized = sum(25 <= len(text) <= 900 for text in texts)
    found = (BRACKET.match(text) or DOTTED.match(text) for text in texts)
    labels = [int(match[1]) for match in found if match]
    shares = [dated / len(texts), sized / len(texts)]
    if len(labels) > 0.5 * len(texts):
        row = sum(after == before + 1 for before, after in pairwise(labels))
        shares.append((row + (labels[0] == 1)) / len(texts))
    return min(shares)
