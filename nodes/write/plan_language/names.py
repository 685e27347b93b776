"""The papers that a plan names: `[1]`, `[1-3]`, `[arxiv:2005.11401]`, `[@lewis2020]`, `@cite.2`."""

import re
from collections.abc import Iterable, Mapping, Sequence

from state.paper import canonical_id
from state.writing import MARKER
from tools.counting import counted
from tools.errors import InputError

MAX_CHARACTERS = 20_000
_SHOWN = 60
_LONGEST_NAME = 300
_NAMED = re.compile(r"\[([^\[\]]*)\]|(@cite[._-]?\d{1,9})\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?:@cite[._-]?)?(\d{1,9})", re.IGNORECASE)
_RANGE = re.compile(r"(\d{1,6}) ?(?:-|–|—|to) ?(\d{1,6})")
_LOST_BRACKET = re.compile(r".{0,20}[\[\]].{0,20}")


def with_markers(
    plan: str, papers: Sequence[str], aliases: Mapping[str, str], *, what: str = "plan"
) -> str:
    """Return the plan, or a text, with a marker for each paper that it names: `{P2}` for the second of `papers`.

    Raises:
        InputError: It is too long, a bracket is not closed or not opened, `{P1}` stands where `[1]`
            should, or papers are named that are not there; all such names are listed.
    """
    if len(plan) > MAX_CHARACTERS:
        raise InputError(
            f"the {what} has {len(plan):,} characters and at most {MAX_CHARACTERS:,} are taken: give "
            "one short line for each sentence"
        )
    if marker := MARKER.search(plan):
        raise InputError(f"the {what} says '{marker[0]}': name a paper by its number, such as [1]")
    unknown: list[str] = []

    def mark(found: re.Match[str]) -> str:
        places, lost = _places(found[2] or found[1], papers, aliases)
        unknown.extend(lost)
        return ", ".join(f"{{P{place}}}" for place in places)

    text = _NAMED.sub(mark, plan)
    if lost := _LOST_BRACKET.search(text):
        raise InputError(
            f"the {what} has a bracket that is never closed, or was not opened: '{lost[0].strip()}'; write "
            "[1] or [1, 2]"
        )
    if unknown:
        raise unknown_papers(unknown, len(papers), what=what)
    return text


def unknown_papers(names: Iterable[str], count: int, *, what: str = "plan") -> InputError:
    """Return the error that says which names lead to no paper."""
    listed = ", ".join(dict.fromkeys(f"[{' '.join(name.split())[:_SHOWN]}]" for name in names))
    there = f"{'is' if count == 1 else 'are'} {counted(count, 'paper')}"
    return InputError(
        f"the {what} names {listed}, but there {there} to cite: use [1] to [{count}], or ids of papers "
        "that were found"
    )


def _places(
    names: str, papers: Sequence[str], aliases: Mapping[str, str]
) -> tuple[list[int], list[str]]:
    """Return the places of the papers that a bracket names, each once, and the names that lead to none."""
    if place := _place(names, papers, aliases):  # a DOI may hold a comma or a semicolon
        return [place], []
    places: list[int] = []
    unknown: list[str] = []
    for name in (part.strip() for part in re.split(r"[,;]", names)):
        ends = _RANGE.fullmatch(name)
        first, last = sorted((int(ends[1]), int(ends[2]))) if ends else (0, 0)
        if place := _place(name, papers, aliases):
            places.append(place)
        elif first >= 1 and last <= len(papers):
            places += range(first, last + 1)
        else:
            unknown.append(name)
    return list(dict.fromkeys(places)), unknown


def _place(name: str, papers: Sequence[str], aliases: Mapping[str, str]) -> int:
    """Return the place of a paper, from 1, or 0 where there is none of this name."""
    if number := _NUMBER.fullmatch(name.strip()):
        return int(number[1]) if int(number[1]) <= len(papers) else 0
    key = name.strip().removeprefix("@").strip()
    if not key or len(key) > _LONGEST_NAME:
        return 0
    key = canonical_id(key)
    key = aliases.get(key, key)
    return papers.index(key) + 1 if key in papers else 0
