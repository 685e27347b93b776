"""BibTeX: good entries are read whatever stands between them."""

from datetime import date
from pathlib import Path

import pytest

from state.paper import Paper
from tools.bibliography.read import read_records
from tools.bibliography.read_record import BadRecord
from tools.errors import InputError


def read(tmp_path: Path, text: str | bytes) -> tuple[list[Paper], list[BadRecord]]:
    path = tmp_path / "refs.bib"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    records = list(read_records(path))
    good = [record for record in records if isinstance(record, Paper)]
    return good, [record for record in records if isinstance(record, BadRecord)]


def one(tmp_path: Path, fields: str) -> Paper:
    good, bad = read(tmp_path, f"@article{{key, title = {{The title}}, {fields}}}")
    assert bad == []
    return good[0]


def test_entry_becomes_a_paper(tmp_path: Path) -> None:
    text = r"""@string{acl = {Proc.\ ACL}}
@InProceedings{m20,
  Title     = {The {BERT} {\'e}tude of M{\"u}ller \& {\o}re -- 50% more},
  author    = {M{\"u}ller, J{\"o}rg and Ludwig van Beethoven and {Barnes and Noble} and others},
  booktitle = acl, year = 2020, month = feb, day = {3},
  doi = {https://doi.org/10.1000/A\_b}, abstract = "With
  a break.",
}"""
    good, bad = read(tmp_path, text)
    assert bad == []
    paper = good[0]
    assert paper.id == "doi:10.1000/a_b"
    assert paper.title == "The BERT étude of Müller & øre – 50% more"
    assert [author.name for author in paper.authors] == [
        "Müller, Jörg",
        "Ludwig van Beethoven",
        "Barnes and Noble",
    ]
    assert not paper.authors_complete
    assert (paper.venue, paper.abstract) == ("Proc. ACL", "With a break.")
    assert (paper.year, paper.published) == (2020, date(2020, 2, 3))


@pytest.mark.parametrize(
    ("fields", "year", "published"),
    [
        ("year = {2020}", 2020, None),
        ("year = {c. 2020}", 2020, None),
        ("year = {2020}, month = {February}", 2020, None),
        ("year = {2020}, month = 2, day = {30}", 2020, None),
        ("date = {2020-02-03}", 2020, date(2020, 2, 3)),
        ("date = {2020-02}", 2020, None),
        ("date = {2020/2021}", 2020, None),
        ("note = {no date}", None, None),
    ],
)
def test_day_is_kept_only_when_exact(
    tmp_path: Path, fields: str, year: int | None, published: date | None
) -> None:
    paper = one(tmp_path, fields)
    assert (paper.year, paper.published) == (year, published)


@pytest.mark.parametrize(
    "fields",
    [
        "eprint = {2005.11401v4}, archivePrefix = {arXiv}",
        "eprint = {2005.11401}, eprinttype = {arxiv}",
        "eprint = {2005.11401}",
        "url = {https://arxiv.org/abs/2005.11401v2}",
        "journal = {arXiv preprint arXiv:2005.11401}",
        "doi = {10.48550/arXiv.2005.11401}",
    ],
)
def test_arxiv_id_is_found_where_people_put_it(tmp_path: Path, fields: str) -> None:
    assert one(tmp_path, fields).id == "arxiv:2005.11401"


def test_eprint_of_another_archive_is_no_arxiv_id(tmp_path: Path) -> None:
    assert one(tmp_path, "eprint = {1234}, archivePrefix = {hal}").arxiv is None


def test_key_is_no_id_because_other_files_use_it_too(tmp_path: Path) -> None:
    assert (
        one(tmp_path, "year = {2020}, author = {Lovelace, Ada}").id
        == "title:thetitle-2020-lovelace"
    )


def test_bad_entries_are_named_by_line_and_cost_only_themselves(tmp_path: Path) -> None:
    text = """@article{a, title={First}, year=2020}
@article{a, title={Again}, year=2021}
@article{b, title={Unclosed {brace, year={2020},
@article{c, title={Third}, year={2019}}
@article{d, year={2019}}
@article{e, title={Fifth}, year={two thousand}}
@article{f, title={Sixth}, year={99999}}
@comment{nothing}
loose text
@article{g, title={Seventh}}
@article{h, title={At the end}, author={Z"""
    good, bad = read(tmp_path, text)
    assert [paper.title for paper in good] == ["First", "Third", "Seventh"]
    found = [(record.line, record.reason.split(":")[0].split(",")[0]) for record in bad]
    assert found == [
        (2, "an entry before it has the same key"),
        (3, "the entry is broken off or malformed"),
        (5, "it has no title"),
        (6, "its year"),
        (7, "its year"),
        (11, "the entry is broken off or malformed"),
    ]
    assert all(record.lost and record.excerpt.startswith("@article") for record in bad)


def test_repeated_field_is_a_note_and_the_first_counts(tmp_path: Path) -> None:
    good, bad = read(tmp_path, '@misc{a, title={{One} title}, url="u", url={v}, year=2020}')
    assert [(paper.title, paper.url, paper.year) for paper in good] == [("One title", "u", 2020)]
    assert [(record.line, record.lost) for record in bad] == [(1, False)]


def test_latin_1_file_is_read_with_a_note(tmp_path: Path) -> None:
    text = "@misc{a, title={First}}\n@misc{b, title={Über Café}}".encode("latin-1")
    good, bad = read(tmp_path, text)
    assert [paper.title for paper in good] == ["First", "Über Café"]
    assert [(record.line, record.lost) for record in bad] == [(2, False)]
    assert "Latin-1" in bad[0].reason


def test_file_without_entries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no BibTeX entry"):
        read(tmp_path, "just some text")


def test_parser_writes_nothing_to_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _, bad = read(tmp_path, "@article{a, title={Open")
    assert len(bad) == 1
    assert capfd.readouterr() == ("", "")
