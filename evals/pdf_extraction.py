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
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, harmonic_mean

import typer

from evals.figures import dict_table
from evals.pdf.measures import (
    Share,
    Truth,
    headings,
    letters,
    measured,
    read_truth,
)
from evals.runner import say
from evals.trials import Row
from tools.errors import DocumentError
from tools.pdf.reader import read_pdf
from tools.references.read_bibliography import read_bibliography


def row_of(folder: Path, truth: Truth) -> Row:
    """Read one file and compare it with the truth.

    The row has 'truth', 'pages', 'seconds' (of processor time, references not included), 'title', 'headings' (F1;
    None where the truth says nothing), 'entries' (of the list of references), and what `measured` gives.

    Raises:
        DocumentError: It cannot be read.
    """
    content = (folder / truth.file).read_bytes()
    start = time.process_time()
    document = read_pdf(content, name=truth.file)
    seconds = time.process_time() - start
    found, list_ = headings(document, truth.headings), read_bibliography(document)
    return {
        "truth": truth,
        "pages": document.pages or 0,
        "seconds": seconds,
        "title": letters(document.title or "") == letters(truth.title),
        "headings": harmonic_mean(found) if found else None,
        "entries": len(list_.entries),
        **measured(document, list_, truth),
    }


def shown(name: str, rows: Sequence[Row]) -> dict[str, object]:
    """Return the row of a file or a group: means, and sums of what is counted."""
    known = [row["headings"] for row in rows if row["headings"] is not None]
    counts = [row["truth"].count for row in rows if row["truth"].count is not None]
    pages = sum(row["pages"] for row in rows)
    shares = {
        key: sum((row[key] for row in rows), Share())
        for key in ("found", "right", "linked", "precise")
    }
    return {
        "files": name,
        "pages": str(pages),
        "a second": f"{pages / max(sum(row['seconds'] for row in rows), 1e-6):.0f}",
        "titles": f"{sum(row['title'] for row in rows)}/{len(rows)}",
        "headings F1": f"{fmean(known):.2f}" if known else "",
        "entries": f"{sum(row['entries'] for row in rows)}/{sum(counts) if counts else '?'}",
        **{
            key: f"{one.hits}/{one.of} ({one.value:.3f})" if one.value is not None else ""
            for key, one in shares.items()
        },
    }


_WORD = re.compile(r"[^\W\d_]+")
_APART = {"caption", "table", "equation", "code", "footnote", "reference"}


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
            blocks = read_pdf(pdf.read_bytes(), name=pdf.name).blocks
            prose = "\n".join(block.text for block in blocks if block.kind not in _APART)
            share = in_order(wanted, prose)
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


def main(folder: Path) -> None:
    """Measure every file that the truth names, and print the table."""
    rows = []
    for truth in read_truth(folder):
        try:
            rows.append(row_of(folder, truth))
        except DocumentError as error:
            say(f"{truth.file}: {error} ({error.remedy})")
    groups = {Path(row["truth"].file).name: [row] for row in rows}
    for row in rows:
        groups.setdefault(row["truth"].group, []).append(row)
    groups["numbered"] = [row for row in rows if row["truth"].numbered]
    groups["citations known"] = [row for row in rows if row["linked"].of]
    groups["all"] = rows
    print(dict_table("Reading PDFs", [shown(name, some) for name, some in groups.items()]))
    for name, share in sources(folder):
        print(f"\n{name}: {share:.3f} of the words of its TeX source, in order")


if __name__ == "__main__":
    typer.run(main)
