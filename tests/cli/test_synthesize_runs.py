"""`citeloom synthesize` as a user runs it, on three made-up papers."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citeloom.settings import settings
from tests.cli.commands import cited
from tests.cli.conftest import Cite
from tests.cli.test_output_contract import check_described
from tests.graphs.stacks import QUESTION, SECOND, SHARED, THIRD, first
from tests.support import SMALL, small_records

SILENT = "How are transformers trained on many graphics cards?"
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
    assert done.files == {"synthesis.json", "synthesis.md", "references.bib"}
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


def test_coarse_lists_all_works_of_the_paragraphs_used(cite: Cite, papers: Path) -> None:
    fine: Any = cite("synthesize", QUESTION, papers).json("synthesis.json")
    told: Any = cite("synthesize", QUESTION, papers, "-g", "coarse", out="all").json(
        "synthesis.json"
    )
    titles = {item["paper"]["title"] for item in told["references"]}
    assert {item["paper"]["title"] for item in fine["references"]} <= titles
    (shared,) = [item for item in told["references"] if item["paper"]["title"] == SHARED]
    assert len(shared["cited_in"]) == 3
    assert told["granularity"] == "coarse"


def test_question_comes_from_standard_input_and_json_is_all_that_goes_out(
    cite: Cite, papers: Path
) -> None:
    done = cite("synthesize", "-", papers / "feathers.md", "--json", stdin=QUESTION)
    told = json.loads(done.stdout)
    assert (done.code, told["outcome"], told["question"]) == (0, "complete", QUESTION)


def test_nothing_is_invented_where_the_papers_are_silent(cite: Cite, papers: Path) -> None:
    done = cite("synthesize", SILENT, papers)
    assert done.code == 1
    assert "do not tell" in done.stdout
    assert "references:" not in done.stdout
    assert done.files == {"synthesis.json", "synthesis.md"}


def test_file_that_is_damaged_costs_only_itself(cite: Cite, papers: Path) -> None:
    (papers / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing here")
    done = cite("synthesize", QUESTION, papers)
    assert done.code == 0
    told = [line for line in done.stderr.splitlines() if line.startswith("Not read: broken.pdf: ")]
    assert len(told) == 1
    assert "Not read: broken.pdf" in done.text("synthesis.md")


def test_stack_of_which_nothing_can_be_read_says_why(cite: Cite, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing here")
    done = cite("synthesize", QUESTION, tmp_path / "broken.pdf")
    assert done.code == 1
    assert "Not read: broken.pdf: " in done.stderr
    assert "none of the papers could be read" in done.stderr


def test_source_that_cannot_be_reached_costs_no_text(
    cite: Cite, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TIMEOUT", "PATIENCE"):
        monkeypatch.setenv(f"CITELOOM_SOURCE_{name}", "1")
    settings.cache_clear()
    done = cite("synthesize", QUESTION, papers, "--source", "crossref")
    assert done.code == 0
    assert "## Secondary references" in done.stdout
    assert any(line.startswith("Not done: ") for line in done.stderr.splitlines())
    told: Any = done.json("synthesis.json")
    assert {item["resolved"] for item in told["references"]} == {""}
    assert [item["source"] for item in told["source_usage"]] == ["crossref"]


def test_papers_of_a_library_are_named_by_id(cite: Cite, papers: Path) -> None:
    key = small_records()[0].id
    done = cite("synthesize", QUESTION, papers / "feathers.md", "-p", key, "--library", SMALL)
    assert done.code == 0
    names = {item["name"]: item["kind"] for item in done.json("synthesis.json")["stacked"]}
    assert names == {"feathers.md": "markdown", key: "record"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--granularity", "medium"), "'fine' or 'coarse'"),
        (("--relevance", "guess"), "relevance"),
        (("--updates", "none"), "updates"),
        (("--context-method", "none"), "is not one of"),
        (("--top-k", "0"), "top_k"),
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
    assert says in " ".join(done.result.output.split())


def test_ended_run_is_shown_again_without_its_files(cite: Cite, home: Path, papers: Path) -> None:
    done = cite("synthesize", QUESTION, papers)
    (kept,) = (home / "runs").glob("*.json")
    for path in papers.iterdir():
        path.unlink()
    again = cite("synthesize", "--resume", kept.stem, out="again")
    assert (again.code, again.stdout) == (0, done.stdout)
    assert again.text("references.bib") == done.text("references.bib")
