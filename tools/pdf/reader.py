"""Reads a PDF to a Document: the title, the tree of sections, paragraphs, and what stands apart."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

from state.document import Block, BlockKind, Document, Unread
from state.paper import Author
from tools.counting import counted
from tools.errors import DocumentError, trace_of
from tools.pdf.apart import mark_apart
from tools.pdf.baselines import rejoined
from tools.pdf.bombs import refuse_bombs
from tools.pdf.bound import first_paper, note_on_lists
from tools.pdf.columns import Columns
from tools.pdf.confidence import confidence_of
from tools.pdf.entries import mark_references
from tools.pdf.front import Front, read_front
from tools.pdf.furniture import DROPPED, mark_furniture
from tools.pdf.glyphs import LINE_HYPHEN, Vocabulary
from tools.pdf.headings import mark_headings
from tools.pdf.lines import Line
from tools.pdf.marks import clear_marks
from tools.pdf.native import LIMITS, Limits, PageFault, opened, pages_and_title, read_page
from tools.pdf.pieces import Assembler, Piece
from tools.pdf.profile import Profile, profile_of, settle_weights
from tools.pdf.repair import cut_off
from tools.program import logger_of

_RECOGNISED = (
    "its text was recognised in pictures of its pages (OCR): words, names and numbers may be misread; "
    "compare what matters with the page"
)
logger = logger_of(__name__)


def read_pdf(content: bytes, *, name: str, limits: Limits = LIMITS) -> Document:
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

    def __init__(self, limits: Limits) -> None:
        self.lines: list[Line] = []
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
            logger.warning("A page of a PDF could not be read: %s", trace_of(error))
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
        remedy="run it through OCR (such as `ocrmypdf in.pdf out.pdf`) and add the result",
    )


def _document(pages: _Pages, title: str, count: int, name: str) -> Document:
    settle_weights(pages.lines)
    profile = profile_of(pages.lines)
    mark_furniture(pages.lines, profile)
    lines, others = first_paper(pages.lines, profile, name)
    front, pieces = _analysed(lines, profile, pages.margin, title)
    vocabulary = Vocabulary()
    for line in pages.lines:
        if line.kind != DROPPED:
            vocabulary.learn(line.text)
    blocks = tuple(block for piece in pieces if (block := _block(piece, vocabulary)))
    abstract = " ".join(block.text for block in blocks if block.kind == "abstract")
    unread = count - len({line.page for line in pages.lines})
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
        notes=(*_note_on_recognition(pages), *note_on_lists(blocks)),
        confidence=confidence_of(front, blocks, pages=count, unread=unread),
    )


def _note_on_recognition(pages: _Pages) -> tuple[str, ...]:
    if pages.recognised <= 0.5 * len({line.page for line in pages.lines}):
        return ()
    return (_RECOGNISED,)


def _analysed(
    lines: Sequence[Line], profile: Profile, margin: str, title: str
) -> tuple[Front, list[Piece]]:
    """Return what the first page tells, and the pieces of a document; sets the lines' kinds."""
    dropped = [x.text for x in lines if x.kind == DROPPED and x.page == lines[0].page]
    front = read_front(lines, margin, title, profile, dropped)
    mark_apart(lines, profile)
    live = [line for line in lines if line.kind != DROPPED]
    mark_headings(live, profile)
    mark_references(live)
    clear_marks(live)
    return front, Assembler(profile).pieces(live)


def _block(piece: Piece, vocabulary: Vocabulary) -> Block | None:
    text = text_of(piece.lines, vocabulary, rows=piece.kind == "table")
    if not text:
        return None
    section = tuple(_clean(title) for title in piece.section)
    kind = cast(BlockKind, piece.kind)
    turns = tuple(
        (min(len(text_of(piece.lines[:at], vocabulary)), len(text)), line.page)
        for at, (before, line) in enumerate(pairwise(piece.lines), 1)
        if line.page != before.page
    )
    return Block(text=text, section=section, page=piece.lines[0].page, kind=kind, turns=turns)


def text_of(lines: Sequence[Line], vocabulary: Vocabulary, *, rows: bool = False) -> str:
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
