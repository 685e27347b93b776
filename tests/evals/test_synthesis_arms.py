"""The comparison with the baselines on made-up papers, and the command that runs it all."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from citeloom.cli.evals import app
from evals.asking.papers import read_papers
from evals.retrieval.intervals import interval
from evals.synthesis.arms import (
    ARMS,
    Row,
    main,
    minus,
    plan_of,
    run_all,
    stack_of,
    summarise,
    tables,
)
from evals.synthesis.command import Options, run
from evals.synthesis.measures import COMPOSITES, MEASURES
from tests.evals.owls import owls
from tests.evals.test_asking_command import ROWS
from tests.evals.test_asking_papers import write


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write(tmp_path / "papers.jsonl", ROWS)


def test_only_questions_with_an_answer_in_words_are_asked(papers: Path) -> None:
    plan = plan_of(read_papers(papers))
    assert [case.question for case in plan.cases] == [
        "How were the displaced bees tracked?",
        "What does HiveNav combine?",
        "How was the height of the loaves measured?",
    ]
    assert len(plan_of(read_papers(papers), 1).cases) == 1
    assert len(plan.texts) == 2


def test_stack_is_the_paper_with_those_that_follow_it() -> None:
    texts = {"a": "A.", "b": "B.", "c": "C."}
    assert [item["content"] for item in stack_of("b", texts, 1)] == ["B."]
    assert [item["content"] for item in stack_of("c", texts, 2)] == ["A.", "C."]
    assert [item["content"] for item in stack_of("b", texts, 9)] == ["A.", "B.", "C."]
    assert [item["name"] for item in stack_of("c", texts, 1)] == ["paper-3.txt"]


def test_each_question_is_asked_of_each_stack_in_each_way(home: Path, papers: Path) -> None:
    rows = list(run_all(plan_of(read_papers(papers), 1, stacks=(1, 2))))
    assert [(row.stack, row.arm) for row in rows] == [(s, arm) for s in (1, 2) for arm in ARMS]
    answered = [row for row in rows if row.figures["answered"]]
    assert answered
    for row in answered:
        assert row.figures["faithfulness"] > 0
        assert "radar" in row.answer
        assert row.figures["context_recall"] == 1.0
    assert all(0 <= row.figures[name] <= 1 for row in answered for name in MEASURES)


def row(case: str, arm: str, value: float) -> Row:
    return Row(case, 1, arm, dict.fromkeys(MEASURES, value), "")


ROWS_MADE = [
    row("one", "paragraphs", 0.5), row("one", "basic", 0.25),
    row("two", "paragraphs", 1.0), row("two", "basic", 0.25),
]  # fmt: skip


def test_means_have_intervals_and_baselines_are_taken_question_by_question() -> None:
    found = summarise(ROWS_MADE, seed=3)["1"]
    assert found["paragraphs"]["faithfulness"] == interval([0.5, 1.0], seed=3)
    assert found["basic"]["composite"]["mean"] == pytest.approx(0.25)
    assert found.keys() == {"paragraphs", "basic"}
    less = minus(ROWS_MADE, seed=3)["1"]["basic"]["faithfulness"]
    assert (less["mean"], less["low"], less["high"]) == (0.5, 0.25, 0.75)


def test_tables_tell_every_measure() -> None:
    first, second = tables(ROWS_MADE, seed=3)
    text = first.markdown()
    assert all(name in text for name in (*MEASURES, *COMPOSITES))
    assert "Single source" in text
    assert "0.250 [0.250, 0.250]" in text
    assert "+0.500 [+0.250, +0.750]" in second.markdown()


def test_unknown_arm_is_refused(papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(papers), "--arms", "basic,best"])
    assert "no such arm: best; there are: paragraphs" in capsys.readouterr().err


def test_command_measures_references_and_arms(
    home: Path, tmp_path: Path, papers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = owls(tmp_path)
    out = folder / "found.json"
    options = Options(
        folder=folder, questions=folder / "questions.jsonl", papers=papers,
        parts="references,arms", n=1, json=out,
    )  # fmt: skip
    assert run(options) == 0
    found = json.loads(out.read_text("utf-8"))
    assert found.keys() == {"references", "arms"}
    assert len(found["arms"]["rows"]) == 2 * len(ARMS)
    shown = capsys.readouterr().out
    assert "Lines by how" in shown
    assert "Single source" in shown


def test_installed_command_needs_nothing_of_the_tests(tmp_path: Path) -> None:
    code = "import sys, evals.synthesis.command; sys.exit('tests' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{}"], "there is no truth.jsonl"),
        (["{}", "--parts", "speed"], "there is no part 'speed'"),
        (["{}", "--parts", "arms"], "give them with --papers"),
        (["{}", "--mind", "nobody"], "extractive or llm"),
        (["{}", "--papers", "{}/none.jsonl", "--parts", "arms"], "cannot be read"),
        (["{}", "--parts", "arms", "--papers", "p", "--n", "0"], "--n must be"),
        (["{}", "--parts", "arms", "--papers", "p", "--json", "{}"], "cannot be written"),
    ],
)
def test_what_cannot_be_used_is_told(
    home: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    given = [one.format(tmp_path) for one in arguments]
    if "nobody" in given:
        (tmp_path / "truth.jsonl").write_text("", encoding="utf-8")
    result = CliRunner().invoke(app, ["synthesis", *given])
    assert result.exit_code == 2
    assert words in result.output
