"""The pairs: true sentences about papers, and the same made false in one of nine ways, from data the user gives.

The patterns that falsify are of their own: the product's are not used here.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from evals.trials import json_lines
from state.paper import Paper
from tools.bibliography.read_record import RecordError, paper_from
from tools.text.self_reference import name_authors
from tools.text.words import split_sentences

_PAIRS = """increase/decrease increases/decreases increased/decreased increasing/decreasing improve/impair
    improves/impairs improved/impaired improving/impairing reduce/raise reduces/raises reduced/raised
    reducing/raising higher/lower better/worse faster/slower larger/smaller more/less high/low
    positive/negative effective/ineffective simple/complicated strong/weak easy/hard accelerate/delay
    efficient/wasteful enhance/degrade enhances/degrades enhanced/degraded supports/hinders support/hinder
    enables/prevents enable/prevent allows/forbids allow/forbid broad/narrow"""
_TURN = {
    word: other
    for pair in _PAIRS.split()
    for word, other in (pair.split("/"), reversed(pair.split("/")))
}
_UNITS = {
    "%": " items", "percent": "items", "seconds": "hours", "minutes": "days", "hours": "weeks", "days": "years",
    "weeks": "minutes", "months": "days", "years": "months", "ms": "minutes", "milliseconds": "minutes",
    "times": "percent", "GB": "KB", "MB": "TB", "million": "thousand", "billion": "thousand", "m": "km",
    "cm": "km", "mm": "m", "Hz": "kHz", "fps": "fpm", "TB": "MB", "km": "m", "thousand": "billion",
}  # fmt: skip
_SCOPE = {
    "some": "all",
    "several": "all",
    "many": "all",
    "most": "all",
    "often": "always",
    "usually": "always",
    "typically": "always",
    "sometimes": "always",
    "few": "all",
    "frequently": "always",
    "rarely": "never",
}
_HEDGE = {
    "may": "will certainly",
    "might": "will certainly",
    "could": "will certainly",
    "suggest": "prove",
    "suggests": "proves",
    "potentially": "certainly",
    "likely": "certainly",
    "possibly": "certainly",
    "seems": "is proven",
    "appears": "is proven",
    "indicate": "prove",
    "indicates": "proves",
}
_VERB = re.compile(
    r" (?:is|are|was|were|has|have|can|provides?|supports?|allows?|enables?|uses?|shows?|helps?|requires?) "
)
_NAME = re.compile(r"(?<![\w-])(?:[A-Z]{3,6}s?|[A-Z][a-z]+[A-Z]\w+)(?![\w-])")
_SIDE = r"(?!(?:In|We|It|This|These) )[^,;:()]{3,60}?"
_COMPARED = (
    rf"^(?P<lead>[^,;:()]{{0,60}} that )?(?P<left>{_SIDE}) (?P<verb>(?:significantly |clearly |also )?"
    r"(?:outperforms?|outperformed|surpass(?:es|ed)?|exceed(?:s|ed)?)"
    rf"|(?:is|are|was|were) (?:\w+ )?(?:more \w+|less \w+|\w+er) than) (?P<right>{_SIDE})\.$"
)
Change = Callable[[str], str | None]


def _changed(pattern: str, other: Callable[[re.Match[str]], str | None]) -> Change:
    """Return what puts something else where a pattern stands first."""
    find = re.compile(pattern).search

    def change(sentence: str) -> str | None:
        found = find(sentence)
        said = other(found) if found else None
        return (
            f"{sentence[: found.start()]}{said}{sentence[found.end() :]}"
            if found and said is not None
            else None
        )

    return change


def _any_of(words: Iterable[str]) -> str:
    return rf"(?:{'|'.join(map(re.escape, words))})(?![\w-])"


def _number(found: re.Match[str]) -> str | None:
    value = found[0].replace(",", "")
    if not value.isdigit():
        return f"{float(value) * 2 + 7:.1f}"
    return (
        None
        if (len(found[0]) == 4 and found[0].startswith(("19", "20")))
        else str(int(value) * 2 + 7)
    )


def _comparison(found: re.Match[str]) -> str:
    turned = f"{found['lead'] or ''}{found['right']} {found['verb']} {found['left'][0].lower()}{found['left'][1:]}."
    return f"{turned[0].upper()}{turned[1:]}"


_WITHOUT_NOT = _changed(r"\b(?:do|does|did) not |\b(?:not|never) ", lambda _: "")
_WITH_NOT = _changed(
    r"(?<=\w )(?:is|are|was|were|can|will|has|have|could|should)(?= [a-z])",
    lambda found: f"{found[0]} not",
)
_BY_ITSELF: dict[str, Change] = {
    "negation": lambda sentence: _WITHOUT_NOT(sentence) or _WITH_NOT(sentence),
    "direction": _changed(rf"(?<![\w-]){_any_of(_TURN)}", lambda found: _TURN[found[0]]),
    "number": _changed(r"(?<![\w.,-])\d+(?:[.,]\d+)?(?![\w.-])", _number),
    "unit": _changed(
        rf"(?<=\d)(\s?)({_any_of(_UNITS)})", lambda found: f"{found[1]}{_UNITS[found[2]]}"
    ),
    "scope": _changed(rf"(?<![\w-]){_any_of(_SCOPE)}", lambda found: _SCOPE[found[0]]),
    "hedge": _changed(rf"(?<![\w-]){_any_of(_HEDGE)}", lambda found: _HEDGE[found[0]]),
    "comparison": _changed(_COMPARED, _comparison),
}
KINDS = (*_BY_ITSELF, "entity", "subject")


def falsified(sentence: str, kind: str, others: Sequence[str], dice: Random) -> str | None:
    """Return a sentence made false in one way, or None where it has nothing to change so.

    Args:
        sentence: A true one.
        kind: One of `KINDS`.
        others: Sentences of other papers, whose names and subjects may be put in.
        dice: Chooses among these.
    """
    if kind in _BY_ITSELF:
        changed = _BY_ITSELF[kind](sentence)
    elif kind == "entity":
        changed = _other_name(sentence, others, dice)
    else:
        changed = _other_subject(sentence, others, dice)
    return changed if changed and changed != sentence else None


def _other_name(sentence: str, others: Sequence[str], dice: Random) -> str | None:
    found = _NAME.search(sentence)
    names = [name for other in dice.sample(others, 60) for name in _NAME.findall(other)]
    names = [name for name in names if name not in sentence]
    return (
        f"{sentence[: found.start()]}{dice.choice(names)}{sentence[found.end() :]}"
        if found and names
        else None
    )


def _other_subject(sentence: str, others: Sequence[str], dice: Random) -> str | None:
    verb = _VERB.search(sentence)
    if verb is None or not _is_subject(sentence[: verb.start()]):
        return None
    subjects = [
        other[: found.start()]
        for other in dice.sample(others, 200)
        if (found := _VERB.search(other))
        and found[0] == verb[0]
        and _is_subject(other[: found.start()])
    ]
    return f"{dice.choice(subjects)}{sentence[verb.start() :]}" if subjects else None


def _is_subject(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 6 and words[0] in {"The", "A", "An", "Our"} and "," not in text


GIVEN = 600
"""Papers of which sentences are taken, in the order of a hash of their ids."""
_BARE = re.compile(r"\[[\d,\s–-]+\]|https?://|[{}]")


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence that cites one paper, and whether the paper says it."""

    paper: Paper
    text: str
    """With the marker {P1}."""
    true: bool
    kind: str
    """How it was made false; 'own' for a paper's own sentence, 'paraphrase' for a person's, 'elsewhere'
    for the own sentence of another paper."""
    source: str
    """The sentence of the paper that it was made of; empty for a paraphrase."""

    @property
    def held_out(self) -> bool:
        """Whether it belongs to the half that nobody tunes on."""
        return _hash(self.paper.id) % 2 == 1


