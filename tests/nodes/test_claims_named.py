"""nodes/ask/compose_answer.py: a claim that was named as what answers is among those an answer is written from."""

import pytest

from nodes.ask.compose_answer import select
from state.ask import Claim
from state.quote import Quote
from tools.embed.open_embedder import embedder

TEXTS = (
    "Barn owls hunt voles by ear in the dark.",
    "Owls hear voles under the snow.",
    "Owls strike within two degrees of a vole's sound.",
    "Norla has 40 hours of speech.",
)
CLAIMS = [
    Claim(number=number, text=text, passage="p", paper="x", quote=Quote(text=text, paper="x"))
    for number, text in enumerate(TEXTS, start=1)
]


@pytest.mark.parametrize(("most", "named", "kept"), [(2, {4}, 2), (1, {3, 4}, 2)])
def test_claim_that_was_named_is_never_left_out(most: int, named: set[int], kept: int) -> None:
    asked = ["How do owls hunt voles by ear?"]
    assert 4 not in {claim.number for claim in select(embedder(), asked, CLAIMS, 2)}
    chosen = {claim.number for claim in select(embedder(), asked, CLAIMS, most, named)}
    assert named <= chosen
    assert len(chosen) == kept
