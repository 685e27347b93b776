"""`citeloom review` on the example, as the README shows it: the five files and what they say."""

import json
import re
from pathlib import Path
from typing import Any

from bibtexparser.entrypoint import parse_string
from typer.testing import CliRunner

from citeloom.cli.app import app
from tests.cli.commands import CONTRACT, Done, cited, section
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL

BACKED = {"supported", "partly"}


def quotes_of(value: Any) -> list[dict[str, Any]]:
    """Return every quote inside a JSON value."""
    if isinstance(value, list):
        return [quote for item in value for quote in quotes_of(item)]
    if not isinstance(value, dict):
        return []
    if "verified" in value:
        return [value]
    return [quote for item in value.values() for quote in quotes_of(item)]


def test_review_writes_the_five_files_and_exits_with_0(reviewed: Done) -> None:
    assert (reviewed.code, reviewed.files) == (0, CONTRACT)
    assert reviewed.run["outcome"] == "complete"
    assert reviewed.run["mind"] == "extractive"
    assert reviewed.run["stop"] is None
    assert reviewed.run["failures"] == []

    markdown = reviewed.text("review.md")
    assert markdown.startswith(reviewed.stdout.rstrip())
    assert "Made by the embedded engine (extractive), without an LLM" in reviewed.stdout
    assert "annotated bibliography" in reviewed.stdout
    assert "## References" in reviewed.stdout


def test_text_has_5_to_15_distinct_sentences_that_cite_8_papers_or_more(reviewed: Done) -> None:
    sentences = [item["text"] for item in reviewed.run["sentences"]]
    assert 5 <= len(sentences) <= 15, "each paper once, and what is counted of each theme"
    assert len(set(sentences)) == len(sentences)
    assert len({number for text in sentences for number in cited(text)}) >= 8
    for text in sentences:
        assert re.fullmatch(r"[A-Z“].*\.”?", text), text
        assert "{P" not in text
        assert text in re.sub(r"\\(.)", r"\1", reviewed.text("review.md"))


def test_every_number_in_the_text_resolves_and_every_reference_is_cited(reviewed: Done) -> None:
    listed = section(reviewed.text("review.md"), "References").splitlines()
    numbers = [int(line.split(".", 1)[0]) for line in listed]
    used = list(dict.fromkeys(cited(section(reviewed.text("review.md"), "Related work"))))
    assert used == numbers == list(range(1, len(numbers) + 1))
    records = reviewed.run["references"]
    assert [item["number"] for item in records] == numbers
    assert [item["paper"]["id"] for item in records] == reviewed.run["cited"]
    for line, record in zip(listed, records, strict=True):
        assert record["paper"]["title"].rstrip(".") in re.sub(r"\\(.)", r"\1", line)


def test_every_citation_rests_on_a_verified_quote_of_the_cited_papers_record(
    reviewed: Done,
) -> None:
    records = {item["paper"]["id"]: item["paper"] for item in reviewed.papers["papers"]}
    numbers = {item["paper"]["id"]: item["number"] for item in reviewed.run["references"]}
    for sentence in reviewed.run["sentences"]:
        verdicts = sentence["citations"]
        assert sorted(numbers[item["paper"]] for item in verdicts) == sorted(
            set(cited(sentence["text"]))
        )
        for verdict in verdicts:
            quote = verdict["quote"]
            assert verdict["verdict"] in BACKED
            assert quote["verified"]
            assert quote["paper"] == verdict["paper"]
            source = records[quote["paper"]][quote["part"]]
            assert source[quote["start"] : quote["end"]] == quote["text"]


def test_every_quote_of_a_debate_stands_in_its_papers_record(reviewed: Done) -> None:
    found = 0
    for item in reviewed.papers["papers"]:
        for quote in quotes_of(item["debate"]):
            source = item["paper"][quote["part"]]
            assert quote["verified"]
            assert quote["paper"] == item["paper"]["id"]
            assert source[quote["start"] : quote["end"]] == quote["text"]
            found += 1
    assert found >= 2 * len(reviewed.papers["papers"])


def test_bibtex_and_csl_have_an_entry_for_each_reference(reviewed: Done) -> None:
    library = parse_string(reviewed.text("references.bib"))
    csl = reviewed.json("references.csl.json")
    keys = [item["key"] for item in reviewed.run["references"]]
    assert not library.failed_blocks
    assert [entry.key for entry in library.entries] == keys
    assert [item["id"] for item in csl] == keys
    for item, record in zip(csl, reviewed.run["references"], strict=True):
        assert item["title"] == record["paper"]["title"]
        assert item["issued"]["date-parts"][0][0] == record["paper"]["year"]
        more = not record["paper"]["authors_complete"]
        assert len(item["author"]) == len(record["paper"]["authors"]) + more
        assert ({"literal": "et al."} in item["author"]) is more


def test_json_prints_one_document_and_nothing_else(cite: Cite) -> None:
    done = cite("review", ABSTRACT, "--library", SMALL, "--json")
    printed = json.loads(done.stdout)
    assert (done.code, done.files) == (0, CONTRACT)
    assert printed["related_work"]
    assert {name: printed[name] for name in done.run} == done.run
    assert {name: printed[name] for name in done.papers} == done.papers


def test_text_may_come_from_standard_input_or_as_the_argument(cite: Cite, abstract: str) -> None:
    piped = cite("review", "-", "--library", SMALL, out="piped", stdin=abstract)
    given = cite("review", abstract, "--library", SMALL, out="given")
    assert (piped.code, given.code) == (0, 0)
    assert piped.text("review.md") == given.text("review.md")


def test_results_go_to_a_folder_of_the_runs_name_by_default(home: Path, abstract: str) -> None:
    result = CliRunner().invoke(app, ["find", abstract, "--library", SMALL])
    (folder,) = (home.parent / "citeloom-out").iterdir()
    assert result.exit_code == 0
    assert f"citeloom-out/{folder.name}" in result.stderr
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))["run"] == folder.name
