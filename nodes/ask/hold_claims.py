"""Hold: number the claims of all passages, each once.

Reads `drawn`. Writes `held`. Every branch leads here, and the one that comes last goes on:
`complete` tells whether it is. (LangGraph's `defer` does not wait for branches that a Send starts.)
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from state.asking import AskState, AskUpdate, Claim
from tools.context import RunContext
from tools.text.words import distinct_content_stems

PLACE = 1000
"""Where statements of the mind's own answer come: after the claims of passages."""
_SAME = 0.9
"""Share of the words of both from which two claims say the same."""

DIRECT = "direct"
"""In `arrived`: the statements of the mind's own answer are known."""


def reading(hop: int) -> str:
    """Return what says, in `arrived`, that the passages of a hop are chosen."""
    return f"read {hop}"


def complete(state: AskState, *, direct: bool) -> bool:
    """Whether all that was to be read and checked in this hop has been.

    Args:
        state: Of the run.
        direct: Whether the mind's own answer is to be checked, too.
    """
    arrived, hop = state.get("arrived", []), state["hop"]
    if reading(hop) not in arrived or (direct and DIRECT not in arrived):
        return False
    done = {(item.hop, item.place) for item in state.get("drawn", [])}
    places = set(range(len(state["hops"][hop - 1].chosen)))
    if direct:
        places |= {PLACE + place for place in range(len(state.get("statements", [])))}
    return {(hop, place) for place in places} <= done


async def hold_claims(state: AskState, runtime: Runtime[RunContext]) -> AskUpdate:
    """Number the claims in the order of hops and of choice; what repeats another is left out."""
    held: list[Claim] = []
    for item in state.get("drawn", []):
        for claim in item.claims:
            if not _repeats(claim, held):
                held.append(claim.model_copy(update={"number": len(held) + 1}))
    return {"held": held}


def _repeats(claim: Claim, held: Sequence[Claim]) -> bool:
    """Whether a claim of the same paper says the same in the same words."""
    words = distinct_content_stems(claim.text)
    for other in held:
        if other.paper != claim.paper:
            continue
        theirs = distinct_content_stems(other.text)
        if words == theirs or len(words & theirs) >= _SAME * max(len(words | theirs), 1):
            return True
    return False
