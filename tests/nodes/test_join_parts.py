"""nodes/write/join_parts.py and writers/per_cite.py: parts stand in their order, and nothing stands twice."""

from nodes.write.join_parts import join
from nodes.write.writers.per_cite import PerCiteWriter
from nodes.write.writers.port import Stage
from state.request import Request
from state.writing import Draft, Plan, PlanLine, Sentence
from tools.services import Services

NO_PLAN = Plan(lines=())
LICHENS = "The copper roofs of lichens bleach under sulphur rain {P1}."
OTTERS = "The estuary weirs of otters cross under tidal locks {P2}."
VIOLINS = "The spruce plates of violins dampen under varnish layers {P3}."


def part(number: int, **lines: str) -> Draft:
    sentences = tuple(Sentence(text=text, line=int(line[1:])) for line, text in lines.items())
    return Draft(id=f"d{number}", part=number, sentences=sentences)


def texts(draft: Draft) -> list[str]:
    assert [item.line for item in draft.sentences] == sorted(item.line for item in draft.sentences)
    return [item.text for item in draft.sentences]


def test_parts_stand_in_their_order_whichever_came_first() -> None:
    joined, failures = join([part(1, _2=OTTERS), part(2, _3=VIOLINS), part(0, _1=LICHENS)], NO_PLAN)
    assert (texts(joined), failures) == ([LICHENS, OTTERS, VIOLINS], [])
    assert joined.id == "d0+d1+d2"
    nothing, failures = join([], NO_PLAN)
    assert (nothing.sentences, failures) == ((), [])


def test_sentence_of_an_earlier_part_is_left_out_and_told_but_not_a_copy_under_the_closing_line() -> (
    None
):
    joined, (told,) = join([part(0, _1=LICHENS), part(1, _2=f"{LICHENS} ", _3=OTTERS)], NO_PLAN)
    assert texts(joined) == [LICHENS, OTTERS]
    assert told.subject == "line 2"
    assert "left out" in told.remedy
    closing = part(2, _1=LICHENS, _2=OTTERS, _3=VIOLINS)
    joined, failures = join([part(0, _1=LICHENS), part(1, _2=OTTERS), closing], NO_PLAN)
    assert (texts(joined), failures) == ([LICHENS, OTTERS, VIOLINS], [])


def test_count_of_papers_goes_where_one_of_them_is_not_cited() -> None:
    counting = PlanLine(number=1, covers=("P1", "P2"), role="open")
    plan = Plan(
        lines=(counting, PlanLine(number=2, keys=("P1",)), PlanLine(number=3, keys=("P2",)))
    )
    count = "Two papers are close in meaning."
    assert texts(join([part(0, _1=count, _2=LICHENS, _3=OTTERS)], plan)[0])[0] == count
    assert texts(join([part(0, _1=count, _2=LICHENS)], plan)[0]) == [LICHENS]


async def test_pieces_of_per_cite_stand_in_the_order_of_the_papers_each_once(
    services: Services,
) -> None:
    def piece(number: int, *said: str) -> Draft:
        return Draft(
            id=f"d0.{number:03d}", sentences=tuple(Sentence(text=text, line=1) for text in said)
        )

    stage = Stage(request=Request(text="x"), keys={}, outline=NO_PLAN)
    pieces = [piece(1, OTTERS, LICHENS), piece(2, VIOLINS), piece(0, LICHENS)]
    settled = await PerCiteWriter("per_cite").settle(services, stage, pieces)
    assert texts(settled["drafts"][0]) == [LICHENS, OTTERS, VIOLINS]
    assert settled["position"] == 1
