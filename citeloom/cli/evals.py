"""`citeloom eval`: benchmarks over data that you have."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(no_args_is_help=True)


@app.callback()
def evaluate() -> None:
    """Measure how well CiteLoom works on data of yours."""


@app.command()
def retrieval(
    data: Annotated[Path, typer.Option("--data", help="A folder that holds papers.jsonl.gz.")],
    queries: Annotated[
        Path, typer.Option("--queries", help="JSON lines with 'id', or an id in each line.")
    ],
    n: Annotated[
        int | None,
        typer.Option("--n", help="Queries to measure, the first ones.", show_default="60 at most"),
    ] = None,
    keep: Annotated[int, typer.Option("--keep", help="Papers to keep (1 to 200).")] = 100,
    k: Annotated[int, typer.Option("--k", help="How many papers count as the first ones.")] = 40,
    arms: Annotated[
        str,
        typer.Option(
            "--arms",
            metavar="A,B",
            help="What to compare; 'bfs' and 'default' always are.",
            show_default="all",
        ),
    ] = "",
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw the figures there, as SVG.")
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", help="Keep the vectors of texts there for the next time."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
    mind: Annotated[str, typer.Option("--mind", help="Who thinks: extractive or llm.")] = (
        "extractive"
    ),
    meaning: Annotated[
        bool,
        typer.Option(
            "--meaning/--no-meaning", help="Let the local source search by meaning as well."
        ),
    ] = False,
    workers: Annotated[
        int, typer.Option("--workers", help="Runs side by side; no figure depends on it.")
    ] = 1,
) -> None:
    """Measure how much of papers' own reference lists `find` recovers, way by way.

    It runs the real graph against a local source that answers as OpenAlex does.
    """
    command = _command("evals.retrieval.command")
    options = command.Options(
        data=data, queries=queries, n=n, keep=keep, k=k, arms=arms, json=json, plot=plot,
        vectors=vectors, seed=seed, mind=mind, meaning=meaning, workers=workers,
    )  # fmt: skip
    raise typer.Exit(command.run(options))


@app.command()
def writing(
    data: Annotated[
        Path,
        typer.Option(
            "--data",
            help="JSON lines (also gzip) with id, target, gold_related_work and cited.",
        ),
    ],
    n: Annotated[
        int | None, typer.Option("--n", help="Rows to measure, the first ones.", show_default="all")
    ] = None,
    writers: Annotated[
        str,
        typer.Option(
            "--writers",
            metavar="A,B",
            help="What to compare; 'lexrank' always is.",
            show_default="all",
        ),
    ] = "",
    mind: Annotated[str, typer.Option("--mind", help="Who thinks: extractive or llm.")] = (
        "extractive"
    ),
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    workers: Annotated[
        int,
        typer.Option("--workers", help="Runs side by side; no figure but seconds depends on it."),
    ] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
) -> None:
    """Let each writer write the related-work sections of papers, and compare with their own.

    It runs the real graph on the papers that each section cites, and checks each citation anew.
    """
    command = _command("evals.writing.command")
    options = command.Options(
        data=data, n=n, writers=writers, mind=mind, json=json, workers=workers, seed=seed
    )
    raise typer.Exit(command.run(options))


@app.command()
def passages(
    data: Annotated[Path, typer.Option("--data", help="A folder with question sets.")],
    half: Annotated[
        str, typer.Option("--half", help="Which questions: held-out, tuning or all.")
    ] = "held-out",
    sets: Annotated[
        str, typer.Option("--sets", metavar="A,B", help="Which sets.", show_default="all")
    ] = "",
    context_tokens: Annotated[
        int, typer.Option("--context-tokens", help="Size of the keyword retriever's documents.")
    ] = 4096,
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
) -> None:
    """Measure how often each retriever finds the passage that answers a question, and how fast."""
    command = _command("evals.passages.command")
    options = command.Options(
        data=data, half=half, sets=sets, context_tokens=context_tokens, json=json, seed=seed
    )
    raise typer.Exit(command.run(options))


@app.command()
def asking(
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Papers with questions.", show_default="the packaged questions"
        ),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("--n", help="Questions of each group, the first ones.", show_default="all"),
    ] = None,
    groups: Annotated[
        str, typer.Option("--groups", metavar="A,B", help="Which groups.", show_default="all")
    ] = "",
    arms: Annotated[
        str,
        typer.Option(
            "--arms",
            metavar="A,B",
            help="What to compare; 'hybrid-2' always is.",
            show_default="all",
        ),
    ] = "",
    mind: Annotated[str, typer.Option("--mind", help="Who thinks: extractive or llm.")] = (
        "extractive"
    ),
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    workers: Annotated[int, typer.Option("--workers", help="Questions side by side.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
) -> None:
    """Ask questions with known answers: coverage, factual accuracy, refusals, time and cost."""
    command = _command("evals.asking.command")
    options = command.Options(
        data=data, n=n, groups=groups, arms=arms, mind=mind, json=json, workers=workers, seed=seed
    )
    raise typer.Exit(command.run(options))


@app.command()
def synthesis(
    folder: Annotated[Path, typer.Argument(help="A folder with PDFs and a truth.jsonl.")],
    papers: Annotated[
        Path | None,
        typer.Option("--papers", help="Papers with questions, to compare the baselines on."),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            help="JSON lines: a question, and files of the folder.",
            show_default="the packaged ones",
        ),
    ] = None,
    parts: Annotated[
        str,
        typer.Option(
            "--parts",
            metavar="A,B",
            help="What to measure: references, arms.",
            show_default="all for which there is data",
        ),
    ] = "",
    n: Annotated[
        int | None,
        typer.Option("--n", help="Questions of each part, the first ones.", show_default="all"),
    ] = None,
    mind: Annotated[str, typer.Option("--mind", help="Who thinks: extractive or llm.")] = (
        "extractive"
    ),
    json: Annotated[Path | None, typer.Option("--json", help="Write the figures there.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.")] = 0,
) -> None:
    """Measure `synthesize`: whether its references are right, and how it compares with baselines."""
    command = _command("evals.synthesis.command")
    given = {"questions": questions} if questions else {}
    options = command.Options(
        folder=folder, papers=papers, parts=parts, n=n, mind=mind, json=json, seed=seed, **given
    )
    raise typer.Exit(command.run(options))


def _command(name: str) -> Any:
    """Return the module of a benchmark, which only a checkout has."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("evals"):
            raise
        typer.echo(
            "citeloom: the benchmarks are not installed here; run this from a checkout of CiteLoom",
            err=True,
        )
        raise typer.Exit(2) from error
