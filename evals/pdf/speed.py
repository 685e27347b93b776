"""Pages a second of processor time: our reader beside other ways to read a PDF, in one run."""

import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median

from tools.pdf.reader import PdfReader
from tools.references.bibliography import read_bibliography

OURS = "citeloom (title, sections, paragraphs)"
LINKED = "citeloom, references and citations taken apart, too"
LAYOUT = "pdfminer.six, layout analysis (extract_pages)"
MISSING = "pdfminer.six is not installed, so only pypdfium2 is compared: `pip install pdfminer.six` for the rest"


@dataclass(frozen=True)
class Speed:
    """What one way reached."""

    way: str
    pages: float
    """Pages a second: the median over rounds."""
    least: float
    most: float


def speeds(files: Sequence[Path], *, rounds: int) -> tuple[list[Speed], str]:
    """Return the speed of each way over all files, and a note where one could not be tried.

    The ways take turns at each file, so that whatever else the machine does meets all of them.
    """
    contents = [path.read_bytes() for path in files]
    pages = sum(map(_pages, contents))
    ways, note = _ways()
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        seconds = dict.fromkeys(ways, 0.0)
        for content in contents:
            for way, read in ways.items():
                started = time.process_time()
                read(content)
                seconds[way] += time.process_time() - started
        for way, value in seconds.items():
            spent[way].append(pages / value)
    return [Speed(way, median(all_), min(all_), max(all_)) for way, all_ in spent.items()], note


def _ways() -> tuple[dict[str, Callable[[bytes], object]], str]:
    ways: dict[str, Callable[[bytes], object]] = {
        OURS: lambda content: PdfReader().read(content, name="paper.pdf"),
        LINKED: lambda content: read_bibliography(PdfReader().read(content, name="paper.pdf")),
        "pypdfium2, plain text": _pdfium,
    }
    try:
        miner = import_module("pdfminer.high_level")
        layout = import_module("pdfminer.layout")
    except ModuleNotFoundError:
        return ways, MISSING

    def bare(content: bytes) -> object:
        out = io.StringIO()
        miner.extract_text_to_fp(
            io.BytesIO(content), out, laparams=None, output_type="text", codec=""
        )
        return out.getvalue()

    ways["pdfminer.six, characters as they come"] = bare
    ways["pdfminer.six, plain text (extract_text)"] = lambda content: miner.extract_text(
        io.BytesIO(content)
    )
    ways[LAYOUT] = lambda content: list(
        miner.extract_pages(io.BytesIO(content), laparams=layout.LAParams())
    )
    return ways, ""


def _pdfium(content: bytes) -> str:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    try:
        return "\n".join(page.get_textpage().get_text_range() for page in document)
    finally:
        document.close()


def _pages(content: bytes) -> int:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    try:
        return len(document)
    finally:
        document.close()
