"""The rows of a data set of related-work sections: a target, what it cites, what its authors wrote, and their plan."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from evals.trials import Cases, json_lines
from state.paper import Paper
from state.writing import MARKER
from tools.bibliography.read_record import RecordError, paper_from
from tools.errors import InputError
from tools.references.in_text import CITED
from tools.references.latex_prose import read_latex
from tools.text.words import split_sentences

MOST_PAPERS = 200
"""As many as a section may cite."""


@dataclass(frozen=True, kw_only=True)
class GoldSentence:
    """One sentence that the authors wrote, and the papers it cites by the data's key."""

    text: str
    cites: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """One target paper, the papers that its section cites, and the section."""

    id: str
    title: str
    abstract: str
    gold: str
    sentences: tuple[GoldSentence, ...] = ()
    """Empty where the data does not divide the section."""
    papers: tuple[Paper, ...]
    places: Mapping[str, int]
    """Where each paper stands in `papers`, by the key that the gold cites it by."""
    unusable: tuple[str, ...] = ()
    """What the section cites and the data does not describe, with the reason."""

    @property
    def checkable(self) -> bool:
        """Whether any paper has an abstract, so that what is said of it can be checked."""
        return any(paper.abstract for paper in self.papers)


def read_cases(path: Path, count: int | None = None) -> Cases[Case]:
    """Return the first `count` rows that can be used, or all of them.

    Raises:
        InputError: The file cannot be read, or no row can be used.
    """
    found, seen = Cases[Case](), set[str]()
    for number, row in json_lines(path):
        if len(found.cases) == count:
            break
        given = row.get("id", row.get("arxiv_id")) if isinstance(row, dict) else None
        name = _words(given) or f"line {number}"
        try:
            if name in seen:
                name = f"line {number}"
                raise RecordError("an earlier row has its id")
            found.cases.append(_case(name, row))
            seen.add(name)
        except RecordError as error:
            found.left_out[name] = str(error)
    if not found.cases:
        why = "; ".join(f"{name}: {reason}" for name, reason in islice(found.left_out.items(), 3))
        raise InputError(
            f"'{path}' holds no row that can be used{f' ({why})' if why else ''}: give JSON lines with "
            "id, target, gold_related_work and cited"
        )
    return found


