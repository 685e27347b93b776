"""`citeloom write`: a section about papers that the caller names."""

from pathlib import Path

import pytest

from state.paper import Paper
from tests.cli.commands import CONTRACT, Done, cited
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL, small_records

WRITE = ("write", ABSTRACT, "--library", SMALL)
BIB = """\
@article{first,
  title = {A graph of citations for related work},
  author = {Lee, Ann and Roe, Bo},
  year = {2019},
  abstract = {We present a graph of citations that ranks related work. Experiments show that the
    graph finds papers that keywords miss.}
}
@article{broken, title = {Never closed,
  author = {Nobody}

@article{second,
  title = {Checked quotes in generated reviews},
  author = {Doe, Cy},
  year = {2022},
  abstract = {The paper introduces checked quotes for generated reviews. The results show that
    checked quotes remove invented claims.}
}
"""


@pytest.fixture
def papers() -> list[Paper]:
    return small_records()[20:24]


def cited_ids(done: Done) -> set[str]:
    numbers = {number for item in done.run["sentences"] for number in cited(item["text"])}
    references = {item["number"]: item["paper"]["id"] for item in done.run["references"]}
    assert numbers == set(references)
    return set(references.values())


def test_papers_named_by_id_are_cited_in_any_form_of_the_id(
    cite: Cite, papers: list[Paper]
) -> None:
    bare = papers[1].id.removeprefix("arxiv:").removeprefix("doi:")
    forms = [papers[0].id, bare, papers[2].id, "arxiv:9999.99999"]
    done = cite(*WRITE, *(argument for form in forms for argument in ("--paper", form)))
    assert "Not done: arxiv:9999.99999: the library 'small' has no such paper" in done.stderr
    assert [item["subject"] for item in done.run["failures"]] == ["arxiv:9999.99999"]
    assert (done.code, done.files) == (0, CONTRACT - {"papers.json"})
    assert cited_ids(done) == {paper.id for paper in papers[:3]}
    for item in done.run["sentences"]:
        for verdict in item["citations"]:
            record = next(
                entry["paper"]
                for entry in done.run["references"]
                if entry["paper"]["id"] == verdict["paper"]
            )
            quote = verdict["quote"]
            source = record[quote["part"]]
            assert source[quote["start"] : quote["end"]] == quote["text"]


def test_good_entries_of_a_broken_bibtex_file_are_cited_and_the_bad_one_is_named(
    cite: Cite, home: Path
) -> None:
    path = home.parent / "papers.bib"
    path.write_text(BIB, encoding="utf-8")
    done = cite(*WRITE, "--papers", path)
    assert done.code == 0
    assert len(done.run["references"]) == 2
    assert {item["paper"]["year"] for item in done.run["references"]} == {2019, 2022}
    assert "Not read:" in done.stderr
    assert "papers.bib:8:" in done.stderr
    assert "Nobody" not in done.text("review.md")


def test_bibliography_that_a_run_wrote_can_be_written_about(cite: Cite, home: Path) -> None:
    first = cite(*WRITE, "--paper", small_records()[20].id, out="first")
    done = cite(*WRITE, "--papers", first.out / "files/references.bib")
    assert done.code == 0
    verdicts = [item for text in done.run["sentences"] for item in text["citations"]]
    assert {item["verdict"] for item in verdicts} == {"not_checked"}, "BibTeX has no abstracts"
    assert done.run["outcome"] == "partial"
    assert "no abstract or text to check it against" in done.text("review.md")


def test_kept_papers_of_a_find_run_are_written_about(cite: Cite) -> None:
    found = cite("find", ABSTRACT, "--library", SMALL, "--keep", "4", out="found")
    done = cite(*WRITE, "--papers", found.out / "papers.json")
    assert done.code == 0
    assert cited_ids(done) == set(found.run["selected"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.bib", None, "there is no file"),
        ("bad.bib", "@article{a, title={Never closed\n", "has no usable record of a paper"),
        ("bad.json", "{nope", "is not JSON"),
        ("found.json", '{"papers": []}', "has no usable record of a paper"),
        ("odd.json", '{"papers": ["x", 3]}', "has no usable record of a paper"),
        ("notes.txt", "just some words", "is of no known kind"),
    ],
)
def test_file_without_a_usable_paper_is_refused(
    cite: Cite, home: Path, name: str, content: str | None, message: str
) -> None:
    path = home.parent / name
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = cite(*WRITE, "--papers", path)
    assert done.code == 2
    assert message in done.stderr
    assert done.files == set()
