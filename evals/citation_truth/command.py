"""`citeloom eval citation_truth`: falsehoods and truths put to each check, from data of yours."""

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from evals.citation_truth.pairs import KINDS, Case, load
from evals.figures import RESAMPLES, means
from evals.runner import JudgeOptions, Question, Suite, choose, tell_cost
from nodes.judge.judge_prompts import TASK
from state.ask import Claim, DraftSentence
from state.inputs import CheckedRequest
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.synthesis import Context, Paragraph
from state.writing import Draft, Plan, Sentence, SupportVerdict
from tools.clients import Clients
from tools.errors import InputError
from tools.library.library import Library
from tools.llm.open_model import Kind
from tools.llm.task import AnswerT, Exchange, Task, TaskModel
from tools.run_settings import RunSettings
from tools.run_store import RunStore
from tools.services import open_services
from tools.settings import settings
from tools.text.words import share_of_stems, split_sentences

RUN = "case"
Way = Callable[[Case, Sequence[Paper], "Bench"], Awaitable[SupportVerdict]]


class Liar:
    """A judge that calls everything supported and quotes the source's fitting sentence.

    It restates each claim as this quote, and sees no harm in any difference: what is refused here is refused by
    facts alone.
    """

    name = "liar"
    composes = judges = varies = True

    def __init__(self, source: str) -> None:
        """Take the sentence that the case was made of, which is quoted where it is shown."""
        self._source = source

    def spare(
        self, task: Task[AnswerT], *, after: Exchange | None = None, **inputs: object
    ) -> float:
        """Return that any question fits."""
        return float("inf")

    async def do(
        self,
        task: Task[AnswerT],
        *,
        after: Exchange | None = None,
        sample: int = 0,
        temperature: float = 0.0,
        **inputs: Any,
    ) -> AnswerT:
        """Say that it is so."""
        told, inputs = [], {**(after.shown if after else {}), **inputs}
        for item in inputs["asked"]:
            said: dict[str, Any] = {"id": item.id, "verdict": "supported"}
            if task.name == TASK.name:
                quote = self._fitting(item, inputs)
                said |= {"quotes": [quote], "claim": quote}
            told.append(said)
        return task.answer.model_validate({"findings": told})

    def _fitting(self, item: Any, inputs: Any) -> str:
        shown = [
            text
            for source in inputs["sources"]
            if source.key in item.sources
            for text in (source.abstract, *(one.text for one in source.passages or ()))
            if text
        ]
        if any(self._source in text for text in shown) and self._source:
            return self._source
        said = next(one.text for one in inputs["sentences"] if one.number == item.sentence)
        return max(
            [span.text for text in shown for span in split_sentences(text)],
            key=lambda line: share_of_stems(said, line),
            default="",
        )


