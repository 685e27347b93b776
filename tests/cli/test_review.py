"""`citeloom review` on the example, as the README shows it: the five files and what they say."""

import json
import re
from pathlib import Path
from typing import Any

from tests.cli.commands import CONTRACT, Done, cited, run, section
from tests.cli.conftest import Cite
from tests.support import SMALL, starter_records

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
    plain = re.sub(r"\\(.)", r"\1", re.sub(r"<(https?://[^>]+)>", r"\1", markdown))
    assert plain.startswith(reviewed.stdout.rstrip())
    for part in (
        "Made in embedded mode, without an LLM",
        "annotations by CiteLoom's authors",
        "## References",
    ):
        assert part in reviewed.stdout


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
            assert _stands(quote, records[quote["paper"]])
    argued = [quote for item in reviewed.papers["papers"] for quote in quotes_of(item["debate"])]
    assert len(argued) >= 2 * len(records)
    assert all(_stands(quote, records[quote["paper"]]) for quote in argued)


def _stands(quote: dict[str, Any], record: dict[str, Any]) -> bool:
    said = {record["abstract_kind"]: record["abstract"], "title": record["title"]}
    return bool(said[quote["part"]][quote["start"] : quote["end"]] == quote["text"])


def test_annotation_is_called_one_wherever_it_is_shown(reviewed: Done) -> None:
    records = [item["paper"] for item in reviewed.papers["papers"]]
    assert {item["abstract_kind"] for item in records} == {"annotation"}
    notes = [item["abstract"] for item in records]
    every = quotes_of(reviewed.run["sentences"]) + quotes_of(reviewed.papers)
    every += quotes_of(reviewed.run["table"]) + quotes_of(reviewed.run["audit"])
    assert {quote["part"] for quote in every if any(quote["text"] in note for note in notes)} == {
        "annotation"
    }
    audit = json.loads(reviewed.text("audit.json"))
    assert all(note.endswith("word for word the annotation") for note in audit["notes"])
    names = ("review.html", "review.md", "files/table.md", "files/table.csv")
    shown = [reviewed.text(name) for name in names]
    assert not any("abstract: “" in text or "<summary>abstract" in text for text in shown)
    for line in reviewed.text("review.md").splitlines():
        words = re.sub(r"\\(.)", r"\1", line)
        if words.startswith("- Sentence") and any(
            said.strip("”") in note for said in re.findall("“(.+)”", words) for note in notes
        ):
            assert words.endswith("” (annotation)")
        assert not re.search(r"\b(writes?|notes?|states?|says?)(?: that)?:? “", words)


def test_papers_are_ranked_and_say_how_they_were_found(reviewed: Done) -> None:
    papers = reviewed.papers["papers"]
    assert [item["rank"] for item in papers] == list(range(1, len(papers) + 1))
    kept = [item for item in papers if item["selected"]]
    assert [item["paper"]["id"] for item in kept] == reviewed.run["selected"]
    assert kept == papers[: len(kept)]
    assert [item["score"] for item in kept] == sorted(
        (item["score"] for item in kept), reverse=True
    )
    asked = {item["query"] for item in reviewed.run["search_log"]}
    assert len(set(reviewed.paper_ids)) == len(papers)
    # Links are followed before papers are judged, so also from some that are not among the best.
    ids = {paper.id for paper in starter_records()}
    for item in papers:
        assert item["found_by"]
        for hit in item["found_by"]:
            assert hit["by"] in (asked if hit["via"] == "query" else ids)
    assert {hit["via"] for item in papers for hit in item["found_by"]} >= {"query", "reference"}


def test_links_are_between_kept_papers(reviewed: Done) -> None:
    kept = set(reviewed.run["selected"])
    references = {
        item["paper"]["id"]: item["paper"]["references"] for item in reviewed.papers["papers"]
    }
    assert reviewed.papers["links"]
    for link in reviewed.papers["links"]:
        assert {link["citing"], link["cited"]} <= kept
        assert link["cited"] in references[link["citing"]]


def test_json_prints_one_document_of_a_text_from_standard_input(cite: Cite, abstract: str) -> None:
    done = cite("review", "-", "--library", SMALL, "--json", stdin=abstract)
    printed = json.loads(done.stdout)
    assert (done.code, done.files) == (0, CONTRACT)
    assert printed["related_work"]
    assert {name: printed[name] for name in done.run} == done.run
    assert {name: printed[name] for name in done.papers} == done.papers


def test_results_go_to_a_folder_of_the_runs_name_by_default_and_a_question_is_an_input_too(
    home: Path,
) -> None:
    question = "How well do language models cite their sources?"
    result = run("find", question, "--library", SMALL, code=0)
    (folder,) = (home.parent / "citeloom-out").iterdir()
    assert f"citeloom-out/{folder.name}" in result.stderr
    assert "the input is very short" in result.stderr
    told = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert (told["run"], told["request"]["kind"]) == (folder.name, "question")
