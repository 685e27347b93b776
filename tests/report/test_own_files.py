"""A section in the user's own tools: Quarto and Pandoc, LaTeX with a .bib of their own, a folder of notes."""

import json
import os
import re
import shutil
import subprocess
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from citeloom.cli.files import write_notes
from citeloom.cli.read_inputs import own_entries
from citeloom.report.notes import YOURS, notes, split_note
from citeloom.report.quarto import quarto
from citeloom.report.result_files import result_files
from citeloom.report.result_report import ResultReport
from state.paper import Paper
from state.quote import Argument, Debate, Quote
from state.results import Link, RankedPaper
from tests.report.test_section_forms import UGLY, paper, report, values
from tools.bibliography.bibtex_parser import raw_entries
from tools.errors import InputError

PANDOC = os.environ.get("CITELOOM_PANDOC") or shutil.which("pandoc")
OWN = r"""@article{Lee:Cost, title = {Another title}, author = {Lee, Ann}, year = 2020, doi = {10.1234/X_Y}}
@misc{my-twins, title = "{T}wins", author = {Kim, Ann}, year = 2022}
@book{LI2000bad, title = {Something else}, author = {Doe, Jo}, year = 1990}
@article{twins-by-another, title = {Twins}, author = {Roe, Jo}, year = 2021}
"""


def own_report(tmp_path: Path, text: str = OWN, style: str = "ieee") -> ResultReport:
    (tmp_path / "mine.bib").write_text(text, encoding="utf-8")
    papers = UGLY | {"P1": UGLY["P1"].model_copy(update={"doi": "10.1234/x_y"})}
    made = values(style, papers=papers)
    return ResultReport.of("write", made, own=own_entries(tmp_path / "mine.bib"))


def plain(document: str, folder: Path, *more: str) -> str:
    """Return what Pandoc makes of a document, on one line."""
    assert PANDOC
    command = [PANDOC, "-f", "markdown", "--citeproc", "-t", "plain", "--wrap=none", *more]
    done = subprocess.run(
        command, input=document, capture_output=True, text=True, cwd=folder, check=True
    )
    assert not done.stderr
    return " ".join(done.stdout.split())


@pytest.mark.parametrize("style", ["ieee", "apa"])
def test_quarto_cites_by_the_keys_of_references_bib(style: str) -> None:
    text = quarto(report(style))
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["title"] == "Related work"
    assert head["bibliography"] == "references.bib"
    entries = raw_entries(str(result_files(report(style))["files/references.bib"]))
    assert set(re.findall(r"@\{([^}]+)\}", text)) == {entry.key for entry in entries}
    body = text.split("---\n")[2]
    assert "@{lee2020cost} say 50\\% \\& more of $n^2$ costs \\$5 in C\\_3 \\<b\\>\\#1" in body
    assert "differs -\\- see \\@foo, \\*this\\* \\[x\\] and \\{braces\\}." in body
    assert "[-@{kim2021twins}; @{li2000bad}]" in body or "@{kim2021twins} [@{li2000bad}]" in body
    assert "\n1\\. Kim’s [-@{kim2021braces}] work" in body
    assert "\nBad" not in body
    assert "\\<script" not in head


@pytest.mark.skipif(not PANDOC, reason="needs pandoc")
def test_pandoc_prints_the_words_and_every_citation(tmp_path: Path) -> None:
    for name, content in result_files(report("apa"), ("qmd",)).items():
        if name.startswith("files/"):
            (tmp_path / Path(name).name).write_text(str(content), encoding="utf-8")
    shown = plain((tmp_path / "section.qmd").read_text("utf-8"), tmp_path)
    assert "(2020) say 50% & more of n² costs $5 in C_3 <b>#1</b>" in shown
    assert "– see" not in shown
    assert "@foo, *this* [x] and {braces}." in shown
    assert "References" in shown
    for cited in UGLY.values():
        assert cited.title.partition("$")[0].split()[0].strip("{}") in shown


@pytest.mark.skipif(not PANDOC, reason="needs pandoc")
@pytest.mark.parametrize(
    "odd",
    [
        "(1) first",
        "a) first",
        "i. first",
        "- item",
        "+ item",
        ": meant",
        "% title",
        "> said",
        "| line",
        "# heading",
        "1. one",
        "(@) example",
        "A -- b --- c",
        "``` code",
        "~~~ ^up^ ~down~ ==mark== %%hidden%%",
        "{{< include secret.md >}} `r 1`",
        "&amp; &lt; \\newcommand [^1] ![x](y) <!-- z -->",
        ":::: {.note}",
        "$5 and $10",
        "#tag [[link]] ^block",
    ],
)
def test_pandoc_prints_odd_words_as_they_are(odd: str, tmp_path: Path) -> None:
    told = ResultReport.of("write", values("ieee", [f"{odd} of {{P3}}."], UGLY))
    body = quarto(told).split("-->\n\n")[-1]
    shown = plain(body, tmp_path, "-M", "suppress-bibliography=true", "-f", "markdown-citations")
    assert shown.replace("…", "...") == f"{odd} of [@{{kim2021twins}}]."


