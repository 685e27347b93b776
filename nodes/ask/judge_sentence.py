"""The verdict on a sentence of an answer, from its passages and from what a mind that read them says.

Support is either that the sentence is its passage's own with no more than its source around it, or an
LLM's verdict. Code's comparisons may only refuse or lower it.
"""

from collections.abc import Sequence

from nodes.ask.shown import Sources
from state.asking import Claim
from state.writing import Support
from tools.evidence.support import BAD, judge
from tools.text.words import coverage

_ELSEWHERE = 0.5
"""Share of a sentence's content words in its passages up to which it tells of something else."""


def judge_sentence(
    text: str, claims: Sequence[Claim], sources: Sources, said: str | None
) -> Support:
    """Return whether the quotes of these claims support a sentence.

    Args:
        text: The sentence.
        claims: What it rests on.
        sources: Their passages and papers.
        said: The verdict of a mind that was shown sentence and quotes; None where none gave one.
    """
    if any(sources.is_own(text, claim) for claim in claims):
        return "supported"
    around = sources.around(claims)
    quotes = [claim.quote.text for claim in claims]
    verdict = judge(text, quotes, around, said or "supported").verdict
    if verdict in BAD:
        return verdict
    if not sources.foreign and coverage(text, around) <= _ELSEWHERE:
        return "not_in_source"
    return verdict if said else "not_checked"
