"""Read the researcher's own plan of the section.

Two forms:
- one line for each sentence, naming its papers: `1. Contrast [2] with [3]`, `[arxiv:2005.11401]`;
- directives: `5 sentences in 120 words. Cite [1] on lines 1 and 3, [2] on line 2`.
`[n]` is the n-th paper of the list that the section is written from; ids may stand in its place.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from state.paper import canonical_id
from state.writing import Plan, PlanLine
from tools.errors import InputError

_BRACKET = re.compile(r"\[([^\[\]]+)\]")
# Not '2 lines of work', which is a note on what to write.
_SENTENCES = re.compile(r"\b(\d{1,4})\s+(?:sentences?|lines?)\b(?!\s+of\b)", re.IGNORECASE)
_WORDS = re.compile(r"\b(\d{1,3}(?:,\d{3})+|\d{1,6})\s+words?\b", re.IGNORECASE)
_CITE = re.compile(
    r"((?:\[[^\[\]]+\](?:\s*(?:,|and|&)\s*)?)+)\s*(?:on|at|in)\s+(?:lines?|sentences?)\s+"
    r"(\d{1,4}(?:\s*(?:,\s*and|,|and|&|-|–|to)\s*\d{1,4})*)(?!\d)",
    re.IGNORECASE,
)
_NUMBERING = re.compile(r"^\s*(?:[-*+]|\d+[.):])\s+")
MAX_LINES = 60
MAX_CHARACTERS = 20_000


def named_papers(plan: str, papers: Sequence[str], aliases: Mapping[str, str]) -> list[str]:
    """Return the ids of the papers that a plan names, in the order of `papers`.

    Raises:
        InputError: The plan names a paper that is not among them; all such names are listed.
    """
    if len(plan) > MAX_CHARACTERS:
        raise InputError(
            f"the plan has {len(plan):,} characters and at most {MAX_CHARACTERS:,} are taken: give "
            "one short line for each sentence"
        )
    known = set(papers)
    named: set[str] = set()
    unknown: list[str] = []
    for name in _names(plan):
        found = _paper(name, papers, known, aliases)
        named.add(found) if found else unknown.append(f"[{name[:60]}]")
    if unknown:
        raise InputError(
            f"the plan names {', '.join(dict.fromkeys(unknown))}, but there "
            f"{'is 1 paper' if len(papers) == 1 else f'are {len(papers)} papers'} to cite: use [1] to "
            f"[{len(papers)}], or ids of papers that were found"
        )
    return [key for key in papers if key in named]


def _names(plan: str) -> list[str]:
    return [
        name.strip()
        for group in _BRACKET.findall(plan)
        for name in re.split(r"[,;]", group)
        if name.strip()
    ]


def _paper(
    name: str, papers: Sequence[str], known: set[str], aliases: Mapping[str, str]
) -> str | None:
    if name.isdecimal():
        number = int(name[:9])
        return papers[number - 1] if 1 <= number <= len(papers) else None
    key = canonical_id(name.removeprefix("@"))
    key = aliases.get(key, key)
    return key if key in known else None


def parse_plan(
    plan: str, papers: Sequence[str], aliases: Mapping[str, str], keys: Mapping[str, str]
) -> Plan:
    """Turn a plan into lines.

    Args:
        plan: The researcher's text, not empty.
        papers: Ids in the order in which `[n]` counts them.
        aliases: Other ids of these papers.
        keys: The key (P1, ...) of each paper to be cited, and its id.

    Raises:
        InputError: The plan has no line, too many lines, or cites on a line that it does not have.
    """
    by_id = {paper: key for key, paper in keys.items()}
    known = set(papers)

    def key_of(name: str) -> str:
        paper = _paper(name, papers, known, aliases)
        if paper is None or paper not in by_id:
            raise InputError(f"the plan names [{name}], which is not among the papers to cite")
        return by_id[paper]

    words = _WORDS.search(plan)
    count = _SENTENCES.search(plan)
    placed = [
        (tuple(key_of(name) for name in _names(found[1])), _numbers(found[2]))
        for found in _CITE.finditer(plan)
    ]
    if count or placed:
        put = {key for named, _ in placed for key in named}
        _refuse_unplaced([name for name in _names(plan) if key_of(name) not in put])
        lines = _directed(int(count[1]) if count else 0, placed)
    else:
        lines = _listed([line for line in plan.splitlines() if line.strip()], key_of)
    if not lines or len(lines) > MAX_LINES:
        raise InputError(
            f"the plan has {len(lines)} lines: give one line for each sentence, 1 to {MAX_LINES}"
        )
    asked = max(int(words[1].replace(",", "")), 10) if words else None
    return Plan(lines=tuple(lines), words=asked, origin="user")


def _refuse_unplaced(names: Sequence[str]) -> None:
    if names:
        listed = ", ".join(dict.fromkeys(f"[{name}]" for name in names))
        raise InputError(
            f"the plan names {listed} but no line for it: write 'cite [{names[0]}] on line 1', or "
            "give one line for each sentence and no count"
        )


def _listed(lines: Sequence[str], key_of: Callable[[str], str]) -> list[PlanLine]:
    return [
        PlanLine(
            number=number,
            keys=tuple(dict.fromkeys(key_of(name) for name in _names(text))),
            note=_NUMBERING.sub("", text).strip(),
            role="open" if number == 1 else "develop",
        )
        for number, text in enumerate(lines, start=1)
    ]


def _directed(count: int, placed: list[tuple[tuple[str, ...], list[int]]]) -> list[PlanLine]:
    named = [number for _, numbers in placed for number in numbers]
    highest = max(named, default=0)
    count = count or highest
    if highest > count:
        raise InputError(f"the plan cites on line {highest}, but asks for {count} sentences")
    if 0 in named:
        raise InputError("the plan cites on line 0: the first line is line 1")
    if count > MAX_LINES:
        raise InputError(f"the plan has {count} lines: ask for 1 to {MAX_LINES} sentences")
    return [
        PlanLine(
            number=number,
            keys=tuple(
                dict.fromkeys(key for keys, numbers in placed if number in numbers for key in keys)
            ),
            role="open" if number == 1 else "develop",
        )
        for number in range(1, count + 1)
    ]


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in re.split(r"\s*(?:,|and|&)\s*", text):
        ends = [int(item) for item in re.findall(r"\d+", part)]
        numbers += range(min(ends), max(ends) + 1) if ends else []
    return numbers
