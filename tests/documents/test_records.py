"""Documents that record files name."""

import gzip
from pathlib import Path

import pytest

from tools.bibliography.read_record import BadRecord
from tools.documents.attachments import RecordAttachment, paths_in, read_attachments
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


def attachments(path: Path, root: Path | None = None) -> list[RecordAttachment]:
    return [one for one in read_attachments(path, root=root) if isinstance(one, RecordAttachment)]


def test_bibtex_entries_have_their_files_tags_and_notes(folder: Path) -> None:
    path = write(folder, "refs.bib.gz", gzip.compress(BIBTEX.encode()))
    frogs, toads, newts, eels = attachments(path)
    assert frogs.record.title == "Frogs"
    assert frogs.files == (folder / "a.pdf", folder / "b: c.html")
    assert frogs.tags == ("pond", "green frogs", "Noise")
    assert frogs.record.venue == "Journal of Ponds"
    assert toads.files == (folder / "files/12/x y.pdf",)
    assert newts.files == ()
    assert newts.notes[0] == "gone.pdf is missing"
    assert all("lies outside" in note for note in newts.notes[1:])
    assert len(newts.notes) == 3
    assert eels == RecordAttachment(eels.record)
    lost = [one for one in read_attachments(path) if isinstance(one, BadRecord) and one.lost]
    assert len(lost) == 2


def test_files_outside_the_folder_are_read_only_where_it_is_allowed(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    path = write(folder, "refs.bib", "@misc{a, title={Newts}, file={../secret.txt;link.txt}}")
    assert attachments(path)[0].files == ()
    assert all("lies outside" in note for note in attachments(path)[0].notes)
    assert attachments(path, folder.parent)[0].files == (folder.parent / "secret.txt",)


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


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "~", "/", ".", "files"])
def test_paths_that_are_no_files_are_missing_or_outside(folder: Path, path: str) -> None:
    (found,) = attachments(
        write(folder, "refs.bib", f"@misc{{a, title={{Frogs}}, file={{:{path}:PDF}}}}")
    )
    assert found.files == ()
    assert len(found.notes) == 1


def test_file_that_is_absent_or_no_rdf_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        attachments(folder / "none.bib")
    with pytest.raises(InputError, match="cannot be read"):
        attachments(write(folder, "refs.rdf", "<"))
