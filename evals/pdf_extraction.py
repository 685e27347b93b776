"""How well the PDF reader finds what stands in papers: `python -m evals.pdf_extraction FOLDER`.

FOLDER has PDFs and a truth.jsonl with, for each, its file, title, abstract, sections (headings, or
headings with texts), references and number of references, and paragraphs with the labels that their
sentences cite; GROBID's JSON of the same name beside a PDF tells more citations. Prints a line for
each file, and the sums of each folder, of papers that number their references, and of known citations.

    --only TEXT  only files with this in their names
    --misses     show the entries and citations missed, and the paragraphs that hold what is none
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from evals.pdf.rows import Row, row_of, shown, summed
from evals.pdf.texts import sources
from evals.pdf.truth import Truth, read_truth
from tools.errors import DocumentError


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
        print(summed(group, [row for row in rows if row.group == group]))
    print(summed("numbered", [row for row in rows if row.numbered]))
    print(summed("citations known", [row for row in rows if row.references.known]))
    print(summed("all", rows))
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
        print(shown(row), flush=True)
        for one in (*row.intruded, *row.references.misses) if misses else ():
            print(f"    {one}")
    return rows


if __name__ == "__main__":
    main()
