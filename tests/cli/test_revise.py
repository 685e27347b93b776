"""Tests of `citeloom revise`, of stopping for a person, and of styles and formats on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Done
from tests.documents.test_docx import made
from tests.support import ABSTRACT, ROOT, SMALL, small_records

Cite = Callable[..., Done]
IDS = [paper.id for paper in small_records() if paper.abstract][:5]
WRITE = ("write", ABSTRACT, "--library", SMALL, *(f"--paper={key}" for key in IDS))


def cited_ids(done: Done) -> list[str]:
    return list(done.run["cited"])


def test_section_is_revised_without_a_search(cite: Cite, home: Path) -> None:
    first = cite(*WRITE, out="first")
    done = cite("revise", first.run["run"], "-i", "without [2]", out="second")
    assert done.code == 0
    assert set(cited_ids(done)) == set(cited_ids(first)) - {cited_ids(first)[1]}
    assert done.run["graph"] == "revise"
    assert done.json("audit.json")["passed"]
    again = cite("revise", done.run["run"], "-i", "shorter", out="third")
    assert len(again.run["sentences"]) < len(done.run["sentences"])
    plan = home.parent / "plan.txt"
    plan.write_text("2 sentences. Cite [2] on line 1 and [1] on line 2.", "utf-8")
    planned = cite("revise", first.run["run"], "--plan", plan, out="fourth")
    assert cited_ids(planned) == [cited_ids(first)[1], cited_ids(first)[0]]
    assert planned.json("audit.json")["adherence"]["lines_right"] == 2
    text = home.parent / "text.txt"
    text.write_text(f"{first.run['sentences'][1]['text']}\n", "utf-8")
    edited = cite("revise", first.run["run"], "--text", text, out="edited")
    assert [item["text"] for item in edited.run["sentences"]] == [text.read_text("utf-8").strip()]
    word = home.parent / "text.docx"
    sentence = first.run["sentences"][1]["text"]

    def fill(file: Any) -> None:
        file.add_heading("Related work", 1)
        file.add_paragraph(sentence)
        file.add_heading("References", 1)
        file.add_paragraph("[1] A. Lee. Weaving. 2020.")

    word.write_bytes(made(fill))
    in_word = cite("revise", first.run["run"], "--text", word, out="word")
    assert [item["text"] for item in in_word.run["sentences"]] == [sentence]
    for arguments, words in (
        (("20200101-000000-abcdef", "-i", "shorter"), "there is no run"),
        ((first.run["run"], "-i", "Write it as a poem"), "only a model can follow"),
        ((first.run["run"],), "nothing to change"),
    ):
        refused = cite("revise", *arguments, out="fifth")
        assert refused.code != 0
        assert words in refused.stderr


def test_run_waits_for_the_plan_to_be_edited(cite: Cite) -> None:
    waiting = cite(*WRITE, "--review-plan", "--cite", "2", "--json")
    assert waiting.code == 4
    asked = json.loads(waiting.stdout)["waiting"]
    assert asked["kind"] == "plan"
    assert [paper["id"] for paper in asked["papers"]] == IDS
    assert waiting.files == {"plan.txt", "plan.md"}
    assert IDS[4] in waiting.text("plan.md")
    name = waiting.stderr.split("--resume ")[1].split()[0]
    (waiting.out / "plan.txt").write_text("On the last [5].\nOn one more [9].\n", "utf-8")
    again = cite("write", "--resume", name)
    assert again.code == 4
    assert "[9]" in again.stderr, "a plan that cannot be followed is asked for again"
    (waiting.out / "plan.txt").write_text("On the last [5].\nOn the first [1].\n", "utf-8")
    done = cite("write", "--resume", name)
    assert done.code == 0
    assert cited_ids(done) == [IDS[4], IDS[0]]


def test_own_style_and_formats_are_written(cite: Cite, tmp_path: Path) -> None:
    own = tmp_path / "mine.csl"
    source = ROOT / "tools" / "bibliography" / "styles" / "apa.csl"
    own.write_text(source.read_text("utf-8"), "utf-8")
    done = cite(
        *WRITE,
        "--style",
        own,
        "--format",
        "docx",
        "--format",
        "tex",
    )
    assert done.code == 0
    assert done.files >= {"review.html", "files/review.docx", "files/section.tex"}
    assert "[files/section.tex](section.tex)" in done.text("files/README.md")
    assert "<script" not in done.text("review.html"), "nothing was searched, so there is no picture"
    first = done.run["references"][0]
    assert f"({first['paper']['year']})" in done.text("review.md")
    assert first["entry"][:20] in done.text("review.md").replace("\\", "")


def test_own_bib_and_notes_go_into_the_users_own_files(cite: Cite, tmp_path: Path) -> None:
    first = cite(*WRITE, "--notes", tmp_path / "vault")
    reference = first.run["references"][0]
    notes = {path.stem: path for path in (tmp_path / "vault").iterdir()}
    assert set(notes) == {item["key"] for item in first.run["references"]}
    mine = notes[reference["key"]]
    mine.write_text(mine.read_text("utf-8") + "My own words.\n", "utf-8")
    own = tmp_path / "mine.bib"
    own.write_text(f"@misc{{Mine, title = {{{reference['paper']['title']}}}}}\n", "utf-8")
    again = cite("write", "--resume", first.run["run"], "--bib", own, "--format", "qmd")
    assert again.code == 0
    assert f"{len(notes)} notes in" in again.stderr
    assert again.run["references"][0]["key"] == "Mine"
    assert "@{Mine}" in again.text("files/section.qmd")
    assert "{Mine," in again.text("files/references.bib")
    assert "{Mine," not in again.text("files/lacking.bib")
    assert len([*(tmp_path / "vault").iterdir()]) == len(notes), "a note keeps its name"
    assert "\ncitekey: Mine\n" in mine.read_text("utf-8")
    assert mine.read_text("utf-8").endswith("My own words.\n")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--style", "nowhere.csl", "nowhere.csl"),
        ("--style", "no-such-style", "no-such-style"),
        ("--format", "pdf", "is not one of"),
        ("--writer", "sonnet", "writer"),
        ("--bib", "nowhere.bib", "there is no file nowhere.bib"),
        ("--notes", __file__, "choose another --notes"),
    ],
)
def test_wrong_choices_are_refused_before_anything_is_done(
    cite: Cite, option: str, value: str, words: str
) -> None:
    done = cite(*WRITE, option, value)
    assert done.code != 0
    assert words in done.stderr
    assert "review.md" not in done.files
