"""The command `synthesize` and its options."""

from pathlib import Path
from typing import Annotated

import typer

from citeloom.cli.options import (
    AsJson,
    Knobs,
    MaxCalls,
    MaxMinutes,
    MaxTokens,
    MaxUsd,
    MindOption,
    Refresh,
    Resume,
    context_of,
)


def synthesize(
    question: Annotated[
        str | None,
        typer.Argument(help="The question, a file of it, or '-' for standard input."),
    ] = None,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES...",
            help="The papers: files and folders (PDF, HTML, JATS, TEI, DOCX, Markdown, text).",
        ),
    ] = None,
    granularity: Annotated[
        str,
        typer.Option(
            "--granularity",
            "-g",
            help="References: 'fine', of each line; or 'coarse', of the text as a whole.",
        ),
    ] = "fine",
    library: Annotated[
        str, typer.Option("--library", "-l", help="Library that has the papers named by --paper.")
    ] = "starter",
    paper: Annotated[
        list[str],
        typer.Option(
            "--paper", "-p", metavar="ID", help="A paper of the library; may be repeated."
        ),
    ] = [],  # noqa: B006 - typer copies it
    source: Annotated[
        list[str],
        typer.Option(
            "--source",
            help="Where references are looked up for their DOI: openalex, semantic_scholar, arxiv, "
            "crossref; may be repeated.",
        ),
    ] = [],  # noqa: B006
    relevance: Annotated[
        str,
        typer.Option(
            "--relevance",
            help="Who judges paragraphs: cascade (the mind only the unclear ones, in batches) or each.",
        ),
    ] = "cascade",
    updates: Annotated[
        str,
        typer.Option(
            "--updates", help="Paragraphs folded in at once: packed (all that fit) or each."
        ),
    ] = "packed",
    alignment: Annotated[
        str,
        typer.Option(
            "--alignment",
            help="Lines aligned: by paragraph of the text, or pairwise with each line.",
        ),
    ] = "paragraph",
    context_method: Annotated[
        str,
        typer.Option(
            "--context-method",
            help="What to answer from: paragraphs, or the baselines basic, parent_document, ensemble.",
        ),
    ] = "paragraphs",
    top_k: Annotated[
        int, typer.Option("--top-k", help="Chunks that a baseline takes (1 to 100).")
    ] = 4,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the words that each line comes from.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for the results, which are else printed only."),
    ] = None,
    json: AsJson = False,
    resume: Resume = None,
    refresh: Refresh = False,
    mind: MindOption = "auto",
    max_usd: MaxUsd = [],  # noqa: B006
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    max_minutes: MaxMinutes = None,
    knobs: Knobs = [],  # noqa: B006
) -> None:
    """Answer a question from a stack of papers, each line with its sources and what they cite."""
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command

    execute(
        Command(
            graph="synthesize", input=question, files=files or [], out=out, json=json, resume=resume,
            options={
                "granularity": granularity, "library": library, "papers": paper, "sources": source,
            },
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {
                "refresh": refresh, "relevance": relevance, "updates": updates, "alignment": alignment,
                "context_method": context_method, "top_k": top_k,
            },
            knobs=knobs, show={"trace": trace},
        )
    )  # fmt: skip
