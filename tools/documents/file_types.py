"""What a file is, by its first bytes and markup; how large it may be, unpacked too; its bytes as text."""

import codecs
import gzip
import io
import re
import zipfile
import zlib
from pathlib import PurePath
from typing import Literal

from tools.bibliography.read_records import RECORD_SUFFIXES
from tools.errors import DocumentError, counted
from tools.file_limits import FILE_LIMITS, FileLimits

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Only these: some of Python's codecs take quadratic time, and others are no encodings of text.
_NAME = (
    r"(?:iso-?8859-\d\d?|windows-125\d|cp125\d|latin-?\d|gb2312|gbk|gb18030|big5|shift[_-]jis|"
    r"euc-(?:jp|kr)|koi8-[ru]|macintosh|mac-?roman)"
)
_NAMED = re.compile(
    rf"""<\?xml[^>]{{0,100}}encoding\s*=\s*["']({_NAME})"""
    rf"""|<meta[^>]{{0,200}}charset\s*=\s*["']?({_NAME})""".encode(),
    re.IGNORECASE,
)


def decoded(content: bytes) -> str:
    """Return text: by its byte order mark, as UTF-8, as markup says of itself, else as cp1252."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if named := _NAMED.search(content[:4096]):
        name = (named[1] or named[2]).decode("ascii").lower()
        return content.decode({"macintosh": "mac_roman"}.get(name, name), "replace")
    text = content.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for char in text[:200_000] if char > "\x7f") - bad
    # In cp1252 next to no letter beyond ASCII happens to be UTF-8.
    return text if good > bad else content.decode("cp1252", "replace")


def unix_lines(text: str) -> str:
    """Return text whose lines end in a line feed, without NUL."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


_SMALL = 10_000_000
"""Bytes up to which no ratio is suspicious: a page of spaces shrinks to nothing."""


def megabytes(size: int) -> str:
    """Return a number of bytes for people."""
    return f"{size / 1_000_000:.0f} MB" if size >= 1_000_000 else f"{size / 1000:.0f} kB"


def check_size(content: bytes, name: str, limits: FileLimits = FILE_LIMITS) -> None:
    """Check the size of a file.

    Raises:
        DocumentError: It is empty or too large.
    """
    if not content:
        raise DocumentError(
            f"{name} is empty: it has no bytes",
            remedy="fetch or copy the file again; a download may have broken off",
        )
    if len(content) > limits.bytes:
        raise DocumentError(
            f"{name} has {megabytes(len(content))}; at most {megabytes(limits.bytes)} are read",
            remedy="split the file, or give a smaller version without its images",
        )


def gunzip(content: bytes, name: str, limits: FileLimits = FILE_LIMITS) -> bytes:
    """Unpack a gzip file, never further than the limits.

    Raises:
        DocumentError: It is damaged, or unpacks to too much.
    """
    most = min(limits.decompressed, max(_SMALL, int(limits.ratio * len(content))))
    try:
        with gzip.open(io.BytesIO(content)) as stream:
            plain = stream.read(most + 1)
    except (zlib.error, EOFError, OSError) as error:
        raise DocumentError(
            f"{name} is a damaged gzip file: {error}", remedy="fetch or copy the file again"
        ) from error
    check_unpacked(len(plain), len(content), name, limits)
    return plain


def check_zip(
    archive: zipfile.ZipFile, size: int, name: str, limits: FileLimits = FILE_LIMITS
) -> None:
    """Check what a zip file says of itself; zipfile never unpacks more of an entry than that.

    Raises:
        DocumentError: It has too many entries, unpacks to too much, or is encrypted.
    """
    entries = archive.infolist()
    if len(entries) > limits.entries:
        raise DocumentError(
            f"{name} holds {counted(len(entries), 'file')}; at most {limits.entries} are read",
            remedy="save the document anew, or give it as a PDF",
        )
    check_unpacked(sum(entry.file_size for entry in entries), size, name, limits)
    if any(entry.flag_bits & 0x1 for entry in entries):
        raise encrypted(name)


def encrypted(name: str) -> DocumentError:
    """Say that a file needs a password."""
    return DocumentError(
        f"{name} is encrypted",
        remedy="open it with its password, save it without one, and add that file",
    )


def check_unpacked(size: int, packed: int, name: str, limits: FileLimits) -> None:
    """Check how much something unpacks to.

    Raises:
        DocumentError: It is more than the limits allow.
    """
    if size > limits.decompressed:
        raise DocumentError(
            f"{name} unpacks to more than {megabytes(limits.decompressed)}",
            remedy="unpack it yourself, and add the documents in it that you trust",
        )
    if size > _SMALL and size > limits.ratio * packed:
        raise DocumentError(
            f"{name} unpacks to more than {limits.ratio:g} times its size, as bombs do",
            remedy="if you trust it, save the document anew, or give it as a PDF",
        )


