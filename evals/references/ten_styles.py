"""Works as ten kinds of lists print them, made without a style file: a measure that is no training data."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evals.references.labelled import Part, Reference
from state.paper import Author


@dataclass(frozen=True)
class Work:
    """A work of which the lists are made."""

    title: str
    authors: tuple[Author, ...]
    year: int
    venue: str


def _initials(one: Author, dot: str = ". ") -> str:
    return dot.join(part[0] for part in one.given.replace(".", " ").split() if part) + dot.rstrip(
        " "
    )


def _turned(one: Author) -> str:
    return f"{one.family}, {_initials(one)}" if one.given else one.family


def _full(one: Author) -> str:
    return f"{one.family}, {one.given}" if one.given else one.family


def _straight(one: Author) -> str:
    return f"{_initials(one)} {one.family}" if one.given else one.family


def _plain(one: Author) -> str:
    return f"{one.given} {one.family}".strip()


def _capitals(one: Author) -> str:
    return f"{one.family.upper()}, {one.given}" if one.given else one.family.upper()


def _close(one: Author) -> str:
    return f"{one.family} {_initials(one, '')}".strip()


def _listed(names: Sequence[str], last: str, between: str = ", ") -> str:
    if len(names) < 3:
        return (
            last.replace(",", "", 1).join(names) if last.startswith(", and") else last.join(names)
        )
    return f"{between.join(names[:-1])}{last}{names[-1]}"


def _chicago(work: Work, form: Callable[[Author], str], rest: Callable[[Author], str]) -> str:
    names = [form(work.authors[0]), *map(rest, work.authors[1:])]
    return _listed(names, ", and ") if len(names) != 2 else ", and ".join(names)


def ended(text: str) -> str:
    """Return a text with a full stop, unless a mark ends it."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


STYLES: dict[str, Callable[[Work], list[Part]]] = {
    "APA": lambda one: _parts(
        _listed([*map(_turned, one.authors)], ", & "), f" ({one.year}). ", ended(one.title), " ",
        one.venue, ", 12(3), 45–67."),
    "Harvard": lambda one: _parts(
        _listed([*map(_turned, one.authors)], " and "), f", {one.year}. ", ended(one.title), " ",
        one.venue, ", 12(3), pp.45-67."),
    "IEEE": lambda one: _parts(
        _listed([*map(_straight, one.authors)], ", and "), ", “", one.title, ",” ",
        one.venue, f", vol. 12, no. 3, pp. 45–67, {one.year}."),
    "MLA": lambda one: _parts(
        ended(_chicago(one, _full, _plain)), " “", ended(one.title), "” ", one.venue,
        f", vol. 12, no. 3, {one.year}, pp. 45–67."),
    "plain": lambda one: _parts(
        ended(_listed([*map(_plain, one.authors)], ", and ")), " ", ended(one.title), " ", one.venue, f", {one.year}."),
    "Vancouver": lambda one: _parts(
        ended(", ".join(map(_close, one.authors))), " ", ended(one.title), " ", one.venue,
        f". {one.year};12(3):45-67."),
    "Gick": lambda one: _parts(
        ended(_chicago(one, _turned, _straight)), " ", ended(one.title), " ", one.venue, f" 12 ({one.year}): 45–67."),
    "Chicago": lambda one: _parts(
        ended(_chicago(one, _full, _plain)), f" {one.year}. ", ended(one.title), " ", one.venue, " 12 (3): 45–67."),
    "ISO 690": lambda one: _parts(
        ended(_listed([*map(_capitals, one.authors)], " and ")), " ", ended(one.title), " ", one.venue,
        f". {one.year}, vol. 12, no. 3, p. 45–67."),
    "decomposed": lambda one: [
        (label, unicodedata.normalize("NFD", text)) for label, text in STYLES["APA"](one)
    ],
}  # fmt: skip


def print_works(works: Sequence[Work]) -> dict[str, list[Reference]]:
    """Return the references of works by style."""
    return {
        style: [Reference(style, tuple(printed(work))) for work in works]
        for style, printed in STYLES.items()
    }


def _parts(names: str, behind: str, title: str, gap: str, venue: str, rest: str) -> list[Part]:
    return [
        ("author", names),
        ("other", behind),
        ("title", title),
        ("other", gap),
        ("container", venue),
        ("other", rest),
    ]
