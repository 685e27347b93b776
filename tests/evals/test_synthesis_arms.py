"""The comparison with the baselines on made-up papers, and the command that runs it all."""

from pathlib import Path

import pytest

from evals.figures import interval
from evals.synthesis.arms import ARMS, summarise
from evals.synthesis.measures import MEASURES
from evals.trials import Row
from tests.evals.calls import measured
from tests.evals.owls import owls
from tests.evals.test_asking_command import ROWS
from tests.evals.test_asking_papers import write


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write(tmp_path / "papers.jsonl", ROWS)


def row(case: str, arm: str, value: float) -> Row:
    return {"case": case, "stack": 1, "arm": arm, "figures": dict.fromkeys(MEASURES, value)}


def test_means_have_intervals_and_baselines_are_taken_question_by_question() -> None:
    values = {("one", "paragraphs"): 0.5, ("two", "paragraphs"): 1.0}
    values |= {("one", "basic"): 0.25, ("two", "basic"): 0.25}
    found = summarise([row(*names, value) for names, value in values.items()], seed=3)
    means = found["by_stack"]["1"]
    assert means["paragraphs"]["faithfulness"] == interval([0.5, 1.0], seed=3)
    assert means["basic"]["composite"]["mean"] == pytest.approx(0.25)
    assert means.keys() == {"paragraphs", "basic"}
    less = found["minus"]["1"]["basic"]["faithfulness"]
    assert (less["mean"], less["low"], less["high"]) == (0.5, 0.25, 0.75)


def test_command_measures_references_and_arms(home: Path, tmp_path: Path, papers: Path) -> None:
    folder = owls(tmp_path)
    given = ("--folder", folder, "--questions", folder / "questions.jsonl", "--papers", papers)
    found, result = measured(folder, "synthesis", *given, "--n", "1")
    assert found.keys() == {"settings", "references", "arms", "tasks", "complete"}
    rows = found["arms"]["rows"]
    assert [(one["stack"], one["arm"]) for one in rows] == [
        (s, arm) for s in (1, 3) for arm in ARMS
    ]
    answered = [one for one in rows if one["figures"]["answered"]]
    assert answered
    for one in answered:
        assert "radar" in one["answer"]
        assert (one["figures"]["faithfulness"] > 0, one["figures"]["context_recall"]) == (True, 1.0)
        assert all(0 <= one["figures"][name] <= 1 for name in MEASURES)
    assert "## Lines by truth" in result.stdout
    assert "## arms: by stack: 1" in result.stdout
