"""How many pages a second our PDF reader reads, beside the libraries that only take the text out."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from time import process_time

import pypdfium2

from evals.bench.ingest import pdfs_of
from evals.bench.row import Given, Row
from tools.pdf.reader import read_pdf


def measure(given: Given) -> Iterator[Row]:
    """Yield pages a second of processor time.

    Raises:
        PermanentError: There are no PDFs.
    """
    files = [path.read_bytes() for path in pdfs_of(given)]
    pages = sum(len(pypdfium2.PdfDocument(content)) for content in files)
    ours = _rate(files, pages, lambda content: read_pdf(content, name="a.pdf"))
    beside = {"pypdfium2, text alone": _pdfium}
    if find_spec("pdfminer"):
        beside["pdfminer.six, text alone"] = _pdfminer
    for name, way in beside.items():
        yield Row(
            "pdf", f"pages read, of {pages}", ours, "/s", name, ours / _rate(files, pages, way)
        )


def _rate(files: Sequence[bytes], pages: int, read: Callable[[bytes], object]) -> float:
    read(files[0])
    began = process_time()
    for content in files:
        read(content)
    return pages / (process_time() - began)


def _pdfium(content: bytes) -> object:
    document = pypdfium2.PdfDocument(content)
    return [page.get_textpage().get_text_bounded() for page in document]


def _pdfminer(content: bytes) -> object:
    return import_module("pdfminer.high_level").extract_text(BytesIO(content))