Kind = Literal["pdf", "html", "jats", "tei", "docx", "markdown", "text"]
SUFFIXES: dict[str, Kind] = {
    ".pdf": "pdf", ".html": "html", ".htm": "html", ".xhtml": "html", ".xml": "jats", ".nxml": "jats",
    ".tei": "tei", ".docx": "docx", ".docm": "docx", ".md": "markdown", ".markdown": "markdown",
    ".mdown": "markdown", ".qmd": "markdown", ".rmd": "markdown", ".txt": "text", ".text": "text",
}  # fmt: skip
"""What to look for in a folder, and what such names promise."""
READ = "PDF, HTML, JATS or TEI XML, Word (.docx), Markdown and plain text"

_HEAD = 200_000
_UNPACK = "unpack it, and add the documents in it (or their folder)"
_WORD = "open it in Word or LibreOffice, and save it as .docx or PDF"
_OCR = "run text recognition (OCR) that makes a PDF, and add that"
_REFUSED: tuple[tuple[bytes | tuple[bytes, ...], str, str], ...] = (
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "a Word, Excel or PowerPoint file of the old kind (.doc)",
        _WORD,
    ),
    (b"%!", "PostScript", "convert it with ps2pdf, and add the PDF"),
    (b"{\\rtf", "a Rich Text file", "save it as .docx or PDF, and add that file"),
    (b"AT&TFORM", "a DjVu file", "convert it to a PDF with text, and add that"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
    ((b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"), "a packed file", _UNPACK),
    (b"PK\x05\x06", "a zip archive", _UNPACK),
    (
        (
            b"\x89PNG",
            b"\xff\xd8\xff",
            b"GIF8",
            b"II*\0",
            b"MM\0*",
            b"\0\0\x01\0",
            b"\0\0\0\x0cjP",
            b"RIFF",
        ),
        "a picture",
        _OCR,
    ),
)
"""How files begin that are not read, what they are, and what to do."""
_REFUSED_ZIPS: tuple[tuple[str | tuple[str, ...], str, str], ...] = (
    (
        "META-INF/container.xml",
        "an e-book (EPUB)",
        "convert it to PDF or HTML, and add that file",
    ),
    (("ppt/", "xl/"), "a PowerPoint or Excel file", "save it as PDF, and add that file"),
    ("content.xml", "an OpenDocument file", "save it as .docx or PDF, and add that file"),
    ("", "a zip archive", _UNPACK),
)
_RECORDS = RECORD_SUFFIXES | {".rdf"}
_TABLES = {".csv", ".tsv", ".ciw"}
PROLOG = re.compile(
    r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*", re.DOTALL | re.I
)
_ROOT = re.compile(r"<([A-Za-z][\w.-]*:)?([A-Za-z][\w.-]*)")
_HTML_ROOTS = frozenset(
    [
        "html",
        "head",
        "body",
        "div",
        "p",
        "section",
        "main",
        "h1",
        "h2",
        "header",
        "meta",
        "title",
        "link",
        "article",
    ]
)
_JATS_ROOTS = frozenset(
    {"article", "pmc-articleset", "oai-pmh", "articles", "sub-article", "record"}
)
_IS_JATS = re.compile(
    r"<(?:\w+:)?(?:front|article-meta|front-stub|sec)[\s/>]|JATS|NLM//DTD|journal ?publishing", re.I
)
_HTML_SIGNS = ("<!doctype html", "<html", "<body", "<head>")
_HTML_PARTS = ("<p>", "<div", "<h1", "<h2", "<br", "<table", "<li>")
_MARKDOWN = re.compile(
    r"^(?: {0,3}#{1,6} \S|(?:```|~~~)|\|?(?:[ \t]*:?-{3,}:?[ \t]*\|)+)", re.MULTILINE
)
FRONT_MATTER = re.compile(
    r"\A\ufeff?---[ \t]*\n((?:(?!(?:---|\.\.\.)[ \t]*\n).*\n){0,500})(?:---|\.\.\.)[ \t]*\n"
)
"""What stands before the text of a Markdown file: names and values, between lines of dashes."""
_STRANGE = frozenset(
    map(chr, (*range(9), *range(14, 27), *range(28, 32), *range(0x7F, 0xA0), 0xFFFD))
)
_HIGH = frozenset((*map(chr, range(0x80, 0x100)), *"€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"))


def detect_file_type(content: bytes, name: str, limits: FileLimits = FILE_LIMITS) -> Kind:
    """Return what an unpacked file is.

    Raises:
        DocumentError: It is nothing that is read; the message says what it is.
    """
    if b"%PDF" in content[:1024]:
        return "pdf"
    if content.startswith(b"PK\x03\x04"):
        return _zipped(content, name, limits)
    start = content[:512].lstrip(b"\x04\0") if b"%!" in content[:12] else content[:512]
    if start[257:262] == b"ustar":
        raise _refused(name, "a tar archive", _UNPACK)
    for mark, what, remedy in _REFUSED:
        if start.startswith(mark):
            if "EncryptedPackage".encode("utf-16-le") in content:
                raise encrypted(name)
            raise _refused(name, what, remedy)
    text, ending = _text_head(content, name), suffix(name)
    if text.startswith("<") and (kind := _markup(text, ending, name)):
        return kind
    if ending == ".tex" or (ending not in SUFFIXES and "\n\\documentclass" in f"\n{text}"):
        raise _refused(name, "LaTeX source", "give the PDF or HTML that was made of it")
    if ending in _RECORDS:
        raise _refused(name, "a file of references, not a document", "give it to `library add`")
    if ending in _TABLES:
        remedy = "export it as BibTeX, RIS or CSL JSON, and give that to `library add`"
        raise _refused(name, "a table or an export of a database", remedy)
    named = SUFFIXES.get(ending)
    if named == "html" and any(part in text.lower() for part in _HTML_PARTS):
        return "html"
    front = FRONT_MATTER.match(text)
    said = front is not None and any(f"{key}:" in front[1] for key in ("title", "author", "date"))
    marked = said or len(_MARKDOWN.findall(text[:20_000])) > 1
    return "markdown" if named == "markdown" or marked else "text"


def suffix(name: str) -> str:
    """Return a name's last suffix in lower case, '.gz' left aside."""
    return PurePath(name.lower().removesuffix(".gz")).suffix


def note_on(kind: Kind, name: str) -> str:
    """Say that a name promises something else than what the file is; '' where it does not."""
    ending = suffix(name)
    named = SUFFIXES.get(ending)
    alike = ({"jats", "tei"}, {"markdown", "text"}, {"html", "jats"})
    if named in {None, kind} or any({named, kind} <= pair for pair in alike):
        return ""
    return f"the name ends in {ending}, but the file is {LABELS[kind]} and was read as such"


LABELS: dict[Kind, str] = {
    "pdf": "a PDF",
    "html": "HTML",
    "jats": "JATS XML",
    "tei": "TEI XML",
    "docx": "a Word document",
    "markdown": "Markdown",
    "text": "plain text",
}


def _zipped(content: bytes, name: str, limits: FileLimits) -> Kind:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_zip(archive, len(content), name, limits)
            names = frozenset(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as error:
        raise DocumentError(
            f"{name} is a damaged or incomplete zip file (Word files are such): {error}",
            remedy="copy or fetch it again; or open it in Word, save it anew, and add that file",
        ) from error
    if "word/document.xml" in names or "word/document2.xml" in names:
        return "docx"
    _, what, remedy = next(
        row for row in _REFUSED_ZIPS if any(one.startswith(row[0]) for one in [*names, ""])
    )
    raise _refused(name, what, remedy)


def _refused(name: str, what: str, remedy: str) -> DocumentError:
    return DocumentError(f"{name} is {what}, which is not read", remedy=remedy)


def _text_head(content: bytes, name: str) -> str:
    """Return the beginning of a text, without white space before it.

    Raises:
        DocumentError: It is none.
    """
    head = content[:_HEAD] if content[:_HEAD].strip() else content.lstrip()[:_HEAD]
    text = decoded(head).lstrip("\ufeff \t\r\n")
    if not text.strip():
        raise DocumentError(
            f"{name} is empty: there is only white space in it", remedy="fetch or copy it again"
        )
    # A text may have a stray NUL, and a western text in cp1252 some letters beyond ASCII.
    strange, high = (sum(map(kind.__contains__, text)) for kind in (_STRANGE, _HIGH))
    if strange * 100 > 300 + len(text) or high * 3 > len(text):
        raise DocumentError(
            f"{name} is a binary file of an unknown kind, or text in an unknown encoding",
            remedy=f"what is read is {READ}; save a text as UTF-8",
        )
    return text


def _markup(text: str, ending: str, name: str) -> Kind | None:
    """Return the kind of a text that begins with a tag."""
    prolog = PROLOG.match(text)
    root = _ROOT.match(text, prolog.end() if prolog else 0)
    tag = root[2].lower() if root else ""
    named = SUFFIXES.get(ending)
    if tag in {"tei", "teicorpus"}:
        return "tei"
    if tag in _JATS_ROOTS and _IS_JATS.search(text):
        return "jats"
    if tag == "rdf":
        raise _refused(name, "RDF, a file of records", "name it so that it ends in .rdf")
    if any(sign in text.lower() for sign in _HTML_SIGNS) or tag == "article":
        return "html"
    if named == "markdown":
        return None
    if tag in _HTML_ROOTS or named == "html":
        return "html"
    if (
        text.startswith("<?xml")
        or ending in {".xml", ".nxml"}
        or text.rstrip().endswith(f"</{tag}>")
    ):
        raise _refused(name, f"XML with the root element '{tag}'", f"what is read is {READ}")
    return None
