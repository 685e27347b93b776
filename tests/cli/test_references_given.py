"""What `verify --papers` takes of a file: each entry with its key, two of one work too."""

import json
from pathlib import Path

import pytest

from citeloom.cli.inputs import read_papers, read_references

BIB = """@article{Lee:01, title={Snow on roofs}, author={Lee, Ann}, doi={10.1234/a}}
@article{copy, title={Snow on the roofs}, author={Lee, Ann}, doi={10.1234/A}}
@misc{, title={No key}, author={Kim, Bo}, year=2001}"""
RIS = "TY  - JOUR\nID  - r1\nTI  - Snow\nER  - \n"
CSL = json.dumps([{"id": "c1", "type": "book", "title": "Ice"}])


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("refs.bib", BIB, ["local:Lee:01", "local:copy", ""]),
        ("refs.ris", RIS, ["local:r1"]),
        ("refs.json", CSL, ["local:c1"]),
    ],
)
def test_each_entry_is_known_by_its_key(
    tmp_path: Path, name: str, text: str, keys: list[str]
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = read_references(path)
    assert len({record["id"] for record in found}) == len(keys)
    assert [{key} <= {record["id"], *record["aliases"], ""} for record, key in zip(found, keys, strict=True)] == [
        True for _ in keys
    ]  # fmt: skip


def test_two_entries_with_one_doi_keep_it_and_stay_two(tmp_path: Path) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(BIB, encoding="utf-8")
    first, second, _ = read_references(path)
    assert (first["id"], second["id"]) == ("doi:10.1234/a", "local:copy")
    assert [record["doi"] for record in (first, second)] == ["10.1234/a", "10.1234/a"]
    assert [record["title"] for record in read_papers(path)][:2] == [
        "Snow on roofs",
        "Snow on the roofs",
    ]
