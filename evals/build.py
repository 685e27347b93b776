"""`citeloom eval build`: rows of related-work sections, or of references, later than a model's cut-off.

LitLLM's RollingEval, from a month's arXiv papers.
"""

import asyncio
import json
import re
import sys
from calendar import monthrange
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from evals.runner import online_sources, say
from evals.trials import check_file, json_lines
from state.document import Document
from state.merging import ids_of
from state.paper import Paper, published_before
from tools.documents.fetch_open_copies import open_copy
from tools.documents.open_document import read_document
from tools.errors import BudgetError, CiteLoomError, InputError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import RunLedger, ledger_of_run
from tools.references.read_bibliography import read_bibliography
from tools.references.resolving import adds_to_record, known_by_sources
from tools.references.works import merge_works
from tools.scholar.arxiv import ArxivSource
from tools.scholar.lookup import WorkToLookUp
from tools.scholar.open_source import OnlineName, open_online
from tools.scholar.openalex import LIST_USD, SEARCH_USD
from tools.scholar.source import Source
from tools.settings import Settings, settings
from tools.text.words import split_sentences

_HEADING = re.compile(
    r"\W*(?:[\dIVX]+(?:\.\d+)*\.?\s+)?(?:(?:background|prior|previous|related)(?: and)? ?)+"
    r"(?:works?|research|studies|literature|approaches|methods)?\W*",
    re.IGNORECASE,
)
_LICENCE = re.compile(
    r"licen[cs]es?[^<>]{0,40}?:?\s*(CC[ -][\w .-]{2,30}|arXiv\.org perpetual[^<]{0,30})", re.I
)


Section = tuple[str, list[dict[str, Any]], dict[str, Paper]]
"""A section as its authors wrote it; its sentences, each with the ids of the works that it cites; and these works by
their ids, as its list of references prints them."""


def related_work(paper: Paper, document: Document) -> Section | None:
    """Return the related-work section of a document, or None where it has none that cites anything."""
    blocks = {
        at: block.text
        for at, block in enumerate(document.blocks)
        if block.kind in {"text", "list"} and any(map(_HEADING.fullmatch, block.section))
    }
    bibliography = read_bibliography(document)
    entries, works = merge_works({paper.id: bibliography}, [])
    keys = dict(enumerate(entries.works.get(paper.id, ())))
    cites = [
        (one.block, one.start, keys[place])
        for one in bibliography.citations
        for place in one.entries
        if one.block in blocks and place in keys
    ]
    sentences = [
        {
            "text": span.text,
            "cites": list(
                dict.fromkeys(
                    key
                    for block, start, key in cites
                    if block == at and span.start <= start < span.end
                )
            ),
        }
        for at, text in blocks.items()
        for span in split_sentences(text)
    ]
    cited = {key for *_, key in cites}
    named = {work.id: work for work in works if work.id in cited}
    return ("\n\n".join(blocks.values()), sentences, named) if named else None


_WORKS = 40
"""Works that a section cites, about: for the price."""
_LISTS = 4
"""Calls of OpenAlex for a paper and for what it cites, 100 works a call: for the price."""
_SHARE = 0.5
"""Of the works cited, how many must have an abstract."""


def build(
    month: Annotated[
        datetime,
        typer.Option(
            metavar="YYYY-MM", formats=["%Y-%m"], help="The month in which the papers appeared."
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="JSON lines for `eval writing`; what is there is added to.")
    ],
    n: Annotated[int, typer.Option(help="How many rows there are to be.", min=1)] = 50,
    categories: Annotated[
        str, typer.Option(help="arXiv's, such as cs.CL,cs.LG.")
    ] = "cs.CL,cs.LG,cs.IR",
    sources: Annotated[
        str, typer.Option(help="Where abstracts of the works cited are looked up, in turn.")
    ] = "openalex,semantic_scholar",
    least: Annotated[int, typer.Option(help="Works that a section must cite.", min=1)] = 5,
    max_usd: Annotated[
        float | None, typer.Option(help="What the sources may cost at most; then nobody is asked.")
    ] = None,
    suite: Annotated[
        Literal["writing", "retrieval"],
        typer.Option(
            "--for", help="Sections for `writing` and `judging`, or references for `retrieval`."
        ),
    ] = "writing",
) -> None:
    """Build a set for `writing` and `judging`, or `retrieval`, from a month's arXiv papers, as LitLLM's RollingEval."""
    chosen = online_sources(sources)
    check_file(out)
    paid = n * ("openalex" in chosen)
    say(
        f"{n} papers of {month:%Y-%m} with their references: OpenAlex costs {paid * _LISTS * LIST_USD:.2f} USD at most"
        if suite == "retrieval"
        else f"{n} sections of {month:%Y-%m}: each paper's own copy is fetched, and about {_WORKS} works a section are "
        f"looked up; OpenAlex costs {paid * _WORKS * SEARCH_USD:.2f} USD at most where it is asked by title, "
        "nothing by DOI"
    )
    if max_usd is None and sys.stdin.isatty() and not typer.confirm("Build it?"):
        raise InputError("nothing was built")
    named = tuple(filter(None, map(str.strip, categories.split(","))))
    raise typer.Exit(
        asyncio.run(_built(month.date(), out, n, named, chosen, least, max_usd, suite))
    )


