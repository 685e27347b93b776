"""The commands and their options; what they do stands in the modules beside this one."""

from pathlib import Path
from typing import Annotated

import typer

from citeloom.cli.ask_commands import ask, chat
from citeloom.cli.evals import app as evals_app
from citeloom.cli.library import app as library_app
from citeloom.cli.options import (
    AsJson,
    Before,
    Exclude,
    Formats,
    Include,
    Input,
    Keep,
    Knobs,
    Library,
    MaxCalls,
    MaxMinutes,
    MaxTokens,
    MaxUsd,
    MindOption,
    Out,
    PlanFile,
    Refresh,
    Resume,
    Retracted,
    ReviewPlan,
    Sources,
    Style,
    WriterOption,
    context_of,
)
from citeloom.cli.synthesize_commands import synthesize

app = typer.Typer(
    name="citeloom",
    help="Literature reviews in which every citation is real and every claim is backed by a checked quote.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (ask, chat, synthesize):
    app.command()(command)
app.add_typer(library_app, name="library", help="Add papers to a library, list and remove them.")
app.add_typer(evals_app, name="eval", help="Measure how well CiteLoom works on data of yours.")


@app.command()
def review(
    input_: Input = None,
    library: Library = "starter",
    source: Sources = ["library"],  # noqa: B006 - typer copies it
    before: Before = None,
    keep: Keep = 40,
    cite: Annotated[int, typer.Option("--cite", help="Papers to cite (1 to 200).")] = 10,
    plan: PlanFile = None,
    writer: WriterOption = "beam",
    review_plan: ReviewPlan = False,
    style: Style = "ieee",
    format_: Formats = [],  # noqa: B006
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
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command

    execute(
        Command(
            graph="review", input=input_, plan=plan, out=out, json=json, resume=resume,
            options={
                "library": library, "sources": source, "before": before, "keep": keep, "cite": cite,
                "must_include": include, "exclude": exclude, "include_retracted": include_retracted,
                "style": style,
            },
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"refresh": refresh, "writer": writer, "review_plan": review_plan}, knobs=knobs,
            formats=format_,
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
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command

    execute(
        Command(
            graph="find", input=input_, plan=None, out=out, json=json, resume=resume,
            options={
                "library": library, "sources": source, "before": before, "keep": keep,
                "must_include": include, "exclude": exclude, "include_retracted": include_retracted,
            },
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes)
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
    cite: Annotated[int, typer.Option("--cite", help="Papers to cite (1 to 200).")] = 60,
    plan: PlanFile = None,
    writer: WriterOption = "beam",
    review_plan: ReviewPlan = False,
    style: Style = "ieee",
    format_: Formats = [],  # noqa: B006
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
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command

    execute(
        Command(
            graph="write", input=input_, plan=plan, out=out, json=json, resume=resume,
            options={
                "library": library, "sources": source, "cite": cite, "papers": paper, "style": style,
            },
            papers=papers,
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"refresh": refresh, "writer": writer, "review_plan": review_plan}, knobs=knobs,
            formats=format_,
        )
    )  # fmt: skip


@app.command()
def revise(
    run: Annotated[str, typer.Argument(help="The run whose section is to be revised.")],
    instruction: Annotated[
        str,
        typer.Option(
            "--instruction",
            "-i",
            help="What to change, in your words; without an LLM 'without [3]' or 'shorter'.",
        ),
    ] = "",
    plan: PlanFile = None,
    format_: Formats = [],  # noqa: B006
    out: Out = None,
    json: AsJson = False,
    mind: MindOption = "auto",
    max_usd: MaxUsd = [],  # noqa: B006
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    max_minutes: MaxMinutes = None,
    knobs: Knobs = [],  # noqa: B006
) -> None:
    """Write a run's section anew as you ask, without searching again, and check it again."""
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command

    execute(
        Command(
            graph="revise", input=None, revises=run, plan=plan, out=out, json=json,
            options={"instruction": instruction},
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes), knobs=knobs,
            formats=format_,
        )
    )  # fmt: skip


@app.command()
def verify(
    input_: Input = None,
    papers: Annotated[
        Path | None,
        typer.Option(
            "--papers", help="The papers it cites: BibTeX, CSL-JSON, JSON Lines or a papers.json."
        ),
    ] = None,
    paper: Annotated[
        list[str],
        typer.Option("--paper", "-p", metavar="ID", help="A paper it cites; may be repeated."),
    ] = [],  # noqa: B006
    library: Library = "starter",
    source: Sources = ["library"],  # noqa: B006
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
    """Check each citation of a text against the paper it cites; exit 3 if one does not hold."""
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command
    from citeloom.cli.verify import references

    records = [] if resume else references(papers)
    execute(
        Command(
            graph="verify", input=input_, out=out, json=json, resume=resume,
            options={"library": library, "sources": source, "papers": [*paper, *records]},
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"refresh": refresh}, knobs=knobs,
        )
    )  # fmt: skip


@app.command()
def doctor() -> None:
    """Show what is configured, what can be reached, what is missing, and how to fix it."""
    from citeloom.cli.doctor import examine

    examine()
