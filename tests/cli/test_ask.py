"""Tests of `citeloom ask` and `citeloom chat`, as a user runs them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from citeloom.runs.run_record import load_run
from tests.cli.commands import run
from tests.cli.conftest import Cite
from tests.cli.test_output_contract import check_described

QUESTION = "How does LitLLM rank the papers it finds?"


def test_answer_is_printed_with_the_words_it_rests_on_and_a_trace_on_request(home: Path) -> None:
    shown = run("ask", QUESTION, "--trace", code=0).stdout
    prose, _, sources = shown.partition("\n\nSources:\n")
    told = {
        int(number) for group in re.findall(r"\[([\d, ]+)\]", prose) for number in group.split(",")
    }
    listed = {int(number) for number in re.findall(r"^\[(\d+)\]", sources, re.MULTILINE)}
    assert told == listed == set(range(1, len(told) + 1))
    assert "“" in sources
    assert "LitLLM" in prose
    for word in (
        "Question as understood",
        "Hop 1:",
        "passages found",
        "Sentence 1: supported",
        "Time:",
    ):
        assert word in shown


def test_files_are_as_docs_output_describes_them(cite: Cite) -> None:
    done = cite("ask", QUESTION)
    assert done.code == 0
    assert done.files == {"answer.html", "answer.json", "answer.md"}
    told: Any = done.json("answer.json")
    objects: dict[str, list[dict[str, Any]]] = {
        "answer.json": [told],
        "A sentence of an answer": told["sentences"],
        "A claim": told["claims"],
        "A passage": told["passages"],
        "A hop": told["hops"],
        "A quote": [claim["quote"] for claim in told["claims"]],
        "A record": told["cited"],
    }
    check_described(objects)
    assert done.text("answer.md").startswith(f"# {QUESTION}\n\n")
    assert "default-src 'none'" in done.text("answer.html")
    assert "\nOpen out/answer.html\n" in done.stderr


def test_json_is_all_that_stands_on_standard_output(home: Path) -> None:
    told = json.loads(run("ask", QUESTION, "--json").stdout)
    assert (told["outcome"] in {"complete", "partial"}, told["question"]) == (True, QUESTION)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Why?", "--library", "nowhere"], "no library"),
        (["Why papers?", "--paper", "10.1/none"], "does not have"),
        (["Why papers?", "--year", "soon"], "is not a year"),
        (["Why papers?", "--set", "retriever=psychic"], "retriever"),
        (["Why papers?", "--set", "claims=0"], "claims"),
        (["   "], "no input"),
        (["missing.txt"], "there is no file"),
    ],
)
def test_what_cannot_be_used_is_said_and_exits_with_2(
    home: Path, arguments: list[str], says: str
) -> None:
    assert says in " ".join(run("ask", *arguments, code=2).output.split())


def chat(stdin: str, *arguments: str) -> Result:
    return run("chat", *arguments, stdin=stdin)


def test_chat_hears_its_questions_and_speaks_its_answers(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, spoken = iter([QUESTION, "Exit."]), list[tuple[str, str]]()
    monkeypatch.setattr("citeloom.cli.voice.listen_for_question", lambda source: next(said))
    monkeypatch.setattr("citeloom.cli.voice.say_aloud", lambda *given: spoken.append(given))
    heard = chat("", "--listen", "mic", "--speak", "aloud")
    assert heard.exit_code == 0
    ((answer, where),) = spoken
    assert answer in heard.stdout
    assert where == "aloud"
    said = iter([QUESTION])  # a file has the first question, the others are typed
    assert (
        "limitations" in chat("And what are its limitations?\ntrace\n", "--listen", "q.wav").stdout
    )


def test_chat_remembers_what_it_was_about(home: Path) -> None:
    first = chat(f"{QUESTION}\n\nAnd what are its limitations?\ntrace\nexit\n")
    assert first.exit_code == 0
    understood = re.findall(r"Question as understood: (.*)", first.stdout)
    assert understood
    assert "LitLLM" in understood[0]
    name = re.search(r"chat --resume (\S+)", first.output)
    assert name
    again = chat("And who wrote it?\ntrace\n", "--resume", name[1])
    (understood,) = re.findall(r"Question as understood: (.*)", again.stdout)
    assert "LitLLM" in understood


def test_conversation_that_somebody_else_holds_is_not_gone_on_with(home: Path) -> None:
    chat("exit\n")
    (path,) = (home / "runs").glob("*.json")
    with load_run(path.stem).hold_lock():
        assert "still working" in run("chat", "--resume", path.stem, code=2).stderr
    chat("exit\n", "--resume", path.stem)
