"""Citations of a Word file as Zotero's plug-in keeps them: whole, the same each time, and no two of one name."""

import json
import re
from dataclasses import replace
from io import BytesIO
from typing import Any

import docx
import pytest
from docx.oxml.ns import qn

from citeloom.report.result_report import ResultReport
from citeloom.report.word import word
from tests.report.test_section_forms import UGLY, values
from tools.bibliography.write_records import to_csl
from tools.documents.word_manuscript import read_word

_NAMES = {"author", "editor", "container-author", "collection-editor", "translator"}
_DATES = {"issued", "accessed"}
_KINDS = {"article", "article-journal", "paper-conference", "book", "chapter", "document", "report"}
_TEXTS = {
    "id", "citation-key", "title", "container-title", "collection-title", "publisher", "publisher-place", "volume",
    "issue", "page", "DOI", "URL", "ISBN", "ISSN", "number", "archive", "archive_location", "note", "abstract",
    "edition", "event-title", "genre", "language",
}  # fmt: skip


def check_item(item: dict[str, Any]) -> None:
    """Check an item after the schema of CSL's input data, version 1.0.2, as far as our records go."""
    assert item["type"] in _KINDS
    assert item.keys() <= _TEXTS | _NAMES | _DATES | {"type"}
    for name in item.keys() & _TEXTS:
        assert isinstance(item[name], str | int), name
    for name in item.keys() & _NAMES:
        for one in item[name]:
            parts = {
                "family",
                "given",
                "literal",
                "suffix",
                "non-dropping-particle",
                "dropping-particle",
            }
            assert one.keys() <= parts
            assert all(isinstance(part, str) and part for part in one.values())
    for name in item.keys() & _DATES:
        (date,) = item[name]["date-parts"]
        assert 1 <= len(date) <= 3
        assert all(isinstance(part, int) for part in date)


def check_citation(citation: dict[str, Any]) -> None:
    """Check a citation after what Zotero's plug-in writes and reads (CSL's citation schema and its own properties)."""
    assert citation.keys() == {"citationID", "properties", "citationItems", "schema"}
    assert citation["schema"].endswith("/csl-citation.json")
    assert re.fullmatch(r"[0-9a-f]{12}", citation["citationID"])
    assert citation["properties"].keys() == {"formattedCitation", "plainCitation", "noteIndex"}
    assert citation["properties"]["noteIndex"] == 0
    for item in citation["citationItems"]:
        assert (
            {"id", "uris", "itemData"}
            <= item.keys()
            <= {"id", "uris", "itemData", "suppress-author"}
        )
        assert item["uris"]
        assert all(item["uris"])
        check_item(item["itemData"])


def fields_of(content: bytes) -> list[tuple[str, str]]:
    """Return each field of a file: its code, and the text that it shows."""
    found: list[tuple[str, str]] = []
    code, shown, inside = "", "", ""
    for run in docx.Document(BytesIO(content)).element.body.iter(qn("w:r")):
        for part in run:
            if part.tag == qn("w:fldChar"):
                inside = part.get(qn("w:fldCharType"))
                if inside == "end":
                    found.append((code.strip(), shown))
                    code = shown = inside = ""
            elif part.tag == qn("w:instrText"):
                code += part.text
            elif part.tag == qn("w:t") and inside == "separate":
                shown += part.text
    return found


def citations_of(content: bytes) -> list[tuple[dict[str, Any], str]]:
    start = "ADDIN ZOTERO_ITEM CSL_CITATION "
    return [
        (json.loads(code.removeprefix(start)), shown)
        for code, shown in fields_of(content)
        if code.startswith(start)
    ]


def saved_again(content: bytes) -> bytes:
    file = BytesIO()
    docx.Document(BytesIO(content)).save(file)
    return file.getvalue()


@pytest.mark.parametrize("style", ["ieee", "apa", "acl"])
def test_each_citation_is_one_valid_field_with_its_brackets_and_all_its_papers(style: str) -> None:
    given = values(style)
    content = word(ResultReport.of("write", given))
    known = {item["id"]: item for item in to_csl(given["references"])}
    cited = citations_of(content)
    papers = [[item["id"] for item in citation["citationItems"]] for citation, _ in cited]
    keys = {item.marker: item.key for item in given["references"]}
    groups = [["P1"], ["P2", "P3", "P4"], ["P3", "P6"], ["P2"], ["P5"]]
    assert [sorted(one) for one in papers] == [sorted(keys[key] for key in one) for one in groups]
    for citation, shown in cited:
        check_citation(citation)
        assert citation["properties"]["plainCitation"] == shown
        assert shown[0] + shown[-1] in {"[]", "()"}
        assert all(item["itemData"] == known[item["id"]] for item in citation["citationItems"])
    named = [item.get("suppress-author", False) for item in cited[0][0]["citationItems"]]
    assert named == [style != "ieee"], "the sentence names the authors itself"
    *_, (listed, entries) = fields_of(content)
    assert listed == 'ADDIN ZOTERO_BIBL {"uncited":[],"omitted":[],"custom":[]} CSL_BIBLIOGRAPHY'
    assert len(fields_of(content)) == len(cited) + 1
    assert all(item.paper.title.split()[0] in entries for item in given["references"][:1])


def test_ids_and_addresses_are_each_citations_own_and_the_same_each_time() -> None:
    report = ResultReport.of("write", values())
    first, second = citations_of(word(report)), citations_of(word(report))
    assert first == second
    ids = [citation["citationID"] for citation, _ in first]
    assert len(set(ids)) == len(ids)
    uris = {
        item["id"]: tuple(item["uris"])
        for citation, _ in first
        for item in citation["citationItems"]
    }
    assert len(set(uris.values())) == len(UGLY), "or Zotero would take two papers for one"


def test_citation_leads_to_the_item_that_the_user_has() -> None:
    where = {UGLY["P1"].id: ["http://zotero.org/users/12/items/BARN2345"]}
    report = replace(ResultReport.of("write", values()), zotero_uris=where)
    (one, _), *others = citations_of(word(report))
    assert one["citationItems"][0]["uris"] == where[UGLY["P1"].id]
    assert all(
        uri.startswith("urn:citeloom:")
        for other, _ in others
        for item in other["citationItems"]
        for uri in item["uris"]
    )


@pytest.mark.parametrize("style", ["ieee", "apa"])
def test_file_saved_twice_by_others_keeps_its_fields_and_is_read_with_its_records(
    style: str,
) -> None:
    content = word(ResultReport.of("write", values(style)))
    again = saved_again(saved_again(content))
    assert fields_of(again) == fields_of(content)
    assert len(docx.Document(BytesIO(again)).comments) == 8
    text, papers = read_word(again, name="review.docx")
    assert sorted(paper.title for paper in papers) == sorted(paper.title for paper in UGLY.values())
    assert text.count("[@") == 5
