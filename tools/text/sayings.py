"""What can be said of a paper in its own words: clauses, quotations, and last its title.

The ladder of `Sayings.left` ends only when a paper's clauses, its whole sentences and the ways of
naming its title are all used, so that a line that must cite it always can.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tools.text.clauses import (
    Subject,
    clause_about,
    problem_clause,
    refers_back,
    stands_alone,
)
from tools.text.flow import REPEATED, resemblance
from tools.text.plain import inner_marks, is_balanced, presentable, presentable_title
from tools.text.pointing import points_back
from tools.text.trim import lower_case_words, lowering
from tools.text.verbs import has_verb
from tools.text.words import coverage

ROLES = ("contribution", "findings", "method", "data", "problem", "limitations", "background")
Tier = Literal["direct", "framed", "quoted", "titled"]
_TIERS = ("direct", "framed", "quoted", "titled")
_LONGEST_CLAUSE, _LONGEST_QUOTE, _SHORTEST_QUOTE = 60, 45, 5
"""Words."""
_LONGEST_FOREIGN, _SHORTEST_FOREIGN = 300, 10
"""Characters."""
_GIST = 8
"""Words behind the verb by which a clause is known again."""
_TOLD = 0.85
"""Share of a sentence's content words from which what was said of its paper has told it."""
_VERBS = {"findings": "report", "method": "explain", "data": "report", "problem": "point out"}
_FRAMED = re.compile(
    r"\} (?:notes?|reports?|explains?|points? out|starts? from the observation) that "
)
_QUOTING = (
    "{} write[s]: {}",
    "{} put[s] it as follows: {}",
    "in the words of {}, {}",
    "{} state[s]: {}",
)
_TITLING = (
    "{} address[es] {}", "a further study, by {}, is titled {}", "the subject of {} is {}",
    "{} contribute[s] {}", "{} write[s] under the title {}", "also of relevance is the work of {}, {}",
)  # fmt: skip
_TITLED_BY_NAME = (
    "a further study is {}", "also of relevance is {}", "the topic is taken up in {}, too",
    "beside these stands {}",
)  # fmt: skip


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
    title: str = ""
    rest: tuple[str, ...] = ()
    """The other whole sentences of its abstract, in order."""
    first_author: str = ""
    """Who leads its authors, told apart from others of the same family name."""
    english: bool = True
    """Whether its sentences are English; of others no clause can be made."""

    @property
    def subject(self) -> Subject:
        """The grammatical subject, with its marker."""
        return Subject(f"{self.name} {{{self.key}}}", self.plural)


@dataclass(frozen=True)
class Clause:
    """A clause about one paper, without a full stop, and the words it was made of."""

    text: str
    paper: Cited
    source: str
    role: str
    tier: Tier
    lead: str = ""
    """What goes before it to tell the paper from another of the same authors or title."""

    @property
    def direct(self) -> bool:
        """Whether it speaks of the paper itself, without 'note that', and points to nothing before."""
        return self.tier == "direct"

    @property
    def gist(self) -> str:
        """The words by which it is known again, whatever its verb."""
        text = self.text
        if text.startswith(head := self.paper.subject.name + " "):
            text = text.removeprefix(head).partition(" ")[2]
        return " ".join(text.split()[:_GIST]).casefold()