def load(data: Path, each: int) -> list[Case]:
    """Return the cases: `each` pairs of each kind, and every gold sentence that cites one paper.

    Args:
        data: A folder with citation_graph/papers.jsonl.gz and related_work/related_work.jsonl.gz.
        each: Pairs of each kind.
    """
    rows = [row for _, row in json_lines(data / "citation_graph" / "papers.jsonl.gz")]
    wanted = sorted((row for row in rows if row["abstract"]), key=lambda row: _hash(row["id"]))
    papers = [paper for row in wanted if (paper := _paper(row))]
    works = [row for _, row in json_lines(data / "related_work" / "related_work.jsonl.gz")]
    pairs = list(_pairs(papers, each))
    own = [case for case in pairs if case.true]
    elsewhere = (
        Case(case.paper, f"{other.source.rstrip('.')} {{P1}}.", False, "elsewhere", case.source)
        for case, other in zip(own, [*own[1:], *own[:1]], strict=True)
    )
    return [*pairs, *elsewhere, *_paraphrases(works)]


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _paper(row: dict[str, Any]) -> Paper | None:
    fields = ("id", "title", "abstract", "year", "authors")
    try:
        return paper_from({key: row.get(key) for key in fields})
    except RecordError:
        return None


def _pairs(papers: Sequence[Paper], each: int) -> Iterator[Case]:
    others = [sentence for paper in papers[:GIVEN] for sentence in _sentences(paper.abstract or "")]
    left = dict.fromkeys(KINDS, each)
    for paper in papers:
        dice = Random(_hash(paper.id))
        # One pair a paper; the kind that is rarest so far first.
        for kind in sorted(left, key=lambda kind: -left[kind]):
            if left[kind] and (
                pair := _pair(paper, _sentences(paper.abstract or ""), kind, others, dice)
            ):
                left[kind] -= 1
                yield from pair
                break
        if not any(left.values()):
            return


