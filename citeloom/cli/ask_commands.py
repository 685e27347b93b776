"""The commands `ask` and `chat` and their options."""

from typing import Annotated

import typer

from citeloom.cli.options import (
    Answering,
    AsJson,
    AskPapers,
    Before,
    Hops,
    Knobs,
    Library,
    Listen,
    MaxCalls,
    MaxMinutes,
    MaxTokens,
    MaxUsd,
    MindOption,
    Out,
    Resume,
    Retrieving,
    Speak,
    Tags,
    Trace,
    Years,
    context_of,
    years_of,
)


def ask(
    question: Annotated[
        str | None,
        typer.Argument(help="The question, a file of it, or '-' for standard input."),
    ] = None,
    library: Library = "starter",
    paper: AskPapers = [],  # noqa: B006
    year: Years = None,
    before: Before = None,
    tag: Tags = [],  # noqa: B006
    retriever: Retrieving = "hybrid",
    method: Answering = "arxivbot",
    hops: Hops = 2,
    trace: Trace = False,
    listen: Listen = None,
    speak: Speak = None,
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
    """Ask the papers of a library; each sentence of the answer shows the words it rests on."""
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command

    if listen and not resume:
        from citeloom.cli.voice import heard

        question = heard(listen)
    execute(
        Command(
            graph="ask", input=question, out=out, json=json, resume=resume,
            options={
                "library": library, "papers": paper, "before": before, "tags": tag, **years_of(year),
            },
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"retriever": retriever, "method": method, "max_hops": hops}, knobs=knobs,
            show={"trace": trace, "speak": speak or ""},
        )
    )  # fmt: skip


def chat(
    library: Library = "starter",
    paper: AskPapers = [],  # noqa: B006
    year: Years = None,
    before: Before = None,
    tag: Tags = [],  # noqa: B006
    retriever: Retrieving = "hybrid",
    method: Answering = "arxivbot",
    hops: Hops = 2,
    resume: Resume = None,
    mind: MindOption = "auto",
    max_usd: MaxUsd = [],  # noqa: B006
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    max_minutes: MaxMinutes = None,
    knobs: Knobs = [],  # noqa: B006
) -> None:
    """Converse with the papers of a library; budgets are for each question."""
    from citeloom.cli.run import execute
    from citeloom.cli.runs import Command

    execute(
        Command(
            graph="ask", input="chat", resume=resume, chat=True,
            options={
                "library": library, "papers": paper, "before": before, "tags": tag, **years_of(year),
            },
            context=context_of(mind, max_usd, max_tokens, max_calls, max_minutes)
            | {"retriever": retriever, "method": method, "max_hops": hops}, knobs=knobs,
        )
    )  # fmt: skip
