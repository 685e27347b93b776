"""Documents that record files name."""

import gzip
import json
from pathlib import Path

import pytest

from tools.bibliography.read_record import BadRecord
from tools.documents.file_fields import paths_in
from tools.documents.records import Attached, attachments, read_attachments
from tools.errors import InputError

FORMS = {
    "jabref": (":papers/a.pdf:PDF", ["papers/a.pdf"]),
    "jabref with a description": ("The paper:a b.pdf:PDF;Notes:n.html:URL", ["a b.pdf", "n.html"]),
    "jabref with a masked colon": (r":C\:\\papers\\a.pdf:PDF", [r"C:\papers\a.pdf"]),
    "zotero": ("Full Text:files/12/x.pdf:application/pdf;Snapshot:files/13/y.html:text/html",
               ["files/12/x.pdf", "files/13/y.html"]),
    "better bibtex": ("/papers/of/ann/a.pdf;/papers/of/ann/b.html", ["/papers/of/ann/a.pdf", "/papers/of/ann/b.html"]),
    "masked semicolon": (r"a\;b.pdf;c.pdf", ["a;b.pdf", "c.pdf"]),
    "masked colon": (r"files/1/Title\: of it.pdf", ["files/1/Title: of it.pdf"]),
    "windows": (r"C:\Users\ann\a.pdf", [r"C:\Users\ann\a.pdf"]),
    "mendeley": (":home/ann/a.pdf:pdf;:home/ann/b.pdf:pdf", ["home/ann/a.pdf", "home/ann/b.pdf"]),
    "mendeley on windows": (r":C$\backslash$:/Users/ann/a.pdf:pdf", ["C:/Users/ann/a.pdf"]),
    "latex": (r"a\_b {\&} c.pdf", ["a_b {&} c.pdf"]),
    "empty": ("", []),
    "only signs": (":;::;:::", []),
}  # fmt: skip


