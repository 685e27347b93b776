"""A Word file in which some words are changed, while everything else in it stays as it was."""

import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from io import BytesIO
from typing import Any

from lxml import etree

from tools.documents.docx import unpacked
from tools.documents.word_fields import fields_of, parsed
from tools.errors import DocumentError
from tools.file_limits import FILE_LIMITS, FileLimits

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_SPACES = {f"{_W}tab", f"{_W}br", f"{_W}cr"}
_CALLS = {f"{_W}footnoteReference", f"{_W}endnoteReference"}

Fix = tuple[str, str]
"""Words of the text, and what stands there instead; empty where they are removed."""


@dataclass(frozen=True)
class _Char:
    """A character of a paragraph: in `text`, a `field` or a `space`, or the call of a `note`."""

    text: str
    kind: str
    owner: Any
    """The element it stands in; of a field its first run, or its element."""


def mend_word(
    content: bytes, fixes: Sequence[Fix], *, name: str, limits: FileLimits = FILE_LIMITS
) -> tuple[bytes, list[int]]:
    """Return the file with each fix at the first place of its words, and the numbers of those that were not made.

    No fix changes a field, such as Zotero's; one in a sentence that is removed goes with it. A fix is not made if its
    words are not in one paragraph, if they are a field's, or if a removed sentence would leave its note behind.

    Raises:
        DocumentError: The file is damaged or too large.
    """
    try:
        parts, main = unpacked(content, name, limits)
        roots = {part: parsed(parts[part]) for part in (main, *_NOTES) if part in parts}
    except (
        zipfile.BadZipFile,
        zlib.error,
        LookupError,
        StopIteration,
        etree.XMLSyntaxError,
    ) as error:
        raise DocumentError(
            f"{name} is a damaged or incomplete Word file",
            remedy="open it in Word or LibreOffice, save it anew as .docx, and check that file",
        ) from error
    texts = [(part, text) for part, root in roots.items() for text in _paragraphs(root)]
    changed: set[str] = set()
    left: list[int] = []
    for number, fix in enumerate(fixes):
        done = next((part for part, text in texts if text.mend(*fix)), "")
        if done:
            changed.add(done)
        else:
            left.append(number)
    for part in changed:
        tree = roots[part].getroottree()
        parts[part] = bytes(
            etree.tostring(tree, xml_declaration=True, encoding="UTF-8", standalone=True)
        )
    return _repacked(content, parts), left


