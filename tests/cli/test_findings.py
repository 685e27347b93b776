"""Findings of `verify` and `references` in files: lines, SARIF, baseline, exit codes, and what a second run asks."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif
from typer.testing import Result

from citeloom.cli.read_inputs import read_draft
from tests.cli.commands import model, run, sources
from tests.documents.test_word_manuscript import manuscript, paragraph, words
from tests.fakes.made_papers import made_papers
from tests.fakes.reviewer import reviewer
from tests.fakes.scholar.world import Work, World, make_world
from tests.pdf import papers as pdf_papers

LICHENS = "In tiled chapels the copper roofs of lichens bleach under sulphur rain"
MARKDOWN = (
    f"# Roofs\r\n\r\n{LICHENS} [@roofs].\r\nOtters never eat the moon\r\n[@roofs; @lost1].\r\n"
)
LATEX = f"\\section{{Roofs}}\n% Otters sing \\cite{{nope}}.\n{LICHENS} \\cite{{roofs}}.\nOtters sing \\cite{{nope}}.\n"


@pytest.fixture
def folder(home: Path) -> Path:
    """A folder with two texts and their papers; it is the working folder."""
    record = made_papers(1)[0]
    fields = {"title": record["title"], "author": "Abel, Ann and Corvin, Bo", "year": "1990"}
    listed = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    entry = f"@article{{roofs,\n{listed},\n  abstract = {{{record['abstract']}}}\n}}\n"
    (home.parent / "refs.bib").write_text(entry, "utf-8")
    (home.parent / "a.md").write_bytes(MARKDOWN.encode())
    (home.parent / "b.tex").write_text(LATEX, "utf-8")
    return home.parent


def verify(*more: str | Path) -> Result:
    return run("verify", "a.md", "b.tex", "--papers", "refs.bib", "--findings", *more)


def test_findings_of_several_files_stand_at_line_and_column(folder: Path) -> None:
    done = verify()
    assert done.exit_code == 3
    lines = [
        line.partition(": ")[0] + " " + line.rpartition(" ")[2] for line in done.stdout.splitlines()
    ]
    assert lines == ["a.md:5:1 [not-checked]", "a.md:5:1 [no-entry]", "b.tex:4:13 [no-entry]"]
    assert not (folder / "citeloom-out").exists()
    assert "existence not checked for 1 reference: add an online source" in done.stderr


def test_draft_in_pdf_gives_its_abstract_to_search_from_and_its_text_to_check(folder: Path) -> None:
    (folder / "my draft.PDF").write_bytes(pdf_papers.paper())
    assert read_draft("my draft.PDF") == f"# {pdf_papers.TITLE}\n\n{pdf_papers.ABSTRACT}"
    done = run("verify", "my draft.PDF", "--papers", "refs.bib", "--findings")
    assert done.exit_code == 3, done.stderr
    told = done.stdout.splitlines()
    assert told
    assert {line.partition(": ")[0] for line in told} == {"my draft.PDF"}, "it has no lines"


def test_places_are_in_audit_json(folder: Path) -> None:
    run("verify", "a.md", "--papers", "refs.bib", "--out", "out")
    audit = json.loads((folder / "out/audit.json").read_text("utf-8"))
    assert audit["verdicts"][0]["place"] == {
        "file": "a.md",
        "line": 3,
        "column": len(LICHENS) + 2,
        "length": len("[@roofs]"),
        "end_line": 3,
        "end_column": len(LICHENS) + 2 + len("[@roofs]"),
        "paragraph": None,
    }


def test_word_file_has_paragraphs(folder: Path) -> None:
    bodies = (paragraph(words("Roofs of chapels are tiled.")), paragraph(words("Otters sing [9].")))
    (folder / "c.docx").write_bytes(manuscript(*bodies))
    done = run("verify", "c.docx", "--papers", "refs.bib", "--findings")
    assert done.stdout.startswith("c.docx: paragraph 2: warning: [9]: no such entry")


def test_sarif_holds_to_its_schema_and_fingerprints_survive_a_shift(folder: Path) -> None:
    def results() -> list[dict[str, Any]]:
        verify("--sarif", "out.sarif")
        text = (folder / "out.sarif").read_text("utf-8")
        log = json.loads(text)
        Sarif.model_validate_json(text)
        assert log["version"] == "2.1.0"
        (one,) = log["runs"]
        ids = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
        assert all(rule["help"]["text"] for rule in one["tool"]["driver"]["rules"])
        assert all(ids[item["ruleIndex"]] == item["ruleId"] for item in one["results"])
        return list(one["results"])

    before = results()
    (folder / "a.md").write_bytes(b"A new line.\r\n\r\n" + MARKDOWN.encode())
    after = results()
    marks = [
        [one["partialFingerprints"]["citeloom/v1"] for one in many] for many in (before, after)
    ]
    assert marks[0] == marks[1]
    assert len(set(marks[0])) == 3
    assert [one["level"] for one in before] == ["note", "warning", "warning"]
    regions = [many[0]["locations"][0]["physicalLocation"]["region"] for many in (before, after)]
    assert [one["startLine"] for one in regions] == [5, 7]


@pytest.mark.parametrize(("grade", "code"), [("contradicted", 0), ("unsupported", 3)])
def test_exit_code_goes_by_the_gravest_finding(folder: Path, grade: str, code: int) -> None:
    assert verify("--fail-on", grade).exit_code == code


def test_accepted_findings_neither_show_nor_fail_and_new_ones_do(folder: Path) -> None:
    kept = ("--baseline", "accepted.json")
    assert verify(*kept, "--write-baseline").exit_code == 0
    done = verify(*kept, "--sarif", "out.sarif")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "3 findings accepted earlier" in done.stderr
    told = json.loads((folder / "out.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert all(one["suppressions"] for one in told)
    with (folder / "b.tex").open("a") as file:
        file.write("Bees dance \\cite{lost2}.\n")
    done = verify(*kept)
    assert done.exit_code == 3
    assert done.stdout.startswith("b.tex:5:12: warning: lost2: no such entry")


@pytest.mark.parametrize("content", ["", '{"accepted": [{}]}'])
def test_file_that_is_no_baseline_is_refused(folder: Path, content: str) -> None:
    (folder / "accepted.json").write_text(content)
    done = verify("--baseline", "accepted.json")
    assert (done.exit_code, "is no baseline" in done.stderr) == (2, True)
    assert "name one with --baseline" in verify("--write-baseline").stderr


def entry(work: Work, year: int, key: str) -> str:
    authors = " and ".join(f"{family}, {given}" for given, family in work.authors)
    return (
        f"@article{{{key},\n  title = {{{work.title}}},\n  author = {{{authors}}},\n"
        f"  year = {{{year}}},\n  journal = {{{work.venue}}},\n  doi = {{{work.doi}}}\n}}\n"
    )


def sound(world: World) -> list[Work]:
    """Works that both sources hold, with all that an entry has."""
    return [
        work
        for work in world.works
        if {"openalex", "crossref"} <= work.held_by
        and work.doi
        and work.venue
        and len(work.title) > 50
        and work.authors
        and all(family for _, family in work.authors)
    ]


def test_wrong_field_stands_at_its_line_and_a_second_run_asks_for_new_notices_alone(
    home: Path,
) -> None:
    world = make_world(size=60, seed=3, crowd=0)
    right, wrong = sound(world)[:2]
    path = home.parent / "list.bib"
    path.write_text(
        entry(right, right.year, "right") + "\n" + entry(wrong, wrong.year - 7, "wrong"), "utf-8"
    )
    asked = ("references", "list.bib", "--findings", "--source", "crossref", "--source", "openalex")
    with sources(world) as scholar:
        done = run(*asked, "--fail-on", "unsupported", code=3)
        assert done.stdout == (
            f"list.bib:12:3: warning: wrong: year is {wrong.year - 7}; the record has {wrong.year} [wrong-field]\n"
        )
        assert {one.service for one in scholar.requests} == {"crossref", "openalex"}
        scholar.requests.clear()
        assert run(*asked).stdout == done.stdout
    # Whether one was retracted since is asked anew: of the works and of what updates them, all in one request each.
    assert [(one.service, one.path) for one in scholar.requests] == [("crossref", "/works")] * 2


def test_second_run_of_an_unchanged_text_asks_no_model(folder: Path) -> None:
    with model(reviewer()) as llm:
        first = verify()
        assert llm.requests
        asked = len(llm.requests)
        assert verify().stdout == first.stdout
        assert len(llm.requests) == asked
