"""nodes/write/join_parts.py: parts stand in their order, and nothing stands twice."""

from nodes.write.join_parts import join
from state.writing import Draft, Plan, PlanLine, Sentence


def part(number: int, **lines: str) -> Draft:
    sentences = tuple(Sentence(text=text, line=int(line[1:])) for line, text in lines.items())
    return Draft(id=f"d{number}", part=number, sentences=sentences)


NO_PLAN = Plan(lines=())
LICHENS = "The copper roofs of lichens bleach under sulphur rain {P1}."
OTTERS = "The estuary weirs of otters cross under tidal locks {P2}."
VIOLINS = "The spruce plates of violins dampen under varnish layers {P3}."


def test_parts_stand_in_their_order_whichever_came_first() -> None:
    joined, failures = join(
        [part(1, _2=OTTERS), part(2, _3=VIOLINS), part(0, _1=LICHENS)], [], NO_PLAN
    )
    assert [item.text for item in joined.sentences] == [LICHENS, OTTERS, VIOLINS]
    assert [item.line for item in joined.sentences] == [1, 2, 3]
    assert joined.id == "d0+d1+d2"
    assert failures == []


def test_smoothed_opening_takes_the_place_of_its_line() -> None:
    smooth = Sentence(text=f"Beyond this, {OTTERS}", line=2)
    joined, _ = join([part(0, _1=LICHENS), part(1, _2=OTTERS)], [smooth], NO_PLAN)
    assert [item.text for item in joined.sentences] == [LICHENS, smooth.text]


def test_sentence_of_an_earlier_part_is_left_out_and_told() -> None:
    joined, failures = join(
        [part(0, _1=LICHENS), part(1, _2=f"{LICHENS} ", _3=OTTERS)], [], NO_PLAN
    )
    assert [item.text for item in joined.sentences] == [LICHENS, OTTERS]
    (told,) = failures
    assert told.subject == "line 2"
    assert "left out" in told.remedy


def test_closing_part_that_stands_behind_a_copy_adds_only_its_own_line() -> None:
    closing = part(2, _1=LICHENS, _2=OTTERS, _3=VIOLINS)
    joined, failures = join([part(0, _1=LICHENS), part(1, _2=OTTERS), closing], [], NO_PLAN)
    assert [item.text for item in joined.sentences] == [LICHENS, OTTERS, VIOLINS]
    assert failures == [], "a copy is no repetition"


def test_section_without_a_part_is_empty() -> None:
    joined, failures = join([], [], NO_PLAN)
    assert (joined.sentences, failures) == ((), [])


def test_count_of_papers_goes_where_one_of_them_is_not_cited() -> None:
    counting = PlanLine(number=1, covers=("P1", "P2"), role="open")
    plan = Plan(
        lines=(counting, PlanLine(number=2, keys=("P1",)), PlanLine(number=3, keys=("P2",)))
    )
    count = "Two papers are close in meaning."
    whole, _ = join([part(0, _1=count, _2=LICHENS, _3=OTTERS)], [], plan)
    assert [item.text for item in whole.sentences] == [count, LICHENS, OTTERS]
    broken, _ = join([part(0, _1=count, _2=LICHENS)], [], plan)
    assert [item.text for item in broken.sentences] == [LICHENS]
