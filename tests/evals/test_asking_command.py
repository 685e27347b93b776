"""Reading real papers with questions, and the benchmark on runs that lie or are interrupted."""

import gzip
import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.asking import command as trial
from evals.asking.cases import read_papers
from evals.trials import run_graph
from state.ask import AnswerSentence, Claim
from state.passage import Passage
from state.quote import Quote
from tests.evals.answers import claim
from tests.evals.calls import evaluated, read_json

TEXT = "Introduction\nBees find home by landmarks.\nMethods\nWe tracked 40 bees with radar."


def row(key: str | None = "bees", text: str = TEXT, **changes: Any) -> dict[str, Any]:
    asked = [
        {"question": "How do bees find home?", "answer": "By landmarks. They remember them."},
        {"question": "How do bees find home?", "answer": "landmarks"},
        {"question": "Were the bees tracked?", "answer": "Yes"},
        {"question": "What did it cost?", "answer": "Unanswerable"},
        {"question": "", "answer": "nothing"},
    ]
    return {"doc_id": key, "full_text": text, "qa": asked, **changes}


def write(path: Path, rows: Sequence[object], *, pack: bool = False) -> Path:
    lines = (one if isinstance(one, str) else json.dumps(one) for one in rows)
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if pack else content)
    return path


@pytest.mark.parametrize("pack", [False, True])
def test_questions_with_their_answers_are_read(tmp_path: Path, pack: bool) -> None:
    found = read_papers(write(tmp_path / "papers", [row()], pack=pack))
    home, tracked, cost = found.cases
    (source,) = found.sources
    assert source.text == TEXT
    assert home.within == home.papers == (source.paper.id,)
    assert [answer.text for answer in home.answers] == [
        "By landmarks. They remember them.",
        "landmarks",
    ]
    assert [point.fact for point in home.answers[0].points] == [
        "By landmarks.",
        "They remember them.",
    ]
    assert (home.group, home.kind, tracked.kind) == ("papers", "open", "yes_no")
    assert tracked.in_scope
    assert not tracked.checkable, "a yes has no content words"
    assert (cost.group, cost.in_scope) == ("unanswerable", False)
    assert not found.left_out


BEES = """Introduction
Honey bees find their way home over several kilometres. We call our model of bee navigation HiveNav.
HiveNav combines path integration with a memory of landmarks. The memory holds pictures of the horizon.

Methods
We tracked 40 displaced bees with harmonic radar near the hive. The radar gave one position every three seconds.

Results
HiveNav predicts the flight of displaced bees better than path integration alone. The error falls from 40 to 12 degrees.
"""
BREAD = """Introduction
Sourdough bread rises by wild yeast and lactic acid bacteria. A starter is fed with flour and water each day.

Methods
We baked loaves with starters of three ages and measured their height with a laser. Each loaf was baked for an hour.
"""
ROWS = [
    {"doc_id": "bees", "full_text": BEES, "qa": [
        {"question": "How were the displaced bees tracked?", "answer": "They were tracked with harmonic radar."},
        {"question": "What does HiveNav combine?", "answer": "Path integration and a memory of landmarks."},
        {"question": "Is HiveNav better than path integration alone?", "answer": "Yes"},
        {"question": "How old were the volcanoes in Iceland?", "answer": "Unanswerable"},
    ]},
    {"doc_id": "bread", "full_text": BREAD, "qa": [
        {"question": "How was the height of the loaves measured?", "answer": "With a laser."},
    ]},
    {"doc_id": "none", "full_text": "Nothing.", "qa": []},
]  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("data") / "papers.jsonl", ROWS)


Asked = Callable[..., dict[str, Any]]


def asked(data: Path, run: Asked, *given: str | Path) -> tuple[Result, dict[str, Any]]:
    """Run the command with another way to run a graph."""
    out = data.with_name("asked.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trial, "run_graph", run)
        result = evaluated("asking", "--data", data, "--arms", "hybrid-2", "--json", out, *given)
    return result, read_json(out)


def test_run_that_lies_is_found_out(data: Path) -> None:
    texts = {one.paper.id: " ".join(one.text.split()) for one in read_papers(data).sources}
    result, found = asked(data, lambda _, inputs, *given: _lie(texts, *inputs["papers"]))
    assert result.exit_code == 0
    totals = found["groups"]["papers"]["totals"]["hybrid-2"]
    assert totals["sentences"] == 12
    assert (totals["traced"], totals["right"]) == (4, 4)
    assert found["refusals"]["hybrid-2"]["rightly"] == 0


def _lie(texts: dict[str, str], paper: str) -> dict[str, Any]:
    """Answer with a made-up passage and a quote that stands nowhere, and call it all supported."""
    text = texts[paper]
    real = Passage(
        id="real", paper=paper, title="T", start=0, end=len(text), text=text, section=("Results",)
    )
    words = text.split(". ")[0]
    forged = real.model_copy(update={"id": "forged", "text": "Wasps fly at night, too."})
    made_up = Quote(text="Bees can swim.", paper=paper, start=0, end=14, verified=True)
    claims: list[Claim] = [
        claim(real, words, 1),
        claim(forged, "Wasps fly at night", 2),
        claim(real, words, 3).model_copy(update={"quote": made_up}),
    ]
    said = [f"{words}.", "Wasps fly at night.", "Bees can swim."]
    return {
        "sentences": [
            AnswerSentence(number=number, text=text, claims=(number,), verdict="supported")
            for number, text in enumerate(said, 1)
        ],
        "claims": claims,
        "passages": [real, forged],
        "answer": " ".join(said),
        "took": 1.0,
    }


def test_interrupted_command_shows_what_was_done(data: Path) -> None:
    done: list[str] = []

    def interrupt(name: str, inputs: dict[str, Any], *given: Any) -> dict[str, Any]:
        if done:
            signal.raise_signal(signal.SIGINT)
        done.append(inputs["question"])
        return run_graph(name, inputs, *given)

    result, found = asked(data, interrupt)
    assert result.exit_code == 130
    assert "Stopped before the end" in result.stdout
    assert found["complete"] is False
    assert [case["question"] for case in found["cases"]] == done