def test_own_bib_gives_its_keys_and_the_new_file_has_only_what_it_lacks(tmp_path: Path) -> None:
    told = own_report(tmp_path)
    files = result_files(told, ("tex", "qmd"))
    keys = [item.key for item in told.references]
    assert keys[0] == "Lee:Cost", "by its DOI, whatever the title and case"
    assert "my-twins" in keys, "by title, first author and a year near"
    assert "twins-by-another" not in keys
    assert "li2000bad-a" in keys, "a key that the own file has not, in any case"
    lacking = [entry.key for entry in raw_entries(str(files["files/lacking.bib"]))]
    assert lacking == [key for key in keys if key not in {"Lee:Cost", "my-twins"}]
    assert len(lacking) == len(UGLY) - 2
    for name in ("files/section.tex", "files/section.qmd"):
        assert "Lee:Cost" in str(files[name])
        assert "lee2020cost" not in str(files[name])
    whole = [entry.key for entry in raw_entries(str(files["files/references.bib"]))]
    assert whole == keys
    assert [item["id"] for item in json.loads(str(files["files/references.csl.json"]))] == keys
    assert [item.key for item in told.values["references"]] == keys
    assert "lacking.bib" in str(files["files/README.md"])


def test_own_bib_that_has_all_leaves_nothing_to_add(tmp_path: Path) -> None:
    (tmp_path / "all.bib").write_text(
        str(result_files(report())["files/references.bib"]), encoding="utf-8"
    )
    told = ResultReport.of("write", values(), own=own_entries(tmp_path / "all.bib"))
    assert not told.lacking
    assert "files/lacking.bib" not in result_files(told)
    assert [item.key for item in told.references] == [item.key for item in report().references]


def test_own_bib_without_entries_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.bib").write_text("no entry\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.bib has no BibTeX entry"):
        own_entries(tmp_path / "mine.bib")
    with pytest.raises(InputError, match=r"no file .*absent\.bib"):
        own_entries(tmp_path / "absent.bib")


LATEX = shutil.which("pdflatex") and shutil.which("bibtex")


@pytest.mark.skipif(not LATEX, reason="needs pdflatex and bibtex")
@pytest.mark.parametrize("style", ["ieee", "apa"])
def test_latex_compiles_with_the_own_bib_and_what_it_lacks(tmp_path: Path, style: str) -> None:
    told = own_report(tmp_path, style=style)
    files = result_files(told, ("tex",))
    for name in ("references.bib", "lacking.bib"):
        (tmp_path / name).write_text(str(files[f"files/{name}"]), encoding="utf-8")
    section = str(files["files/section.tex"])
    for name, text in (
        ("section", section),
        ("paper", section.replace("{references}", "{mine,lacking}")),
    ):
        (tmp_path / f"{name}.tex").write_text(text, encoding="utf-8")
        latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
        for command in (latex, ["bibtex", name], latex, latex):
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
            assert done.returncode == 0, done.stdout[-2000:]
        log = (tmp_path / f"{name}.log").read_text("utf-8", errors="replace")
        assert "undefined" not in log.lower()
        assert "Repeated entry" not in (tmp_path / f"{name}.blg").read_text("utf-8")


def linked_values() -> dict[str, Any]:
    made = values()
    made["links"] = [Link(citing=UGLY["P1"].id, cited=UGLY["P3"].id)]
    return made


def test_notes_have_properties_quotes_with_their_claim_and_links() -> None:
    made = linked_values()
    sentence = made["sentences"][0]
    quote = Quote(text="Cost #1 is %%high%%", paper=UGLY["P1"].id, place="4.1 Costs, p. 7")
    first = sentence.citations[0].model_copy(update={"quote": quote, "claim": "Costs are high"})
    made["sentences"][0] = sentence.model_copy(update={"citations": (first,)})
    told = {note.name: note.text() for note in notes(ResultReport.of("write", made))}
    assert len(told) == len(UGLY)
    properties, body = split_note(told["lee2020cost"])
    assert properties == {
        "title": "Cost of $x^2$ & A&B at 50%",
        "authors": ["Ann Lee", "Bo Kim", "Cy Wu"],
        "year": 2020,
        "doi": "10.1/x_y",
        "citekey": "lee2020cost",
        "aliases": ["Cost of $x^2$ & A&B at 50%"],
        "tags": ["paper"],
        "citeloom": UGLY["P1"].id,
    }
    assert (
        "> “Cost \\#1 is \\%\\%high\\%\\%” (4.1 Costs, p. 7)\n\nSupported: Costs are high" in body
    )
    assert "## Cites\n\n- [[kim2021twins]]\n" in body
    assert "## Cited by\n\n- [[lee2020cost]]\n" in told["kim2021twins"]
    for text in told.values():
        assert text.count(YOURS) == 1
        assert all(link in told for link in re.findall(r"\[\[([^\]]+)\]\]", text))


