"""Collecting a document's blocks: headings become section paths, words are cleaned and counted."""

import re
import unicodedata

from state.document import Block, BlockKind
from tools.documents.limits import LIMITS, Limits
from tools.errors import DocumentError

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1b\x7f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
_LONGEST_HEADING = 250  # characters; what is longer was a paragraph set like a heading
_DEEPEST = 8
_NUMBER = r"(?:(?:appendix\s+)?(?:[A-Z]|\d+|[IVXLC]+)(?:\.\d+)*[.):]?\s+)?"
_REFERENCES = re.compile(
    rf"{_NUMBER}(?:(?:list of )?(?:cited )?references?(?: cited| and notes| list)?|bibliography|"
    r"works cited|literature(?: cited)?|literatur(?:verzeichnis)?|referencias|bibliograf[ií]a|"
    r"références|bibliographie)\s*[:.]?",
    re.IGNORECASE,
)
_ABSTRACT = re.compile(rf"{_NUMBER}(?:abstract|zusammenfassung|résumé|resumen)\s*[:.—-]?", re.I)
ABSTRACT = ("Abstract",)


def clean(text: str) -> str:
    """Return text with white space folded, without control characters and lone surrogates."""
    text = unicodedata.normalize("NFC", text)
    return " ".join(_CONTROL.sub("", text).replace("\u2011", "-").split())


def is_references(heading: str) -> bool:
    """Whether a heading announces the list of references."""
    return bool(_REFERENCES.fullmatch(heading.strip()))


def is_abstract(heading: str) -> bool:
    """Whether a heading announces the abstract."""
    return bool(_ABSTRACT.fullmatch(heading.strip()))


class Blocks:
    """The blocks of one document, in reading order."""

    def __init__(self, name: str, limits: Limits = LIMITS) -> None:
        """Begin a document; `name` is the file's, for messages."""
        self._name = name
        self._most = limits.characters
        self._size = 0
        self._blocks: list[Block] = []
        self._path: list[tuple[int, str]] = []
        self.page: int | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What there is so far."""
        return tuple(self._blocks)

    @property
    def section(self) -> tuple[str, ...]:
        """The headings above what comes next."""
        return tuple(heading for _, heading in self._path)

    @property
    def in_references(self) -> bool:
        """Whether what comes next stands below the heading of the references."""
        return any(is_references(heading) for _, heading in self._path)

    def heading(self, level: int, text: str) -> None:
        """Begin a section; those of the same and deeper levels end."""
        words = clean(text)
        if len(words) > _LONGEST_HEADING:
            self.add(words)
        elif words:
            self.end(level)
            if len(self._path) < _DEEPEST:
                self._path.append((level, words))

    def end(self, level: int) -> None:
        """End the sections of this and of deeper levels."""
        while self._path and self._path[-1][0] >= level:
            self._path.pop()

    def add(self, text: str, kind: BlockKind = "text") -> None:
        """Add a block to the section; text below 'Abstract' or 'References' is of that kind.

        Raises:
            DocumentError: The document has grown larger than the limit.
        """
        words = clean(text)
        if not words:
            return
        self._size += len(words) + 2
        if self._size > self._most:
            raise DocumentError(
                f"{self._name} has more than {self._most / 1_000_000:g} million characters",
                remedy="split it into documents of which each is one paper or book",
            )
        section = self.section
        if kind in {"text", "list"}:
            if self.in_references:
                kind = "reference"
            elif section and is_abstract(section[0]):
                kind = "abstract"
        if kind == "abstract" and not section:
            section = ABSTRACT
        self._blocks.append(Block(text=words, section=section, page=self.page, kind=kind))

    def abstract(self) -> str | None:
        """Return the text of the abstract's blocks."""
        return " ".join(one.text for one in self._blocks if one.kind == "abstract") or None
