"""nodes/write/writers/zero_shot.py: the pieces of `per_cite` are laid in the order of the papers."""

from nodes.write.writers.port import Stage, one_line_each
from nodes.write.writers.zero_shot import PerCiteWriter
from state.request import Request
from state.writing import Draft, Part, Plan, Sentence
from tools.services import Services

LICHENS = "The copper roofs of lichens bleach under sulphur rain {P1}."
OTTERS = "The estuary weirs of otters cross under tidal locks {P2}."
VIOLINS = "The spruce plates of violins dampen under varnish layers {P3}."
STAGE = Stage(
    request=Request(text="x"), keys={}, outline=Plan(lines=()),
    part=Part(number=0, lines=one_line_each(["P1", "P2", "P3"])), position=0, drafts=[],
)  # fmt: skip


def piece(number: int, *texts: str) -> Draft:
    sentences = tuple(Sentence(text=text, line=1) for text in texts)
    return Draft(id=f"d0.{number:03d}", sentences=sentences)


async def test_pieces_stand_in_the_order_of_the_papers_whichever_came_first(
    services: Services,
) -> None:
    pieces = [piece(1, OTTERS), piece(2, VIOLINS), piece(0, LICHENS)]
    settled = await PerCiteWriter().settle(services, STAGE, pieces)
    (laid,) = settled.drafts
    assert [item.text for item in laid.sentences] == [LICHENS, OTTERS, VIOLINS]
    assert [item.line for item in laid.sentences] == [1, 2, 3]
    assert settled.position == 1


async def test_sentence_that_two_pieces_have_stands_once(services: Services) -> None:
    settled = await PerCiteWriter().settle(
        services, STAGE, [piece(0, LICHENS), piece(1, LICHENS, OTTERS)]
    )
    (laid,) = settled.drafts
    assert [item.text for item in laid.sentences] == [LICHENS, OTTERS]
