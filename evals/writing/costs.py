"""What each writer asks of an LLM, and how long its longest chain of questions is.

    python -m evals.writing.costs [--papers 30] [--samples 2] [--votes 3] [--beam 2]
        [--writers beam,beam_incremental,...] [--delay 0.3] [--concurrency 16]
        [--strong-price 2.5,10] [--fast-price 0.15,0.6] [--json FILE]

A scripted LLM (tests/fakes) in a process of its own answers every question. The real `write` graph
writes about the papers of the starter library that share most words with the example abstract. It goes
as from the command line, with checkpoints and run_store in files. Each writer runs twice:

chain      The longest chain of questions that wait for each other. The LLM answers all questions at
           once when none has come for --delay seconds, so that the chain is as many waves long; as
           many questions as the writer likes are under way. Calls, tokens and USD are of this run.
of which   What the chain consists of, by task.
seconds    Wall time where each answer takes --delay seconds, at most --concurrency at once.
of incr.   Chain and seconds over those of `beam_incremental`, where that is run.
tokens     A quarter of the characters, as the scripted LLM counts them.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any

from pydantic import SecretStr

# LangGraph reads it when it is first imported, as the command line has it.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from citeloom.settings import Settings
from evals.slow_llm import Call, SlowLlm
from evals.source_runs import Table, tell
from evals.writing.trial import ARMS, Arm, BenchClients
from tests.support import RememberingEmbedder, link_libraries, starter_records
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import InputError
from tools.library.open import close_libraries, open_library
from tools.text.words import resemblance

INCREMENTAL = "beam_incremental"
_ALL_AT_ONCE = 256
_EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "abstract.md"
_USUAL = ",".join(ARMS)
Price = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Course:
    """What is written about, and with what."""

    text: str
    papers: Sequence[str]
    samples: int
    votes: int
    beam: int
    concurrency: int
    strong: Price
    fast: Price
    libraries: Path
    embedder: Embedder
    llm: SlowLlm
    library: str = "starter"


@dataclass(frozen=True)
class Run:
    """What a run took, and what it asked."""

    seconds: float
    calls: Sequence[Call]
    input_tokens: int
    output_tokens: int
    usd: float
    sentences: int
    failures: Sequence[str]


def chain(calls: Sequence[Call]) -> list[str]:
    """Return the tasks of the waves in order, each with the first question that came in it."""
    waves = groupby(sorted(calls, key=lambda call: call.wave), key=lambda call: call.wave)
    return [min(wave, key=lambda call: call.at).task for _, wave in waves]


def try_once(course: Course, arm: Arm, delay: float, *, together: bool) -> Run:
    """Write once, with a home of its own."""
    with tempfile.TemporaryDirectory(prefix="citeloom-eval-", ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        link_libraries(course.libraries, home)
        url = course.llm.begin("exact", delay, together=together)
        most = _ALL_AT_ONCE if together else course.concurrency
        here = Settings.model_construct(
            home=home, llm_base_url=url, llm_api_key=SecretStr("none"),
            strong_model="scripted-strong", fast_model="scripted-fast",
            strong_price=course.strong, fast_price=course.fast, llm_concurrency=most,
        )  # fmt: skip
        try:
            seconds, result = asyncio.run(_write(course, arm, here, most))
        finally:
            calls, _ = course.llm.end()
            close_libraries()
    used = [usage for usage in result["usage"] if usage.mind != "extractive"]
    return Run(
        seconds=seconds,
        calls=calls,
        input_tokens=sum(usage.input_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        usd=sum(usage.usd for usage in used),
        sentences=len(result["sentences"]),
        failures=[f"{item.stage}: {item.subject}: {item.cause}" for item in result["failures"]],
    )


async def _write(
    course: Course, arm: Arm, settings: Settings, most: int
) -> tuple[float, dict[str, Any]]:
    """Return the seconds of a run as the command line makes it, and its last state."""
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.store.sqlite.aio import AsyncSqliteStore

    from graphs.write import builder

    context = RunContext(
        mind="llm", samples=course.samples, votes=course.votes, beam=course.beam, **arm.settings
    )
    vars(context)["clients"] = BenchClients(settings, course.embedder)
    inputs: Any = {
        "text": course.text, "papers": list(course.papers), "library": course.library, "cite": len(course.papers),
        "plan": _plan(len(course.papers)) if arm.forced else "",
    }  # fmt: skip
    config: Any = {
        "configurable": {"thread_id": "run"}, "recursion_limit": 1000, "max_concurrency": most,
    }  # fmt: skip
    async with (
        AsyncSqliteSaver.from_conn_string(str(settings.home / "checkpoints.sqlite")) as saver,
        AsyncSqliteStore.from_conn_string(str(settings.home / "run_store.sqlite")) as store,
    ):
        await store.setup()
        graph = builder.compile(checkpointer=saver, store=store, name="write")
        began = perf_counter()
        await graph.ainvoke(inputs, config, context=context)
        seconds = perf_counter() - began
        return seconds, dict((await graph.aget_state(config)).values)


def _plan(papers: int) -> str:
    """Ask for a sentence about each paper."""
    cites = " ".join(f"Cite [{number}] on line {number}." for number in range(1, papers + 1))
    return f"{papers} sentences. {cites}"


def measure(course: Course, arms: Sequence[Arm], delay: float) -> Iterator[tuple[Arm, Run, Run]]:
    """Yield for each writer a run in waves, and one in which each answer takes the delay."""
    for arm in arms:
        waves = try_once(course, arm, delay, together=True)
        yield arm, waves, try_once(course, arm, delay, together=False)


def row(arm: Arm, waves: Run, slow: Run, base: tuple[Run, Run] | None) -> dict[str, object]:
    """Return what is told of one writer."""
    tasks = chain(waves.calls)
    counted = {task: tasks.count(task) for task in dict.fromkeys(tasks)}
    shares = ["", ""]
    if base:
        shares = [
            f"{len(tasks) / len(chain(base[0].calls)):.2f}", f"{slow.seconds / base[1].seconds:.2f}"
        ]  # fmt: skip
    return {
        "writer": arm.name,
        "sentences": waves.sentences,
        "LLM calls": len(waves.calls),
        "tokens in": waves.input_tokens,
        "tokens out": waves.output_tokens,
        "USD": f"{waves.usd:.4f}",
        "chain": len(tasks),
        "of which": ", ".join(f"{task} {count}" for task, count in counted.items()),
        "seconds": f"{slow.seconds:.1f}",
        "chain, of incr.": shares[0],
        "seconds, of incr.": shares[1],
        "failures": len(waves.failures),
        "_waves": asdict(waves),
        "_slow": asdict(slow),
    }


def choose_papers(count: int, text: str) -> list[str]:
    """Return the ids of the starter library's papers that have most words in common with a text.

    Raises:
        InputError: There are not so many with an abstract.
    """
    known = [paper for paper in starter_records() if paper.abstract]
    if not 1 <= count <= len(known):
        raise InputError(f"--papers must be 1 to {len(known)}, not {count}")
    near = sorted(known, key=lambda paper: -resemblance(text, paper.text))
    return [paper.id for paper in near[:count]]


def _course(stack: ExitStack, options: argparse.Namespace) -> Course:
    embedder = RememberingEmbedder()
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citeloom-libraries-")))
    text = _EXAMPLE.read_text(encoding="utf-8")
    tell("building the starter library")
    open_library("starter", Settings.model_construct(home=folder), embedder)
    close_libraries()
    return Course(
        text=text, papers=choose_papers(options.papers, text), samples=options.samples,
        votes=options.votes, beam=options.beam, concurrency=options.concurrency,
        strong=options.strong_price, fast=options.fast_price, libraries=folder / "libraries",
        embedder=embedder, llm=stack.enter_context(SlowLlm()),
    )  # fmt: skip


def _price(given: str) -> Price:
    low, _, high = given.partition(",")
    return float(low), float(high)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--papers", type=int, default=30)
    parser.add_argument("--samples", type=int, default=2, help="n_s")
    parser.add_argument("--votes", type=int, default=3, help="n_v")
    parser.add_argument("--beam", type=int, default=2, help="n_c")
    parser.add_argument("--writers", default=_USUAL)
    parser.add_argument("--delay", type=float, default=0.3, help="seconds of each answer")
    parser.add_argument("--concurrency", type=int, default=16)
    for tier in ("strong", "fast"):
        parser.add_argument(
            f"--{tier}-price", type=_price, default=(0.0, 0.0), metavar="IN,OUT",
            help="USD for a million input tokens and output tokens",
        )  # fmt: skip
    parser.add_argument("--json", type=Path)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = _parser()
    options = parser.parse_args(arguments)
    names: Mapping[str, None] = dict.fromkeys(options.writers.split(","))
    if unknown := [name for name in names if name not in ARMS]:
        parser.error(f"no such writer: {', '.join(unknown)}; there are: {', '.join(ARMS)}")
    # The one that others are compared with goes first.
    arms = sorted((ARMS[name] for name in names), key=lambda arm: arm.name != INCREMENTAL)
    rows: list[dict[str, object]] = []
    base: tuple[Run, Run] | None = None
    with ExitStack() as stack:
        try:
            course = _course(stack, options)
        except InputError as error:
            parser.error(str(error))
        for arm, waves, slow in measure(course, arms, options.delay):
            base = (waves, slow) if arm.name == INCREMENTAL else base
            rows.append(row(arm, waves, slow, base))
            tell(f"{arm.name}: {len(waves.calls)} calls, {rows[-1]['chain']} in a chain")
    title = (
        f"{options.papers} papers, n_s {options.samples}, n_v {options.votes}, n_c {options.beam}; "
        f"answers in {options.delay * 1000:.0f} ms, {options.concurrency} at once"
    )
    print(Table(title, rows).markdown())
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
