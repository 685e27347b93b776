"""`citeloom references`: printed references as records, and what a source says of them, over real HTTP."""

import json
from pathlib import Path

import pytest
from typer.testing import Result

from tests.cli.commands import run, sources
from tests.cli.test_findings import sound
from tests.fakes.scholar.world import make_world
from tools.bibliography.read_records import read_records

LIST = """\
Abel, A., E. Quill, and B. Corvin. How sulphur rain reaches lichens? A study of tiled chapels. Journal of Lichens 12, no. 3 (1990): 45–67.
Brandt B, Dalca C. Tidal locks and the otters of harbours. Annals of Otters. 1991;30:598-608.
"""  # noqa: E501


def references(*arguments: str | Path, stdin: str | None = None) -> Result:
    return run("references", *arguments, stdin=stdin)


@pytest.mark.parametrize("form", ["bibtex", "csl", "ris"])
def test_each_form_holds_what_was_read_and_can_be_read_back(tmp_path: Path, form: str) -> None:
    path = tmp_path / {"bibtex": "out.bib", "csl": "out.json", "ris": "out.ris"}[form]
    done = references("-", "--format", form, "--out", path, stdin=LIST)
    assert done.exit_code == 0, done.output
    assert "2 references read, 0 with low confidence" in done.stderr
    first, second = read_records(path)
    assert first.title == "How sulphur rain reaches lichens? A study of tiled chapels"  # type: ignore[union-attr]
    assert [author.family for author in first.authors] == ["Abel", "Quill", "Corvin"]  # type: ignore[union-attr]
    assert (second.year, second.venue) == (1991, "Annals of Otters")  # type: ignore[union-attr]
    text = path.read_text("utf-8")
    assert all(told in text for told in ("12", "45", "598"))


def test_list_of_a_text_is_read_and_each_record_says_on_what_it_rests(tmp_path: Path) -> None:
    path = tmp_path / "draft.md"
    path.write_text(
        f"Lichens bleach [1].\n\n## References\n\n[1] {LIST.splitlines()[0]}\n", "utf-8"
    )
    done = references(path, "--format", "csl")
    (item,) = json.loads(done.stdout)
    printed, sure = item["custom"]["citeloom"]
    assert printed.startswith("As printed: Abel, A.")
    assert sure.startswith("Confidence of reading: 0.") or sure.endswith("1.00.")
    assert (item["volume"], item["issue"], item["page"]) == ("12", "3", "45-67")


def test_sources_confirm_fill_and_tell_what_differs(home: Path, tmp_path: Path) -> None:
    world = make_world(size=60, seed=3, crowd=0)
    right, wrong = sound(world)[:2]
    notice = world.add_notice(right, "expression_of_concern")
    lines = [
        f"{'; '.join(f'{family}, {given}' for given, family in work.authors)}. {year}. {work.title}. {work.venue}."
        for work, year in ((right, right.year), (wrong, wrong.year - 7))
    ]
    lines.append(LIST.splitlines()[0])
    path = tmp_path / "list.txt"
    path.write_text("\n".join(lines), "utf-8")
    with sources(world):
        done = references(path, "--source", "openalex", "--source", "crossref")
    assert done.exit_code == 0, done.output
    first, second, third = done.stdout.split("% As printed: ")[1:]
    assert f"doi = {{{right.doi}}}".lower() in first
    assert f"its publisher issued an expression of concern (doi:{notice.doi})" in first
    assert f"year is {wrong.year - 7}; the record has {wrong.year}" in second
    assert "Looked up: not found" in third or "Looked up: likely invented" in third


def test_file_without_references_ends_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    for text, told in (("\n\n", "is empty"), ("To buy: milk and bread.\n", "one reference a line")):
        path.write_text(text, "utf-8")
        assert told in run("references", path, code=2).stderr
