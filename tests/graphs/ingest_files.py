"""Files of every kind for tests of `ingest`, and a context whose clients may read them."""

import zlib
from pathlib import Path
from typing import Any

from graphs.ingest import graph
from state.ingest import FileReport
from state.paper import Paper
from tests.graphs.sources import Sources
from tests.library.words import WordEmbedder
from tests.scholar.table import Table
from tools.ingest.file_places import allow_paths
from tools.library.library import Library
from tools.library.open_library import open_library
from tools.run_settings import RunSettings

BEES = (
    "Honey bees find the way home over two kilometres although landmarks change with the seasons.",
    "We displaced forty foragers by two hundred metres and followed each with harmonic radar.",
    "The tracks show that landmark memory corrects the drift of path integration within minutes.",
)
OTTERS = (
    "River otters cross under the estuary weirs at night when the tidal locks are open.",
    "Six camera traps recorded every crossing for two winters beside the brackish harbour.",
    "Crossings doubled where a ledge of stone was left above the water line of the weir.",
)


def markdown(title: str = "How honey bees find home", body: tuple[str, ...] = BEES) -> str:
    """A paper in Markdown with a front matter and two sections."""
    head = f"---\ntitle: {title}\nauthor: Ann Abel\ndate: 2019\n---\n"
    return f"{head}\n# Introduction\n\n{body[0]}\n\n# Results\n\n{body[1]} {body[2]}\n"


def page(title: str = "Otters under weirs", body: tuple[str, ...] = OTTERS) -> str:
    """A page in HTML with a script."""
    paragraphs = "".join(f"<p>{text}</p>" for text in body)
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title><script>var steal = 'cookies';</script>"
        f"</head><body><h1>{title}</h1><h2>Results</h2>{paragraphs}</body></html>"
    )


def pdf(lines: tuple[str, ...] = BEES, *, trailer: str = "", content: bytes | None = None) -> bytes:
    """A PDF of one page in Helvetica, a line of text for each sentence.

    `trailer` goes into its trailer; `content` is compressed and takes the place of the text.
    """
    text = "\n".join(
        f"BT /F1 {16 if n == 0 else 10} Tf 50 {740 - 24 * n} Td ({line}) Tj ET"
        for n, line in enumerate(("How Radar Tracks Insects", *lines))
    )
    stream = zlib.compress(text.encode() if content is None else content)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + table
    return out + (
        f"trailer\n<< /Size 6 /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    )


ENCRYPTED = pdf(
    trailer="/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <"
    + "ab" * 32
    + "> /U <"
    + "cd" * 32
    + "> >> /ID [<00> <00>]"
)
SCANNED = pdf(content=b"0 0 m 100 100 l S")
TRUNCATED = pdf()[:200]
BOMB = pdf(content=b"BT /F1 1 Tf " + (b"(" + b"bomb " * 200 + b") Tj ") * 1_000 + b"ET")


def context_at(home: Path, *tables: Table, allowed: Path | None = None) -> RunSettings:
    """A context with an embedder that needs no model; `allowed` is the folder that it may read."""
    context = RunSettings(mind="extractive")
    clients = Sources(home, *tables, embedder=WordEmbedder())
    vars(context)["clients"] = clients
    if allowed:
        allow_paths(clients, allowed)
    return context


async def ingest(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"library": "mine", **inputs}
    return dict(await graph.ainvoke(given, {"max_concurrency": 8}, context=context))


def by_name(result: dict[str, Any]) -> dict[str, FileReport]:
    """Return the reports by the file's own name."""
    return {item.source.rsplit("/", 1)[-1]: item for item in result["reports"]}


def library_of(context: RunSettings) -> Library:
    return open_library("mine", context.clients.settings, context.clients.embedder)


def papers_in(context: RunSettings) -> list[Paper]:
    library = library_of(context)
    return list(library.get(library.ids()).values())


def words_in(context: RunSettings) -> str:
    """All words that the passages of the library have."""
    pages = library_of(context).texts.pages(100)
    return " ".join(passage.text for group in pages for passage in group)
