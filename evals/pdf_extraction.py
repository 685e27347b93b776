"""How well the PDF reader finds what stands in papers: `python -m evals.pdf_extraction FOLDER`.

FOLDER has PDFs and a truth.jsonl with, for each, its file, title, abstract, sections (headings, or
headings with texts), references and number of references, and paragraphs with the labels that their
sentences cite; GROBID's JSON of the same name beside a PDF tells more citations. Prints a table: each file, each
folder, papers that number their references, and known citations; and the share of a TeX source's words, in order.
"""

import difflib
import re
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, harmonic_mean
from typing import Annotated

import typer

from evals.pdf.measures import (
    References,
    Share,
    Truth,
    headings,
    letters,
    measured,
    read_truth,
)
from evals.report import dict_table
from evals.runner import say
from state.document import Document
from tools.errors import DocumentError
from tools.pdf.reader import read_pdf
from tools.references.read_bibliography import read_bibliography


@dataclass(frozen=True)
class Row:
    """What was measured of one file; None where the truth says nothing."""

    truth: Truth
    pages: int
    seconds: float
    """Of processor time, references not included."""
    title: bool
    headings: float | None
    """F1."""
    references: References


def row_of(folder: Path, truth: Truth) -> Row:
    """Read one file and compare it with the truth.

    Raises:
        DocumentError: It cannot be read.
    """
    content = (folder / truth.file).read_bytes()
    start = time.process_time()
    document = read_pdf(content, name=truth.file)
    seconds = time.process_time() - start
    found = headings(document, truth.headings)
    return Row(
        truth=truth,
        pages=document.pages or 0,
        seconds=seconds,
        title=letters(document.title or "") == letters(truth.title),
        headings=harmonic_mean(found) if found else None,
        references=measured(document, read_bibliography(document), truth),
    )


def shown(name: str, rows: Sequence[Row]) -> dict[str, object]:
    """Return the row of a file or a group: means, and sums of what is counted."""

    def all_(get: Callable[[References], Share]) -> str:
        share = sum((get(row.references) for row in rows), Share())
        return f"{share.hits}/{share.of} ({share.value:.3f})" if share.value is not None else ""

    known = [row.headings for row in rows if row.headings is not None]
    counts = [row.truth.count for row in rows if row.truth.count is not None]
    entries = sum(row.references.entries for row in rows)
    pages = sum(row.pages for row in rows)
    return {
        "files": name,
        "pages": str(pages),
        "a second": f"{pages / max(sum(row.seconds for row in rows), 1e-6):.0f}",
        "titles": f"{sum(row.title for row in rows)}/{len(rows)}",
        "headings F1": f"{fmean(known):.2f}" if known else "",
        "entries": f"{entries}/{sum(counts) if counts else '?'}",
        "found": all_(lambda one: one.found),
        "right": all_(lambda one: one.right),
        "linked": all_(lambda one: one.linked),
        "precise": all_(lambda one: one.precise),
    }


_WORD = re.compile(r"[^\W\d_]+")
_APART = {"caption", "table", "equation", "code", "footnote", "reference"}


def prose(document: Document) -> str:
    """Return the running text of a document."""
    return "\n".join(block.text for block in document.blocks if block.kind not in _APART)


def in_order(wanted: str, found: str) -> float:
    """Return the share of words of one text that stand in another in the same order."""
    first, second = (_WORD.findall(text.lower()) for text in (wanted, found))
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(1, len(first))


def sources(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the papers of which there is a TeX source beside them, and their shares of its words."""
    for archive in sorted(folder.glob("*/*.tex.tar.gz")):
        wanted = tex_prose(archive)
        for pdf in sorted(archive.parent.glob("*.pdf")):
            share = in_order(wanted, prose(read_pdf(pdf.read_bytes(), name=pdf.name)))
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
    text = text.partition(r"\begin{document}")[2]
    for pattern in _TEX:
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return text


_TEX = (
    r"(?<!\\)%[^\n]*",
    *(
        rf"\\begin{{{name}\*?}}.*?\\end{{{name}\*?}}"
        for name in ("figure", "table", "equation", "align", "tabular", "thebibliography")
    ),
    r"\\footnote\w*\{(?:[^{}]|\{[^{}]*\})*\}|\\\w*cite\w*(?:\[[^\]]*\])*\{[^{}]*\}",
    r"\\(?:label|ref|url|href|input|bibliography\w*|begin|end)\{[^{}]*\}",
    r"\$[^$]*\$",
    r"\\[a-zA-Z]+\*?(?:\[[^\]]*\])?",
)
"""What is no prose, in the order in which it goes."""


def main(
    folder: Path,
    only: Annotated[str, typer.Option(help="Only files with this in their names.")] = "",
    misses: Annotated[
        bool, typer.Option("--misses", help="Show the entries and citations missed.")
    ] = False,
) -> None:
    """Measure every file that the truth names, and print the table."""
    rows: list[Row] = []
    for truth in read_truth(folder):
        try:
            rows += [row_of(folder, truth)] if only in truth.file else []
        except DocumentError as error:
            say(f"{truth.file}: {error} ({error.remedy})")
    groups = {Path(row.truth.file).name: [row] for row in rows}
    for row in rows:
        groups.setdefault(row.truth.group, []).append(row)
    groups["numbered"] = [row for row in rows if row.truth.numbered]
    groups["citations known"] = [row for row in rows if row.references.known]
    groups["all"] = rows
    print(dict_table("Reading PDFs", [shown(name, some) for name, some in groups.items()]))
    for row in rows if misses else ():
        print("\n".join([f"\n{row.truth.file}", *row.references.misses]))
    for name, share in () if only else sources(folder):
        print(f"\n{name}: {share:.3f} of the words of its TeX source, in order")


if __name__ == "__main__":
    typer.run(main)
