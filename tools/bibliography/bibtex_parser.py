"""BibTeX and BibLaTeX files taken apart by pybtex, which stops at a fault where this goes on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pybtex.database.input.bibtex import LowLevelParser, SkipEntry, month_names
from pybtex.scanner import PrematureEOF, PybtexSyntaxError, Token, TokenRequired
from pybtex.utils import CaseInsensitiveDict

_START = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+\s*[{(]", re.MULTILINE)
_BARE = re.compile(r"(?<![^\n])@([A-Za-z]+)\s+\S+,")
_FIELD = r"[A-Za-z][\w:.+-]*\s*="
_NEXT = re.compile(rf"\s*{_FIELD}")
_ALONE = re.compile(rf"\s*([^\s,{{}}=]+)\s+(?={_FIELD})")  # its comma is missing
_LATER = re.compile(rf",\s*{_FIELD}")
_MARKS = re.compile(r'[{}"@]')
_KEY = re.compile(r"\s*((?:[^,{}]|\{[^{},]*\})*?)\s*(?:,|(?=\}))")
MONTHS = tuple(month_names)


@dataclass(slots=True)
class RawEntry:
    """One entry as it stands in the file."""

    line: int
    """Of its `@`, the first is 1."""
    type: str
    key: str
    fields: list[tuple[str, str]]
    """Names as written, values without their quotes or braces, abbreviations resolved."""
    faults: list[str] = field(default_factory=list)
    """What of it could not be read."""
    text: str = ""
    """How it begins."""
    start: int = 0
    """Of its `@` in the file."""
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where each field stands with its name, by its name in lower case; of one that is repeated the first."""


class _Parser(LowLevelParser):  # type: ignore[misc]
    """Reads any key, repeated and missing ones too, and loses no more than the field with a fault."""

    text: str
    pos: int
    lineno: int
    command_start: int
    current_entry_key: str
    current_field_name: str
    current_value: list[str]
    current_fields: list[tuple[str, list[str]]]

    def __init__(self, text: str) -> None:
        # A month stays the abbreviation that styles know.
        super().__init__(text, macros=CaseInsensitiveDict({name: name for name in MONTHS}))
        self.faults: list[str] = []
        self.spans: dict[str, tuple[int, int]] = {}

    def entries(self) -> Iterator[RawEntry]:
        while self.skip_to([self.AT]):
            self.command_start, line = self.pos - 1, self.lineno
            if self._in_loose_text():
                continue
            self.faults, self.spans, self.current_entry_key = [], {}, ""
            try:
                kind, (key, fields) = self.parse_command()
            except (SkipEntry, ValueError):  # a comment; a preamble
                continue
            except PybtexSyntaxError:  # loose text, or an entry of which no bracket opens
                if found := _BARE.match(self.text, self.command_start):
                    faults = [f"no bracket stands behind @{found[1]}"]
                    yield RawEntry(line, found[1], "", [], faults, self.text[found.start() :][:500])
                continue
            behind = self.text[self.pos : self.pos + 200].lstrip()
            if behind.startswith(",") and _NEXT.match(behind, 1):
                self.faults.append("a brace closes it early: the fields behind are not read")
            if kind.lower() not in ("string", "preamble"):
                told = [(name, "".join(parts)) for name, parts in fields]
                text = self.text[self.command_start : self.command_start + 500]
                yield RawEntry(
                    line, kind, key or "", told, self.faults, text, self.command_start, self.spans
                )

    def _in_loose_text(self) -> bool:
        """Whether a sign is that of an address, or stands behind the percent sign of a comment."""
        before = self.text[self.text.rfind("\n", 0, self.command_start) + 1 : self.command_start]
        return before[-1:].isalnum() or before.lstrip().startswith("%")

    def skip_to(self, patterns: list[object]) -> object:
        """Go behind the next of these marks; the parent's searches the whole file for each of them."""
        marks = {"{": self.LBRACE, "}": self.RBRACE, '"': self.QUOTE, "@": self.AT}
        for found in _MARKS.finditer(self.text, self.pos):
            if marks[found[0]] in patterns:
                return Token(self._taken(found.end()), marks[found[0]])
        return None

    def _taken(self, end: int) -> str:
        value = self.text[self.pos : end]
        self.pos = end
        self.update_lineno(value)
        return value

    def handle_error(self, error: PybtexSyntaxError) -> None:
        """Note that the entry breaks off, and go on at the next that begins a line."""
        where = f" in its {self.current_field_name}" if self.current_field_name else ""
        self.faults.append(f"it is broken off or malformed{where}")
        self._go_to(_START, self.command_start + 1)

    def _go_to(self, pattern: re.Pattern[str], start: int) -> None:
        found = pattern.search(self.text, start)
        end = found.start() if found else self.end_pos
        past = self.text[min(self.pos, end) : max(self.pos, end)].count("\n")
        self.lineno += past if end > self.pos else -past
        self.pos = end

    def parse_entry_body(self, body_end: object) -> None:
        """Read the key, which may hold anything but a comma, and the fields."""
        self.current_entry_key = ""
        if not _NEXT.match(self.text, self.pos):  # else there is none, nor its comma
            found = _ALONE.match(self.text, self.pos) or _KEY.match(self.text, self.pos)
            if not found:
                raise TokenRequired("entry key", self)
            self.current_entry_key = " ".join(found[1].split())
            self._taken(found.end())
        self.parse_entry_fields()

    def parse_entry_fields(self) -> None:
        """Read field by field; one that cannot be read costs no other."""
        while True:
            self.current_field_name = ""
            before = self.pos
            try:
                self.parse_field()
                if self.current_field_name:
                    self._stands(before)
                    self.current_fields.append((self.current_field_name, self.current_value))
                more = bool(self.optional([self.COMMA]) or _NEXT.match(self.text, self.pos))
                if not more and self.text[self.pos] not in "})":
                    raise TokenRequired("a comma", self)
            except PrematureEOF:
                raise
            except PybtexSyntaxError:
                more = self._mended()
                if not more:
                    raise
            if not more:
                return

    def _stands(self, before: int) -> None:
        begins = self.text[before : self.pos]
        start = before + len(begins) - len(begins.lstrip())
        end = before + len(begins.rstrip())
        self.spans.setdefault(self.current_field_name.lower(), (start, end))

    def _mended(self) -> bool:
        """Go on at the next field of the same entry, if there is one."""
        found = _LATER.search(self.text, self.pos)
        if not found or _START.search(self.text, self.pos, found.start()):
            return False
        name = self.current_field_name or "a field"
        self.faults.append(f"its {name} is malformed: what could be read of it is taken")
        self._taken(found.start() + 1)
        return True

    def substitute_macro(self, name: str) -> str:
        """Return what an abbreviation stands for; one that is not defined stands for itself."""
        if name not in self.macros:
            self.faults.append(f"the abbreviation {name} is not defined: it stands as it is")
        return str(self.macros.get(name, name))


def raw_entries(text: str) -> list[RawEntry]:
    """Return the entries of a file, in its order; abbreviations are resolved as the file defines them."""
    return list(_Parser(text).entries())
