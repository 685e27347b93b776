"""The comparison with the baselines on made-up papers, and the command that runs it all."""

import re
from pathlib import Path
from typing import Any

import pytest

from evals.figures import interval
from evals.synthesis.arms import USUAL
from evals.synthesis.command import summarise
from evals.synthesis.measures import MEASURES
from evals.trials import Row
from tests.evals.calls import measured, with_judge
from tests.evals.owls import owls
from tests.evals.test_asking_command import ROWS
from tests.evals.test_asking_papers import write
from tests.fakes import composer
from tests.fakes.openai_server import OpenAIServer, Reply, inputs_of, task_of
from tests.fakes.reviewer import reviewer

PAIR = ("line", "source")


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
        (s, arm) for s in (1, 3) for arm in USUAL.split(",")
    ]
    answered = [one for one in rows if one["figures"]["answered"]]
    assert answered
    for one in answered:
        assert "radar" in one["answer"]
        assert (one["figures"]["faithfulness"] > 0, one["figures"]["context_recall"]) == (True, 1.0)
        assert all(0 <= one["figures"][name] <= 1 for name in MEASURES)
    assert "## Lines by truth" in result.stdout
    assert "## arms: by stack: 1" in result.stdout


def test_asking_of_each_pair_of_lines_costs_far_more_for_the_same_references(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retelling = reviewer(dict.fromkeys(composer.WRITING, lambda answer, _: composer.retold(answer)))

    def script(request: Any) -> Reply:
        if task_of(request) != "align_pair":
            return retelling(request)
        line, source = (set(re.findall(r"\w+", str(inputs_of(request)[name]))) for name in PAIR)
        return {"comes_from": line <= source}

    folder = owls(tmp_path)
    given = ("--folder", folder, "--questions", folder / "questions.jsonl", "--mind", "llm")
    with OpenAIServer(script) as server, with_judge(monkeypatch, server.url, home):
        found, _ = measured(folder, "synthesis", *given, "--arms", "p_x_q,llm_ref")
    shares = {row["arm"]: row for row in found["references"]["table"] if row["truth"] == "all"}
    ours, pairs, whole = (found["tasks"][arm] for arm in ("paragraphs", "p_x_q", "llm_ref"))
    count = shares["paragraphs"]["lines"]
    assert all(row["citing, right"].endswith(" (1.000)") for row in shares.values())
    # Four paragraphs are relevant, and they have nine sentences.
    assert (ours["judge_claims"]["calls"], pairs["align_pair"]["calls"]) == (1, count * 9)
    assert pairs["align_pair"]["input_tokens"] > 3 * ours["judge_claims"]["input_tokens"]
    assert "judge_claims" not in {*pairs, *whole}
    assert whole["update_answer"]["calls"] == 3
