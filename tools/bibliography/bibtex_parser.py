"""BibTeX and BibLaTeX files taken apart by pybtex, which stops at a fault where this goes on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pybtex.database.input.bibtex import LowLevelParser, SkipEntry, month_names
from pybtex.scanner import PrematureEOF, PybtexSyntaxError, TokenRequired
from pybtex.utils import CaseInsensitiveDict

_START = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]+\s*[{(]", re.MULTILINE)
_FIELD = r"[A-Za-z][\w:.+-]*\s*="
_NEXT = re.compile(rf"\s*{_FIELD}")
_ALONE = re.compile(rf"\s*([^\s,{{}}=]+)\s+(?={_FIELD})")  # its comma is missing
_LATER = re.compile(rf",\s*{_FIELD}")
_LEFT_OUT = re.compile(rf"\s*,\s*{_FIELD}")
_MARKS = re.compile(r'[{}"]')
_KEYS = {
    "}": re.compile(r"\s*((?:[^,{}]|\{[^{},]*\})*?)\s*(?:,|(?=\}))"),
    ")": re.compile(r"\s*((?:[^,{})]|\{[^{},]*\})*?)\s*(?:,|(?=\)))"),
}
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


class _Parser(LowLevelParser):  # type: ignore[misc]
    """Reads any key, repeated and missing ones too, and loses no more than the field with a fault."""

    def __init__(self, text: str) -> None:
        # A month stays the abbreviation that styles know.
        super().__init__(text, macros=CaseInsensitiveDict({name: name for name in MONTHS}))
        self.faults: list[str] = []

    def entries(self) -> Iterator[RawEntry]:
        while self.skip_to([self.AT]):
            self.command_start, line = self.pos - 1, self.lineno
            self.faults, begun, command = [], self._begins(), ()
            try:
                command = tuple(self.parse_command())
            except SkipEntry:
                continue
            except PybtexSyntaxError as error:
                if not begun:  # an address in loose text
                    continue
                self.faults.append(str(error))
            if command and _LEFT_OUT.match(self.text, self.pos):
                self.faults.append("a brace closes it early: the fields behind are not read")
            if command[:1] and command[0].lower() not in ("string", "preamble"):
                key, fields = command[1]
                told = [(name, "".join(parts)) for name, parts in fields]
                text = self.text[self.command_start : self.command_start + 500]
                yield RawEntry(line, command[0], key or "", told, self.faults, text)

    def _begins(self) -> bool:
        start = self.text.rfind("\n", 0, self.command_start) + 1
        return bool(_START.match(self.text, start))

    def skip_to(self, patterns: list[object]) -> object:
        """As the parent's, which searches the rest of the file for each mark."""
        if self.RBRACE not in patterns:
            return super().skip_to(patterns)
        for found in _MARKS.finditer(self.text, self.pos):
            mark = {"{": self.LBRACE, "}": self.RBRACE, '"': self.QUOTE}[found[0]]
            if mark in patterns:
                return self._taken(found.end(), mark)
        return None

    def _taken(self, end: int, mark: object) -> object:
        from pybtex.scanner import Token

        value = self.text[self.pos : end]
        self.pos = end
        self.update_lineno(value)
        return Token(value, mark)

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
            close = ")" if body_end is self.RPAREN else "}"
            found = _ALONE.match(self.text, self.pos) or _KEYS[close].match(self.text, self.pos)
            if not found:
                raise TokenRequired("entry key", self)
            self.current_entry_key = " ".join(found[1].split())
            self._taken(found.end(), None)
        self.parse_entry_fields()

    def parse_entry_fields(self) -> None:
        """Read field by field; one that cannot be read costs no other."""
        while True:
            self.current_field_name, self.current_value = None, []
            try:
                self.parse_field()
                if self.current_field_name:
                    self.current_fields.append((self.current_field_name, self.current_value))
                more = self.optional([self.COMMA]) or _NEXT.match(self.text, self.pos)
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

    def _mended(self) -> bool:
        """Go on at the next field of the same entry, if there is one."""
        found = _LATER.search(self.text, self.pos)
        entry = _START.search(self.text, self.pos)
        if not found or (entry and entry.start() < found.start()):
            return False
        name = self.current_field_name or "a field"
        self.faults.append(f"its {name} is malformed: what could be read of it is taken")
        self._taken(found.start() + 1, None)
        return True

    def substitute_macro(self, name: str) -> str:
        """Return what an abbreviation stands for; one that is not defined stands for itself."""
        if name not in self.macros:
            self.faults.append(f"the abbreviation {name} is not defined: it stands as it is")
        return str(self.macros.get(name, name))


def raw_entries(text: str) -> list[RawEntry]:
    """Return the entries of a file, in its order; abbreviations are resolved as the file defines them."""
    return list(_Parser(text).entries())
