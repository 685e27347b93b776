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
    if indent is None and shape is ITEM:
        pytest.skip("one object on one line is a line of JSON Lines")
    if indent is None and isinstance(shape, dict):
        pytest.skip("one object on one line is a line of JSON Lines")
    assert bad == []
    paper = good[0]
    assert (paper.id, paper.aliases) == ("doi:10.1000/rag", ())
    assert (paper.title, paper.abstract, paper.venue) == ("Retrieval & generation", "Text.", "NeurIPS")
    assert [author.name for author in paper.authors] == ["Lewis, Patrick", "The Group"]
    assert (paper.year, paper.published) == (2020, date(2020, 5, 22))