def _pair(
    paper: Paper, sentences: Sequence[str], kind: str, others: Sequence[str], dice: Random
) -> tuple[Case, Case] | None:
    for source in sentences:
        if changed := falsified(source, kind, others, dice):
            form = dice.choice(("quoted", "attributed", "bare"))
            said, lied = (_formed(text, paper, form) for text in (source, changed))
            return Case(paper, said, True, "own", source), Case(paper, lied, False, kind, source)
    return None


def _formed(text: str, paper: Paper, form: str) -> str:
    name, several = paper.citation, len(paper.authors) > 1
    if form == "attributed" and (turned := name_authors(text, f"{name} {{P1}}", several)):
        return turned
    if form == "quoted":
        return f"{name} {{P1}} write{'' if several else 's'}: “{text}”"
    return f"{text.rstrip('.')} {{P1}}."


def _sentences(given: str) -> list[str]:
    spans = [" ".join(span.text.split()) for span in split_sentences(given)]
    return [
        text
        for text in spans
        if 8 <= len(text.split()) <= 40
        and text[0].isupper()
        and text.endswith(".")
        and not _BARE.search(text)
    ]


def _paraphrases(works: Sequence[dict[str, Any]]) -> Iterator[Case]:
    for work in works:
        cited = {row["key"]: row for row in work["cited"] if row["abstract"] and row["title"]}
        for item in work.get("gold_sentences") or ():
            keys, text = set(item["cites"]), item["text"]
            if len(keys) != 1 or not keys <= cited.keys():
                continue
            row = cited[keys.pop()]
            paper = _paper(row)
            if paper and (marked := _marked(text, row["key"], paper)):
                yield Case(paper, marked, True, "paraphrase", "")


def _marked(text: str, key: str, paper: Paper) -> str | None:
    """Put the marker where the citation stands, by number or by author and year."""
    if f"[{key}]" in text:
        return text.replace(f"[{key}]", "{P1}")
    if not paper.authors:
        return None
    family = re.escape(paper.authors[0].family)
    marked, count = re.subn(rf"\(?{family}[^()]{{0,40}}\(?\d{{4}}[a-z]?\)", "{P1}", text, count=1)
    return marked if count else None
