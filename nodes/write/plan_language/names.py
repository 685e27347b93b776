"""The papers that a plan names: `[1]`, `[1-3]`, `[arxiv:2005.11401]`, `[@lewis2020]`, `@cite.2`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from state.paper import canonical_id
from state.writing import MARKER
from tools.errors import InputError

MAX_CHARACTERS = 20_000
_SHOWN = 60
_LONGEST_NAME = 300
_BRACKET = re.compile(r"[\[\]]")
_RANGE = re.compile(r"(\d{1,6}) ?(?:-|–|—|to) ?(\d{1,6})")
_CITE = re.compile(r"@cite[._-]?(\d{1,9})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a plan: what stands in a bracket, or the text between brackets."""

    text: str
    names: bool


@dataclass(frozen=True)
class Papers:
    """The papers that a plan may name, in the order in which `[n]` counts them."""

    ids: Sequence[str]
    aliases: Mapping[str, str]

    def read(self, names: str) -> tuple[list[str], list[str]]:
        """Return the papers that a bracket names, each once, and the names that lead to none."""
        whole = self._one(names)
        if whole is not None:  # a DOI may hold a comma or a semicolon
            return [whole], []
        found: list[str] = []
        unknown: list[str] = []
        for name in filter(None, (part.strip() for part in re.split(r"[,;]", names))):
            papers, missing = self._range(name)
            found += papers
            unknown += [missing] if missing else []
        return list(dict.fromkeys(found)), unknown

    def _range(self, name: str) -> tuple[list[str], str]:
        one = self._one(name)
        if one is not None:
            return [one], ""
        ends = _RANGE.fullmatch(name)
        if ends is None:
            return [], name
        first, last = sorted((int(ends[1]), int(ends[2])))
        count = len(self.ids)
        if first < 1:
            return [], "0"
        if last > count:
            missing = max(first, count + 1)
            return [], str(last) if missing == last else f"{missing}-{last}"
        return list(self.ids[first - 1 : last]), ""

    def _one(self, name: str) -> str | None:
        name = name.strip()
        cited = _CITE.fullmatch(name)
        number = cited[1] if cited else name
        if number.isdecimal():
            place = int(number[:9])
            return self.ids[place - 1] if 1 <= place <= len(self.ids) else None
        key = name.removeprefix("@").strip()
        if not key or len(key) > _LONGEST_NAME:
            return None
        key = canonical_id(key)
        key = self.aliases.get(key, key)
        return key if key in self.ids else None


def pieces(plan: str) -> list[Piece]:
    """Cut a plan at its brackets.

    Raises:
        InputError: It is too long, a bracket is not closed, not opened, or empty, or `{P1}` stands
            where `[1]` should.
    """
    if len(plan) > MAX_CHARACTERS:
        raise InputError(
            f"the plan has {len(plan):,} characters and at most {MAX_CHARACTERS:,} are taken: give "
            "one short line for each sentence"
        )
    if marker := MARKER.search(plan):
        raise InputError(f"the plan says '{marker[0]}': name a paper by its number, such as [1]")
    found: list[Piece] = []
    begin, opened = 0, -1
    for bracket in _BRACKET.finditer(plan):
        at = bracket.start()
        if (bracket[0] == "[") == (opened >= 0):
            start = opened if opened >= 0 else max(at - 30, begin)
            what = "a bracket that is never closed" if opened >= 0 else "a ']' without its '['"
            raise InputError(f"the plan has {what}: '{_quoted(plan[start:])}'; write [1] or [1, 2]")
        if bracket[0] == "[":
            found += _outside(plan[begin:at])
            opened = at
            continue
        names = plan[opened + 1 : at]
        if not names.strip(" ,;\t\r\n"):
            raise InputError("the plan has an empty bracket '[]': write the paper's number in it")
        found.append(Piece(names, names=True))
        begin, opened = at + 1, -1
    if opened >= 0:
        raise InputError(
            f"the plan has a bracket that is never closed: '{_quoted(plan[opened:])}'; write [1] or "
            "[1, 2]"
        )
    return found + _outside(plan[begin:])


def _outside(text: str) -> list[Piece]:
    """Read LitLLM's own '@cite.2', too."""
    parts = _CITE.split(text)
    return [Piece(part, names=place % 2 == 1) for place, part in enumerate(parts) if part]


def _quoted(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 40 else f"{flat[:40]}..."


def listed(names: Sequence[str]) -> str:
    """Return names in brackets, each once, the long ones cut."""
    return ", ".join(dict.fromkeys(f"[{' '.join(name.split())[:_SHOWN]}]" for name in names))


def with_markers(plan: str, papers: Papers, key_of: Callable[[str], str | None]) -> str:
    """Return the plan with a marker `{P2}` for each paper that it names.

    Raises:
        InputError: Papers that are not there, or not among those to cite; all are listed.
    """
    text: list[str] = []
    unknown: list[str] = []
    for piece in pieces(plan):
        if not piece.names:
            text.append(piece.text)
            continue
        ids, missing = papers.read(piece.text)
        keys = [key_of(paper) for paper in ids]
        unknown += missing
        if None in keys:
            unknown.append(piece.text)
        text.append(", ".join(f"{{{key}}}" for key in keys if key))
    if unknown:
        count = len(set(unknown))
        raise InputError(
            f"the plan names {listed(unknown)}, which {'is' if count == 1 else 'are'} not among the "
            f"papers to cite: use [1] to [{len(papers.ids)}], or ids of papers that were found"
        )
    return "".join(text)
