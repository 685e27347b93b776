"""What a file is, and reading it within limits; the documents that records name."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.document import Document
from tools.bibliography.read_record import BadRecord
from tools.documents.attachments import RecordAttachment, paths_in, read_attachments
from tools.documents.file_types import detect_file_type
from tools.documents.open_document import Kind, note_on, read_document
from tools.errors import DocumentError, InputError
from tools.file_limits import FileLimits


def zipped(*names: str, content: bytes = b"x") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return stream.getvalue()


def tarred() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("paper.txt"))
    return stream.getvalue()


KNOWN: dict[str, tuple[bytes, str, Kind]] = {
    "pdf": (b"%PDF-1.7\n", "a.pdf", "pdf"),
    "pdf behind some bytes": (b"junk\n" * 20 + b"%PDF-1.4", "a.txt", "pdf"),
    "word": (zipped("[Content_Types].xml", "word/document.xml"), "a.pdf", "docx"),
    "html with a wrong name": (b"<!DOCTYPE html><p>x", "a.pdf", "html"),
    "html in capitals": (b"\n <HTML><BODY>x</BODY></HTML>", "a", "html"),
    "xhtml": (b'<?xml version="1.0"?><!-- a --><html xmlns="x"><body/></html>', "a.xml", "html"),
    "latexml": (b'<article class="ltx_document"><p>x</p></article>', "a.xml", "html"),
    "a piece of html": (b"<p>one<p>two", "a.html", "html"),
    "jats": (b"<article><front><article-meta/></front></article>", "a.html", "jats"),
    "jats in an answer": (
        b"<pmc-articleset><article><front/><body/></article></pmc-articleset>",
        "a",
        "jats",
    ),
    "jats by its type": (
        b'<!DOCTYPE article PUBLIC "-//NLM//DTD JATS"><article/>',
        "a.xml",
        "jats",
    ),
    "tei": (b'<TEI xmlns="http://www.tei-c.org/ns/1.0"><text/></TEI>', "a.xml", "tei"),
    "markdown": (b"plain words", "a.md", "markdown"),
    "markdown with html": (b"<img src=x>\n# Head\n", "a.md", "markdown"),
    "markdown called text": (b"# One\n\nwords\n\n## Two\n", "a.txt", "markdown"),
    "text": (b"plain words", "a.txt", "text"),
    "text called html": (b"plain words", "a.html", "text"),
    "text called pdf": (b"plain words", "a.pdf", "text"),
    "text with a smaller sign": (b"< 3 words >", "a.txt", "text"),
    "text in utf-16": ("plain words".encode("utf-16"), "a.txt", "text"),
    "text with a stray nul": (b"plain\0 words", "a.txt", "text"),
    "text far below": (b"\n" * 300_000 + b"plain words", "a.txt", "text"),
    "markdown that was packed": (b"words", "a.md.gz", "markdown"),
}


@pytest.mark.parametrize(("content", "name", "kind"), KNOWN.values(), ids=KNOWN.keys())
def test_kind_is_told_by_contents(content: bytes, name: str, kind: Kind) -> None:
    assert detect_file_type(content, name) == kind


REFUSED: dict[str, tuple[bytes, str, str, str]] = {
    "empty": (b"", "a.pdf", "is empty: it has no bytes", "again"),
    "white space": (b" \n\t ", "a.txt", "only white space", ""),
    "packed nothing": (gzip.compress(b""), "a.gz", "is empty", "again"),
    "nul bytes": (b"\0" * 500, "a.txt", "binary|empty", ""),
    "binary": (bytes(range(256)) * 9, "a.txt", "binary file", "UTF-8"),
    "another encoding": ("漢字テスト".encode("shift-jis") * 90, "a.txt", "binary file", "UTF-8"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0", "a.pdf", "a picture", "OCR"),
    "photograph": (b"\xff\xd8\xff\xe0\0\0", "a.jpg", "a picture", "OCR"),
    "drawing": (b'<svg xmlns="x"><path/></svg>', "a.svg", "root element 'svg'", "PDF"),
    "archive": (zipped("a.pdf", "b.pdf"), "papers.zip", "a zip archive", "unpack"),
    "empty archive": (zipped(), "papers.zip", "a zip archive", "unpack"),
    "tape": (tarred(), "papers.tar", "a tar archive", "unpack"),
    "packed tape": (gzip.compress(tarred()), "papers.tar.gz", "a tar archive", "unpack"),
    "7z": (b"7z\xbc\xaf\x27\x1c" + b"\0" * 9, "a.7z", "7z archive", "unpack"),
    "postscript": (b"%!PS-Adobe-3.0\n", "a.ps", "PostScript", "ps2pdf"),
    "old word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 99, "a.doc", "of the old kind", ".docx"),
    "encrypted word": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.docx",
        "is encrypted", "password",
    ),
    "rich text": (b"{\\rtf1 x}", "a.doc", "Rich Text", ".docx"),
    "e-book": (zipped("mimetype", "META-INF/container.xml"), "a.epub", "e-book", "convert"),
    "slides": (zipped("ppt/slides/slide1.xml"), "a.docx", "PowerPoint", "PDF"),
    "opendocument": (zipped("mimetype", "content.xml"), "a.odt", "OpenDocument", ".docx"),
    "records": (b"@article{x, title={y}}", "a.bib", "file of references", "library add"),
    "table": (b"title,year", "a.csv", "an export of a database", "as BibTeX, RIS"),
    "zotero": (b'<rdf:RDF xmlns:rdf="x"><a/></rdf:RDF>', "a.rdf", "file of records", ".rdf"),
    "latex": (b"\\documentclass{article}", "a.tex", "LaTeX source", "PDF"),
    "other xml": (b"<?xml version='1.0'?><rss><item/></rss>", "a.xml", "root element 'rss'", "PDF"),
    "broken zip": (zipped("word/document.xml")[:40], "a.docx", "damaged or incomplete", "again"),
    "broken gzip": (gzip.compress(b"words" * 500)[:30], "a.gz", "damaged gzip", "again"),
    "not gzip": (b"\x1f\x8bnonsense", "a.gz", "damaged gzip", "again"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("content", "name", "cause", "remedy"), REFUSED.values(), ids=REFUSED.keys()
)
def test_what_cannot_be_read_is_named_with_a_remedy(
    content: bytes, name: str, cause: str, remedy: str
) -> None:
    with pytest.raises(DocumentError, match=cause) as caught:
        read_document(content, name=name)
    assert str(caught.value).startswith(name)
    assert remedy in caught.value.remedy


def test_wrong_ending_is_told_and_not_trusted() -> None:
    kind, document = read_document(b"<html><body><p>Words.</p></body></html>", name="a.pdf")
    assert (kind, document.blocks[0].text) == ("html", "Words.")
    assert (
        note_on(kind, "a.pdf") == "the name ends in .pdf, but the file is HTML and was read as such"
    )
    for right, name in (
        ("html", "a.HTM"),
        ("text", "notes"),
        ("markdown", "a.txt"),
        ("tei", "a.xml"),
    ):
        assert note_on(right, name) == ""  # type: ignore[arg-type]  # a loop over literals


def test_limits_hold_before_and_after_unpacking() -> None:
    words = b"many words " * 1000
    with pytest.raises(DocumentError, match="at most 10 kB"):
        read_document(words, name="a.txt", limits=FileLimits(bytes=10_000))
    with pytest.raises(DocumentError, match="unpacks to more than 5 kB"):
        read_document(gzip.compress(words), name="a.gz", limits=FileLimits(decompressed=5_000))
    with pytest.raises(DocumentError, match="million characters") as caught:
        read_document(words, name="a.txt", limits=FileLimits(characters=5_000))
    assert "split" in caught.value.remedy
    with pytest.raises(DocumentError, match="200 times its size"):
        read_document(gzip.compress(b"\0" * 60_000_000), name="a.gz")
    packed = gzip.compress(b"One. ") + gzip.compress(b"Two.") + b"\0" * 8
    assert read_document(packed, name="a.txt.gz")[1].blocks[0].text == "One. Two."
    content = bytearray(zipped("word/document.xml"))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(DocumentError, match="is encrypted"):
        read_document(bytes(content), name="a.docx")


MARKS = [
    b"<html>", b"<p>", b"<table><tr>", b"<h2>", b"</p>", b"<math>", b"<!--", b"<![CDATA[", b"<?xml ", b"&#0;",
    b"&amp;", b"<article><front>", b"<sec><title>", b"<!DOCTYPE a [", b"<!ENTITY b 'c'>", b"]>", b"&b;", b"<TEI>",
    b"# ", b"```", b"---\n", b"title: ", b"|", b"\n\n", b"1 Head\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe9",
    b"words and words. ", b"$$", b"[^1]: ", b"\x1f\x8b", b"PK\x03\x04", b"%!PS", b"<script>", b"\xed\xa0\x80",
]  # fmt: skip


@settings(max_examples=60)
@given(
    st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(MARKS), max_size=30).map(b"".join)),
    st.sampled_from(["a.txt", "a.md", "a.html", "a.xml", "a.docx", "a"]),
)
def test_any_bytes_are_a_document_or_a_document_error(content: bytes, name: str) -> None:
    if b"%PDF" in content:
        return
    try:
        _, document = read_document(content, name=name)
    except DocumentError:
        return
    assert isinstance(document, Document)
    assert document.blocks
    assert all(block.text == " ".join(block.text.split()) for block in document.blocks)
    document.model_dump_json()


@settings(max_examples=60)
@given(st.binary(min_size=1, max_size=40), st.integers(0, 3000), st.booleans())
def test_damaged_word_files_are_documents_or_document_errors(
    damage: bytes, at: int, cut: bool
) -> None:
    content = (
        WORD[: at % len(WORD)] + damage + (b"" if cut else WORD[at % len(WORD) + len(damage) :])
    )
    try:
        _, document = read_document(content, name="a.docx")
    except DocumentError:
        return
    assert document.blocks


def _word() -> bytes:
    import docx

    word = docx.Document()
    word.add_heading("Head", 1)
    word.add_paragraph("Some words in a paragraph.")
    stream = io.BytesIO()
    word.save(stream)
    return stream.getvalue()


WORD = _word()
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
    assert (newts.files, newts.notes[0]) == ((), "gone.pdf is missing")
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
    assert (frogs.files, frogs.tags) == ((folder / "files/12/x y.pdf",), ("pond", "green"))
    toads, newts = found[1:]  # the DOI in a journal of several items is nobody's
    assert (toads.record.doi, newts.record.doi, toads.record.venue) == (None, None, "Shared")


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b", "~", "/", ".", "files"])
def test_paths_that_are_no_files_are_missing_or_outside(folder: Path, path: str) -> None:
    (found,) = attachments(
        write(folder, "refs.bib", f"@misc{{a, title={{Frogs}}, file={{:{path}:PDF}}}}")
    )
    assert (found.files, len(found.notes)) == ((), 1)


def test_file_that_is_absent_or_no_rdf_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        attachments(folder / "none.bib")
    with pytest.raises(InputError, match="cannot be read"):
        attachments(write(folder, "refs.rdf", "<"))