def _of_deepscholar(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of DeepScholar-Bench as one of ours: LaTeX as prose, its commands that cite as numbers."""
    cited = [
        {
            "key": str(number),
            "id": one.get("bib_paper_doi") or "",
            "title": one.get("cited_paper_title"),
            "authors": " ".join(str(one.get("bib_paper_authors") or "").split()).split(" and "),
            "year": str(one.get("bib_paper_year") or "").partition(".")[0] or None,
            "abstract": one.get("cited_paper_abstract"),
        }
        for number, one in enumerate(row["cited"], 1)
    ]
    numbers = {str(one.get("citation_shorthand")): at for at, one in enumerate(row["cited"], 1)}

    def marked(found: re.Match[str]) -> str:
        keys = found[0].rpartition("{")[2].rstrip("}").split(",")
        known = (numbers.get(key.strip()) for key in keys)
        told = ", ".join(str(number) for number in known if number)
        return f"[{told}]" if told else ""

    prose = read_latex(row["related_work"])[0].replace("\xa0", " ")
    return {
        "target": {"title": row.get("title"), "abstract": row.get("abstract")},
        "gold_related_work": _BEFORE_STOP.sub("", CITED.sub(marked, prose)),
        "cited": cited,
    }


def _case(name: str, row: object) -> Case:
    whole = row if isinstance(row, dict) else {}
    if isinstance(whole.get("related_work"), str) and isinstance(whole.get("cited"), list):
        whole = _of_deepscholar(whole)
    target, cited = whole.get("target"), whole.get("cited")
    title, abstract = (
        _words(target.get(key) if isinstance(target, dict) else None)
        for key in ("title", "abstract")
    )
    gold = whole.get("gold_related_work")
    if not abstract:
        raise RecordError("its target has no abstract")
    if not isinstance(gold, str) or not gold.strip():
        raise RecordError("it has no gold_related_work to compare with")
    if not isinstance(cited, list) or not cited:
        raise RecordError("it cites nothing")
    papers, places, unusable = _papers(cited)
    if not papers:
        raise RecordError(f"none of the {len(cited)} papers that it cites has a title")
    return Case(
        id=name,
        title=title,
        abstract=abstract,
        gold=gold.strip(),
        sentences=_sentences(whole.get("gold_sentences")),
        papers=tuple(papers.values()),
        places=places,
        unusable=tuple(unusable),
    )


def _papers(cited: Sequence[object]) -> tuple[dict[str, Paper], dict[str, int], list[str]]:
    papers: dict[str, Paper] = {}
    places: dict[str, int] = {}
    unusable: list[str] = []
    for number, entry in enumerate(cited, 1):
        key = str(entry.get("key") or "") if isinstance(entry, dict) else ""
        name = key or f"entry {number}"
        try:
            if not isinstance(entry, dict):
                raise RecordError("it is no JSON object")
            title = entry.get("title")
            if not title and _words(entry.get("abstract")):
                title = f"Work {name}"  # the data knows it by no other
            authors = _authors(entry.get("authors"))
            paper = paper_from({**entry, "title": title, "authors": authors})
        except ValueError as error:
            unusable.append(f"{name}: {error}")
            continue
        if paper.id not in papers and len(papers) == MOST_PAPERS:
            unusable.append(f"{name}: a section cites at most {MOST_PAPERS} papers")
            continue
        papers.setdefault(paper.id, paper)
        if key:
            places.setdefault(key, list(papers).index(paper.id))
    return papers, places, unusable


def _authors(given: object) -> object:
    """Return a list of names, also where all stand in one text that ends in three dots."""
    if not isinstance(given, str):
        return given
    bare = given.strip().rstrip(".… ")
    others = ["others"] if given.strip().endswith(("...", "…")) else []
    return [bare, *others] if bare else []


def _sentences(given: object) -> tuple[GoldSentence, ...]:
    found: list[GoldSentence] = []
    for item in given if isinstance(given, list) else []:
        if isinstance(item, dict) and (text := _words(item.get("text"))):
            found.append(
                GoldSentence(
                    text=text, cites=tuple(dict.fromkeys(map(str, item.get("cites") or ())))
                )
            )
    return tuple(found)


def _words(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


MOST_LINES = 60
"""As many as a plan may have."""
LEAST_WORDS = 10
"""As few as a plan may ask for."""
_NUMBERS = re.compile(r"\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
_OPENING = r"(?:e\.g\.,?\s*|i\.e\.,?\s*|see(?: also)?\s+|cf\.\s*)?"
_WORK = (
    rf"{_OPENING}(?:(?:de|del|den|der|di|la|le|van|von)\s+)*[A-Z][^;()\[\]]*?(?:,|et al\.?,?)\s*"
)
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_NAMED = re.compile(
    rf"[(\[]{_WORK}{_YEAR}(?:,\s*{_YEAR})*(?:\s*;\s*(?:{_WORK})?{_YEAR}(?:,\s*{_YEAR})*)*[)\]]"
)
_AFTER_NAME = re.compile(rf"(?<=[\w.’'])\s*[(\[]{_YEAR}(?:\s*[,;]\s*{_YEAR})*[)\]]")
_BEFORE_STOP = re.compile(r"\s+(?=[.,;:!?)])")


def without_marks(text: str) -> str:
    """Return a text without its citation marks: `[3, 4]`, `(Ng, 2016; Wu et al., 2018)`, `Ng (2016)`.

    The names that are part of a sentence stay, as they do in what CiteLoom writes.
    """
    for marks in (_NUMBERS, _NAMED, _AFTER_NAME):
        text = marks.sub("", text)
    return _BEFORE_STOP.sub("", " ".join(text.split()))


def without_markers(text: str) -> str:
    """Return a text of CiteLoom's without the markers of its citations, such as {P3}."""
    return _BEFORE_STOP.sub("", " ".join(MARKER.sub("", text).split()))


@dataclass(frozen=True, kw_only=True)
class ForcedPlan:
    """The plan that the gold follows: as many sentences and words, the papers in their places."""

    text: str
    """As a user would write it."""
    cites: tuple[frozenset[str], ...]
    """Ids of the papers to be cited, sentence by sentence."""
    words: int
    left_out: int
    """Places in which the gold cites a paper without an abstract, or one that the data lacks."""


def forced_plan(case: Case) -> ForcedPlan | str:
    """Return the plan of the gold, or why there is none.

    Papers without an abstract have no place in it: nothing that is said of them could be checked.
    """
    sentences = case.sentences or _divided(case)
    if not sentences:
        return "the data does not say which sentence cites which paper"
    if len(sentences) > MOST_LINES:
        return f"the gold has {len(sentences)} sentences; a plan has at most {MOST_LINES}"
    lines: dict[int, list[int]] = {}
    cites: list[frozenset[str]] = []
    left_out = 0
    for number, sentence in enumerate(sentences, 1):
        places = {case.places[key] for key in sentence.cites if key in case.places}
        places = {place for place in places if case.papers[place].abstract}
        left_out += len(sentence.cites) - len(places)
        cites.append(frozenset(case.papers[place].id for place in places))
        for place in places:
            lines.setdefault(place, []).append(number)
    if not lines:
        return "the gold cites no paper that has an abstract"
    words = max(
        sum(len(without_marks(sentence.text).split()) for sentence in sentences), LEAST_WORDS
    )
    text = f"{len(sentences)} sentences in {words} words.\n" + "\n".join(
        f"Cite [{place + 1}] on {_on(lines[place])}." for place in sorted(lines)
    )
    return ForcedPlan(text=text, cites=tuple(cites), words=words, left_out=left_out)


def _divided(case: Case) -> tuple[GoldSentence, ...]:
    """Divide the gold itself, where it cites by the numbers that the data knows papers by."""
    found = tuple(
        GoldSentence(
            text=span.text, cites=tuple(key for key in numbers_in(span.text) if key in case.places)
        )
        for paragraph in case.gold.split("\n")
        for span in split_sentences(paragraph)
    )
    return found if any(sentence.cites for sentence in found) else ()


def numbers_in(text: str) -> list[str]:
    """Return the numbers that a text cites in brackets, each once."""
    keys: list[str] = []
    for group in _NUMBERS.findall(text):
        for part in re.split(r"\s*[,;]\s*", group):
            ends = [int(end) for end in re.split("[–-]", part)]
            keys += map(str, range(ends[0], ends[-1] + 1))
    return list(dict.fromkeys(keys))


def _on(numbers: list[int]) -> str:
    first, last = ", ".join(map(str, numbers[:-1])), numbers[-1]
    return f"lines {first} and {last}" if first else f"line {last}"
