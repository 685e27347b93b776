"""One way to run a suite: check what was given, run its arms, write the figures, print the tables."""

import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Generic, Literal, TypeVar

import typer

from evals.data_files import check_file, write_figures
from evals.figures import JUDGE, by_arm, sums
from evals.report import INTERVALS, Report, left_out, spent_table, tables_of
from evals.trials import quiet
from tools.errors import PROGRAM, CiteLoomError, InputError, PermanentError
from tools.scholar.open_source import OnlineName, check_source, is_online
from tools.settings import settings

INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Options:
    """What every suite may be given."""

    mind: Annotated[
        Literal["extractive", "llm"],
        typer.Option(help="What reads, judges and writes: an LLM or the embedded engine."),
    ] = "extractive"
    n: Annotated[int | None, typer.Option(help="How many to measure, the first ones.", min=1)] = (
        None
    )
    json: Annotated[Path | None, typer.Option(help="Write the figures there.")] = None
    workers: Annotated[
        int, typer.Option(help="Runs side by side; no figure but seconds depends on it.", min=1)
    ] = 1
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0


OptionsT = TypeVar("OptionsT", bound=Options)


class Suite(Generic[OptionsT]):
    """Data, arms and measures."""

    runs: int = 0
    """How many there will be, where `prepare` can tell."""

    def __init__(self, options: OptionsT) -> None:
        self.options = options

    def prepare(self) -> None:
        """Read the data and choose the arms; InputError where that cannot be done."""

    def rows(self) -> Generator[Any]:
        """Run each arm on each case; yield what came of each run."""
        raise NotImplementedError

    def outcome(self, row: Any) -> str:
        """Say in a few words what came of a run."""
        raise NotImplementedError

    def failed(self, row: Any) -> bool:
        """Whether a run gave nothing."""
        return isinstance(row, dict) and bool(row.get("error"))

    def found(self, rows: Sequence[Any]) -> dict[str, Any]:
        """Return the figures."""
        raise NotImplementedError

    def markdown(self, found: dict[str, Any]) -> str:
        """Return the figures as a person reads them."""
        return Report(dict(tables_of(found)), self.notes(found)).markdown()

    def notes(self, found: dict[str, Any]) -> list[str]:
        """Say what the tables do not: what was left out, what broke, and what the brackets are."""
        return [*left_out(found, found.get("cases") or found.get("queries") or ()), INTERVALS]


def run(suite: Suite[Any]) -> int:
    """Run a suite; return the command's exit code.

    0: all runs were done. 1: it could not go on, or no run gave anything. 2: what was given cannot
    be used. 130: stopped by Ctrl-C; what was done until then is shown and written.
    """
    rows: list[Any] = []
    try:
        check(suite.options)
        suite.prepare()
        code = _run_all(suite, rows)
        if rows:
            tasks = by_arm(rows)
            found = {**suite.found(rows), "tasks": tasks, "complete": code == 0}
            write_figures(suite.options.json, found)
            text = "\n\n".join(filter(None, [suite.markdown(found), spent_table(tasks)]))
            print(text if code == 0 else f"{text}\n- Stopped before the end: of what was done.")
    except CiteLoomError as error:
        say(f"citeloom: {error}")
        return 2 if isinstance(error, InputError) else 1
    return code or int(all(suite.failed(row) for row in rows))


def _run_all(suite: Suite[Any], rows: list[Any]) -> int:
    began = perf_counter()
    try:
        with quiet(), closing(suite.rows()) as done:
            for row in done:
                rows.append(row)
                if len(rows) == 1 and not _worth_it(suite, row):
                    return INTERRUPTED
                told = f"{len(rows)} {suite.outcome(row)}"
                if left := max(suite.runs - len(rows), 0):
                    told += f"; {left} left, {lasting((perf_counter() - began) / len(rows) * left)}"
                say(told)
    except KeyboardInterrupt:
        return INTERRUPTED
    except PermanentError as error:
        say(f"citeloom: {error}")
        return 1
    return 0


def _worth_it(suite: Suite[Any], first: Any) -> bool:
    """Say what the first run cost and so about all will; ask whether they are worth it where a person is there."""
    tasks = by_arm([first])
    if suite.options.mind != "llm" or suite.runs < 2 or tasks.keys() <= {JUDGE}:
        return True
    cost = sums(one for arm in tasks.values() for one in arm.values())
    tokens = cost["input_tokens"] + cost["output_tokens"]
    say(
        f"the first of {suite.runs} runs took {cost['calls']:.0f} calls, {tokens:,.0f} tokens and {cost['usd']:.2f} "
        f"USD: all may cost about {cost['usd'] * suite.runs:.2f} USD (without a price of the model, none is counted)"
    )
    return not sys.stdin.isatty() or typer.confirm("Go on?")


def check(options: Options) -> None:
    """Check what all suites are given.

    Raises:
        InputError: It cannot be used.
    """
    if options.mind == "llm" and not settings().llm_configured:
        raise InputError(f"--mind llm needs an LLM: run `{PROGRAM} doctor` to see what to set")
    check_file(options.json)


def choose(names: str, known: Iterable[str], what: str, always: Sequence[str] = ()) -> list[str]:
    """Return the names of a list with commas and those of `always`, as known; all for ''.

    Raises:
        InputError: One of them is not known.
    """
    known = list(known)
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in known]:
        raise InputError(f"there is no {what} '{unknown[0]}'; there are: {', '.join(known)}")
    return [name for name in known if not asked or name in (*asked, *always)]


def online_sources(names: str) -> tuple[OnlineName, ...]:
    """Return the sources on the network that a list with commas names.

    Raises:
        InputError: One is none, or lacks a key.
    """
    given = [name.strip() for name in names.split(",") if name.strip()]
    for name in given:
        check_source(name, settings())
    if not given or not all(map(is_online, given)):
        raise InputError("name sources on the network, such as openalex,semantic_scholar")
    return tuple(name for name in given if is_online(name))


def lasting(seconds: float) -> str:
    """Say roughly how long that is."""
    return f"about {seconds / 60:.0f} min" if seconds > 90 else f"about {seconds:.0f} s"


def say(text: str) -> None:
    """Say on standard error how far the benchmark is."""
    print(text, file=sys.stderr, flush=True)
