"""Measures of headings and of running text."""

import difflib
import re
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from rapidfuzz import fuzz

from state.document import Document
from tools.pdf.reader import read_pdf

_NUMBER = re.compile(r"^(?:(?:\d+|[A-Z])(?:\.\d+)*\.?|[IVX]+\.)\s+")
_APART = {"caption", "table", "equation", "code", "footnote", "reference"}
_UNNUMBERED = {"abstract", "references", "bibliography"}


def letters(text: str) -> str:
    """Return a text in small letters and digits only."""
    return re.sub(r"[\W_]+", "", text.lower())


def plain_heading(text: str) -> str:
    """Return a heading without its number, in letters and digits only."""
    return letters(_NUMBER.sub("", text.strip()))


def found_headings(document: Document, *, deepest: int = 9) -> list[str]:
    """Return the headings of a document in order, each once."""
    seen: dict[str, None] = {}
    for block in document.blocks:
        for title in block.section[:deepest]:
            seen.setdefault(plain_heading(title))
    return list(seen)


def headings(document: Document, titles: Sequence[str]) -> tuple[float | None, float | None]:
    """Return precision and recall of the headings; None where none are known.

    Precision is of the headings of the first level: not all that know the truth go deeper.
    """
    wanted = {plain_heading(title) for title in titles} - _UNNUMBERED - {""}
    if not wanted:
        return None, None
    found = [title for title in found_headings(document) if title not in _UNNUMBERED]
    hits = {w for w in wanted if any(same(w, f) for f in found)}
    top = [t for t in found_headings(document, deepest=1) if t not in _UNNUMBERED]
    right = [t for t in top if any(same(w, t) for w in wanted)]
    return len(right) / max(1, len(top)), len(hits) / len(wanted)


def same(first: str, second: str) -> bool:
    """Whether two headings are the same but for what recognition of characters does."""
    return fuzz.ratio(first, second) >= 85


def harmonic(precision: float | None, recall: float | None) -> float | None:
    """Return F1 of precision and recall."""
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def coverage(document: Document, texts: Sequence[str]) -> float | None:
    """Return the share of the truth's words that are found in order."""
    return in_order(" ".join(texts), prose(document)) if texts else None


def prose(document: Document) -> str:
    """Return the running text of a document."""
    return "\n".join(block.text for block in document.blocks if block.kind not in _APART)


def in_order(wanted: str, found: str) -> float:
    """Return the share of words of one text that stand in another in the same order."""
    first = re.findall(r"[^\W\d_]+", wanted.lower())
    second = re.findall(r"[^\W\d_]+", found.lower())
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(first))


def sources(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the papers of which there is a TeX source beside them, and their shares of its words."""
    for archive in sorted(folder.glob("*/*.tex.tar.gz")):
        wanted = tex_prose(archive)
        for pdf in sorted(archive.parent.glob("*.pdf")):
            document = read_pdf(pdf.read_bytes(), name=pdf.name)
            share = in_order(wanted, prose(document))
            if share > 0.5:  # else it is another paper's
                yield pdf.name, share


def tex_prose(archive: Path) -> str:
    """Return the paragraphs of a TeX source, without what floats and commands."""
    with tarfile.open(archive) as tar:
        texts = [
            tar.extractfile(member).read().decode("utf-8", "replace")  # type: ignore[union-attr]
            for member in tar.getmembers()
            if member.name.endswith(".tex") and member.isfile()
        ]
    text = max(texts, key=len)
    text = re.sub(r"(?<!\\)%.*", "", text).partition(r"\begin{document}")[2]
    for name in ("figure", "table", "equation", "align", "tabular", "thebibliography"):
        text = re.sub(rf"\\begin{{{name}\*?}}.*?\\end{{{name}\*?}}", " ", text, flags=re.S)
    text = re.sub(
        r"\\footnote\w*\{(?:[^{}]|\{[^{}]*\})*\}|\\\w*cite\w*(?:\[[^\]]*\])*\{[^{}]*\}", " ", text
    )
    text = re.sub(r"\\(?:label|ref|url|href|input|bibliography\w*|begin|end)\{[^{}]*\}", " ", text)
    text = re.sub(r"\$[^$]*\$", " ", text)
    return re.sub(r"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?", " ", text)
