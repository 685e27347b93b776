"""Answer a question with the claims at hand."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tools.embed.port import Embedder
from tools.evidence.contradiction import contradicts
from tools.text.asking.covering import COVERED, is_about, ratings
from tools.text.asking.facets import asked
from tools.text.asking.naming import is_strong, mentions, names
from tools.text.asking.port import DraftSentence, Held
from tools.text.asking.relevance import is_vague, wanted
from tools.text.asking.standing import named_subject
from tools.text.asking.vectors import vectors
from tools.text.clauses import Subject, clause_about
from tools.text.flow import resemblance
from tools.text.plain import presentable_title
from tools.text.trim import lower_case_words, lowering
from tools.text.verbs import to_plural

_SAME_MEANING, _SAME_WORDS = 0.9, 0.8
"""Closeness from which two claims are one, said twice."""
_LATER = 0.02
"""What a claim loses for each one before it: those of the best passages come first."""
_NO_YEAR = 9999
_VAGUE = 0.25
"""How much less a claim may have where a question on one paper has no words of its own."""
_NAME_WORDS = 5
_INTRODUCTION = 0.15
"""How much less a claim may have that says what a paper introduces."""
_LEAST = 0.5
"""Rating below which a claim has no place in the answer: a little less than what covers an aspect."""
_INTRODUCES = re.compile(
    r"^(?:the authors?|(?:this|the) (?:paper|study|work|survey|review|article)) (?:also )?(?:introduc|present|propos|develop|describ|stud|examin|evaluat|review|compar|"
    r"investigat|survey|explor|analy|build|releas)\w*\b(?! (?:also)\b)",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"[A-Z][a-z]+(?:ed|ing|ly) [A-Z]")
_SAID_BY = re.compile(
    r"^(?:the authors?|(?:this|the) (?:paper|study|work|survey|review|article)) (?:also )?([\w-]+) (.+)$",
    re.IGNORECASE | re.DOTALL,
)
_NO_NAME = re.compile(
    r"['’]s?$|^(?:For|The (?:authors|study|survey|paper|work|review|article))\b|^The(?: [a-z]+)?$"
)
_TWO_VERBS = re.compile(
    r"^(?:this|the) (paper|study|work|survey|review|article) (.+ and (?:also )?(?:\w+s) .+)$",
    re.IGNORECASE | re.DOTALL,
)
_REPORTED = re.compile(
    r"^(?:experiments?|(?:an? |the |human |extensive )*(?:evaluation|results?|user study|analysis|best|resulting))\b",
    re.IGNORECASE,
)
_FOR = re.compile(r"^For [^,]{2,60}, (?=experiments?|the |human |results|tests|an? )")
_SECOND_VERB = re.compile(
    r"(\band (?:also )?)(shows|finds|demonstrates|argues|suggests|reveals|concludes|reports|proves)(?= (?:that|how|why|whether)\b)"
)
_SMALL = frozenset(
    """deep large small classic neural human dense sparse lexical short long complex keyword pairwise simple many most early
    earlier existing traditional modern automatic manual retrieval search citation citations summaries readers reviewers
    users experts judges authors models systems methods documents queries questions answers papers sentences words people
    training pre-training language generative extractive abstractive topic graph cross encoder encoders datasets""".split()  # noqa: SIM905
)


@dataclass
class _Point:
    """A claim, and those that say the same."""

    claim: Held
    rating: float
    aspect: int
    numbers: list[int] = field(default_factory=list)

    @property
    def paper(self) -> str:
        return self.claim.paper or self.claim.title


def answer(
    embedder: Embedder, question: str, aspects: Sequence[str], claims: Sequence[Held]
) -> list[DraftSentence]:
    """Return the sentences of the answer; none where no claim bears on the question.

    In the order of the aspects, what answers one best first, a paper's claims together. Of two
    claims that say the same one is told, and both are cited. The first sentence on a paper names it.
    """
    if not claims:
        return []
    points = _points(embedder, question, aspects, claims)
    merged = _merged(embedder, points)
    kinds = {facet.name for facet in asked(question)}
    if "year" in kinds:
        merged.sort(key=lambda point: point.claim.year or _NO_YEAR)
    return _told(_ordered(merged), claims, by_authors=bool({"authors", "year"} & kinds))


def uncovered(
    embedder: Embedder, question: str, aspects: Sequence[str], claims: Sequence[Held]
) -> tuple[str, ...]:
    """Return the aspects that no claim covers, in words fit for 'I found nothing on ...'."""
    if not claims:
        return tuple(aspects)
    table = ratings(embedder, question, aspects, claims)
    return tuple(
        text
        for place, text in enumerate(aspects)
        if not any(row[place] >= COVERED for row in table)
    )


def _points(
    embedder: Embedder, question: str, aspects: Sequence[str], claims: Sequence[Held]
) -> list[_Point]:
    table = ratings(embedder, question, aspects or [question], claims)
    points: list[_Point] = []
    one = len({claim.paper or claim.title for claim in claims}) == 1
    strong = wanted(question).strong
    lower = _VAGUE if one and is_vague(question) else 0.0
    for claim, row in zip(claims, table, strict=True):
        best = max(range(len(row)), key=lambda place: row[place])
        named = len(strong) > 1 and is_about(claim, strong)
        least = (
            0.0 if named else _LEAST - _INTRODUCTION if _INTRODUCES.match(claim.text) else _LEAST
        )
        if row[best] >= least - lower:
            points.append(_Point(claim, row[best] - _LATER * len(points), best, [claim.number]))
    return points


def _merged(embedder: Embedder, points: Sequence[_Point]) -> list[_Point]:
    rows = vectors(embedder, [point.claim.text for point in points])
    kept: list[tuple[int, _Point]] = []
    for place in sorted(range(len(points)), key=lambda place: -points[place].rating):
        point = points[place]
        same = next(
            (
                other
                for there, other in kept
                if _alike(point, other, float(rows[place] @ rows[there]))
            ),
            None,
        )
        if same is None:
            kept.append((place, point))
        else:
            same.numbers.append(point.claim.number)
    return [point for _, point in kept]


def _alike(one: _Point, other: _Point, near: float) -> bool:
    close = near >= _SAME_MEANING or resemblance(one.claim.text, other.claim.text) >= _SAME_WORDS
    return close and not contradicts(one.claim.text, other.claim.text)


def _ordered(points: Sequence[_Point]) -> list[_Point]:
    """Order by aspect, then by paper, papers and claims by rating; a paper's claims stay together.

    What introduces a paper's subject comes before what is told of it.
    """
    ordered: list[_Point] = []
    for aspect in sorted({point.aspect for point in points}):
        here = [point for point in points if point.aspect == aspect]
        for paper in dict.fromkeys(point.paper for point in here):
            mine = [point for point in here if point.paper == paper]
            ordered += sorted(mine, key=lambda point: not _INTRODUCES.match(point.claim.text))
    return ordered


def _told(
    points: Sequence[_Point], claims: Sequence[Held], *, by_authors: bool
) -> list[DraftSentence]:
    lower = _lowering(claims)
    told: list[DraftSentence] = []
    before = ""
    known: set[str] = set()
    start = ""
    for point in points:
        claim = point.claim
        name = _name(claim)
        begins = _begins(claim.text, name)
        if point.paper != before:
            text = (
                claim.text
                if begins and point.paper in known
                else _introduced(claim, name, lower, by_authors=by_authors)
            )
        elif begins and start == name:
            text = "It" + claim.text[begins:]
        else:
            text = _FOR.sub("", claim.text) if name and name == start else claim.text
        told.append(DraftSentence(_finish(text), tuple(sorted(point.numbers))))
        start = name if begins or (name and mentions(text, name)) else ""
        before = point.paper
        known.add(point.paper)
    return told


def _introduced(claim: Held, name: str, lower: Callable[[str], str], *, by_authors: bool) -> str:
    """Return a claim with its paper named: 'LitLLM (Agarwal et al., 2024) ...', 'Luhn (1958) ...'."""
    begins = _begins(claim.text, name)
    if not claim.citation:
        title = f"“{presentable_title(claim.title)}”"
        return claim.text if begins else f"According to {title}, {lower(claim.text)}"
    if begins and not by_authors:
        aside = f" ({claim.citation}, {claim.year})" if claim.year else f" ({claim.citation})"
        return claim.text[:begins] + aside + claim.text[begins:]
    year = f" ({claim.year})" if claim.year else ""
    plural = claim.citation.endswith("et al.") or " and " in claim.citation
    lead = found[0] if (found := _FOR.match(claim.text)) else ""
    rest = claim.text[len(lead) :]
    rest = rest[:1].upper() + rest[1:]
    verb = "report" if _REPORTED.match(rest) else "note"
    subject = Subject(claim.citation + year, plural)
    if plural and (found := _TWO_VERBS.match(rest)):
        return f"{lead}the {found[1].lower()} by {subject.name} {found[2]}"
    if _put_in(claim) or is_strong(rest.split()[0]):
        lower = str
    made = clause_about(rest, subject, lower, verb=verb)
    if (made is None or " that the authors " in made[: len(subject.name) + 25]) and (
        found := _SAID_BY.match(rest)
    ):
        made = f"{subject.name} {subject.verb(found[1])} {found[2].rstrip('.')}"
    if made is None:
        return f"According to {claim.citation}{year}, {lower(claim.text)}"
    return lead + _agreeing(made, plural)


def _agreeing(clause: str, plural: bool) -> str:
    """Give a second verb before 'that' the number of the authors: '... and shows that'."""
    return (
        _SECOND_VERB.sub(lambda found: found[1] + to_plural(found[2]), clause) if plural else clause
    )


def _lowering(claims: Sequence[Held]) -> Callable[[str], str]:
    lower = lowering(lower_case_words([f"{claim.text} {claim.quote}" for claim in claims]) | _SMALL)

    def first(text: str) -> str:
        if _PARTICIPLE.match(text):
            return text[0].lower() + text[1:]
        return (
            text
            if names(text[: text.find(" ")].rstrip(",")) and is_strong(text.split()[0])
            else lower(text)
        )

    return first


def _name(claim: Held) -> str:
    own = named_subject(claim.title, f"{claim.text} {claim.quote}")
    if own:
        return own
    if put := _put_in(claim):
        return put
    first = names(claim.text)
    # A name that the title has not may be another paper's.
    if first and mentions(claim.title, first[0]) and claim.text.startswith(first[0]):
        return first[0]
    return ""


def _put_in(claim: Held) -> str:
    """Return the name that a claim has in place of its quote's 'the system'."""
    said = claim.text.split()
    for length in range(1, _NAME_WORDS + 1):
        tail = " ".join(said[length:]).rstrip(". ")
        start = " ".join(said[:length])
        put = (
            claim.quote.rstrip(". ").endswith(tail)
            and start.casefold() not in claim.quote.casefold()
        )
        if tail and put:
            return "" if _NO_NAME.search(start) else re.sub(r"^[Tt]he ", "", start)
    return ""


def _begins(text: str, name: str) -> int:
    """Return where a name at a text's beginning ends, 0 where it does not begin with it."""
    if not name:
        return 0
    found = re.match(rf"(?:the )?{re.escape(name)}(?!['’\w-])", text, re.IGNORECASE)
    return found.end() if found else 0


def _finish(text: str) -> str:
    text = " ".join(text.split()).rstrip(" .;,:")
    return text[:1].upper() + text[1:] + "."