class _Known:
    """A library that has the papers of one case."""

    def __init__(self, papers: Sequence[Paper]) -> None:
        self._papers = {paper.id: paper for paper in papers}

    def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return those of these papers that there are."""
        return {key: self._papers[key] for key in ids if key in self._papers}


class _Clients(Clients):
    """The process's clients, with a judge and, where a way looks there, a library of one case's papers."""

    def __init__(self, judge: TaskModel | None) -> None:
        super().__init__(settings())
        self._judge = judge
        self.papers: Sequence[Paper] = ()

    def judge(self, run: str, limits: Any, mind: TaskModel) -> TaskModel:
        """Return the judge of the case."""
        return self._judge or super().judge(run, limits, mind)

    async def opened(self, name: str, caller: str = "") -> Library:
        """Return the library of that name, or of the case."""
        return cast("Library", _Known(self.papers)) if self.papers else await super().opened(name)


class Bench:
    """Where the nodes work on one case."""

    def __init__(self, judge: TaskModel | None, mind: Kind) -> None:
        """Take who judges, if it is not the mind, and the mind."""
        self.clients = _Clients(judge)
        self.context = RunSettings(mind=mind, full_text=False)
        vars(self.context)["clients"] = self.clients  # where cached_property looks first
        self.runtime = Runtime(context=self.context, store=InMemoryStore())

    @property
    def store(self) -> RunStore:
        """What the run knows."""
        return open_services(self.runtime, RUN).run_store


async def verdict(
    case: Case, others: Sequence[Paper], arm: str, mind: Kind = "extractive"
) -> SupportVerdict:
    """Return what one of the ways makes of a case.

    Args:
        case: A sentence that cites one paper.
        others: Papers that are at hand beside it.
        arm: One of ARMS; a 'liar' is asked in the mind's place.
        mind: Who judges.
    """
    way, _, liar = arm.partition("_")
    papers = [case.paper, *others]
    bench = Bench(Liar(case.source) if liar else None, mind)
    await bench.store.papers.put(papers)
    return await _WAYS[way](case, papers, bench)


async def _write(case: Case, papers: Sequence[Paper], bench: Bench) -> SupportVerdict:
    """The check of `write`, `review` and `revise`."""
    from nodes.write.check_citations import check_citations

    keys = {f"P{place}": paper.id for place, paper in enumerate(papers, start=1)}
    state: Any = {
        "run": RUN,
        "keys": keys,
        "final": Draft(id="d", sentences=(Sentence(text=case.text, line=1),)),
        "checks": 0,
        "verdicts": [],
        "request": CheckedRequest(text=""),
        "outline": Plan(lines=()),
    }
    return next(
        item.verdict
        for item in (await check_citations(state, bench.runtime))["verdicts"]
        if item.key == "P1"
    )


async def _verify(case: Case, papers: Sequence[Paper], bench: Bench) -> SupportVerdict:
    """The whole graph `verify`: a text of one sentence and the papers' records, so abstracts only."""
    from graphs.verify import graph

    given: Any = {
        "text": case.text.replace("{P1}", "[1]"),
        "papers": [paper.model_dump(mode="json") for paper in papers],
    }
    verdicts = [
        item.verdict
        for item in (await graph.ainvoke(given, context=bench.context))["audit"].verdicts
        if item.key == "P1"
    ]
    return verdicts[0] if verdicts else "not_checked"


async def _ask(case: Case, papers: Sequence[Paper], bench: Bench) -> SupportVerdict:
    """The check of a sentence of an answer that rests on the fitting words; one that gives way is not in the source."""
    from nodes.ask.check_answer import check_answer

    text = _at_hand(case)
    lines = [span.text for span in split_sentences(text)]
    words = (
        case.source
        if case.source and case.source in text
        else max(lines, key=lambda line: share_of_stems(case.text, line), default=text)
    )
    paper = case.paper
    passage = Passage(id="a", paper=paper.id, title=paper.title, start=0, end=len(text), text=text)
    await bench.store.passages.put([passage])
    bench.clients.papers = papers
    at = text.find(words)
    claim = Claim(
        number=1,
        text=words,
        passage="a",
        paper=paper.id,
        quote=Quote(
            text=words,
            paper=paper.id,
            part="passage",
            start=at,
            end=at + len(words),
            verified=True,
        ),
    )
    state: Any = {
        "run": RUN,
        "request": CheckedRequest(text=""),
        "standalone": "",
        "held": [claim],
        "draft": [DraftSentence(text=_plain(case), claims=(1,))],
    }
    said = [
        item.verdict
        for item in (await check_answer(state, bench.runtime))["verdicts"]
        if item.text == _plain(case)
    ]
    return said[0] if said else "not_in_source"


async def _synthesize(case: Case, papers: Sequence[Paper], bench: Bench) -> SupportVerdict:
    """The check of a line; one that is lost is not in the source, or without a judge not checked."""
    from nodes.synthesize.align_lines import align_lines

    await bench.store.paragraphs.put(
        [Paragraph(id="a", paper=case.paper.id, number=1, text=_at_hand(case))]
    )
    state: Any = {
        "run": RUN,
        "request": CheckedRequest(text="", kind="question"),
        "draft": _plain(case),
        "contexts": [Context(paragraph="a", score=1.0, by="mind")],
    }
    update = await align_lines(state, bench.runtime)
    if update["lines"] and not update["lost"]:
        return update["lines"][0].verdict
    return "not_in_source" if open_services(bench.runtime, RUN).judge.judges else "not_checked"


def _at_hand(case: Case) -> str:
    return case.paper.abstract or ""


def _plain(case: Case) -> str:
    """The sentence as `ask` and `synthesize` check it: with its frame, without the marker."""
    return case.text.replace(" {P1}", "").replace("{P1}", case.paper.citation)


