"""nodes/write/adherence.py: what a text has of its plan, counted."""

import pytest

from nodes.write.adherence import measure_adherence
from state.writing import Adherence, Plan, PlanLine, Sentence


def plan(*lines: str, words: int | None = None, paragraphs: str = "") -> Plan:
    """A plan; 'P1 P2' is a line that cites two papers, `paragraphs` such as '112' their places."""
    return Plan(
        lines=tuple(
            PlanLine(
                number=number,
                keys=tuple(keys.split()),
                paragraph=int(paragraphs[number - 1]) if paragraphs else 1,
            )
            for number, keys in enumerate(lines, start=1)
        ),
        words=words,
        origin="user",
    )


def written(*texts: tuple[int, str]) -> list[Sentence]:
    return [Sentence(text=text, line=line) for line, text in texts]


def test_text_that_follows_its_plan_is_right_in_all_its_lines() -> None:
    text = written(
        (1, "Lee et al. {P1} graft pears."),
        (2, "Kim {P2} and Roe {P3} plant them."),
        (3, "We prune."),
    )
    assert measure_adherence(plan("P1", "P2 P3", "", words=12), text) == Adherence(
        lines_asked=3,
        lines_written=3,
        lines_right=3,
        mean_difference=0.0,
        largest_difference=0,
        citations_asked=3,
        citations_in_place=3,
        words_asked=12,
        words_written=12,
    )


@pytest.mark.parametrize(
    ("text", "right", "in_place", "why"),
    [
        ([(1, "Lee {P1} grafts."), (2, "Kim {P2} plants.")], 2, 2, "as asked"),
        (
            [(1, "Lee {P1} grafts as Kim {P2}."), (2, "Kim {P2} plants.")],
            1,
            2,
            "one citation too many",
        ),
        ([(1, "Kim {P2} plants."), (2, "Lee {P1} grafts.")], 0, 0, "the lines changed places"),
        ([(1, "Lee {P1} grafts."), (2, "Kim plants.")], 1, 1, "a citation that is missing"),
        (
            [(1, "Lee {P1} grafts. It works."), (2, "Kim {P2} plants.")],
            1,
            2,
            "two sentences in a line",
        ),
        (
            [(1, "Lee {P1} grafts."), (1, "It works."), (2, "Kim {P2} plants.")],
            1,
            2,
            "two for a line",
        ),
        ([(2, "Kim {P2} plants.")], 1, 1, "a line that is missing"),
        ([(1, ""), (2, "Kim {P2} plants.")], 1, 1, "a line without a word"),
        (
            [(1, "Lee {P1} grafts."), (2, "Kim {P2} plants."), (3, "More {P1}.")],
            2,
            2,
            "a line too many",
        ),
        ([], 0, 0, "no text"),
    ],
)
def test_lines_and_citations_count_where_they_stand(
    text: list[tuple[int, str]], right: int, in_place: int, why: str
) -> None:
    found = measure_adherence(plan("P1", "P2"), written(*text))
    assert (found.lines_right, found.citations_in_place) == (right, in_place), why
    assert (found.lines_asked, found.citations_asked) == (2, 2)


@pytest.mark.parametrize(
    ("counts", "mean", "largest"),
    [
        ((2, 1), 0.0, 0),
        ((3, 1), 0.5, 1),
        ((1, 2), 0.0, 1),
        ((0, 1), -1.0, 2),
        ((6, 2), 2.5, 4),
    ],
)
def test_differences_are_taken_paragraph_by_paragraph(
    counts: tuple[int, int], mean: float, largest: int
) -> None:
    asked = plan("P1", "P1", "P1", paragraphs="112")
    text = written((1, "It works. " * counts[0]), (3, "It works. " * counts[1]))
    found = measure_adherence(asked, text)
    assert (found.mean_difference, found.largest_difference) == (mean, largest)
    assert found.lines_written == sum(counts)


def test_line_that_asks_for_more_than_papers_is_not_right_where_nothing_was_composed() -> None:
    lines = (
        PlanLine(number=1, keys=("P1",), note="Cite {P1}"),
        PlanLine(number=2, keys=("P2",), note="Contrast {P2} with the others"),
        PlanLine(number=3, keys=("P3",), words=20),
    )
    plan = Plan(lines=lines, origin="user")
    sentences = [Sentence(text=f"Lee {{P{at}}} shows it.", line=at) for at in (1, 2, 3)]
    assert measure_adherence(plan, sentences).lines_right == 3
    assert measure_adherence(plan, sentences, composed=False).lines_right == 1