def test_notes_of_papers_found_have_the_arguments() -> None:
    one = UGLY["P3"].model_copy(update={"references": (UGLY["P1"].id, "doi:10.9/unknown")})
    debate = Debate(
        paper=one.id,
        arguments_for=(Argument(claim="It is near", quote=Quote(text="We twin", paper=one.id)),),
        arguments_against=(Argument(claim="No quote"),),
        raw_score=90,
        score=90,
        by="extractive",
    )
    papers = [
        RankedPaper(rank=1, score=90, selected=True, paper=one, debate=debate),
        RankedPaper(rank=2, score=80, selected=True, paper=UGLY["P1"]),
        RankedPaper(rank=3, score=10, selected=False, paper=UGLY["P2"]),
    ]
    told = [note.text() for note in notes(ResultReport.of("find", {"papers": papers}))]
    assert len(told) == 2
    assert "> “We twin”\n\nFor: It is near" in told[0]
    assert "Cites\n\n- [[lee2020cost]]" in told[0]
    assert "No quote" not in told[0]


UNSAFE = [
    ("a/b:c*d?", "a/b:c*d?"),
    ("CON", "same"),
    ("Same", "other"),
    ("same", "third"),
    ("con.2020", "con"),
    ("x" * 190, "long"),
    ("[[up]]|#^", "link"),
    ("..", "dots"),
]


def unsafe_papers() -> dict[str, Paper]:
    from state.paper import Record

    return {
        f"P{at}": paper(title, "Ann Lee", year=2000).model_copy(
            update={"record": Record(format="bibtex", type="misc", key=key, fields=())}
        )
        for at, (key, title) in enumerate(UNSAFE, start=1)
    }


def test_names_of_notes_are_safe_on_every_system_and_unlike() -> None:
    papers = unsafe_papers()
    made = values("ieee", [f"A {{{key}}}." for key in papers], papers)
    names = [note.name for note in notes(ResultReport.of("write", made))]
    assert len({name.lower() for name in names}) == len(UNSAFE)
    for name in names:
        assert not set(name) & set('<>:"/\\|?*#^[] ')
        assert 0 < len(name) <= 90
        assert name.strip(". ") == name
        assert name.partition(".")[0].lower() not in {"con", "prn", "aux", "nul"}


def test_second_export_keeps_what_the_user_wrote_and_makes_no_second_note(tmp_path: Path) -> None:
    (tmp_path / "Index.md").write_text("# Mine\n", encoding="utf-8")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "kim2021twins.md").write_text("my own note of this name\n", encoding="utf-8")
    told = ResultReport.of("write", linked_values())
    assert write_notes(tmp_path, told) == len(UGLY)
    assert (tmp_path / "kim2021twins.md").read_text("utf-8") == "my own note of this name\n"
    there = sorted(path.name for path in tmp_path.iterdir())
    assert len(there) == len(UGLY) + 3
    # The user renames a note, adds properties and words, and takes the line away from another.
    first = (tmp_path / "lee2020cost.md").read_text("utf-8")
    edited = first.replace("year: 2020\n", "year: 1990\nrating: 5\nread: 2024-01-02\n")
    edited = edited.replace("tags:\n- paper\n", "tags:\n- to-read\n")
    (tmp_path / "lee2020cost.md").unlink()
    (tmp_path / "Costs, by Lee.md").write_text(f"{edited}\nMine: $x$ and [[Index]]\n", "utf-8")
    other = (tmp_path / "li2000bad.md").read_text("utf-8")
    (tmp_path / "li2000bad.md").write_text(other.replace(YOURS, "Mine instead"), "utf-8")
    for _ in range(2):
        write_notes(tmp_path, told)
    assert len([*tmp_path.iterdir()]) == len(there)
    properties, body = split_note((tmp_path / "Costs, by Lee.md").read_text("utf-8"))
    assert (properties["year"], properties["rating"]) == (2020, 5)
    assert str(properties["read"]) == "2024-01-02"
    assert properties["tags"] == ["paper", "to-read"]
    assert body.endswith(f"{YOURS}\n\nMine: $x$ and [[Index]]\n")
    assert "[[Costs, by Lee]]" in (tmp_path / "kim2021twins-a.md").read_text("utf-8")
    kept = (tmp_path / "li2000bad.md").read_text("utf-8")
    assert kept.count(YOURS) == 1
    assert "Mine instead" in kept.partition(YOURS)[2]
    assert (tmp_path / "bad.md").read_bytes() == b"\xff\xfe\x00"


@pytest.mark.parametrize("head", ["---\nnot: [closed\n---\n", "---\n- list\n---\n", "---\nopen"])
def test_a_head_that_is_no_properties_is_text(head: str) -> None:
    assert split_note(f"{head}text") == ({}, f"{head}text")


def test_zip_of_notes_is_the_same_each_time() -> None:
    told = ResultReport.of("write", linked_values())
    packed = result_files(told, ("notes",))["files/notes.zip"]
    assert packed == result_files(told, ("notes",))["files/notes.zip"]
    assert isinstance(packed, bytes)
    with ZipFile(BytesIO(packed)) as folder:
        assert "papers/lee2020cost.md" in folder.namelist()
        assert len(folder.namelist()) == len(UGLY)
    assert "files/notes.zip" not in result_files(
        ResultReport.of("write", {"sentences": []}), ("notes",)
    )
