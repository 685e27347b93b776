"""What a run told: its sentences, each with the quotes it rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.ask import AnswerSentence, Claim
from state.paper import Paper
from state.passage import Passage


@dataclass(frozen=True)
class Told:
    """One sentence of an answer, and its claims; a number that leads to no claim is a None."""

    text: str
    claims: tuple[Claim | None, ...]
    verdict: str = "not_checked"
    """What the run says of its support."""

    @property
    def held(self) -> tuple[Claim, ...]:
        """The claims that are there."""
        return tuple(claim for claim in self.claims if claim)

    def quotes_of(self, paper: str) -> list[str]:
        """Return the words of one paper that the sentence rests on."""
        return [claim.quote.text for claim in self.held if claim.paper == paper]


@dataclass(frozen=True)
class Sources:
    """What there is to check quotes by, besides the run's own word."""

    texts: Mapping[str, str]
    """The text of each paper as the benchmark has it, by the paper's id."""
    records: Mapping[str, Paper]
    passages: Mapping[str, Passage]
    """The passages as the run says that they are."""


def told_of(sentences: Sequence[AnswerSentence], claims: Sequence[Claim]) -> list[Told]:
    """Return the sentences with their claims."""
    known = {claim.number: claim for claim in claims}
    return [
        Told(
            text=sentence.text,
            verdict=sentence.verdict,
            claims=tuple(known.get(number) for number in sentence.claims),
        )
        for sentence in sentences
    ]
