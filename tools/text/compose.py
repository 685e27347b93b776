"""Compose sentences that compare papers, out of clauses that each paper's own words support."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.text.clauses import own_clause, stands_alone
from tools.text.flow import CONTRAST, FAR_JOINTS, FURTHER, LATER, NEAR_JOINTS, PLAIN_JOINTS, SIMILAR
from tools.text.flow import fluency as fluency
from tools.text.flow import resemblance as resemblance
from tools.text.plain import presentable
from tools.text.pointing import points_back
from tools.text.sayings import Cited, Clause, Sayings
from tools.text.trim import shorten
from tools.text.words import coverage

_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh")
_OPENED = re.compile(
    r"(?:Most closely related is|Closest to the present work are|A \w+ line of work concerns|"
    r"Another strand of research is concerned with|Turning to)\b"
)
_VERBS = {
    "introduce": ("propose", "present"), "propose": ("introduce", "put forward"),
    "present": ("introduce", "describe"), "describe": ("present", "report on"),
    "develop": ("build", "devise"), "review": ("survey", "examine"), "survey": ("review", "examine"),
    "examine": ("study", "investigate"), "study": ("examine", "investigate"),
    "investigate": ("study", "examine"), "explore": ("examine", "investigate"),
    "address": ("tackle", "take up"), "note": ("observe", "point out"), "explain": ("note", "state"),
    "report": ("find", "state"), "point": ("note", "observe"), "show": ("demonstrate", "find"),
    "find": ("report", "show"), "demonstrate": ("show", "find"),
}  # fmt: skip
_REPORTING = frozenset({"note", "explain", "report", "point", "show", "find", "demonstrate"})
_RECENT = 5
"""Sentences back to which a verb or a connective counts as just used."""
_PAIRED, _LISTED, _DOUBLED = 24, 16, 46
"""Words of a clause beside one other, beside several, and of two clauses about one paper."""
_LEADS = (
    "Against this background", "With these studies in view", "In view of this work",
    "Beside these studies", "Building on this literature",
)  # fmt: skip
_OWN_VOICE = re.compile(
    r"\b(?:we|our|us|ours|I|my|this (?:paper|work|article|study|survey|review|thesis)|the present \w+)\b",
    re.IGNORECASE,
)
_TOLD = 0.9
"""Share of an own sentence's content words from which an earlier sentence has said it."""


@dataclass(frozen=True)
class Composed:
    """A sentence, and for each key the words of the paper that support it."""

    text: str
    quotes: dict[str, str]


