"""evals/writing/costs.py: how long the longest chain of questions is, on the library SMALL."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from evals.slow_llm import Call, SlowLlm, Together
from evals.source_runs import Table
from evals.writing import costs
from evals.writing.costs import Course, Run, chain, choose_papers, main, row, try_once
from evals.writing.trial import ARMS
from tests.support import ABSTRACT, SMALL, RememberingEmbedder, small_records
from tools.errors import InputError

PAPERS = [paper.id for paper in small_records() if paper.abstract][:6]


def test_chain_names_the_first_question_of_each_wave() -> None:
    calls = [
        Call("vote", False, 3.0, 2), Call("read", False, 1.2, 0), Call("plan", False, 1.0, 0),
        Call("write", False, 2.0, 1), Call("write", True, 2.1, 1),
    ]  # fmt: skip
    assert chain(calls) == ["plan", "write", "vote"]
    assert chain([]) == []


@pytest.fixture(scope="module")
def llm() -> Iterator[SlowLlm]:
    with SlowLlm() as started:
        yield started


def test_those_who_come_without_a_pause_go_on_together() -> None:
    gathered = Together(0.2)
    waves: list[int] = []

    def come() -> None:
        waves.append(gathered.join())
        gathered.wait(waves[-1])

    for count in (3, 1):
        threads = [Thread(target=come) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert waves == [0, 0, 0, 1]


@pytest.fixture
def course(built: Path, embedder_with_memory: RememberingEmbedder, llm: SlowLlm) -> Course:
    """Six papers of the library SMALL."""
    return Course(
        text=ABSTRACT.read_text(encoding="utf-8"), papers=PAPERS, samples=2, votes=2, beam=1,
        concurrency=8, strong=(2.0, 10.0), fast=(1.0, 5.0), libraries=built,
        embedder=embedder_with_memory, llm=llm, library=SMALL,
    )  # fmt: skip


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """Runs that several tests look at, by writer."""
    return {}


def in_waves(course: Course, name: str, runs: dict[str, Run]) -> Run:
    if name not in runs:
        runs[name] = try_once(course, ARMS[name], 0.15, together=True)
    return runs[name]


def test_themes_side_by_side_make_the_chain_shorter(course: Course, runs: dict[str, Run]) -> None:
    themed, whole = in_waves(course, "beam", runs), in_waves(course, "beam_incremental", runs)
    assert len(chain(themed.calls)) < len(chain(whole.calls))
    assert themed.failures == whole.failures == []
    assert chain(whole.calls)[:2] == ["read_paper", "plan_section"]
    assert themed.sentences >= 4


def test_lines_are_written_and_voted_on_in_turn(course: Course, runs: dict[str, Run]) -> None:
    tasks = chain(in_waves(course, "beam_incremental", runs).calls)
    written = [task for task in tasks if task not in {"read_paper", "plan_section"}]
    votes = [place for place, task in enumerate(written) if task == "vote_drafts"]
    assert len(votes) >= 3
    assert votes == sorted(set(votes))
    assert all(written[place - 1] != "vote_drafts" for place in votes)


def test_costs_are_those_of_the_ledger(course: Course, runs: dict[str, Run]) -> None:
    run = in_waves(course, "beam", runs)
    assert run.input_tokens > run.output_tokens > 0
    low = (run.input_tokens + 5 * run.output_tokens) / 1e6
    assert low < run.usd < 2 * low


def test_row_compares_with_the_incremental_beam(course: Course, runs: dict[str, Run]) -> None:
    themed, whole = in_waves(course, "beam", runs), in_waves(course, "beam_incremental", runs)
    told = row(ARMS["beam"], themed, themed, (whole, whole))
    share = len(chain(themed.calls)) / len(chain(whole.calls))
    assert told["chain, of incr."] == f"{share:.2f}"
    assert told["LLM calls"] == len(themed.calls)
    assert row(ARMS["beam"], themed, themed, None)["chain, of incr."] == ""
    assert "_waves" not in Table("t", [told]).markdown()
    assert json.loads(json.dumps(told))["sentences"] == themed.sentences


def test_baseline_has_nothing_written_by_the_llm(course: Course) -> None:
    run = try_once(course, ARMS["lexrank"], 0.0, together=False)
    assert not {call.task for call in run.calls} - {"read_paper", "check_citations"}
    assert run.sentences > 0


def test_papers_are_those_that_speak_most_like_the_text() -> None:
    paper = next(paper for paper in small_records() if paper.abstract)
    chosen = choose_papers(5, paper.text)
    assert chosen[0] == paper.id
    assert len(set(chosen)) == 5
    with pytest.raises(InputError, match="--papers must be 1 to"):
        choose_papers(0, paper.text)


def test_unknown_writer_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--writers", "beam,best"])
    assert "no such writer: best; there are: beam" in capsys.readouterr().err
    assert costs.INCREMENTAL in ARMS
