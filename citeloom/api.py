"""CiteLoom from Python: `from citeloom import review`, and `areview` where an event loop runs.

    section = review("We propose ...", before="2024-01-01", max_usd=1.0)
    print(section["related_work"])

Every function takes the fields of its graph's input and the settings of a run by name
(docs/options.md), and returns the graph's output, typed. Runs are kept where those of the command
line are: one that fails or is stopped goes on with `resume(run)`.
"""

import asyncio
from base64 import b64encode
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial, wraps
from inspect import isawaitable
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast
from uuid import uuid4

from citeloom.runs.local_executor import local_runs
from citeloom.runs.runs import Progress, Runs, RunSnapshot, outputs_in
from citeloom.service.watching import begin_watch, check_now
from graphs.calling import fields_taken
from nodes.ingest.type_citations import library_citations
from state.ask import AskOutput
from state.channels import FindOutput, ReviewOutput, ScreenOutput, WriteOutput
from state.citing import LibraryCitations
from state.ingest import IngestOutput
from state.novelty import NoveltyOutput
from state.paper import Paper
from state.run import GraphName, as_sentences
from state.synthesis import SynthesizeOutput
from state.table import TableOutput
from state.verify import ReferencesOutput, VerifyOutput
from state.watch import Watch as Watched
from state.watch import WatchCheck
from tools.errors import CiteLoomError, InputError, TransientError
from tools.ingest.file_places import allow_paths
from tools.ledger.budget_limits import BudgetLimits
from tools.library.open_library import open_library
from tools.run_settings import RunSettings, setting_fields
from tools.services import per_day_limits

Person = Callable[[Mapping[str, Any]], object]
"""Is given a question of the run and returns the answer, or something to be awaited for it."""
Watch = Callable[[Progress], None]
"""Is told of each step."""
Files = Sequence[str | PathLike[str]]
P = ParamSpec("P")
ResultT = TypeVar("ResultT")


class RunError(CiteLoomError):
    """A run did not come to its end; `resume(error.run)` lets it go on."""

    def __init__(self, run: str, cause: str) -> None:
        super().__init__(f"{cause} (to go on: resume('{run}'))")
        self.run = run


async def areview(
    text: str, *, person: Person | None = None, watch: Watch | None = None, **options: Any
) -> ReviewOutput:
    """Find prior work for an abstract or idea and write a related-work section about it.

    Raises:
        InputError: The input or an option cannot be used; the text says what can.
        RunError: The run failed, or asks a person and there is none.
    """
    return cast(ReviewOutput, await _done("review", options, person, watch, text=text))


async def afind(
    text: str, *, person: Person | None = None, watch: Watch | None = None, **options: Any
) -> FindOutput:
    """Find prior work: papers, ranked, with arguments and checked quotes; raises as `review`."""
    return cast(FindOutput, await _done("find", options, person, watch, text=text))


async def anovelty(
    text: str, *, person: Person | None = None, watch: Watch | None = None, **options: Any
) -> NoveltyOutput:
    """Find the earlier work nearest to each claim of a text, with the words of both; raises as `review`."""
    return cast(NoveltyOutput, await _done("novelty", options, person, watch, text=text))


async def ascreen(
    question: str,
    papers: Sequence[str | Mapping[str, Any] | Paper],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    watch: Watch | None = None,
    **options: Any,
) -> ScreenOutput:
    """Decide on papers by inclusion and exclusion criteria, with words of each; raises as `review`."""
    return cast(
        ScreenOutput,
        await _done(
            "screen",
            options,
            None,
            watch,
            question=question,
            papers=[_sent(paper) for paper in papers],
            include=[*include],
            exclude=[*exclude],
        ),
    )


