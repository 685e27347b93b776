"""CSL JSON as Zotero, pandoc and Crossref write it."""

import json
from datetime import date
from pathlib import Path

import pytest

from state.paper import Paper
from tools.bibliography.read import read_records
from tools.bibliography.read_record import BadRecord

ITEM = {
    "id": "lewis2020", "type": "paper-conference", "title": "Retrieval & generation",
    "author": [{"family": "Lewis", "given": "Patrick"}, {"literal": "The Group"}],
    "issued": {"date-parts": [[2020, 5, 22]]}, "container-title": "NeurIPS",
    "DOI": "10.1000/RAG", "URL": "https://example.org/rag", "abstract": "<jats:p>Text.</jats:p>",
}  # fmt: skip


def read(tmp_path: Path, text: str) -> tuple[list[Paper], list[BadRecord]]:
    path = tmp_path / "refs.json"
    path.write_text(text, encoding="utf-8")
    records = list(read_records(path))
    good = [record for record in records if isinstance(record, Paper)]
    return good, [record for record in records if isinstance(record, BadRecord)]


@pytest.mark.parametrize("shape", [[ITEM], {"items": [ITEM]}, ITEM])
@pytest.mark.parametrize("indent", [None, 2])
def test_item_becomes_a_paper(tmp_path: Path, shape: object, indent: int | None) -> None:
    good, bad = read(tmp_path, json.dumps(shape, indent=indent))
    assert bad == []
    paper = good[0]
    assert (paper.id, paper.aliases) == ("doi:10.1000/rag", ())
    assert (paper.title, paper.abstract, paper.venue) == (
        "Retrieval & generation",
        "Text.",
        "NeurIPS",
    )
    assert [author.name for author in paper.authors] == ["Lewis, Patrick", "The Group"]
    assert (paper.year, paper.published) == (2020, date(2020, 5, 22))


def test_crossref_lists_and_references_are_understood(tmp_path: Path) -> None:
    item = {
        "title": ["A title"], "container-title": ["A venue"], "DOI": "10.1000/A", "abstract": None,
        "issued": {"date-parts": [[2019, 3]]}, "reference": [{"DOI": "10.1000/B"}, {"unstructured": "x"}],
    }  # fmt: skip
    good, bad = read(tmp_path, json.dumps([item]))
    assert bad == []
    assert (good[0].title, good[0].venue, good[0].references) == (
        "A title",
        "A venue",
        ("doi:10.1000/b",),
    )
    assert (good[0].year, good[0].published) == (2019, None)


@pytest.mark.parametrize(
    ("fields", "paper_id"),
    [
        ({"id": "lewis2020"}, "title:thetitle-nd-"),
        ({"id": 7}, "title:thetitle-nd-"),
        ({"id": "http://zotero.org/users/1/items/AB"}, "local:http://zotero.org/users/1/items/AB"),
        ({"id": "https://doi.org/10.1000/X"}, "doi:10.1000/x"),
        ({"number": "arXiv:2005.11401", "archive": "arXiv"}, "arxiv:2005.11401"),
        ({"URL": "http://arxiv.org/abs/2005.11401v1"}, "arxiv:2005.11401"),
    ],
)
def test_only_ids_that_hold_elsewhere_are_kept(
    tmp_path: Path, fields: dict[str, object], paper_id: str
) -> None:
    good, _ = read(tmp_path, json.dumps([{"title": "The title"} | fields]))
    assert [paper.id for paper in good] == [paper_id]


@pytest.mark.parametrize(
    ("issued", "year", "published"),
    [
        ({"date-parts": [["2020", "05", "22"]]}, 2020, date(2020, 5, 22)),
        ({"date-parts": [[2020]]}, 2020, None),
        ({"date-parts": [[]]}, None, None),
        ({"raw": "2020-05-22"}, 2020, date(2020, 5, 22)),
        ({"literal": "Spring 2020"}, 2020, None),
        ("2020", None, None),
    ],
)
def test_date_is_as_exact_as_given(
    tmp_path: Path, issued: object, year: int | None, published: date | None
) -> None:
    good, bad = read(tmp_path, json.dumps([{"title": "t", "issued": issued}]))
    assert bad == []
    assert (good[0].year, good[0].published) == (year, published)


def test_bad_item_is_named_by_position_and_does_not_cost_the_others(tmp_path: Path) -> None:
    items = [
        ITEM,
        {"type": "book"},
        "text",
        {"title": "t", "issued": {"date-parts": [["x"]]}},
        {"title": "z"},
    ]
    good, bad = read(tmp_path, json.dumps(items))
    assert [paper.title for paper in good] == ["Retrieval & generation", "z"]
    assert [record.line for record in bad] == [2, 3, 4]


def test_file_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    text = json.dumps([ITEM, {"title": "second"}, {"title": "third"}], indent=1)
    good, bad = read(tmp_path, text[: text.index("third")])
    assert [paper.title for paper in good] == ["Retrieval & generation", "second"]
    assert len(bad) == 1
    assert "breaks off" in bad[0].reason


def test_file_of_broken_json_is_one_bad_record(tmp_path: Path) -> None:
    good, bad = read(tmp_path, '{"items": [\n')
    assert good == []
    assert "not JSON" in bad[0].reason


def test_letters_that_cannot_be_read_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "refs.json"
    path.write_bytes(b'[{"title": "caf\xe9"}]')
    note, paper = read_records(path)
    assert isinstance(note, BadRecord)
    assert not note.lost
    assert isinstance(paper, Paper)
    assert paper.title == "caf\ufffd"
