"""`citeloom synthesize` as a user runs it, on three made-up papers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import cited
from tests.cli.conftest import Cite
from tests.cli.test_output_contract import check_described
from tests.graphs.stacks import QUESTION, SECOND, THIRD, first

_LISTED = re.compile(r"^- \[(\d+)\] ", re.MULTILINE)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "owls"
    folder.mkdir()
    (folder / "heights.pdf").write_bytes(first())
    (folder / "feathers.md").write_text(SECOND, encoding="utf-8")
    (folder / "young.md").write_text(THIRD, encoding="utf-8")
    return folder


def assert_described(told: dict[str, Any]) -> None:
    objects: dict[str, list[dict[str, Any]]] = {
        "synthesis.json": [told],
        "A line of a synthesis": told["lines"],
        "An origin": [*told["used"], *(one for line in told["lines"] for one in line["origins"])],
        "A numbered reference": told["references"],
        "A paper of the stack": told["stacked"],
        "A context": told["contexts"],
        "A request": [told["request"]],
        "Usage": told["usage"],
        "A record": [item["paper"] for item in told["references"] if item["paper"]],
        "A quote": [item["quote"] for item in told["used"]],
    }
    check_described(objects)


def test_folder_of_papers_becomes_a_text_with_both_kinds_of_references_and_the_files_of_the_docs(
    cite: Cite, papers: Path
) -> None:
    done = cite("synthesize", QUESTION, papers, "--trace")
    assert done.code == 0, done.stderr
    text, _, rest = done.stdout.partition("\n\n## Primary references\n")
    lists, _, trace = rest.partition("\n\n## Trace\n")
    listed = [int(number) for number in _LISTED.findall(lists)]
    assert listed == list(range(1, len(listed) + 1))
    assert set(cited(text)) == set(listed)
    assert "## Secondary references" in lists
    assert re.search(r"Cited in \[\d+\] as \d", lists)
    assert "heights.pdf, 1 Introduction, p. 1, paragraph " in trace
    assert "Relevant paragraphs: " in trace
    assert done.files == {"synthesis.html", "synthesis.json", "synthesis.md", "references.bib"}
    told: Any = done.json("synthesis.json")
    assert_described(told)
    assert_led_to_words(told)
    assert done.text("references.bib") == told["bibtex"]
    keywords = re.findall(r"keywords = \{(\w+)\}", told["bibtex"])
    assert keywords == [item["role"] for item in told["references"]]
    assert told["answer"].split("\n")[0] in done.text("synthesis.md")
    assert [item["name"] for item in told["stacked"]] == ["feathers.md", "heights.pdf", "young.md"]


def assert_led_to_words(told: dict[str, Any]) -> None:
    whole = {item["paragraph"]: item["quote"]["text"] for item in told["used"]}
    assert told["lines"]
    for line in told["lines"]:
        assert line["origins"]
        for origin in line["origins"]:
            quote = origin["quote"]
            assert quote["verified"]
            assert whole[origin["paragraph"]][quote["start"] : quote["end"]] == quote["text"]


def test_question_comes_from_standard_input_and_json_is_all_that_goes_out(
    cite: Cite, papers: Path
) -> None:
    done = cite("synthesize", "-", papers / "feathers.md", "--json", stdin=QUESTION)
    told = json.loads(done.stdout)
    assert (done.code, told["outcome"], told["question"]) == (0, "complete", QUESTION)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--granularity", "medium"), "'fine', 'coarse'"),
        (("--set", "relevance=guess"), "relevance"),
        (("--set", "updates=none"), "updates"),
        (("--source", "library"), "there is no source 'library'"),
        (("--paper", "10.1/none"), "does not have"),
        (("--library", "nowhere", "--paper", "10.1/none"), "no library"),
    ],
)
def test_what_cannot_be_used_is_said_and_exits_with_2(
    cite: Cite, papers: Path, arguments: tuple[str, ...], says: str
) -> None:
    done = cite("synthesize", QUESTION, papers, *arguments)
    assert done.code == 2
    assert says in " ".join(done.result.output.replace("│", " ").split())
