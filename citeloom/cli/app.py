"""The commands and their options; what they do stands in the modules beside this one."""

from pathlib import Path
from typing import Annotated

import typer

from citeloom.cli.evals import app as evals_app
from citeloom.cli.library import app as library_app

app = typer.Typer(
    name="citeloom",
    help="Literature reviews in which every citation is real and every claim is backed by a checked quote.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(library_app, name="library", help="Add papers to a library, list and remove them.")
app.add_typer(evals_app, name="eval", help="Measure how well CiteLoom works on data of yours.")

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


@app.command()
def review(
    input_: Input = None,
    library: Library = "starter",
    source: Sources = ["library"],  # noqa: B006 - typer copies it
    before: Before = None,
    keep: Keep = 40,
    cite: Annotated[int, typer.Option("--cite", help="Papers to cite (1 to 60).")] = 10,
    plan: PlanFile = None,
    include: Include = [],  # noqa: B006
    exclude: Exclude = [],  # noqa: B006
    include_retracted: Retracted = False,
    refresh: Refresh = False,
    out: Out = None,
    json: AsJson = False,
    resume: Resume = None,
    mind: MindOption = "auto",
    max_usd: MaxUsd = [],  # noqa: B006
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    max_minutes: MaxMinutes = None,
    knobs: Knobs = [],  # noqa: B006
) -> None:
    """Find the prior work of an abstract and write a related-work section about it."""
    from citeloom.cli.run import Command, execute

    execute(
        Command(
            graph="review", input=input_, plan=plan, out=out, json=json, resume=resume,
            options={
                "library": library, "sources": source, "before": before, "keep": keep, "cite": cite,
                "must_include": include, "exclude": exclude, "include_retracted": include_retracted,
            },
            context=_context(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"refresh": refresh}, knobs=knobs,
        )
    )  # fmt: skip


@app.command()
def find(
    input_: Input = None,
    library: Library = "starter",
    source: Sources = ["library"],  # noqa: B006
    before: Before = None,
    keep: Keep = 40,
    include: Include = [],  # noqa: B006
    exclude: Exclude = [],  # noqa: B006
    include_retracted: Retracted = False,
    refresh: Refresh = False,
    out: Out = None,
    json: AsJson = False,
    resume: Resume = None,
    mind: MindOption = "auto",
    max_usd: MaxUsd = [],  # noqa: B006
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    max_minutes: MaxMinutes = None,
    knobs: Knobs = [],  # noqa: B006
) -> None:
    """Find and rank the prior work of an abstract, an idea or a question."""
    from citeloom.cli.run import Command, execute

    execute(
        Command(
            graph="find", input=input_, plan=None, out=out, json=json, resume=resume,
            options={
                "library": library, "sources": source, "before": before, "keep": keep,
                "must_include": include, "exclude": exclude, "include_retracted": include_retracted,
            },
            context=_context(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"refresh": refresh}, knobs=knobs,
        )
    )  # fmt: skip


@app.command()
def write(
    input_: Input = None,
    paper: Annotated[
        list[str],
        typer.Option(
            "--paper", "-p", metavar="ID", help="A paper of the library; may be repeated."
        ),
    ] = [],  # noqa: B006
    papers: Annotated[
        Path | None,
        typer.Option(
            "--papers", help="A file of papers: JSON Lines, BibTeX or CSL-JSON, or a papers.json."
        ),
    ] = None,
    library: Library = "starter",
    source: Annotated[
        list[str],
        typer.Option("--source", help="Where papers named by id are looked up; may be repeated."),
    ] = ["library"],  # noqa: B006
    cite: Annotated[int, typer.Option("--cite", help="Papers to cite (1 to 60).")] = 60,
    plan: PlanFile = None,
    refresh: Refresh = False,
    out: Out = None,
    json: AsJson = False,
    resume: Resume = None,
    mind: MindOption = "auto",
    max_usd: MaxUsd = [],  # noqa: B006
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    max_minutes: MaxMinutes = None,
    knobs: Knobs = [],  # noqa: B006
) -> None:
    """Write a related-work section about papers that you name."""
    from citeloom.cli.run import Command, execute

    execute(
        Command(
            graph="write", input=input_, plan=plan, out=out, json=json, resume=resume,
            options={"library": library, "sources": source, "cite": cite, "papers": paper},
            papers=papers,
            context=_context(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"refresh": refresh}, knobs=knobs,
        )
    )  # fmt: skip


@app.command()
def doctor() -> None:
    """Show what is configured, what can be reached, what is missing, and how to fix it."""
    from citeloom.cli.doctor import examine

    examine()


def _context(
    mind: str,
    max_usd: list[str],
    max_tokens: int | None,
    max_calls: int | None,
    max_minutes: float | None,
) -> dict[str, object]:
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
