"""OpenAlex's filters: commas are AND, bars are OR, an exclamation mark is NOT."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from tests.fakes.scholar.matching import Group, Term, matches, parse, words_of
from tests.fakes.scholar.world import Work, World

MOST_VALUES = 100
_SEARCHED = {
    "title.search": "title",
    "display_name.search": "title",
    "abstract.search": "abstract",
    "default.search": "all",
    "title_and_abstract.search": "all",
}
_IDS = frozenset({"openalex", "openalex_id", "ids.openalex"})
_LINKS = frozenset({"cites", "cited_by", "referenced_works"})
_PLAIN = frozenset(
    {
        "doi",
        "publication_year",
        "from_publication_date",
        "to_publication_date",
        "is_retracted",
        "has_abstract",
        "has_doi",
        "has_references",
        "cited_by_count",
        "type",
        "open_access.is_oa",
    }
)
_ROLES = {"AND": "and", "OR": "or", "NOT": "not"}


class BadFilterError(ValueError):
    """The filter is not one that the service can read."""


@dataclass
class Chosen:
    """What the filters leave, and the searches among them."""

    works: list[Work]
    searches: list[Group] = field(default_factory=list)

    def keep(self, world: World, node: Group) -> None:
        """Drop the works that a search does not find."""
        self.works = [work for work in self.works if matches(node, world.searchable(work.number))]


def expression(text: str, name: str = "all") -> Group:
    """Return the Boolean expression of a search; words side by side are ANDed.

    Raises:
        QueryError: It has an operator without words, or an open quote or parenthesis.
    """
    return parse(
        text,
        lambda token: (_ROLES.get(token, "word"), "" if token in _ROLES else token),
        lambda token: words_of(token) if name == "all" else words_of(token, name),
        strict=True,
    )


def choose(world: World, text: str) -> Chosen:
    """Return the works that pass every filter.

    Raises:
        BadFilterError: A filter is unknown, has too many values, or values of the wrong kind.
        QueryError: A search in a filter cannot be read.
    """
    chosen = Chosen(world.held("openalex"))
    for part in filter(None, text.split(",")):
        name, colon, value = part.partition(":")
        if not colon or not value:
            raise BadFilterError(
                f"Invalid query parameter in filter: {part}. Filters are written field:value, and "
                "a comma separates filters."
            )
        if name in _SEARCHED:
            node = _search(value, _SEARCHED[name])
            chosen.searches.append(node)
            chosen.keep(world, node)
        else:
            test = _test(world, name, value)
            chosen.works = [work for work in chosen.works if test(work)]
    return chosen


def _search(value: str, name: str) -> Group:
    parts: list[Group | Term] = [expression(one, name) for one in value.split("|") if one.strip()]
    return (
        parts[0] if len(parts) == 1 and isinstance(parts[0], Group) else Group("or", tuple(parts))
    )


def _test(world: World, name: str, value: str) -> Callable[[Work], bool]:
    if name not in _IDS | _LINKS | _PLAIN:
        raise BadFilterError(
            f"{name} is not a valid field. Valid fields are underscore or hyphenated versions of: "
            + ", ".join(sorted({*_IDS, *_LINKS, *_PLAIN, *_SEARCHED}))
            + "."
        )
    negated = value.startswith("!")
    values = value.removeprefix("!").split("|")
    if len(values) > MOST_VALUES:
        raise BadFilterError(
            f"Maximum number of values exceeded for {name}. Decrease values to {MOST_VALUES} or "
            "below, or consider downloading the full dataset at "
            "https://developers.openalex.org/download/snapshot-format"
        )
    test = _any_of(world, name, values)
    return (lambda work: not test(work)) if negated else test


def _any_of(world: World, name: str, values: list[str]) -> Callable[[Work], bool]:
    if name in _IDS:
        wanted = {value.rsplit("/", 1)[-1].upper() for value in values}
        return lambda work: work.openalex in wanted
    if name == "doi":
        dois = [value.lower().split("doi.org/", 1)[-1].removeprefix("doi:") for value in values]
        works = {work.number for doi in dois if (work := world.find_doi(doi))}
        return lambda work: work.number in works
    if name in _LINKS:
        numbers = {number for value in values for number in _linked(world, name, value)}
        return lambda work: work.number in numbers
    tests = [_plain(world, name, value) for value in values]
    return lambda work: any(test(work) for test in tests)


def _linked(world: World, name: str, value: str) -> list[int]:
    work = world.by_openalex.get(value.rsplit("/", 1)[-1].upper())
    if work is None:
        return []
    if name != "cited_by":
        return world.citing(work.number, "openalex")
    if not work.openalex_lists_references:
        return []
    return [number for number in work.references if isinstance(number, int)]


def _plain(world: World, name: str, value: str) -> Callable[[Work], bool]:
    if name in {"publication_year", "cited_by_count"}:
        return _number(world, name, value)
    if name.endswith("_publication_date"):
        try:
            day = date.fromisoformat(value)
        except ValueError as error:
            raise BadFilterError(f"Value for {name} must be a date such as 2020-05-17") from error
        if name.startswith("from"):
            return lambda work: work.date >= day
        return lambda work: work.date <= day
    if name == "type":
        return lambda work: work.kind == value
    if value not in {"true", "false"}:
        raise BadFilterError(f"Value for {name} must be true or false: not {value}.")
    flags: dict[str, Callable[[Work], bool]] = {
        "is_retracted": lambda work: "openalex" in work.retraction_in,
        "has_abstract": lambda work: work.abstract is not None,
        "has_doi": lambda work: work.doi is not None,
        "has_references": lambda work: work.openalex_lists_references,
        "open_access.is_oa": lambda work: work.open_access,
    }
    flag = flags[name]
    return lambda work: flag(work) == (value == "true")


def _number(world: World, name: str, value: str) -> Callable[[Work], bool]:
    def count(work: Work) -> int:
        if name == "publication_year":
            return work.year
        return world.cited_by_count(work.number, "openalex")

    try:
        if value[0] in "<>":
            edge = int(value[1:])
            if value[0] == "<":
                return lambda work: count(work) < edge
            return lambda work: count(work) > edge
        first, dash, last = value.partition("-")
        low = int(first) if first else -1
        high = (int(last) if last else 10**9) if dash else low
    except ValueError as error:
        raise BadFilterError(f"Value for {name} must be a number: not {value}.") from error
    return lambda work: low <= count(work) <= high
