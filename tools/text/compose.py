"""Compose sentences that compare papers, out of clauses that each paper's own words support."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.text.clauses import (
    Subject,
    clause_about,
    lower_case_words,
    lowering,
    own_clause,
    points_back,
    problem_clause,
    shorten,
)
from tools.text.words import content_stems, tokens

SIMILAR = ("Similarly", "In the same vein", "Along similar lines", "In a related effort")
CONTRAST = ("By contrast", "In contrast", "Taking a different route", "From another angle")
LATER = ("In later work", "Subsequently", "More recently")
_OPENED = re.compile(
    r"(?:Most closely related is|Closest to the present work are|A \w+ line of work|Turning to)\b"
)
_INTRODUCE = {
    "introduce": ("propose", "present"), "propose": ("introduce", "put forward"),
    "present": ("introduce", "describe"), "describe": ("present", "report on"),
    "develop": ("build", "devise"), "review": ("survey", "examine"), "survey": ("review", "examine"),
    "examine": ("study", "investigate"), "study": ("examine", "investigate"),
    "note": ("observe", "point out"), "show": ("demonstrate", "find"), "find": ("report", "show"),
}  # fmt: skip
ROLES = ("contribution", "findings", "method", "data", "problem", "limitations", "background")
_GIST = 8
"""Words behind the verb by which a clause is known again."""
_VERBS = {"findings": "report", "method": "explain", "data": "report", "problem": "point out"}
_FRAMED = re.compile(
    r"\} (?:notes?|reports?|explains?|points? out|starts? from the observation) that "
)


@dataclass(frozen=True)
class Cited:
    """A paper as sentences are made of it."""

    key: str
    name: str
    """How a sentence names its authors: 'Lewis et al.'"""
    plural: bool
    year: int | None
    sentences: dict[str, str]
    """Its sentences by the element they state."""
    cites: frozenset[str] = field(default_factory=frozenset)
    """Keys of the other papers here that it cites."""

    @property
    def subject(self) -> Subject:
        """The grammatical subject, with its marker."""
        return Subject(f"{self.name} {{{self.key}}}", self.plural)


@dataclass(frozen=True)
class Clause:
    """A clause about one paper, without a full stop, and the sentence it was made of."""

    text: str
    paper: Cited
    source: str
    role: str
    direct: bool
    """Whether it speaks of the paper itself, without 'note that', and points to nothing before it."""


@dataclass(frozen=True)
class Composed:
    """A sentence, and for each key the words of the paper that support it."""

    text: str
    quotes: dict[str, str]


class Composer:
    """Writes sentences for the papers of one section; what was said before steers the next words."""

    def __init__(self, papers: Sequence[Cited], so_far: Sequence[str]) -> None:
        texts = [text for paper in papers for text in paper.sentences.values()]
        self._lower = lowering(lower_case_words([*texts, _COMMON]))
        self._so_far = list(so_far)

    def clauses(self, paper: Cited) -> list[Clause]:
        """Return what can be said of a paper, the most telling first, each from another sentence."""
        made: list[Clause] = []
        for role in ROLES:
            if sentence := paper.sentences.get(role):
                text = self._clause(role, sentence, paper)
                if text and len(text.split()) <= 60:
                    direct = not _FRAMED.search(text[:80]) and not points_back(text)
                    made.append(Clause(text, paper, sentence, role, direct))
        return sorted(made, key=lambda clause: not clause.direct)

    def _clause(self, role: str, sentence: str, paper: Cited) -> str | None:
        subject = paper.subject
        if role == "problem":
            started = problem_clause(sentence, subject, self._lower)
            if started:
                return started
        return clause_about(sentence, subject, self._lower, verb=_VERBS.get(role, "note"))

    def opening(self, paper: Cited, label: str, first: bool, variant: int) -> Composed | None:
        """Open a theme: say what it is about, then what its first paper does."""
        clause = self._choose(paper, 0)
        if clause is None:
            return None
        opened = sum(bool(_OPENED.match(text)) for text in self._so_far)
        ordinal = ("second", "third", "fourth")[min(max(opened, 1), 3) - 1]
        forms = (
            (f"Most closely related is work on {label}: ", f"Closest to the present work are studies of {label}: ")
            if first
            else (f"A {ordinal} line of work concerns {label}: ", f"Turning to {label}, ")
        )  # fmt: skip
        return _sentence(forms[variant % len(forms)] + self._vary(clause), [clause])

    def developing(
        self, paper: Cited, before: Cited | None, near: bool, variant: int
    ) -> Composed | None:
        """Continue a theme with one paper, related to the one before it."""
        clause = self._choose(paper, 0)
        if clause is None:
            return None
        body = self._vary(clause)
        quotes = [clause]
        extra = next((item for item in self.clauses(paper) if item.role == "findings"), None)
        if extra and extra.source != clause.source and variant % 2 == 0 and not self._said(extra):
            tail = extra.text.removeprefix(paper.subject.name).strip()
            if extra.text.startswith(paper.subject.name) and len((body + tail).split()) <= 46:
                body = f"{body}, and {self._pronoun(paper)} {tail}"
                quotes = [clause, extra]
        link = self._link(paper, before, near, variant)
        return _sentence(f"{link}, {body}" if link else body, quotes)

    def contrasting(self, first: Cited, second: Cited, near: bool, variant: int) -> Composed | None:
        """Set two papers of a theme against each other in one sentence."""
        left, right = self._choose(first, 0), self._choose(second, variant)
        if left is None or right is None:
            return None
        left_text, right_text = shorten(self._vary(left), 24), shorten(self._vary(right, left), 24)
        joints = (
            (", and, in a similar spirit, ", ", and likewise ", ", while ")
            if near
            else (", whereas ", ", while ", "; by comparison, ")
        )
        said = " ".join(self._so_far)
        fresh = [joint for joint in joints if joint not in said] or list(joints)
        return _sentence(f"{left_text}{fresh[variant % len(fresh)]}{right_text}", [left, right])

    def closing(self, own: Sequence[str], variant: int) -> tuple[str, str] | None:
        """Turn to the present work; returns the sentence and the words it rests on.

        What was said of it before is not said again.
        """
        said = " ".join(self._so_far)
        for sentence in own:
            clause = own_clause(sentence)
            if clause and clause not in said:
                lead = ("Against this background", "With these studies in view")[variant % 2]
                return _finish(f"{lead}, {clause}"), sentence
        return None

    def stating(self, own: Sequence[str]) -> tuple[str, str] | None:
        """Take over a sentence on the field from the researcher's own text, each only once."""
        for sentence in own:
            text = _finish(sentence)
            if text not in self._so_far and not points_back(text) and not own_clause(sentence):
                return text, sentence
        return None

    def plain(self, paper: Cited) -> Composed | None:
        """Say the surest thing about one paper, with nothing around it."""
        clause = self._choose(paper, 0)
        return _sentence(clause.text, [clause]) if clause else None

    def _choose(self, paper: Cited, rank: int) -> Clause | None:
        options = [clause for clause in self.clauses(paper) if not self._said(clause)]
        return options[min(rank, len(options) - 1)] if options else None

    def _said(self, clause: Clause) -> bool:
        # A verb may have been varied, a capital set and the end cut off when it was said.
        text = clause.text
        if text.startswith(head := clause.paper.subject.name + " "):
            text = text.removeprefix(head).partition(" ")[2]
        gist = " ".join(text.split()[:_GIST]).casefold()
        return gist in " ".join(self._so_far).casefold()

    def _vary(self, clause: Clause, beside: Clause | None = None) -> str:
        """Replace a verb of introduction that the last sentences used already by its synonym."""
        recent = " ".join([*self._so_far[-2:], beside.text if beside else ""])
        head = clause.paper.subject.name + " "
        if not clause.text.startswith(head):
            return clause.text
        verb, _, rest = clause.text.removeprefix(head).partition(" ")
        base = verb if verb in _INTRODUCE else verb.removesuffix("s")
        if base not in _INTRODUCE or not re.search(rf"\b{base}s?\b", recent):
            return clause.text
        for other in _INTRODUCE[base]:
            stem = other.split()[0]
            if not re.search(rf"\b{stem}s?\b", recent):
                if other == "report on" and rest.startswith("that "):
                    continue
                form = clause.paper.subject.verb(stem) + other.removeprefix(stem)
                return f"{head}{form} {rest}"
        return clause.text

    def _link(self, paper: Cited, before: Cited | None, near: bool, variant: int) -> str:
        if before is None:
            return ""
        forms: tuple[str, ...]
        if before.key in paper.cites:
            forms = LATER
        elif near:
            forms = SIMILAR
        else:
            forms = CONTRAST
        unused = [form for form in forms if not any(text.startswith(form) for text in self._so_far)]
        return (unused or list(forms))[variant % len(unused or forms)]

    @staticmethod
    def _pronoun(paper: Cited) -> str:
        return "they" if paper.plural else "the work"