@pytest.mark.parametrize(("value", "paths"), FORMS.values(), ids=FORMS.keys())
def test_file_fields_are_understood(value: str, paths: list[str]) -> None:
    assert paths_in(value) == paths


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "export"
    (made / "files" / "12").mkdir(parents=True)
    for name in ("a.pdf", "b: c.html", "files/12/x y.pdf"):
        (made / name).write_text("content", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return made


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


BIBTEX = r"""
@string{jop = "Journal of Ponds"}
@article{one, title={Frogs}, author={Lee, Ann}, journal=jop, year=2001,
  file={:a.pdf:PDF;Web:b\: c.html:HTML}, keywords={pond, green frogs; {N}oise}}
@article{broken, title={
@article{two, title={Toads}, year=2002, file={files/12/x y.pdf}, file={gone.pdf}}
@misc{three, title={Newts}, year=2003, file={:gone.pdf:PDF;../secret.txt;/etc/hostname}}
@misc{four, year=2004, file={a.pdf}}
@misc{five, title={Eels}}
"""


def test_bibtex_entries_have_their_files_tags_and_notes(folder: Path) -> None:
    found = attachments(write(folder, "refs.bib", BIBTEX))
    assert [one.record.title for one in found] == ["Frogs", "Toads", "Newts", "Eels"]
    frogs, toads, newts, eels = found
    assert frogs.files == (folder / "a.pdf", folder / "b: c.html")
    assert frogs.tags == ("pond", "green frogs", "Noise")
    assert frogs.record.venue == "Journal of Ponds"
    assert toads.files == (folder / "files/12/x y.pdf",)
    assert newts.files == ()
    assert newts.notes[0] == "gone.pdf is missing"
    assert all("lies outside" in note for note in newts.notes[1:])
    assert len(newts.notes) == 3
    assert eels == Attached(eels.record)
    told = list(read_attachments(folder / "refs.bib"))
    assert [isinstance(one, BadRecord) for one in told] == [False, True, False, False, True, False]


def test_files_outside_the_folder_are_read_only_where_it_is_allowed(folder: Path) -> None:
    path = write(folder, "refs.bib", "@misc{a, title={Newts}, file={../secret.txt}}")
    assert attachments(path)[0].files == ()
    assert attachments(path, root=folder.parent)[0].files == (folder.parent / "secret.txt",)


def test_links_that_lead_outside_are_not_followed(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    found = attachments(write(folder, "refs.bib", "@misc{a, title={Newts}, file={link.txt}}"))
    assert found[0].files == ()
    assert "lies outside" in found[0].notes[0]


def test_file_of_mendeley_without_its_first_slash_is_found(folder: Path) -> None:
    bare = str(folder / "a.pdf").lstrip("/")
    found = attachments(
        write(folder, "refs.bib", f"@misc{{a, title={{Newts}}, file={{:{bare}:pdf}}}}")
    )
    assert found[0].files == (folder / "a.pdf",)


def test_better_bibtex_json_has_zotero_items_with_attachments(folder: Path) -> None:
    item = {
        "itemType": "journalArticle", "title": "Frogs", "DOI": "10.1234/F", "date": "2001-02-03",
        "creators": [
            {"creatorType": "author", "lastName": "Lee", "firstName": "Ann"},
            {"creatorType": "editor", "lastName": "Boss"}, {"creatorType": "author", "name": "The Pond"},
        ],
        "publicationTitle": "Journal of Ponds", "extra": "arXiv: 2001.00001\nother: x",
        "tags": [{"tag": "pond"}, "green"],
        "attachments": [{"path": "files/12/x y.pdf"}, {"title": "no path"}, {"path": "files/9/no.pdf"}],
    }  # fmt: skip
    note = {"itemType": "note", "note": "x"}
    path = write(folder, "refs.json", json.dumps({"config": {}, "items": [item, note, 7]}))
    found = list(read_attachments(path))
    assert isinstance(found[0], Attached)
    paper = found[0].record
    assert (paper.id, paper.arxiv, str(paper.published)) == (
        "doi:10.1234/f",
        "2001.00001",
        "2001-02-03",
    )
    assert [author.name for author in paper.authors] == ["Lee, Ann", "The Pond"]
    assert found[0].files == (folder / "files/12/x y.pdf",)
    assert (found[0].tags, found[0].notes) == (("pond", "green"), ("files/9/no.pdf is missing",))
    assert [isinstance(one, BadRecord) for one in found] == [False, True, True]


def test_csl_items_with_attachments_and_keywords_are_read(folder: Path) -> None:
    item = {"id": "x", "title": "Frogs", "DOI": "10.1234/f", "keyword": "pond, green",
            "attachments": [{"path": str(folder / "a.pdf")}]}  # fmt: skip
    found = attachments(write(folder, "refs.json", json.dumps([item, {"title": None}])))
    assert len(found) == 1
    assert (found[0].files, found[0].tags) == ((folder / "a.pdf",), ("pond", "green"))


RDF = """<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:link="http://purl.org/rss/1.0/modules/link/" xmlns:dcterms="http://purl.org/dc/terms/">
<bib:Article rdf:about="#item_1"><z:itemType>journalArticle</z:itemType><dcterms:isPartOf><bib:Journal>
<dc:title>Journal of Ponds</dc:title><dc:identifier>DOI 10.1234/F</dc:identifier></bib:Journal></dcterms:isPartOf>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Lee</foaf:surname><foaf:givenName>Ann</foaf:givenName>
</foaf:Person></rdf:li></rdf:Seq></bib:authors><link:link rdf:resource="#item_2"/><link:link rdf:resource="#item_9"/>
<dc:subject>pond</dc:subject><dc:subject><z:AutomaticTag><rdf:value>green</rdf:value></z:AutomaticTag></dc:subject>
<dc:title>Frogs</dc:title><dcterms:abstract>They croak.</dcterms:abstract><dc:date>March 2001</dc:date>
<dc:identifier><dcterms:URI><rdf:value>http://arxiv.org/abs/2001.00001</rdf:value></dcterms:URI></dc:identifier>
</bib:Article><z:Attachment rdf:about="#item_2"><z:itemType>attachment</z:itemType>
<rdf:resource rdf:resource="files/12/x%20y.pdf"/><dc:title>Full Text</dc:title></z:Attachment>
<bib:Memo rdf:about="#item_9"><rdf:value>a note</rdf:value></bib:Memo>
<rdf:Description rdf:about="#item_3"><dcterms:isPartOf rdf:resource="urn:issn:1"/><dc:title>Toads</dc:title>
</rdf:Description><rdf:Description rdf:about="#item_4"><dcterms:isPartOf rdf:resource="urn:issn:1"/>
<dc:title>Newts</dc:title></rdf:Description><bib:Journal rdf:about="urn:issn:1"><dc:title>Shared</dc:title>
<dc:identifier>DOI 10.1234/other</dc:identifier></bib:Journal>
<z:Collection rdf:about="#collection_1"><dc:title>Mine</dc:title></z:Collection></rdf:RDF>"""


def test_zotero_rdf_has_records_attachments_and_tags(folder: Path) -> None:
    found = attachments(write(folder, "export.rdf", RDF))
    assert [one.record.title for one in found] == ["Frogs", "Toads", "Newts"]
    frogs = found[0]
    assert (frogs.record.id, frogs.record.arxiv) == ("doi:10.1234/f", "2001.00001")
    assert (frogs.record.year, frogs.record.venue) == (2001, "Journal of Ponds")
    assert frogs.record.abstract == "They croak."
    assert [author.name for author in frogs.record.authors] == ["Lee, Ann"]
    assert frogs.files == (folder / "files/12/x y.pdf",)
    assert frogs.tags == ("pond", "green")
    toads, newts = found[1:]  # the DOI in a journal of several items is nobody's
    assert (toads.record.doi, newts.record.doi) == (None, None)
    assert toads.record.venue == "Shared"


def test_other_record_files_are_read_without_documents(folder: Path) -> None:
    lines = '{"title": "Frogs"}\n{"title": "Toads"}\n'
    found = attachments(write(folder, "refs.jsonl", lines))
    assert [(one.record.title, one.files) for one in found] == [("Frogs", ()), ("Toads", ())]
    packed = write(folder, "refs.bib.gz", gzip.compress(b"@misc{a, title={Frogs}, file={a.pdf}}"))
    assert attachments(packed)[0].files == (folder / "a.pdf",)


@pytest.mark.parametrize("content", ["", "  \n", "no records at all", "\0\1\2"])
def test_files_without_records_are_refused(folder: Path, content: str) -> None:
    with pytest.raises(InputError):
        attachments(write(folder, "refs.txt", content))


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        attachments(tmp_path / "none.bib")


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "~", "/", ".", "files"])
def test_paths_that_are_no_files_are_missing_or_outside(folder: Path, path: str) -> None:
    item = {"itemType": "book", "title": "Frogs", "attachments": [{"path": path}]}
    found = attachments(write(folder, "refs.json", json.dumps([item])))
    assert found[0].files == ()
    assert len(found[0].notes) == 1
