"""How well the PDF reader finds what stands in papers: `python -m evals.pdf_extraction FOLDER`.

FOLDER has PDFs and a truth.jsonl with, for each, its file, title, abstract, sections (headings, or
headings with texts) and number of references. Prints one line for each file and the means.
"""

import difflib
import json
import re
import sys
import tarfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import mean
from typing import Any

from rapidfuzz import fuzz

from state.document import Document
from tools.pdf.reader import PdfReader

_NUMBER = re.compile(r"^(?:(?:\d+|[A-Z])(?:\.\d+)*\.?|[IVX]+\.)\s+")
_APART = {"caption", "table", "equation", "footnote", "reference"}
_UNNUMBERED = {"abstract", "references", "bibliography"}


@dataclass(frozen=True)
class Row:
    """What was measured of one file; None where the truth says nothing."""

    file: str
    pages: int
    title: float
    abstract: float
    precision: float | None
    recall: float | None
    covered: float | None
    """Share of the words of the truth's texts that stand in the prose, in the same order."""
    references: int
    expected: int | None
    speed: float
    """Pages a second of processor time."""


def main() -> None:
    """Measure every file that the truth names."""
    folder = Path(sys.argv[1])
    rows = []
    for line in (folder / "truth.jsonl").read_text("utf-8").splitlines():
        truth = json.loads(line)
        rows.append(measured(folder, truth))
        print(shown(rows[-1]))
    for text in sources(folder):
        print(text)
    print(shown(averaged(rows)))


def measured(folder: Path, truth: Mapping[str, Any]) -> Row:
    """Read one file and compare it with the truth."""
    content = (folder / truth["file"]).read_bytes()
    start = time.process_time()
    document = PdfReader().read(content, name=truth["file"])
    seconds = time.process_time() - start
    precision, recall = headings(document, truth["sections"])
    return Row(
        file=Path(truth["file"]).name,
        pages=document.pages or 0,
        title=float(letters(document.title or "") == letters(truth["title"])),
        abstract=fuzz.ratio(letters(document.abstract or ""), letters(truth["abstract"])) / 100,
        precision=precision,
        recall=recall,
        covered=coverage(document, truth["sections"]),
        references=sum(block.kind == "reference" for block in document.blocks),
        expected=truth["n_references"],
        speed=(document.pages or 0) / seconds,
    )


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


def headings(
    document: Document, sections: Sequence[Any] | None
) -> tuple[float | None, float | None]:
    """Return precision and recall of the headings.

    Where the truth has only the headings of the first level, precision is of the first level.
    """
    if not sections:
        return None, None
    titles = [s["heading"] if isinstance(s, dict) else s for s in sections]
    wanted = {plain_heading(title) for title in titles} - _UNNUMBERED - {""}
    found = [title for title in found_headings(document) if title not in _UNNUMBERED]
    hits = {w for w in wanted if any(same(w, f) for f in found)}
    top = [t for t in found_headings(document, deepest=1) if t not in _UNNUMBERED]
    right = [t for t in top if any(same(w, t) for w in wanted)]
    return len(right) / max(1, len(top)), len(hits) / max(1, len(wanted))


def same(first: str, second: str) -> bool:
    """Whether two headings are the same but for what recognition of characters does."""
    return fuzz.ratio(first, second) >= 85


def coverage(document: Document, sections: Sequence[Any] | None) -> float | None:
    """Return the share of the truth's words that are found in order."""
    texts = [s["text"] for s in sections or () if isinstance(s, dict)]
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


def sources(folder: Path) -> Iterable[str]:
    """Compare papers of which there is TeX source with their PDFs."""
    for archive in sorted(folder.glob("*/*.tex.tar.gz")):
        for pdf in sorted(archive.parent.glob("*.pdf")):
            text = tex_prose(archive)
            document = PdfReader().read(pdf.read_bytes(), name=pdf.name)
            share = in_order(text, prose(document))
            if share > 0.5:
                count = sum(block.kind == "reference" for block in document.blocks)
                yield f"{pdf.name}: {share:.3f} of the TeX source's words in order; {count} references"


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


def averaged(rows: Sequence[Row]) -> Row:
    """Return the means over files."""
    values: dict[str, Any] = {"file": "mean", "references": 0, "expected": None}
    for field in fields(Row):
        known = [getattr(row, field.name) for row in rows if getattr(row, field.name) is not None]
        if field.name not in values:
            values[field.name] = mean(known) if known else None
    return Row(**values)


def shown(row: Row) -> str:
    """Return one row of the table."""

    def share(value: float | None) -> str:
        return "   -" if value is None else f"{value:.2f}"

    expected = "-" if row.expected is None else str(row.expected)
    return (
        f"{row.file:24} {row.pages:4.0f} p  title {row.title:.2f}  abstract {row.abstract:.2f}  "
        f"headings P {share(row.precision)} R {share(row.recall)}  text {share(row.covered)}  "
        f"references {row.references}/{expected}  {row.speed:.0f} pages/s"
    )


if __name__ == "__main__":
    main()
