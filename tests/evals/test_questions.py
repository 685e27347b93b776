"""Tests of `citeloom eval questions`: the real command on real files, with an LLM over real HTTP."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.asking.papers import read_papers
from evals.questions.command import stacks_of
from evals.synthesis.arms import asked_of, plan_of
from tests.evals.calls import evaluated, with_judge
from tests.fakes.openai_server import OpenAIServer, Status, inputs_of, task_of

BEES = """Introduction
Honey bees find their way home over several kilometres by a memory of landmarks near the hive.

Methods
We tracked forty displaced bees with harmonic radar. The radar gave one position every three seconds."""
OWLS = """<!DOCTYPE html><html><head><title>Owls at night</title></head><body><h1>Owls at night</h1>
<h2>Methods</h2>
<p>We followed nine barn owls by radio tags on their tails. Each tag weighed two grams.</p></body></html>"""
BREAD = """Introduction
Sourdough bread rises by wild yeast. A starter is fed with flour and water each day in the morning."""
TRACKED, TAGGED = (
    "We tracked forty displaced bees with harmonic radar.",
    "We followed nine barn owls by radio tags on their tails.",
)


def made(question: str, *passages: str, answer: str = "Bees by radar, owls by telemetry.") -> Any:
    return {"question": question, "passages": passages, "answer": answer}


GOOD = made("How do trackers of bees and of owls differ?", TRACKED, TAGGED)
FIRST = [
    GOOD,
    made("How is bread like bees?", "Bread and bees both rise in the morning.", TRACKED),
    made("How were bees tracked?", TRACKED),
    made("How do trackers of owls and of bees differ?", TRACKED, TAGGED),
    made("What does text_2 do with owls?", TRACKED, TAGGED),
]
AGAIN = [
    made("Which animals carried a weight that is told?", TRACKED, "Each tag weighed two grams."),
    made("How were owls tracked?", TAGGED),
]


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, text in (("bees.txt", BEES), ("owls.html", OWLS), ("bread.txt", BREAD)):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "notes.jsonl").write_text("{}\n", encoding="utf-8")
    return folder


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    with OpenAIServer([]) as server, with_judge(monkeypatch, server.url, tmp_path / "home"):
        yield server


def make(folder: Path, out: Path, **given: int) -> Result:
    more = [str(one) for name, value in given.items() for one in (f"--{name}", value)]
    return evaluated("questions", "--folder", folder, "--out", out, "--mind", "llm", *more)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def answering(**of: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda request: of[task_of(request)](inputs_of(request))


def test_only_questions_whose_passages_stand_in_enough_documents_are_kept(
    llm: OpenAIServer, documents: Path, tmp_path: Path
) -> None:
    out = tmp_path / "made.jsonl"
    llm.script = answering(
        make_questions=lambda shown: {"questions": AGAIN if "faults" in shown else FIRST}
    )
    done = make(documents, out, n=2, stack=3, unanswerable=0)
    assert done.exit_code == 0, done.output
    assert "1 questions to judge" in done.stderr
    first, second = map(inputs_of, llm.requests)
    assert (first["number"], first["least_documents"], first["earlier"]) == (2, 2, [])
    assert "wild yeast" in str(first["text_2"])
    faults = "\n".join(second["faults"])  # type: ignore[arg-type]
    for told in (
        "bread like bees?”: a passage is not in the source",
        "were bees tracked?”: its passages are of 1 of the texts, not of 2",
        "owls and of bees differ?”: it asks what was asked before",
        "with owls?”: it says text_2, which its readers do not see",
    ):
        assert told in faults
    assert (second["earlier"], second["number"]) == ([GOOD["question"]], 4)
    (left,) = rows(out.with_suffix(".left-out.jsonl"))
    assert left["question"] == "How were owls tracked?"
    assert "its passages are of 1" in left["why"]
    (good, other) = (item for row in rows(out) for item in row["qa"])
    assert good["papers"] == ["bees", "bread", "owls"]
    assert good["contexts"] == [
        {"doc_id": "bees", "text": TRACKED},
        {"doc_id": "owls", "text": TAGGED},
    ]
    assert good["borne"] == 0.75, "of bees, radar, owls, telemetry"
    # The benchmarks read it: the question is put to its stack alone.
    data = read_papers(out)
    assert not data.left_out
    case, _ = data.cases
    assert (len(case.papers), len(case.within)) == (2, 3)
    ((asked, size, uploads), _) = asked_of(plan_of(data))
    assert (asked.question, size, len(uploads)) == (GOOD["question"], 3, 3)
    assert other["question"] == AGAIN[0]["question"]


def test_killed_run_goes_on_and_asks_nothing_twice(
    llm: OpenAIServer, documents: Path, tmp_path: Path
) -> None:
    out = tmp_path / "made.jsonl"
    up = False

    def one(shown: dict[str, Any]) -> Any:
        if "Sourdough" in shown["text_1"]:
            return {"questions": []}
        if "owls" in shown["text_1"] and not up:
            return Status(401, "no")
        about, words = ("owls", TAGGED) if "owls" in shown["text_1"] else ("bees", TRACKED)
        return {"questions": [made(f"How were {about} tracked?", words, answer="By telemetry.")]}

    llm.script = answering(make_questions=one)
    assert make(documents, out, n=3, stack=1, unanswerable=0).exit_code == 1
    assert [len(row["qa"]) for row in rows(out)] == [1, 0, 0]
    up, before = True, len(llm.requests)
    done = make(documents, out, n=2, stack=1, unanswerable=0)
    assert done.exit_code == 0
    (owls,) = llm.requests[before:]
    assert "owls" in str(inputs_of(owls)["text_1"])
    assert [len(row["qa"]) for row in rows(out)] == [1, 0, 1]
    assert "2 answers have less than 60% of their words in their passages" in done.stderr
    why = [(one["papers"], one["question"]) for one in rows(out.with_suffix(".left-out.jsonl"))]
    assert why == [(["bread"], "")]
    make(documents, out, n=2, stack=1, unanswerable=0)
    assert len(llm.requests) == before + 1
    (documents / "bees.txt").write_text(BREAD + " Or in the evening.")
    changed = make(documents, out, n=2, stack=1, unanswerable=0)
    assert (changed.exit_code, "another text of bees" in changed.stderr) == (2, True)


def test_question_that_a_blind_reader_finds_answered_is_left_out(
    llm: OpenAIServer, documents: Path, tmp_path: Path
) -> None:
    out = tmp_path / "made.jsonl"
    gaps = {
        "Which radar was used?": {"quotes": []},
        "How many bees were tracked?": {"quotes": [TRACKED]},
        "What did the radar cost?": {"quotes": ["The radar was cheap as radars go."]},
    }
    llm.script = answering(
        make_unanswerable=lambda shown: {
            "questions": [{"question": one, "passages": [TRACKED]} for one in gaps]
        },
        find_answer=lambda shown: gaps[shown["question"]],
    )
    (documents / "owls.html").unlink()
    (documents / "bread.txt").unlink()
    done = make(documents, out, n=0, stack=1, unanswerable=3)
    assert done.exit_code == 0
    (kept,) = rows(out)[0]["qa"]
    assert (kept["question"], kept["answer"]) == ("Which radar was used?", "Unanswerable")
    left = {one["question"]: one["why"] for one in rows(out.with_suffix(".left-out.jsonl"))}
    assert left["How many bees were tracked?"] == f"the text answers it: “{TRACKED}”"
    assert "nobody can say whether the text answers it" in left["What did the radar cost?"]
    assert "earlier" not in inputs_of(llm.requests[1])
    assert "passages" not in inputs_of(llm.requests[1])
    (case,) = read_papers(out).cases
    assert (case.group, len(case.within)) == ("unanswerable", 1)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--mind", "extractive"), "give --mind llm"),
        (("--mind", "llm", "--stack", "9"), "a stack of 9"),
        (("--mind", "llm"), "was not made by this command"),
    ],
)
def test_what_cannot_be_made_is_refused_unpaid(
    llm: OpenAIServer, documents: Path, given: tuple[str, ...], told: str
) -> None:
    others = documents / "notes.jsonl"
    done = evaluated("questions", "--folder", documents, "--out", others, *given)
    assert (done.exit_code, told in done.stderr) == (2, True)
    assert not llm.requests


def test_each_document_stands_in_a_stack() -> None:
    assert stacks_of(["a", "b", "c", "d"], 3) == [["a", "b", "c"], ["d", "a", "b"]]
    assert stacks_of(["a", "b"], 1) == [["a"], ["b"]]