_WAYS: dict[str, Way] = {
    "write": _write,
    "verify": _verify,
    "ask": _ask,
    "synthesize": _synthesize,
}
ARMS = (*_WAYS, *(f"{way}_liar" for way in _WAYS))
"""Names of the ways; a 'liar' is a judge that calls everything supported, so that facts alone refuse."""


OTHERS = 4
"""Other papers at hand beside the cited one."""
GROUPS = ("own", "paraphrase", *KINDS, "elsewhere")
_ANSWER = 150
"""Tokens of an LLM's verdict, about."""


@dataclass(frozen=True, kw_only=True)
class CitationTruthOptions(JudgeOptions):
    """The command as given; `n` counts the sentences."""

    data: Annotated[
        Path, typer.Option(help="A folder with citation_graph and related_work: abstracts.")
    ]
    each: Annotated[int, typer.Option(help="Pairs of each of the nine kinds.", min=1)] = 40
    half: Annotated[Literal["tuning", "held_out", "both"], typer.Option(help="Which papers.")] = (
        "tuning"
    )
    arms: Annotated[str, typer.Option(metavar="A,B", help="Which checks; all if left out.")] = ""


class CitationTruth(Suite[CitationTruthOptions]):
    """Put falsehoods and truths about papers to each check: what it accepts, and what it refuses.

    With --mind llm each check asks it; a 'liar' is a judge that calls everything supported, so that facts alone refuse.
    """

    def prepare(self) -> None:
        """Make the sentences."""
        options = self.options
        self.arms = choose(options.arms, list(ARMS), "check")
        cases = load(options.data, options.each)
        held_out = options.half == "held_out"
        self.cases = [
            case for case in cases if options.half == "both" or case.held_out == held_out
        ][: options.n]
        if not self.cases:
            raise InputError(f"there is nothing to check in '{options.data}'")
        honest = [arm for arm in self.arms if not arm.endswith("_liar")]
        if options.mind == "llm" and honest:
            asked: list[Question] = [
                (TASK, {"text": one.text, "paper": one.paper.abstract}, _ANSWER)
                for one in self.cases * len(honest)
            ]
            tell_cost(asked, options.mind, options.max_usd)

    def rows(self) -> Generator[dict[str, Any]]:
        """Put every sentence to each check."""
        for arm in self.arms:
            yield figures(arm, judged(self.cases, arm, self.options.mind), seed=self.options.seed)

    def found(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the figures."""
        options = self.options
        return {
            "settings": {
                "data": options.data.name,
                "each": options.each,
                "half": options.half,
                "mind": options.mind,
                "seed": options.seed,
                "model": settings().strong_model if options.mind == "llm" else None,
                "resamples": RESAMPLES,
            },
            **{
                part: {row["arm"]: row[part] for row in rows}
                for part in ("falsehoods", "verdicts", "calibration")
            },
        }


def judged(
    cases: Sequence[Case], arm: str, mind: Kind = "extractive"
) -> list[tuple[Case, SupportVerdict]]:
    """Return each case with the verdict of one check."""
    papers = list({case.paper.id: case.paper for case in cases}.values())
    found = []
    for number, case in enumerate(cases):
        others = random.Random(number).sample(papers, min(OTHERS + 1, len(papers)))
        found.append(
            (
                case,
                asyncio.run(
                    verdict(
                        case,
                        [item for item in others if item.id != case.paper.id][:OTHERS],
                        arm,
                        mind,
                    )
                ),
            )
        )
    return found


def figures(arm: str, found: list[tuple[Case, SupportVerdict]], *, seed: int = 0) -> dict[str, Any]:
    """Count the verdicts on each kind of sentence, and the falsehoods that passed.

    `calibration` has, by verdict, the share of true sentences among those called so.
    """
    false = [verdict for case, verdict in found if case.kind in KINDS]
    groups = {
        group: Counter(verdict for case, verdict in found if case.kind == group) for group in GROUPS
    }
    true = [{"arms": {arm: {said: float(case.true)}}} for case, said in found]
    return {
        "arm": arm,
        "verdicts": {group: counts for group, counts in groups.items() if counts},
        "calibration": means(true, [arm], seed=seed)[arm],
        "falsehoods": {
            "all": len(false),
            "accepted": sum(verdict in {"supported", "partly"} for verdict in false),
            "supported": false.count("supported"),
        },
    }
