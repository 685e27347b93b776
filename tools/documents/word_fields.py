"""What the fields of a Word file cite: those of Zotero, Mendeley and EndNote, and Word's own citations.

A field says in its code what it cites, whatever it prints.
"""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from lxml import etree

from state.paper import Paper, title_key
from tools.bibliography.read_csl import csl_paper
from tools.bibliography.read_record import RecordError
from tools.documents.docx import packed, unpacked
from tools.file_limits import FILE_LIMITS, FileLimits

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_B = "{http://schemas.openxmlformats.org/officeDocument/2006/bibliography}"
_NAMES = {"w": _W[1:-1]}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_NOTES = (("word/footnotes.xml", "footnote", ""), ("word/endnotes.xml", "endnote", "e"))
_MENDELEY = "MENDELEY_CITATION_v3_"
_LISTS = ("ADDIN ZOTERO_BIBL", "ADDIN Mendeley Bibliography", "ADDIN EN.REFLIST", "BIBLIOGRAPHY")


@dataclass
class CitingWordFile:
    """A Word file whose citations stand as '[@key]', and what they cite."""

    content: bytes
    papers: list[Paper] = field(default_factory=list)
    """Each with its key among its aliases."""
    notes: list[str] = field(default_factory=list)
    """The footnotes, as Markdown has them."""


@dataclass
class _Field:
    """A field that was begun: its code, and the runs it stands in."""

    code: str = ""
    data: str = ""
    runs: list[Any] = field(default_factory=list)
    shows: bool = False


def with_keys(content: bytes, *, name: str, limits: FileLimits = FILE_LIMITS) -> CitingWordFile:
    """Return the file with its fields read, and without the list that a field makes.

    Raises:
        zipfile.BadZipFile, KeyError, lxml.etree.XMLSyntaxError, DocumentError: It is damaged, or too large.
    """
    parts, main = unpacked(content, name, limits)
    fields = _Fields({source.findtext(f"{_B}Tag"): source for source in _sources(parts)})
    root = parsed(parts[main])
    for gone in [*root.iter(f"{_W}del", f"{_W}moveFrom")]:
        gone.getparent().remove(gone)
    for words in root.xpath("//w:r[w:rPr/w:vertAlign/@w:val='superscript']/w:t", namespaces=_NAMES):
        words.text = (words.text or "").translate(_RAISED)
    notes: list[str] = []
    for entry, kind, letter in _NOTES:
        told = parsed(parts[entry]) if entry in parts else None
        if told is None:
            continue
        fields.read(told)
        texts = {one.get(f"{_W}id"): _text(one) for one in told.iter(f"{_W}{kind}")}
        for call in [*root.iter(f"{_W}{kind}Reference")]:
            text = texts.get(call.get(f"{_W}id"), "")
            label = f"^{letter}{call.get(f'{_W}id')}"
            bare = text.startswith("[@") and text.rstrip(" .").endswith("]")
            call.getparent().replace(call, _words(text.rstrip(" .") if bare else f"[{label}]"))
            notes += [] if bare else [f"[{label}]: {text}"]
    fields.read(root)
    parts[main] = bytes(etree.tostring(root))
    return CitingWordFile(packed(parts), list(fields.papers.values()), notes)


class _Fields:
    """Puts keys in the place of the fields of a part, and keeps the papers that they cite."""

    def __init__(self, sources: Mapping[str | None, Any]) -> None:
        self._sources = sources
        self._keys: dict[str, str] = {}
        self.papers: dict[str, Paper] = {}
        """By key."""

    def read(self, root: Any) -> None:
        """Read the fields of one part, and its content controls."""
        for control in [*root.iter(f"{_W}sdt")]:
            tag = control.find(f"{_W}sdtPr/{_W}tag")
            value = "" if tag is None else tag.get(f"{_W}val", "")
            if value.startswith(_MENDELEY):
                self._put(control, self._csl(_decoded(value.removeprefix(_MENDELEY))))
            elif value.startswith("MENDELEY_BIBLIOGRAPHY"):
                control.getparent().remove(control)
        for simple in [*root.iter(f"{_W}fldSimple")]:
            self._put(simple, self._cited(simple.get(f"{_W}instr", ""), ""))
        for one in fields_of(root):
            if one.code.strip().startswith(_LISTS):
                marks: list[str] | None = []
            else:
                marks = self._cited(one.code, one.data)
            if marks is not None:
                self._put(one.runs[0], marks)
                for run in one.runs[1:]:
                    run.getparent().remove(run)

    def _put(self, element: Any, keys: list[str] | None) -> None:
        """Put a run that cites in the place of an element."""
        if keys is None:
            return
        run = etree.Element(f"{_W}r")
        if keys:
            run.append(_words(f"[{'; '.join(f'@{key}' for key in keys)}]"))
        new = run
        if element.tag == f"{_W}sdt" and element.getparent().tag != f"{_W}p":
            new = etree.Element(f"{_W}p")
            new.append(run)
        element.getparent().replace(element, new)

    def _cited(self, code: str, data: str) -> list[str] | None:
        """Return the keys of what a field cites; None where it is no citation."""
        if "CSL_CITATION" in code:
            return self._csl(code.partition("CSL_CITATION")[2])
        if "EN.CITE" in code:
            start = code.find("<EndNote")
            return self._endnote(code[start:] if start >= 0 else data)
        words = code.split() if code.strip().startswith("CITATION") else []
        tags = [tag for before, tag in pairwise(words) if before in {"CITATION", "\\m"}]
        found = [
            self._key(_of_word(self._sources[tag]), tag) for tag in tags if tag in self._sources
        ]
        return found or None

    def _csl(self, code: str) -> list[str] | None:
        try:
            items = json.JSONDecoder().raw_decode(code.strip())[0]["citationItems"]
            return [self._key(item["itemData"]) for item in items] or None
        except (ValueError, LookupError, TypeError):
            return None

    def _endnote(self, code: str) -> list[str] | None:
        try:
            root = parsed(code[: code.rfind("</EndNote>") + 10].encode())
        except etree.XMLSyntaxError:
            return None
        return [self._key(_of_endnote(record)) for record in root.iter("record")] or None

    def _key(self, item: Mapping[str, Any], tag: str = "") -> str:
        """Return the key of a CSL item, and keep its paper."""
        title = title_key(str(item.get("title")))
        if title in self._keys:
            return self._keys[title]
        try:
            paper = csl_paper(item)
        except RecordError:
            return tag or str(item.get("id") or "unread")
        family = title_key(paper.authors[0].family) if paper.authors else title[:12]
        key, taken = tag or f"{family}{paper.year or ''}", len(self.papers)
        key = f"{key}-{taken}" if key in self.papers else key
        self._keys[title] = key
        self.papers[key] = paper.model_copy(update={"aliases": (*paper.aliases, f"local:{key}")})
        return key


