"""Tests of CiteLoom as a Python program calls it."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import citeloom
from citeloom import RunError, aask, ask, find, ingest, resume, review, revise, synthesize

from citeloom import verify, write  # isort: skip
from citeloom.runs.runs import Progress
from tests.fakes.openai_server import OpenAIServer, Status, task_of
from tests.fakes.reviewer import reviewer
from tests.support import ROOT, SMALL, clean_environment, small_records
from tools.errors import InputError
from tools.settings import settings

IDEA = "We study how systems find and cite prior work for a new paper."
OWLS = """# Owls in the dark

## Hearing

The ears of barn owls stand at different heights, so that a sound reaches one ear earlier than the
other. From the difference of some microseconds the owl tells the direction of a vole. In our trials
the owls struck within two degrees of the sound in nine of ten nights.
"""
PAPERS = [paper.id for paper in small_records()[:4]]


def test_review_gives_typed_papers_and_a_section_that_can_be_revised(home: Path) -> None:
    told: list[Progress] = []
    done = review(IDEA, library=SMALL, keep=6, cite=3, pool=12, watch=told.append)
    assert done["outcome"] == "complete"
    assert sum(item.selected for item in done["papers"]) <= 6
    first = done["references"][0].paper.id
    assert "[1]" in done["related_work"]
    assert {"search_source", "read_papers"} <= {step.stage for step in told}
    shorter = revise(done["run"], "without [1]")
    assert first not in {item.paper.id for item in shorter["references"]}


def test_papers_that_were_found_are_written_about_and_checked(home: Path) -> None:
    found = find(IDEA, library=SMALL, keep=4, pool=12)
    papers = [item.paper for item in found["papers"]]
    section = write(IDEA, papers, cite=2, library=SMALL)
    assert {item.paper.id for item in section["references"]} <= {paper.id for paper in papers}
    checked = verify(section["related_work"], papers, library=SMALL)
    assert len(checked["sentences"]) >= 2


def test_files_become_a_library_that_answers(home: Path, tmp_path: Path) -> None:
    note = tmp_path / "owls.md"
    note.write_text(OWLS, encoding="utf-8")
    added = ingest("owls", [note])
    assert [report.status for report in added["reports"]] == ["added"]
    question = "How does a barn owl tell the direction of a vole?"
    assert "microseconds" in ask(question, library="owls")["answer"]
    told = synthesize(question, [note])
    assert told["references"][0].paper.title == "Owls in the dark"


async def test_question_is_put_to_a_function_that_may_be_awaited(home: Path) -> None:
    asked: list[str] = []

    async def person(question: Mapping[str, Any]) -> str:
        asked.append(question["kind"])
        return "On one system [4].\nOn another [1]."

    done = await citeloom.awrite(IDEA, PAPERS, library=SMALL, review_plan=True, person=person)
    assert len(asked) == 1
    assert {item.paper.id for item in done["references"]} == {PAPERS[3], PAPERS[0]}


def test_question_without_a_person_can_be_answered_later(home: Path) -> None:
    with pytest.raises(RunError, match="asks a person") as caught:
        write(IDEA, PAPERS, library=SMALL, review_plan=True)
    done = resume(caught.value.run, person=lambda question: "On one system [2].")
    assert [item.paper.id for item in done["references"]] == [PAPERS[1]]


def test_run_that_failed_goes_on_and_pays_nothing_twice(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = True
    answer = reviewer()

    def script(request: Any) -> Any:
        if broken and task_of(request) == "judge_claims":
            return Status(503)
        return answer(request)

    with OpenAIServer(script) as server:
        monkeypatch.setenv("CITELOOM_LLM_BASE_URL", server.url)
        monkeypatch.setenv("CITELOOM_STRONG_MODEL", "scripted")
        settings.cache_clear()
        with pytest.raises(RunError) as caught:
            write(IDEA, PAPERS, library=SMALL, max_minutes=0.2)
        before, broken = len(server.tasks), False
        done = resume(caught.value.run)
        after = server.tasks[before:]
    assert done["outcome"] == "complete"
    assert "draft_section" not in after


def test_wrong_options_and_inputs_are_told_with_what_is_right(home: Path) -> None:
    with pytest.raises(InputError, match=r"find has no option kep; there are text, .*keep"):
        find(IDEA, kep=3)
    with pytest.raises(InputError, match="2 words"):
        find("two words")
    with pytest.raises(InputError, match="there is no library 'nowhere'"):
        ask("What is ROUGE?", library="nowhere")
    with pytest.raises(InputError, match="there is no run 'gone'"):
        resume("gone")


async def test_in_an_event_loop_the_way_to_call_is_named(home: Path) -> None:
    with pytest.raises(InputError, match=r"await aask\("):
        ask("What is ROUGE?")
    assert (await aask("How does LitLLM rank papers?"))["answer"]


def test_program_that_calls_it_is_told_nothing_of_types(home: Path) -> None:
    code = f"import citeloom; citeloom.find({IDEA!r}, library={SMALL!r}, keep=4, pool=8)"
    environment = {**clean_environment(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
