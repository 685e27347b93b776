"""The options that several commands share, and what they mean for a run."""

from pathlib import Path
from typing import Annotated

import typer

Input = Annotated[
    str | None,
    typer.Argument(
        help="A text or Markdown file, '-' for standard input, or the text in quotes.",
        show_default=False,
    ),
]
Library = Annotated[str, typer.Option("--library", "-l", help="Library to search.")]
Sources = Annotated[
    list[str],
    typer.Option(
        "--source",
        help="Where to search: library, openalex, semantic_scholar, arxiv, crossref, google; "
        "may be repeated.",
    ),
]
Before = Annotated[
    str | None,
    typer.Option(
        "--before",
        metavar="YYYY-MM-DD",
        help="Only papers that certainly appeared before this day.",
    ),
]
Keep = Annotated[int, typer.Option("--keep", help="Papers to keep (1 to 200).")]
Include = Annotated[
    list[str],
    typer.Option("--include", metavar="ID", help="A paper that must be kept; may be repeated."),
]
Exclude = Annotated[
    list[str],
    typer.Option("--exclude", metavar="ID", help="A paper that must not appear; may be repeated."),
]
PlanFile = Annotated[
    Path | None, typer.Option("--plan", help="A file with your own plan of the section.")
]
WriterOption = Annotated[
    str,
    typer.Option(
        "--writer",
        help="How to write: beam, plan, prompted_plan, zero_shot, per_cite, sentence_by_sentence, "
        "lexrank or one_line.",
    ),
]
ReviewPlan = Annotated[
    bool, typer.Option("--review-plan", help="Stop before writing, so that you can edit the plan.")
]
Style = Annotated[
    str, typer.Option("--style", help="Citation style: ieee, apa, acl, or a CSL file of yours.")
]
Formats = Annotated[
    list[str],
    typer.Option(
        "--format",
        help="Further forms of the text: pandoc, tex, html, docx; may be repeated.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Folder for the results. [default: citeloom-out/RUN]",
        show_default=False,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON to standard output.")
]
Resume = Annotated[
    str | None, typer.Option("--resume", metavar="RUN", help="Go on with an interrupted run.")
]
MindOption = Annotated[str, typer.Option("--mind", help="Who thinks: auto, llm or extractive.")]
Retracted = Annotated[
    bool, typer.Option("--include-retracted", help="Keep retracted papers and write about them.")
]
Refresh = Annotated[
    bool, typer.Option("--refresh", help="Ask the sources anew instead of using cached answers.")
]
MaxUsd = Annotated[
    list[str],
    typer.Option(
        "--max-usd",
        metavar="[SOURCE=]USD",
        help="Most that the run may cost, LLM and sources together, or one source of it, "
        "such as openalex=0.02; may be repeated.",
    ),
]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="Most LLM tokens, in and out.")]
MaxCalls = Annotated[int | None, typer.Option("--max-calls", help="Most questions to the mind.")]
MaxMinutes = Annotated[
    float | None, typer.Option("--max-minutes", help="Most minutes of thinking.")
]

Knobs = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Another setting of the run, such as votes=5 or pool=120; may be repeated.",
    ),
]

AskPapers = Annotated[
    list[str],
    typer.Option("--paper", "-p", metavar="ID", help="A paper to ask; may be repeated."),
]
Years = Annotated[
    str | None,
    typer.Option("--year", metavar="YEAR|FROM-TO", help="Only papers of these years."),
]
Tags = Annotated[
    list[str], typer.Option("--tag", help="Only papers with this tag; may be repeated.")
]
Retrieving = Annotated[
    str, typer.Option("--retriever", help="How passages are found: hybrid, vectors or keywords.")
]
Answering = Annotated[str, typer.Option("--method", help="How to answer: arxivbot or wikichat.")]
Hops = Annotated[int, typer.Option("--hops", help="Rounds of searching, the first included.")]
Trace = Annotated[bool, typer.Option("--trace", help="Show the way to the answer.")]
Speak = Annotated[
    str | None,
    typer.Option(
        "--speak", metavar="FILE|aloud", help="Read the answer into a WAV file, or aloud."
    ),
]
Listen = Annotated[
    str | None,
    typer.Option(
        "--listen",
        metavar="FILE|mic",
        help="Take the question from an audio file or microphone.",
    ),
]


def years_of(given: str | None) -> dict[str, int | None]:
    """Return the first and last year of '2019', '2019-2023', '2019-' or '-2023'.

    Raises:
        typer.BadParameter: It is none of these.
    """
    if not given:
        return {"first_year": None, "last_year": None}
    first, dash, last = given.replace("–", "-").partition("-")
    if (
        not all(part.strip().isdigit() or not part.strip() for part in (first, last))
        or given == "-"
    ):
        raise typer.BadParameter(
            f"'{given}' is no year: give 2019, 2019-2023, 2019- or -2023", param_hint="--year"
        )
    low = int(first) if first.strip() else None
    high = int(last) if last.strip() else (None if dash else low)
    return {"first_year": low, "last_year": high}


def context_of(
    mind: str,
    max_usd: list[str],
    max_tokens: int | None,
    max_calls: int | None,
    max_minutes: float | None,
) -> dict[str, object]:
    """Return the settings of a run that all commands take.

    Raises:
        typer.BadParameter: One of them cannot be used.
    """
    if mind not in {"auto", "llm", "extractive"}:
        raise typer.BadParameter(f"'{mind}' is none of auto, llm, extractive", param_hint="--mind")
    whole, by_source = _budgets(max_usd)
    return {
        "mind": mind, "max_usd": whole, "max_usd_by_source": by_source or None,
        "max_tokens": max_tokens, "max_calls": max_calls, "max_minutes": max_minutes,
    }  # fmt: skip


def _budgets(given: list[str]) -> tuple[float | None, dict[str, float]]:
    """Return the run's budget and those of single sources, in USD."""
    from tools.scholar.opening import ONLINE

    whole: float | None = None
    by_source: dict[str, float] = {}
    for item in given:
        name, _, amount = item.rpartition("=")
        try:
            usd = float(amount)
        except ValueError:
            usd = -1.0
        if not 0 <= usd < float("inf"):
            raise typer.BadParameter(f"'{item}' is no amount of USD", param_hint="--max-usd")
        if name and name not in ONLINE:
            known = ", ".join(ONLINE)
            raise typer.BadParameter(f"'{name}' is none of {known}", param_hint="--max-usd")
        if name:
            by_source[name] = usd
        else:
            whole = usd
    return whole, by_source
