"""`citeloom eval data`: the starter library as data of `retrieval`, `citation_truth`, `writing` and `judging`.

Its papers cite one another often enough for a small citation graph. The related-work sections are our own, about
papers of the library.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.errors import InputError
from tools.library.open_library import starter_papers

LEAST = 8
"""Earlier papers of the library that a query paper cites."""
GRAPH = Path("citation_graph", "papers.jsonl.gz")
QUERIES = Path("citation_graph", "queries.jsonl")
SECTIONS = Path("related_work", "related_work.jsonl.gz")


def data(
    out: Annotated[Path, typer.Option(help="A folder, made where there is none.")],
) -> None:
    """Write small data for retrieval, citation_truth, writing and judging, of the starter library."""
    try:
        write_data(out)
    except OSError as error:
        raise typer.BadParameter(f"'{out}' cannot be written: {error}") from error
    typer.echo(f"wrote {GRAPH}, {QUERIES} and {SECTIONS} into {out}", err=True)


def write_data(out: Path) -> None:
    """Write the graph, its query papers and the sections into a folder."""
    with starter_papers() as path:
        papers = {one.id: one for one in read_records(path) if isinstance(one, Paper)}
    records = (
        {
            "id": paper.id,
            "title": paper.title,
            "abstract": paper.abstract,
            "year": paper.year,
            "authors": [author.name for author in paper.authors],
            "venue": paper.venue,
            "references": [key for key in paper.references or () if key in papers],
            "external_references": [],
        }
        for paper in papers.values()
    )
    _write(out / GRAPH, records)
    _write(out / QUERIES, ({"id": key} for key in _queries(papers)))
    _write(out / SECTIONS, _sections(papers))


def _queries(papers: dict[str, Paper]) -> list[str]:
    """Return the papers that cite most earlier ones of the library, those first."""
    cited = {
        key: sum(
            (papers[other].year or 9999) < (paper.year or 0)
            for other in paper.references or ()
            if other in papers
        )
        for key, paper in papers.items()
    }
    return sorted(
        (key for key, count in cited.items() if count >= LEAST), key=lambda key: -cited[key]
    )


def _sections(papers: dict[str, Paper]) -> Iterator[dict[str, Any]]:
    lines = (files("evals.starter") / "sections.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        missing = [key for key in row["cited"] if key not in papers]
        if missing:
            raise InputError(f"the starter library has no {missing[0]}")
        yield {
            "id": row["id"],
            "target": row["target"],
            "gold_related_work": " ".join(text for text, _ in row["sentences"]),
            "gold_sentences": [{"text": text, "cites": cites} for text, cites in row["sentences"]],
            "cited": [
                {
                    "key": str(number),
                    "id": key,
                    "title": papers[key].title,
                    "authors": [author.name for author in papers[key].authors],
                    "year": papers[key].year,
                    "abstract": papers[key].abstract,
                }
                for number, key in enumerate(row["cited"], start=1)
            ],
        }


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    path.write_bytes(
        gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode()
    )