class Composer:
    """Writes sentences for the papers of one section; what was said before steers the next words.

    Each of `opening`, `developing`, `contrasting`, `listing`, `plain` and `anything` returns None
    only where there is nothing left to say of one of its papers, not even a new way to name its
    title.

    Args:
        papers: The papers that may be spoken of.
        so_far: The sentences before, with their markers.
        themes_before: Themes that were opened before the first of these sentences.
    """

    def __init__(
        self, papers: Sequence[Cited], so_far: Sequence[str], themes_before: int = 0
    ) -> None:
        self._sayings = Sayings(papers, so_far)
        self._so_far = list(so_far)
        self._themes_before = themes_before

    def clauses(self, paper: Cited) -> list[Clause]:
        """Return what can be said of a paper, the most telling first, each from another sentence."""
        return self._sayings.clauses(paper)

    def opening(self, paper: Cited, label: str, first: bool, variant: int) -> Composed | None:
        """Open a theme: say what it is about, then what its first paper does."""
        clause = self._choose(paper, 0, beside=True)
        if clause is None:
            return None
        opened = self._themes_before + sum(bool(_OPENED.match(text)) for text in self._so_far)
        place = max(opened, 1) - 1
        ordinal = _ORDINALS[place] if place < len(_ORDINALS) else "further"
        forms = (
            (f"Most closely related is work on {label}: ", f"Closest to the present work are studies of {label}: ")
            if first
            else (f"A {ordinal} line of work concerns {label}: ", f"Turning to {label}, ",
                  f"Another strand of research is concerned with {label}: ")
        )  # fmt: skip
        # Parts are written apart: only their place can keep two from opening alike.
        turn = variant if first else place
        return _sentence(forms[turn % len(forms)] + self._vary(clause), [clause])

    def developing(
        self, paper: Cited, before: Cited | None, near: bool, variant: int
    ) -> Composed | None:
        """Continue a theme with one paper, related to the one before it."""
        clause = self._choose(paper, 0)
        if clause is None:
            return None
        body, told = self._vary(clause), [clause]
        if variant % 2 == 0 and (extra := self._finding(clause)):
            tail = extra.text.removeprefix(clause.paper.subject.name).strip()
            if len((body + tail).split()) <= _DOUBLED:
                pronoun = "they" if clause.paper.plural else "the work"
                body, told = f"{body}, and {pronoun} {tail}", [clause, extra]
        link = self._link(clause, before, near, variant)
        return _sentence(f"{link}, {body}" if link else body, told)

    def contrasting(self, first: Cited, second: Cited, near: bool, variant: int) -> Composed | None:
        """Set two papers of a theme against each other in one sentence."""
        left = self._choose(first, 0, _PAIRED, beside=True)
        right = self._choose(second, variant, _PAIRED, beside=True)
        if left is None or right is None:
            return None
        texts = (self._vary(left), self._vary(right, left))
        cut = [_cut(text, _PAIRED) for text in texts]
        joints = NEAR_JOINTS if near else FAR_JOINTS
        joints = PLAIN_JOINTS if "titled" in (left.tier, right.tier) else joints
        # A word that the clauses have themselves would join them in another place.
        words = " ".join(cut)
        fit = [joint for joint in joints if joint.strip(" ,;") not in words] or list(joints[-1:])
        return _sentence(self._fresh(fit, variant).join(cut), [left, right])

    def listing(self, papers: Sequence[Cited], variant: int) -> Composed | None:
        """Say something short of each of several papers, each in a clause of its own."""
        clauses: list[Clause] = []
        texts: list[str] = []
        for paper in papers:
            clause = self._choose(paper, variant, _LISTED, beside=True)
            if clause is None:
                return None
            texts.append(_cut(self._vary(clause, clauses[-1] if clauses else None), _LISTED))
            clauses.append(clause)
        if not texts:
            return None
        mark = ";" if any("," in text or ":" in text for text in texts) else ","
        last = f"{mark} and " if len(texts) > 1 else ""
        return _sentence(f"{mark} ".join(texts[:-1]) + last + texts[-1], clauses)

    def anything(self, paper: Cited) -> Composed | None:
        """Say what is left of one paper: a clause, else a sentence of it, else its title."""
        clause = self._choose(paper, 0)
        return _sentence(self._vary(clause), [clause]) if clause else None

    def plain(self, paper: Cited) -> Composed | None:
        """Say the surest thing about one paper, with nothing around it."""
        clause = self._choose(paper, 0)
        return _sentence(clause.lead + clause.text, [clause]) if clause else None

    def closing(self, own: Sequence[str], variant: int) -> tuple[str, str] | None:
        """Turn to the present work; returns the sentence and the words it rests on.

        What was said of it before is not said again. Sentences that speak of the work in no way that
        a lead fits ('Our results show') stand as they are, when no other is left.
        """
        unsaid = self._unsaid(own)
        for source, sentence in unsaid:
            if clause := own_clause(sentence):
                lead = self._fresh(_LEADS, variant)
                return _finish(f"{lead}, {clause}"), source
        own_voice = [item for item in unsaid if _OWN_VOICE.search(item[1])]
        for source, sentence in sorted(own_voice, key=lambda item: not stands_alone(item[1])):
            return _finish(sentence), source
        return None

    def stating(self, own: Sequence[str]) -> tuple[str, str] | None:
        """Take over a sentence on the field from the researcher's own text, each only once."""
        for source, sentence in self._unsaid(own):
            if not points_back(sentence) and not _OWN_VOICE.search(sentence):
                return _finish(sentence), source
        return None

    def _unsaid(self, own: Sequence[str]) -> list[tuple[str, str]]:
        """Return own sentences that no sentence has told, as they stand and as they are printed."""
        texts = [(source, presentable(source)) for source in dict.fromkeys(own)]
        return [
            (source, text)
            for source, text in texts
            if text
            and not text.endswith("?")
            and not any(coverage(text, said) >= _TOLD for said in self._so_far)
            and not any(self._contains(said, text) for said in self._so_far)
        ]

    @staticmethod
    def _contains(said: str, sentence: str) -> bool:
        clause = own_clause(sentence)
        return bool(clause and clause in said)

    def _choose(
        self, paper: Cited, rank: int, longest: int = 0, *, beside: bool = False
    ) -> Clause | None:
        """Return the clause of this rank among the best kind that is left, or the last of them.

        Args:
            paper: The paper to speak of.
            rank: How many to pass over.
            longest: Words that it may have, cut; the shortest is taken where none has so few.
            beside: Whether it stands beside other words, so that it has to begin with its subject.
        """
        left = self._sayings.left(paper)
        best = [clause for clause in left if clause.tier == left[0].tier]
        if beside and best and best[0].tier == "titled":
            best = [item for item in best if item.text.startswith(paper.name)] or best
        if longest and best:
            short = [item for item in best if len(_cut(item.text, longest).split()) <= longest + 4]
            best = short or [min(best, key=lambda item: len(_cut(item.text, longest)))]
        return best[min(rank, len(best) - 1)] if best else None

    def _finding(self, beside: Clause) -> Clause | None:
        """Return a finding of the clause's paper that may follow it in the same sentence."""
        head = beside.paper.subject.name + " "
        return next(
            (
                item
                for item in self._sayings.clauses(beside.paper)
                if item.role == "findings" and item.direct and item.text.startswith(head)
                and item.source != beside.source and beside.tier in {"direct", "framed"}
                and not self._sayings.said(item)
            ),
            None,
        )  # fmt: skip

    def _vary(self, clause: Clause, beside: Clause | None = None) -> str:
        """Replace a verb that the last sentences used by the synonym that they used least."""
        head = clause.paper.subject.name + " "
        if not clause.text.startswith(head) or clause.tier in {"quoted", "titled"}:
            return clause.lead + clause.text
        verb, _, rest = clause.text.removeprefix(head).partition(" ")
        base = next((item for item in (verb, verb[:-1], f"{verb[:-3]}y") if item in _VERBS), "")
        that = rest.removeprefix("out ").startswith("that ")
        # 'Introduce X to Y' and 'propose to do' leave no choice.
        bound = re.match(r"to |(?:\S+ ){1,6}(?:in)?to ", rest) and base in {"introduce", "propose"}
        if not base or bound or (base in _REPORTING and not that):
            return clause.lead + clause.text
        recent = " ".join([*self._so_far[-_RECENT:], beside.text if beside else ""])
        options = [base, *(other for other in _VERBS[base] if not (that and other == "report on"))]
        used = {other: len(re.findall(rf"\b{_stem(other)}", recent)) for other in options}
        chosen = min(options, key=lambda other: (used[other], options.index(other)))
        if chosen == base:
            return clause.lead + clause.text
        first, *more = chosen.split()
        agreed = (
            "puts"
            if first == "put" and not clause.paper.plural
            else clause.paper.subject.verb(first)
        )
        form = " ".join([agreed, *more])
        return f"{clause.lead}{head}{form} {rest.removeprefix('out ') if base == 'point' else rest}"

    def _link(self, clause: Clause, before: Cited | None, near: bool, variant: int) -> str:
        if before is None or clause.lead or not clause.text.startswith(_starts(clause)):
            return ""
        if clause.tier in {"quoted", "titled"}:
            return self._fresh(FURTHER, variant)
        if before.key in clause.paper.cites:
            return self._fresh(LATER, variant)
        return self._fresh(SIMILAR if near else CONTRAST, variant)

    def _fresh(self, forms: Sequence[str], variant: int) -> str:
        """Return one of the forms that were used least."""
        said = "\n".join(self._so_far)
        used = [said.count(form) for form in forms]
        least = [form for form, count in zip(forms, used, strict=True) if count == min(used)]
        return least[variant % len(least)]


def _starts(clause: Clause) -> tuple[str, ...]:
    """Return how a clause begins that takes a connective; 'a further study' is one itself."""
    return (clause.paper.name, "the ") if clause.tier == "titled" else ("",)


def _stem(verb: str) -> str:
    first = verb.split()[0]
    return first[:-1] if first.endswith(("y", "e")) else first


def _cut(text: str, longest: int) -> str:
    return text if "“" in text else shorten(text, longest)


def _sentence(text: str, clauses: Sequence[Clause]) -> Composed:
    quotes: dict[str, str] = {}
    for clause in clauses:
        quotes.setdefault(clause.paper.key, clause.source)
    return Composed(_finish(text), quotes)


def _finish(text: str) -> str:
    text = " ".join(text.split()).rstrip(" .;,:")
    return text[0].upper() + text[1:] + "."
