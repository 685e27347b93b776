"""How well the PDF reader finds what stands in papers: `python -m evals.pdf_extraction FOLDER`.

FOLDER has PDFs and a truth.jsonl with, for each, its file, title, abstract, sections (headings, or
headings with texts), references and number of references, and paragraphs with the labels that their
sentences cite; GROBID's JSON of the same name beside a PDF tells more citations. Prints a line for
each file, and the sums of each folder, of papers that number their references, and of known citations.

    --only TEXT  only files with this in their names
    --misses     show the entries and citations missed, and the paragraphs that hold what is none
"""

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from rapidfuzz import fuzz

from evals.pdf.measures import (
    References,
    Share,
    coverage,
    harmonic,
    headings,
    intruded,
    letters,
    measured,
    paragraphs,
    running_lines,
    sources,
)
from evals.pdf.truth import Truth, read_truth
from tools.errors import DocumentError
from tools.pdf.reader import read_pdf
from tools.references.read_bibliography import read_bibliography


@dataclass(frozen=True)
class Row:
    """What was measured of one file; None where the truth says nothing."""

    file: str
    group: str
    numbered: bool
    """Whether it cites by numbers."""
    pages: int
    title: float
    abstract: float
    precision: float | None
    recall: float | None
    covered: float | None
    """Share of the words of the truth's texts that stand in the prose, in the same order."""
    paragraphs: int
    intruded: tuple[str, ...]
    references: References
    count: int | None
    speed: float
    """Pages a second of processor time, references not included."""

    @property
    def f1(self) -> float | None:
        """F1 of the headings."""
        return harmonic(self.precision, self.recall)


def row_of(folder: Path, truth: Truth) -> Row:
    """Read one file and compare it with the truth.

    Raises:
        DocumentError: It cannot be read.
    """
    content = (folder / truth.file).read_bytes()
    start = time.process_time()
    document = read_pdf(content, name=truth.file)
    seconds = time.process_time() - start
    precision, recall = headings(document, truth.headings)
    return Row(
        file=Path(truth.file).name,
        group=truth.group,
        numbered=truth.numbered,
        pages=document.pages or 0,
        title=float(letters(document.title or "") == letters(truth.title)),
        abstract=fuzz.ratio(letters(document.abstract or ""), letters(truth.abstract)) / 100,
        precision=precision,
        recall=recall,
        covered=coverage(document, truth.texts),
        paragraphs=paragraphs(document),
        intruded=tuple(intruded(document, running_lines(content))),
        references=measured(document, read_bibliography(document), truth),
        count=truth.count,
        speed=(document.pages or 0) / max(seconds, 1e-6),
    )


def shown(name: str, rows: Sequence[Row]) -> str:
    """Return the row of a file or a group: means, and sums of what is counted."""

    def over(get: Callable[[Row], float | None]) -> str:
        return _two(average(rows, get))

    def all_(get: Callable[[References], Share]) -> str:
        return _ratio(sum((get(row.references) for row in rows), Share()), percent=len(rows) > 1)

    counts = [row.count for row in rows if row.count is not None]
    known = "" if all(row.references.known for row in rows) else "~"
    return (
        f"{name:24}{sum(row.pages for row in rows):3} p {average(rows, lambda r: r.speed) or 0:4.0f}/s  "
        f"title {over(lambda r: r.title)}  abstract {over(lambda r: r.abstract)}  "
        f"headings {over(lambda r: r.precision)} {over(lambda r: r.recall)} F1 {over(lambda r: r.f1)}  "
        f"text {over(lambda r: r.covered)}  "
        f"intruded {sum(len(r.intruded) for r in rows)}/{sum(r.paragraphs for r in rows)}  "
        f"entries {sum(r.references.entries for r in rows)}/{sum(counts) if counts else '?'}  "
        f"found {all_(lambda r: r.found)}  right {all_(lambda r: r.right)}  "
        f"linked {known}{all_(lambda r: r.linked)}  precise {all_(lambda r: r.precise)}"
    )


def average(rows: Sequence[Row], get: Callable[[Row], float | None]) -> float | None:
    """Return a mean over the files of which something is known."""
    known = [value for row in rows if (value := get(row)) is not None]
    return mean(known) if known else None


def _two(value: float | None) -> str:
    return "   -" if value is None else f"{value:.2f}"


def _ratio(share: Share, *, percent: bool = False) -> str:
    more = f" ({share.value:.3f})" if percent and share.value is not None else ""
    return f"{share.hits}/{share.of}{more}" if share.of else "-"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every file that the truth names, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="Only files with this in their names.")
    parser.add_argument("--misses", action="store_true", help="Show what was missed.")
    given = parser.parse_args(arguments)
    known = [truth for truth in read_truth(given.folder) if given.only in truth.file]
    rows = _rows(given.folder, known, misses=given.misses)
    print()
    for group in dict.fromkeys(row.group for row in rows):
        print(shown(group, [row for row in rows if row.group == group]))
    print(shown("numbered", [row for row in rows if row.numbered]))
    print(shown("citations known", [row for row in rows if row.references.known]))
    print(shown("all", rows))
    for name, share in () if given.only else sources(given.folder):
        print(f"{name}: {share:.3f} of the words of its TeX source, in order")


def _rows(folder: Path, known: Sequence[Truth], *, misses: bool) -> list[Row]:
    rows: list[Row] = []
    for truth in known:
        try:
            row = row_of(folder, truth)
        except DocumentError as error:
            print(f"{truth.file}: {error} ({error.remedy})")
            continue
        rows.append(row)
        print(shown(row.file, [row]), flush=True)
        for one in (*row.intruded, *row.references.misses) if misses else ():
            print(f"    {one}")
    return rows


if __name__ == "__main__":
    main()
