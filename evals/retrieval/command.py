"""`citeloom eval retrieval`: run the arms over the queries and tell what came of it."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citeloom.settings import settings
from evals.retrieval.arms import ARMS, Arm, choose_arms
from evals.retrieval.corpus import Case, Cases, Corpus, choose_cases, read_corpus, read_ids
from evals.retrieval.intervals import RESAMPLES
from evals.retrieval.plot import draw
from evals.retrieval.report import PLOTTED, tell
from evals.retrieval.schedule import rows_of
from evals.retrieval.server import serving_apart
from evals.retrieval.summary import summarise
from evals.retrieval.trial import Row, Setting
from evals.retrieval.vectors import RememberingEmbedder, text_of
from evals.side_by_side import quiet
from tools.errors import CiteLoomError, InputError, PermanentError

if TYPE_CHECKING:
    from rich.console import Console

USUAL_COUNT = 60
INTERRUPTED = 130
_MOST_KEPT = 200
_CHUNK = 200
"""Texts embedded between two steps of the progress bar."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command as given."""

    data: Path
    queries: Path
    n: int | None = None
    keep: int = 100
    k: int = 40
    arms: str = ""
    json: Path | None = None
    plot: Path | None = None
    vectors: Path | None = None
    seed: int = 0
    mind: str = "extractive"
    meaning: bool = False
    workers: int = 1


def run(options: Options) -> int:
    """Run the benchmark; return the command's exit code.

    0: all runs were done. 1: it could not go on, or every run failed. 2: what was given cannot
    be used. 130: stopped by Ctrl-C; what was done until then is shown and written.
    """
    from rich.console import Console

    console, errors = Console(), Console(stderr=True)
    try:
        return _measure(options, console, errors)
    except CiteLoomError as error:
        _say(errors, error)
        return 2 if isinstance(error, InputError) else 1


def _measure(options: Options, console: "Console", errors: "Console") -> int:
    _check(options)
    arms, not_run = choose_arms(options.arms)
    ids = read_ids(options.queries)
    corpus = read_corpus(options.data)
    # Only a number that was asked for must be there; the usual one is a limit.
    count = options.n if options.n is not None else min(USUAL_COUNT, len(ids))
    chosen = choose_cases(corpus, ids, count)
    rows: list[Row] = []
    code = 0
    try:
        with quiet():
            _run_all(options, corpus, chosen.cases, arms, rows, errors)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except PermanentError as error:
        _say(errors, error)
        code = 1
    if rows:
        found = _found(options, chosen, rows, not_run, complete=code == 0)
        _write(options, found)
        tell(found, console)
    return code or int(all(row["error"] for row in rows))


def _say(errors: "Console", error: CiteLoomError) -> None:
    errors.print("[red]citeloom:[/red]", end=" ")
    errors.print(str(error), markup=False, highlight=False, soft_wrap=True)


def _check(options: Options) -> None:
    if not 1 <= options.keep <= _MOST_KEPT:
        raise InputError(f"--keep must be 1 to {_MOST_KEPT}, not {options.keep}")
    if options.k < 1 or options.workers < 1:
        raise InputError("--k and --workers must be 1 or more")
    if options.mind not in {"extractive", "llm"}:
        raise InputError(f"--mind must be extractive or llm, not '{options.mind}'")
    if options.mind == "llm" and not settings().llm_configured:
        raise InputError("--mind llm needs an LLM: run `citeloom doctor` to see what to set")
    for path in (options.json, options.plot, options.vectors):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise InputError(f"'{path}' cannot be written: name a file in a folder that exists")


def _run_all(
    options: Options,
    corpus: Corpus,
    cases: Sequence[Case],
    arms: Sequence[Arm],
    rows: list[Row],
    errors: "Console",
) -> None:
    """Append the row of each run to `rows`, one query paper after the other."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="citeloom-vectors-"))
        vectors = options.vectors or Path(folder) / "vectors.sqlite"
        if options.meaning:
            _embed_all(corpus, vectors, errors)
        errors.print(f"starting a local source with {len(corpus.records)} papers")
        url = stack.enter_context(serving_apart(options.data, vectors if options.meaning else None))
        setting = Setting(
            url=url, keep=options.keep, mind=options.mind, meaning=options.meaning, vectors=vectors
        )
        tasks = [(case, arm) for case in cases for arm in arms]
        done = stack.enter_context(closing(rows_of(tasks, setting, options.workers)))
        bar, task = stack.enter_context(_progress(errors, "runs", len(tasks)))
        for row in done:
            rows.append(row)
            text = f"{row['query']} {row['arm']}"
            bar.update(task, advance=1, description=text)
            if not errors.is_terminal:  # where no bar moves, as in a log
                text = f"{len(rows)}/{len(tasks)} {text}: {row['seconds']:.1f} s"
                errors.print(text, highlight=False, markup=False)


def _embed_all(corpus: Corpus, vectors: Path, errors: "Console") -> None:
    texts = [text_of(record) for record in corpus.records]
    embedder = RememberingEmbedder(vectors)
    chunks = (texts[at : at + _CHUNK] for at in range(0, len(texts), _CHUNK))
    with _progress(errors, "embedding all papers", len(texts)) as (bar, task):
        for chunk in chunks:
            embedder.embed(chunk)
            bar.advance(task, len(chunk))


@contextmanager
def _progress(errors: "Console", text: str, total: int) -> Iterator[tuple[Any, Any]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=errors) as bar:
        yield bar, bar.add_task(text, total=total)


def _found(
    options: Options, chosen: Cases, rows: Sequence[Row], not_run: dict[str, str], *, complete: bool
) -> dict[str, Any]:
    summary = summarise(chosen.cases, rows, k=options.k, seed=options.seed)
    return {
        "arms": summary["arms"],
        "settings": {
            "data": options.data.name, "n": len(chosen.cases), "keep": options.keep,
            "k": options.k, "seed": options.seed, "mind": options.mind,
            "meaning": options.meaning, "resamples": RESAMPLES,
            "arms": {name: dict(ARMS[name].settings) for name in summary["arms"]},
        },
        "complete": complete,
        "not_run": not_run,
        "left_out": chosen.left_out,
        **{name: summary[name] for name in ("minus_default", "completeness", "queries")},
    }  # fmt: skip


def _write(options: Options, found: dict[str, Any]) -> None:
    if options.json:
        # NaN and infinity are no JSON: better an error here than a file that others cannot read.
        text = json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False)
        _replace(options.json, text + "\n")
    if options.plot:
        title = f"{len(found['queries'])} queries, {options.keep} papers kept, k = {options.k}"
        _replace(options.plot, draw(found["arms"], PLOTTED, title))


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f"{path.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}") from error