class Sayings:
    """What is left to say of papers in view of what was said."""

    def __init__(self, papers: Sequence[Cited], so_far: Sequence[str]) -> None:
        texts = [text for paper in papers for text in (*paper.sentences.values(), *paper.rest)]
        self._lower = lowering(lower_case_words(texts))
        self._papers = list(papers)
        self._so_far = list(so_far)
        self._made: dict[str, list[Clause]] = {}

    def left(self, paper: Cited) -> list[Clause]:
        """Return what has not been said of a paper, of the best kind that is left, the best first."""
        clauses = [clause for clause in self.clauses(paper) if not self.said(clause)]
        if clauses:
            return clauses
        quotations = [clause for clause in self._quotations(paper) if not self.said(clause)]
        return quotations or [item for item in self._mentions(paper) if not self._told(item.text)]

    def clauses(self, paper: Cited) -> list[Clause]:
        """Return all clauses about a paper, the most telling first, each from another sentence."""
        if paper.key not in self._made:
            given = [(role, paper.sentences[role]) for role in ROLES if role in paper.sentences]
            given += [("rest", sentence) for sentence in paper.rest]
            made = [self._clause(*item, paper) for item in given] if paper.english else []
            kept = [clause for clause in made if clause]
            self._made[paper.key] = sorted(
                kept, key=lambda clause: (_rank(clause), refers_back(clause.source))
            )
        return self._made[paper.key]

    def _clause(self, role: str, source: str, paper: Cited) -> Clause | None:
        sentence, text = presentable(source), None
        if sentence and role == "problem":
            text = problem_clause(sentence, paper.subject, self._lower)
        if sentence and text is None:
            verb = _VERBS.get(role, "note")
            text = clause_about(sentence, paper.subject, self._lower, verb=verb)
        if text is None or len(text.split()) > _LONGEST_CLAUSE or not is_balanced(text):
            return None
        alone = not points_back(text) and not refers_back(sentence or "")
        tier: Tier = "direct" if alone and not _FRAMED.search(text[:80]) else "framed"
        return Clause(text, paper, source, role, tier, self._lead(paper, text))

    def _quotations(self, paper: Cited) -> list[Clause]:
        """Return whole sentences in quotation marks, those first that need no sentence before."""
        sources = [paper.sentences[role] for role in ROLES if role in paper.sentences]
        told = {clause.source for clause in self.clauses(paper)}
        found = []
        for source in (text for text in (*sources, *paper.rest) if text not in told):
            words = (presentable(source) or "").rstrip(" .!;:。")
            if self._quotable(words, paper) and words in " ".join(source.split()):
                found.append((not stands_alone(words), words, source))
        used = sum("write" in text or "words of" in text for text in self._so_far)
        return [
            self._worded(_QUOTING, used, paper, inner_marks(words), source)
            for _, words, source in sorted(found, key=lambda item: item[0])
        ]

    @staticmethod
    def _quotable(words: str, paper: Cited) -> bool:
        if words.endswith("?") or words.casefold() == paper.title.rstrip(" .").casefold():
            return False
        if not paper.english:  # some scripts have no spaces between words
            return _SHORTEST_FOREIGN <= len(words) <= _LONGEST_FOREIGN
        return _SHORTEST_QUOTE <= len(words.split()) <= _LONGEST_QUOTE and has_verb(words)

    def _mentions(self, paper: Cited) -> list[Clause]:
        """Return ways to name a paper by its title."""
        title = presentable_title(paper.title)
        if not title:
            return []
        ways = _TITLED_BY_NAME if f"“{title}”" in paper.name else _TITLING
        used = sum("“" in text for text in self._so_far)
        return [
            self._worded(ways, used + turn, paper, title, paper.title) for turn in range(len(ways))
        ]

    def said(self, clause: Clause) -> bool:
        """Whether a clause was said, perhaps with another verb or without its end."""
        if clause.gist in self._spoken:
            return True
        told = [text for text in self._so_far if f"{{{clause.paper.key}}}" in text]
        if clause.tier == "quoted":
            words = clause.text.partition("“")[2].casefold()
            return words in self._spoken or coverage(clause.source, " ".join(told)) >= _TOLD
        return any(coverage(clause.source, text) >= _TOLD for text in told)

    def _told(self, text: str) -> bool:
        return text.casefold() in self._spoken or any(
            resemblance(text, earlier) >= REPEATED for earlier in self._so_far
        )

    @cached_property
    def _spoken(self) -> str:
        return " ".join(self._so_far).casefold()

    def _worded(
        self, ways: Sequence[str], turn: int, paper: Cited, words: str, source: str
    ) -> Clause:
        way = ways[turn % len(ways)]
        verbs = re.sub(r"\[(\w+)\]", "" if paper.plural else r"\1", way)
        text = verbs.format(paper.subject.name, f"“{words}”")
        tier: Tier = "quoted" if ways is _QUOTING else "titled"
        return Clause(text, paper, source, tier, tier, self._lead(paper, text))

    def _lead(self, paper: Cited, text: str) -> str:
        """Return words that tell a paper from one just spoken of that has the same name."""
        if not text.startswith(paper.name) or self._marks(paper):
            return ""
        place = next((i for i, item in enumerate(self._papers) if item.key == paper.key), 0)
        for index, other in enumerate(self._papers):
            if other.key != paper.key and other.name == paper.name:
                met = index < place or self._marks(other)
                if met and paper.name.startswith("“"):
                    return "under the same title, "
                if met and paper.first_author and paper.first_author == other.first_author:
                    return "in another study "
        return ""

    def _marks(self, paper: Cited) -> bool:
        return any(f"{{{paper.key}}}" in text for text in self._so_far)


def _rank(clause: Clause) -> int:
    return _TIERS.index(clause.tier)