async def awrite(
    text: str,
    papers: Sequence[str | Mapping[str, Any] | Paper],
    *,
    person: Person | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> WriteOutput:
    """Write a related-work section about these papers (ids or records); raises as `review`."""
    return cast(
        WriteOutput,
        await _done(
            "write", options, person, watch, text=text, papers=[_sent(paper) for paper in papers]
        ),
    )


async def arevise(
    section: str,
    instruction: str = "",
    *,
    person: Person | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> WriteOutput:
    """Rewrite a section, by the `run` of its result, without searching again; raises as `review`."""
    return cast(
        WriteOutput,
        await _done("revise", options, person, watch, section=section, instruction=instruction),
    )


async def averify(
    text: str,
    papers: Sequence[str | Mapping[str, Any] | Paper] = (),
    *,
    watch: Watch | None = None,
    **options: Any,
) -> VerifyOutput:
    """Check the citations of a text against the papers that it cites; raises as `review`."""
    return cast(
        VerifyOutput,
        await _done(
            "verify", options, None, watch, text=text, papers=[_sent(paper) for paper in papers]
        ),
    )


async def areferences(
    text: str = "", files: Files = (), *, watch: Watch | None = None, **options: Any
) -> ReferencesOutput:
    """Read printed references, from a text or from files that list them, as records; raises as `review`."""
    return cast(
        ReferencesOutput,
        await _done(
            "references",
            options,
            None,
            watch,
            text=text,
            uploads=[uploaded(Path(file)) for file in files],
        ),
    )


async def aask(
    question: str, *, person: Person | None = None, watch: Watch | None = None, **options: Any
) -> AskOutput:
    """Answer a question from the papers of a library; raises as `review`."""
    return cast(AskOutput, await _done("ask", options, person, watch, question=question))


async def atable(
    questions: Sequence[str],
    *,
    person: Person | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> TableOutput:
    """Put questions to each paper of a library: a row for each, a quote behind each cell; raises as `review`."""
    return cast(
        TableOutput, await _done("table", options, person, watch, questions=list(questions))
    )


async def asynthesize(
    question: str,
    files: Files = (),
    *,
    person: Person | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> SynthesizeOutput:
    """Write a synthesis from a stack of papers: files, or ids of a library; raises as `review`."""
    return cast(
        SynthesizeOutput,
        await _done("synthesize", options, person, watch, question=question, paths=_opened(files)),
    )


async def aingest(
    library: str, files: Files = (), *, watch: Watch | None = None, **options: Any
) -> IngestOutput:
    """Add papers to a library, from files and folders or by `ids`; raises as `review`."""
    return cast(
        IngestOutput,
        await _done("ingest", options, None, watch, library=library, paths=_opened(files)),
    )


async def acitations(
    library: str,
    paper: str = "",
    *,
    max_usd: float | None = None,
    mind: str = "auto",
    watch: Callable[[int, int | None], None] | None = None,
) -> LibraryCitations:
    """Return what the papers of a library say of one another, or what others say of one paper and it of them.

    Args:
        library: Its name.
        paper: Id, title or a part of the title; all papers if empty.
        max_usd: The most that a model may cost that types what none has typed yet.
        mind: As the setting: 'auto' asks the model that is configured, 'extractive' none.
        watch: Is told (documents or sentences done, of how many).

    Raises:
        InputError: There is no such paper.
        LibraryError: There is no such library, or it is damaged.
    """
    clients = RunSettings().clients
    limits = BudgetLimits(usd=max_usd, per_day=per_day_limits(clients.settings, None))
    opened = await asyncio.to_thread(
        partial(open_library, library, clients.settings, clients.embedder, any_embedder=True)
    )
    model = clients.mind(f"citations-{uuid4().hex}", limits, mind)
    return await library_citations(opened, clients.settings, paper, model, watch)


async def awatch(what: str, **options: Any) -> Watched:
    """Watch the search of a run, by its name, or what is found for a question, and return the watch.

    Args:
        what: The run, or the question or abstract.
        options: `name`, `library`, `sources`, `criteria`, `every` (days) and `max_usd`, of one check.

    Raises:
        InputError: There is no such run, source or library, or there is a watch of this name.
    """
    async with local_runs() as runs:
        return await begin_watch(runs, what, **options)


async def acheck_watch(name: str) -> WatchCheck:
    """Check a watch now, write its digest, and return what the check found.

    Raises:
        InputError: There is no such watch, or its search cannot be made.
        TransientError: The check was stopped or failed, or a mail was not taken; call again to go on.
    """
    async with local_runs() as runs:
        found, unsent = await check_now(name, runs)
    if unsent:
        raise TransientError(unsent)
    return found


async def aresume(
    run: str, *, person: Person | None = None, watch: Watch | None = None
) -> dict[str, Any]:
    """Let a run go on that was stopped, failed or asks a person, and return what its graph gives.

    Raises:
        InputError: There is no such run, or another process works on it.
        RunError: It failed again, or asks a person and there is none.
    """
    async with local_runs() as runs:
        if (await runs.get(run)).status != "input_required":
            await runs.resume(run)
        return await _rested(runs, run, person, watch)


async def _done(
    graph: GraphName,
    options: Mapping[str, Any],
    person: Person | None,
    watch: Watch | None,
    **given: Any,
) -> dict[str, Any]:
    given |= options
    takes = fields_taken(graph)
    inputs = {name: given.pop(name) for name in takes if name in given}
    if unknown := sorted(given.keys() - setting_fields().keys()):
        names = [*takes, *setting_fields()]
        raise InputError(
            f"{graph} has no option {', '.join(unknown)}; there are {', '.join(names)}"
        )
    async with local_runs() as runs:
        return await _rested(runs, await runs.start(graph, inputs, given), person, watch)


async def _rested(
    runs: Runs, run: str, person: Person | None, watch: Watch | None
) -> dict[str, Any]:
    while (view := await _watched(runs, run, watch)).question:
        if person is None:
            raise RunError(run, "the run asks a person: give a function as `person`")
        answer = person(view.question)
        await runs.answer(run, await answer if isawaitable(answer) else answer)
    if not view.has_ended:
        raise RunError(run, view.error or "the run was stopped")
    values = outputs_in(view.graph, await runs.values(run))
    if values.get("outcome") == "nothing" and (stop := values.get("stop")):
        raise InputError(as_sentences(stop.cause, stop.remedy))
    return values


async def _watched(runs: Runs, run: str, watch: Watch | None) -> RunSnapshot:
    async for view in runs.follow(run):
        if watch and view.progress:
            watch(view.progress)
    return view


def uploaded(path: Path) -> dict[str, str]:
    """Return a file in the form that a graph takes: its name, and its contents in base64."""
    content = b64encode(path.read_bytes()).decode()
    return {"name": path.name, "content": content, "encoding": "base64"}


def _sent(paper: str | Mapping[str, Any] | Paper) -> str | dict[str, Any]:
    if isinstance(paper, Paper):
        return paper.model_dump(mode="json", exclude_defaults=True)
    return paper if isinstance(paper, str) else dict(paper)


def _opened(files: Files) -> list[str]:
    """Let this process read these files, which its own program names; return their paths."""
    paths = [fspath(file) for file in files]
    for path in paths:
        allow_paths(RunSettings().clients, Path(path).resolve())
    return paths


def _sync(function: Callable[P, Coroutine[Any, Any, ResultT]]) -> Callable[P, ResultT]:
    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> ResultT:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(function(*args, **kwargs))
        raise InputError(f"an event loop runs here: use `await {function.__name__}(...)`")

    run.__name__ = run.__qualname__ = function.__name__[1:]
    return run


review = _sync(areview)
find = _sync(afind)
novelty = _sync(anovelty)
screen = _sync(ascreen)
write = _sync(awrite)
revise = _sync(arevise)
verify = _sync(averify)
references = _sync(areferences)
ask = _sync(aask)
table = _sync(atable)
synthesize = _sync(asynthesize)
ingest = _sync(aingest)
citations = _sync(acitations)
watch = _sync(awatch)
check_watch = _sync(acheck_watch)
resume = _sync(aresume)