# Words that start sentences of abstracts and are no names.
_COMMON = """a an the in on at by for from to with without within of as after before while when where
although despite because if since given many most several some few both all each every such recent
existing current previous prior traditional experiments results evaluation extensive comprehensive using based
large language models neural scientific automatic retrieval citation document text systematic search
literature reviews researchers authors users people readers keyword dense sparse human manual training
pre-trained evaluations annotations queries papers abstracts summaries citations screening relevance"""


def _sentence(text: str, clauses: Sequence[Clause]) -> Composed:
    quotes: dict[str, str] = {}
    for clause in clauses:
        quotes.setdefault(clause.paper.key, clause.source)
    return Composed(_finish(text), quotes)


def _finish(text: str) -> str:
    text = " ".join(text.split()).rstrip(" .;,:")
    return text[0].upper() + text[1:] + "."


def resemblance(first: str, second: str) -> float:
    """Return the share of content stems that two texts have in common (Dice), 0..1."""
    left, right = set(content_stems(first)), set(content_stems(second))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def fluency(sentences: Sequence[str]) -> float:
    """Rate a draft: comparison and variety count for it, repetition and bad length against it."""
    if not sentences:
        return 0.0
    links = (*SIMILAR, *CONTRAST, *LATER, "whereas", "while", "in a similar spirit", "and they")
    linked = sum(any(link.lower() in text.lower() for link in links) for text in sentences)
    starts = [" ".join(tokens(text)[:2]) for text in sentences]
    repeated = len(starts) - len(set(starts))
    lengths = [len(text.split()) for text in sentences]
    off = sum(max(length - 42, 0) + max(12 - length, 0) for length in lengths) / len(lengths)
    alike = max(
        (resemblance(a, b) for i, a in enumerate(sentences) for b in sentences[:i]), default=0.0
    )
    return linked / len(sentences) - 0.3 * repeated - 0.05 * off - 0.5 * max(alike - 0.5, 0.0)