async def _built(
    month: date,
    out: Path,
    n: int,
    categories: Sequence[str],
    sources: Sequence[OnlineName],
    least: int,
    max_usd: float | None,
    suite: str,
) -> int:
    at = settings()
    ledger = ledger_of_run(f"rolling-{month:%Y-%m}-{out.name}", BudgetLimits(usd=max_usd), at.home)
    arxiv = open_online("arxiv", at, ledger)
    assert isinstance(arxiv, ArxivSource)
    opened = [open_online(name, at, ledger) for name in sources]
    log = out.with_suffix(".left-out.jsonl")
    have, left = _ids(out), _ids(log)
    why: Counter[str] = Counter()
    last = month.replace(day=monthrange(month.year, month.month)[1])
    try:
        async for paper in arxiv.listed(categories, month, last):
            if len(have) >= n:
                break
            if paper.id in have or paper.id in left:
                continue
            row = (
                await _references(paper, month, least, opened)
                if suite == "retrieval"
                else await _row(paper, month, least, opened, at, ledger)
            )
            if isinstance(row, str):
                why[row] += 1
                _append(log, {"id": paper.id, "why": row})
            else:
                have.add(paper.id)
                _append(out, row)
                say(f"{len(have)} of {n}: {paper.title[:70]}")
    except BudgetError as error:
        say(f"citeloom: {error}")
        return 1
    finally:
        reasons = "; ".join(f"{count} {reason}" for reason, count in why.most_common())
        say(f"{len(have)} rows in {out}" + (f"; left out now: {reasons}" if reasons else ""))
    return 0 if have else 1


async def _row(
    paper: Paper,
    month: date,
    least: int,
    sources: Sequence[Source],
    at: Settings,
    ledger: RunLedger,
) -> dict[str, Any] | str:
    """Return a row, or why there is none."""
    try:
        copy = await open_copy(paper, ledger=ledger, settings=at)
        _, document = await asyncio.to_thread(read_document, copy.content, name=copy.name)
        section = await asyncio.to_thread(related_work, paper, document)
    except BudgetError:
        raise
    except CiteLoomError:
        return "without a copy that can be read"
    if section is None:
        return "without a related-work section"
    text, sentences, works = section
    if len(works) < least:
        return f"citing fewer than {least} works"
    works = await _known(works, sources)
    if sum(bool(work.abstract) for work in works.values()) < _SHARE * len(works):
        return "citing works without abstracts"
    printed = _LICENCE.search(copy.content[:20_000].decode("utf-8", "replace"))
    return {
        "id": paper.id,
        "source": f"arXiv {month:%Y-%m}",
        "licence": " ".join(printed[1].split()) if printed else None,
        "target": {
            "title": paper.title,
            "abstract": paper.abstract,
            "published": str(paper.published) if paper.published else None,
            "arxiv": paper.arxiv,
        },
        "gold_related_work": text,
        "gold_sentences": sentences,
        "cited": [
            {
                "key": key,
                "id": work.id,
                "title": work.title,
                "year": work.year,
                "venue": work.venue,
                "authors": [author.name for author in work.authors],
                "abstract": work.abstract,
            }
            for key, work in works.items()
        ],
    }


async def _references(
    paper: Paper, month: date, least: int, sources: Sequence[Source]
) -> dict[str, Any] | str:
    """Return a row for `retrieval`: what the first source that knows enough of them says that the paper cites."""
    if not paper.abstract or paper.published is None:
        return "without an abstract or a day"
    told = 0
    for source in sources:
        try:
            answer = await source.references([paper])
            cited = answer.links.get(paper.id, ())
            told = max(told, len(cited))
            if len(cited) < least:
                continue
            unknown = [key for key in cited if key not in answer.papers]
            works = {**answer.papers, **(await source.get(unknown) if unknown else {})}
        except BudgetError:
            raise
        except CiteLoomError as error:
            say(f"citeloom: {source.name}: {error}")
            continue
        # What appeared later than the paper, or on no known day, is hidden from a run: it can't be found.
        earlier = {
            works[key].id: works[key]
            for key in cited
            if key in works and published_before(works[key], paper.published)
        }
        told = max(told, len(earlier))
        if len(earlier) >= least:
            return {
                "id": paper.id,
                "source": f"arXiv {month:%Y-%m}, references of {source.name}",
                "text": f"# {paper.title}\n\n{paper.abstract}",
                "before": str(paper.published),
                "gold": [{"id": key, "title": work.title} for key, work in earlier.items()],
            }
    return (
        f"citing fewer than {least} works that a source knows"
        if told
        else "without references in a source"
    )


async def _known(works: dict[str, Paper], sources: Sequence[Source]) -> dict[str, Paper]:
    """Return works with what the sources know of them."""
    for source in sources:
        lacking = {key: work for key, work in works.items() if not work.abstract}
        wanted = [
            WorkToLookUp(
                tuple(one for one in ids_of(work) if not one.startswith(("title:", "local:"))), work
            )
            for work in lacking.values()
            if adds_to_record(work)
        ]
        if not wanted:
            break
        try:
            found, _ = await known_by_sources(source, wanted)
        except BudgetError:
            raise
        except CiteLoomError as error:
            say(f"citeloom: {source.name}: {error}")
            continue
        works = works | {key: found[work.id] for key, work in lacking.items() if work.id in found}
    return works


def _ids(path: Path) -> set[str]:
    return {str(row["id"]) for _, row in json_lines(path)} if path.exists() else set()


def _append(path: Path, row: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row, ensure_ascii=False) + "\n")
