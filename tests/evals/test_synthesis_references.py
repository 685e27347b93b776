"""Whether references are right: what is known of a paper's citations, and what a line gives."""

from pathlib import Path
from typing import Any

import pytest

from evals.pdf.measures import Context, Truth, Work
from evals.synthesis.arms import arm_of
from evals.synthesis.references import (
    Known,
    all_given,
    files_of,
    is_right,
    matches,
    measure,
    printed_labels,
    read_questions,
    stands_in,
    unmatched,
)
from state.paper import Author, Paper
from state.synthesis import CitedIn, NumberedReference
from tests.evals.owls import owls
from tools.errors import InputError

SILT = Work("1", "10.5555/99", "Counting silt by hand in small valleys")
EMBERS = Work("2", "https://embers.example", "")
TRUTH = Truth(
    file="set/rivers.pdf",
    group="set",
    title="Rivers",
    numbered=True,
    count=2,
    works=(SILT, EMBERS),
    headings=(),
    parsed=(),
    contexts=(
        Context(
            "Silt was counted by hand in many small valleys. Charcoal of known age is a clock as well.",
            (("1",), ("2",)),
        ),
    ),
)
KNOWN = Known(TRUTH, {"1": SILT, "2": EMBERS})


def reference(
    title: str, *, label: str = "", doi: str | None = None, **more: Any
) -> NumberedReference:
    paper = Paper(id=f"title:{len(title)}", title=title, doi=doi, **more)
    cited = (CitedIn(paper="rivers", label=label, entry=f"A. Lind. {title}. 2015."),)
    return NumberedReference(number=1, role="secondary", entry=title, paper=paper, cited_in=cited)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("as shown [3, 5-7] and [5]", ["3", "5", "6", "7"]),
        ("[1–2; 9]", ["1", "2", "9"]),
        ("in [the] year (2015) none", []),
        ("an interval [0.5, 1]", []),
    ],
)
def test_labels_are_read_as_printed(text: str, labels: list[str]) -> None:
    assert printed_labels(text) == labels


def test_hand_made_truth_goes_before_what_is_printed() -> None:
    quote = "Silt was counted by hand in many small valleys"
    text = f"{quote} [1]."
    found = KNOWN.cited(quote, text, 0, len(text))
    assert found is not None
    assert (found.way, found.works) == ("contexts", (SILT,))
    other = "Nobody has counted the stones of a river so far [2]."
    found = KNOWN.cited(other, other, 0, len(other))
    assert found is not None
    assert (found.way, found.works) == ("printed", (EMBERS,))


def test_reference_is_the_work_by_label_and_by_name() -> None:
    assert matches(reference(SILT.title, label="1"), "rivers", SILT)
    assert not matches(reference(SILT.title, label="7"), "rivers", SILT)
    assert not matches(reference("How ants find home", label="1"), "rivers", SILT)
    assert matches(reference("Another title", label="1", doi="10.5555/99"), "rivers", SILT)
    assert matches(reference("A title that nobody knows", label="2"), "rivers", EMBERS)
    assert not matches(reference("A title that nobody knows", label="2"), "lakes", EMBERS)
    # GROBID knows titles only.
    assert matches(reference(SILT.title), "rivers", Work("", "", SILT.title))


def test_neither_too_few_nor_too_many() -> None:
    silt, ants = reference(SILT.title, label="1"), reference("How ants find home", label="3")
    wanted = [("rivers", SILT)]
    assert is_right(wanted, [silt])
    assert not is_right(wanted, [])
    assert not is_right(wanted, [silt, ants])
    assert not is_right([], [silt])
    assert is_right([], [])
    assert all_given(wanted, [silt, ants])
    assert unmatched(wanted, [silt, ants]) == [ants]
    orr = reference("Ash", authors=(Author(name="Dina Orr"),), year=2020)
    assert stands_in(orr, ["Ash is light (Orr, 2020)."])
    assert not stands_in(orr, ["Ash is light (Orr, 2019).", "In 2020 it rained."])


def test_lines_of_a_made_up_paper_are_right_by_its_truth_and_wrong_by_another(
    home: Path, tmp_path: Path
) -> None:
    folder = owls(tmp_path)
    questions = read_questions(folder / "questions.jsonl")
    arms = [arm_of("paragraphs", "extractive", 4)]
    rows = [row for run in measure(folder, questions, arms) for row in run["lines"]]
    assert all(row.verified and row.right for row in rows)
    assert any(row.given for row in rows)
    truth = (folder / "truth.jsonl").read_text("utf-8")
    wrong = truth.replace("Asymmetric ears of owls and what they are for", "On the price of barns")
    (folder / "truth.jsonl").write_text(wrong, encoding="utf-8")
    rows = [row for run in measure(folder, questions, arms) for row in run["lines"]]
    assert ("1 On the price of barns",) in {row.wanted for row in rows if row.right is False}
    (folder / "owls" / "heights.pdf").unlink()
    with pytest.raises(InputError, match=r"there is no 'heights\.pdf'"):
        files_of(folder, questions[0])


def test_packaged_questions_name_files_and_are_distinct() -> None:
    questions = read_questions()
    assert len({one.question for one in questions}) == len(questions) >= 20
    assert all(one.files and all(name.endswith(".pdf") for name in one.files) for one in questions)