def _repacked(content: bytes, parts: dict[str, bytes]) -> bytes:
    """Return the archive with these parts, in its own order."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as before, zipfile.ZipFile(out, "w") as after:
        for entry in before.infolist():
            after.writestr(entry, parts[entry.filename])
    return out.getvalue()


def _paragraphs(root: Any) -> Iterator["_Paragraph"]:
    """Yield the paragraphs, in order; what a field shows belongs to the field."""
    fields: dict[Any, list[Any]] = {}
    """By run: the elements that go if its field goes, the first one first."""
    for one in fields_of(root):
        fields |= dict.fromkeys(one.runs, one.runs)
    for held in root.iter(f"{_W}fldSimple", f"{_W}sdt"):
        tag = held.find(f"{_W}sdtPr/{_W}tag")
        is_field = held.tag == f"{_W}fldSimple" or (
            tag is not None and tag.get(f"{_W}val", "").startswith("MENDELEY")
        )
        if is_field:
            fields |= {run: [held] for run in held.iter(f"{_W}r") if run not in fields}
    for paragraph in root.iter(f"{_W}p"):
        yield _Paragraph(paragraph, fields)


class _Paragraph:
    """A paragraph, whose words can be changed."""

    def __init__(self, element: Any, fields: dict[Any, list[Any]]) -> None:
        self._element = element
        self._fields = fields
        self._read()

    def _read(self) -> None:
        self._chars = [char for run in self._runs() for char in self._of(run)]
        self._folded = [
            (letter, place) for place, char in enumerate(self._chars) for letter in _fold(char.text)
        ]
        self._words = "".join(letter for letter, _ in self._folded)

    def _runs(self) -> Iterator[Any]:
        """Yield the runs that are seen; those of a box within the paragraph are another's."""
        for run in self._element.iter(f"{_W}r"):
            mine = next(run.iterancestors(f"{_W}p")) is self._element
            hidden = run.find(f"{_W}rPr/{_W}vanish") is not None
            if mine and not hidden and next(run.iterancestors(f"{_W}moveFrom"), None) is None:
                yield run

    def _of(self, run: Any) -> Iterator[_Char]:
        field = self._fields.get(run)
        for child in run:
            if child.tag == f"{_W}t":
                kind, owner = ("field", field[0]) if field else ("text", child)
                yield from (_Char(letter, kind, owner) for letter in child.text or "")
            elif child.tag in _SPACES:
                yield _Char(" ", "field" if field else "space", field[0] if field else child)
            elif child.tag in _CALLS:
                yield _Char("", "note", child)

    def mend(self, old: str, new: str) -> bool:
        """Change the words, unless they are not here or must not be changed."""
        sought = _fold(old)
        at = self._words.find(sought) if sought else -1
        if at < 0:
            return False
        start, end = self._folded[at][1], self._folded[at + len(sought) - 1][1] + 1
        if not new:
            end += any(
                char.text == " " and char.kind != "field" for char in self._chars[end : end + 1]
            )
            edits = [(start, end, "")] if self._free(start, end) else None
        else:
            edits = self._edits(start, end, new)
        places = [self._place(*edit) for edit in edits or ()]
        if edits is None or None in places:
            return False
        self._write(edits, places)
        self._read()
        return True

    def _free(self, start: int, end: int) -> bool:
        """Whether a stretch can be removed: no field of it stands elsewhere too, and no note is called in it."""
        if any(char.kind == "note" for char in self._chars[start : end + 1]):
            return False
        for run in {char.owner for char in self._chars[start:end] if char.kind == "field"}:
            shown = [place for place, char in enumerate(self._chars) if char.owner is run]
            around = [
                next(one.iterancestors(f"{_W}p"), None) for one in self._fields.get(run, [run])
            ]
            whole = start <= shown[0] and shown[-1] < end
            if not whole or any(one is not self._element for one in around):
                return False
        return True

    def _edits(self, start: int, end: int, new: str) -> list[tuple[int, int, str]] | None:
        """Return the stretches that differ, with what stands there instead; None where one of them is a field's."""
        own = self._tokens(start, end)
        shown = [self._shown(a, b) for a, b in own if self._chars[a].kind == "field"]
        given = list(_tokens(new, shown))
        matcher = SequenceMatcher(
            None,
            [_fold(self._shown(*span)) or " " for span in own],
            [_fold(text) or " " for text in given],
            autojunk=False,
        )
        edits = []
        for kind, a, b, c, d in matcher.get_opcodes():
            if kind == "equal":
                continue
            first = own[a][0] if a < len(own) else end
            last = own[b - 1][1] if b > a else first
            if any(char.kind == "field" for char in self._chars[first:last]):
                return None
            edits.append((first, last, "".join(given[c:d])))
        return edits

    def _shown(self, start: int, end: int) -> str:
        return "".join(char.text for char in self._chars[start:end])

    def _tokens(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return words, signs and whole fields as stretches."""
        found: list[tuple[int, int]] = []
        for place in range(start, end):
            char, before = self._chars[place], self._chars[place - 1] if found else None
            joins = before is not None and (
                char.owner is before.owner
                if char.kind == "field"
                else before.kind != "field" and _alike(before.text, char.text)
            )
            if joins:
                found[-1] = (found[-1][0], place + 1)
            else:
                found.append((place, place + 1))
        return found

    def _place(self, start: int, end: int, new: str) -> tuple[int, bool] | None:
        """Return beside which character new words go, and whether behind it; None where no text is."""
        inside = [at for at in range(start, end) if self._chars[at].kind == "text"]
        beside = [(inside[0], False)] if inside else [(start - 1, True), (end, False)]
        for at, behind in beside:
            if 0 <= at < len(self._chars) and self._chars[at].kind == "text":
                return at, behind
        return None if new else (start, False)

    def _write(self, edits: list[tuple[int, int, str]], places: list[Any]) -> None:
        texts = [char.text for char in self._chars]
        gone: list[Any] = []
        for start, end, _ in edits:
            for place in range(start, end):
                char = self._chars[place]
                texts[place] = ""
                if char.kind == "space":
                    gone.append(char.owner)
                elif char.kind == "field":
                    gone += [one for one in self._fields[self._run_of(char)] if one not in gone]
        for (_, _, new), (at, behind) in zip(edits, places, strict=True):
            texts[at] = texts[at] + new if behind else new + texts[at]
        written: dict[Any, str] = {}
        for char, text in zip(self._chars, texts, strict=True):
            if char.kind == "text":
                written[char.owner] = written.get(char.owner, "") + text
        for element, text in written.items():
            if text != element.text:
                element.text = text
                element.set(_SPACE, "preserve")
        for element in gone:
            if element.getparent() is not None:
                element.getparent().remove(element)

    def _run_of(self, char: _Char) -> Any:
        """Return a run of a field."""
        return char.owner if char.owner in self._fields else next(char.owner.iter(f"{_W}r"))


def _alike(before: str, letter: str) -> bool:
    """Whether a letter continues a word, a number or a space."""
    kinds = (str.isalpha, str.isdigit, str.isspace)
    return any(kind(before) and kind(letter) for kind in kinds)


def _tokens(text: str, fields: Sequence[str]) -> Iterator[str]:
    """Yield words, signs, and what fields show."""
    at = 0
    while at < len(text):
        shown = next((one for one in fields if one and text.startswith(one, at)), "")
        end = at + (len(shown) or 1)
        while not shown and end < len(text) and _alike(text[end - 1], text[end]):
            end += 1
        yield text[at:end]
        at = end


def _fold(text: str) -> str:
    """Return the text without spaces, raised digits and no-break hyphens as plain ones."""
    return "".join(unicodedata.normalize("NFKC", text).replace("\u2010", "-").split())