def fields_of(root: Any) -> Iterator[_Field]:
    """Yield the outermost fields of a part; what a field within one carries is its own."""
    opened: list[_Field] = []
    for run in [*root.iter(f"{_W}r")]:
        for one in opened[:1]:
            one.runs.append(run)
        for part in run:
            if part.tag == f"{_W}fldChar":
                kind = part.get(f"{_W}fldCharType")
                if kind == "begin":
                    data = _packed(part.findtext(f"{_W}fldData") or "")
                    opened.append(_Field(data=data, runs=[] if opened else [run]))
                elif kind == "separate" and opened:
                    opened[-1].shows = True
                elif kind == "end" and opened:
                    done = opened.pop()
                    if opened:
                        opened[-1].data = opened[-1].data or done.data
                    else:
                        yield done
            elif part.tag == f"{_W}instrText" and opened and not opened[-1].shows:
                opened[-1].code += part.text or ""


def _packed(data: str) -> str:
    """Return what a field's data holds, as EndNote keeps it."""
    try:
        return (
            base64.b64decode("".join(data.split())).decode("utf-8", "replace").replace("\x00", "")
        )
    except (binascii.Error, ValueError):
        return ""


def _decoded(value: str) -> str:
    return _packed(value + "=" * (-len(value) % 4))


def parsed(part: bytes) -> Any:
    """Return the root of a part; it fetches nothing."""
    return etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True))


def _words(text: str) -> Any:
    words = etree.Element(f"{_W}t")
    words.text = text
    return words


def _text(note: Any) -> str:
    return " ".join("".join(one.text or "" for one in note.iter(f"{_W}t")).split())


def _sources(parts: Mapping[str, bytes]) -> Iterator[Any]:
    """Yield Word's own sources."""
    for entry, part in parts.items():
        if (
            entry.startswith("customXml/item")
            and entry.endswith(".xml")
            and _B[1:-1].encode() in part
        ):
            yield from parsed(part).iter(f"{_B}Source")


def _of_word(source: Any) -> dict[str, Any]:
    """Return a source of Word as a CSL item."""
    said = {one.tag.removeprefix(_B): (one.text or "").strip() for one in source}
    people = source.findall(f"{_B}Author/{_B}Author/{_B}NameList/{_B}Person")
    authors = [
        {"family": one.findtext(f"{_B}Last") or "", "given": one.findtext(f"{_B}First") or ""}
        for one in people
    ]
    body = source.findtext(f"{_B}Author/{_B}Author/{_B}Corporate")
    return {
        "title": said.get("Title"),
        "author": [{"literal": body}] if body else authors,
        "issued": {"raw": said.get("Year", "")},
        "DOI": said.get("DOI"),
        "URL": said.get("URL"),
        "container-title": said.get("JournalName")
        or said.get("BookTitle")
        or said.get("ConferenceName"),
    }


def _named(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    return {"family": family, "given": given} if comma else {"literal": name}


def _of_endnote(record: Any) -> dict[str, Any]:
    """Return a record of EndNote as a CSL item."""

    def said(path: str) -> list[str]:
        return [" ".join("".join(one.itertext()).split()) for one in record.findall(path)]

    return {
        "title": next(iter(said("titles/title")), ""),
        "author": [_named(name) for name in said("contributors/authors/author")],
        "issued": {"raw": next(iter(said("dates/year")), "")},
        "container-title": next(iter(said("titles/secondary-title")), None),
        "DOI": next(iter(said("electronic-resource-num")), None),
        "abstract": next(iter(said("abstract")), None),
    }
