"""Hold: number the claims of all passages, each once.

Reads `drawn`. Writes `held`.
"""

from langgraph.runtime import Runtime

from state.asking import AskState, AskUpdate, Claim
from tools.context import RunContext
from tools.text.words import distinct_content_stems

_SAME = 0.9
"""Share of the words of both from which two claims say the same."""


async def hold_claims(state: AskState, runtime: Runtime[RunContext]) -> AskUpdate:
    """Number the claims in the order of hops and of choice; what repeats another is left out."""
    held: list[Claim] = []
    for claim in (claim for item in state.get("drawn", []) for claim in item.claims):
        if not any(_repeats(claim, other) for other in held):
            held.append(claim.model_copy(update={"number": len(held) + 1}))
    return {"held": held}


def _repeats(claim: Claim, other: Claim) -> bool:
    """Whether a claim of the same paper says the same in the same words."""
    words, theirs = distinct_content_stems(claim.text), distinct_content_stems(other.text)
    same = words == theirs or len(words & theirs) >= _SAME * max(len(words | theirs), 1)
    return claim.paper == other.paper and same
