"""One run of the real `write` graph, or a text of others checked by `verify`, and what is counted of it.

Nothing here trusts a count of CiteLoom's own: citations are counted by their markers, and each quote
is looked up again in the paper as the data has it.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, get_args
from uuid import uuid4

from pydantic import BaseModel
from rapidfuzz.distance import LCSseq

from evals.figures import spent
from evals.runner import judge_task
from evals.trials import (
    BenchClients,
    Row,
    attempted,
    cost_of,
    failures_of,
    fresh_home,
    remembering,
    run_graph,
)
from evals.writing.cases import Case, ForcedPlan, forced_plan, without_markers
from evals.writing.judge_texts import Candidate, listed
from state.audit import Audit
from state.paper import Paper
from state.quote import Quote
from state.results import CitedSentence
from state.run import Usage
from state.writing import MARKER, SupportVerdict
from tools.clients import Clients
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import ledger_of_run
from tools.llm.open_model import open_model
from tools.settings import Settings
from tools.text.words import tokens

ALIKE = 0.8
"""Share of the words of two sentences (Jaccard) from which one repeats the other."""
VERDICTS: tuple[str, ...] = get_args(SupportVerdict)
Counts = dict[str, float]


def text_of(sentences: Sequence[CitedSentence]) -> str:
    """Return what was written, without the markers of its citations."""
    return " ".join(without_markers(sentence.marked) for sentence in sentences)


def honesty(
    sentences: Sequence[CitedSentence],
    named: Mapping[str, str],
    audit: Audit | None,
    papers: Sequence[Paper],
) -> Counts:
    """Count what can be checked of a section, with the paper's id behind each marker.

    citations, resolved      Citations, and those whose marker leads to a paper that was given.
    hallucinated             Those that lead to none.
    citing, quoted           Sentences that cite, and those in which each citation has a verified quote.
    repeated                 Sentences that nearly repeat an earlier one.
    given, cited, accounted  Papers that were given; that are cited; that are cited or explained.
    passed                   1 where the audit passed the text, else 0; absent without an audit.
    supported, partly, ...   Citations by verdict.
    """
    given = {paper.id: paper for paper in papers}
    cited = {key: given[paper] for key, paper in named.items() if paper in given}
    marked = [MARKER.findall(sentence.marked) for sentence in sentences]
    citing = [(sentence, keys) for sentence, keys in zip(sentences, marked, strict=True) if keys]
    verdicts = [item.verdict for sentence in sentences for item in sentence.citations]
    found = [cited[key].id for keys in marked for key in keys if key in cited]
    explained = {item.paper for item in audit.omissions} & given.keys() if audit else set()
    return {
        "citations": sum(map(len, marked)),
        "resolved": len(found),
        "hallucinated": sum(map(len, marked)) - len(found),
        "citing": len(citing),
        "quoted": sum(_quoted(sentence, keys, cited) for sentence, keys in citing),
        "repeated": repeated([without_markers(sentence.marked) for sentence in sentences]),
        "given": len(given),
        "cited": len(set(found)),
        "accounted": len(explained.union(found)),
        **({"passed": audit.passed} if audit else {}),
        **{name: verdicts.count(name) for name in VERDICTS},  # type: ignore[arg-type]  # Support's own
    }


def _quoted(sentence: CitedSentence, keys: Sequence[str], cited: Mapping[str, Paper]) -> bool:
    """Whether each citation of the sentence has words of its paper behind it."""
    quotes = {item.key: item.quote for item in sentence.citations}
    return all(key in cited and stands(quotes.get(key), cited[key]) for key in keys)


def stands(quote: Quote | None, paper: Paper) -> bool:
    """Whether the words of a quote stand in the paper where the quote says that they do."""
    return (
        quote is not None
        and quote.verified
        and quote.paper == paper.id
        and bool(quote.text.strip())
        and dict(paper.parts).get(quote.part, "")[quote.start : quote.end] == quote.text
    )


def repeated(texts: Sequence[str]) -> int:
    """Count the texts that share ALIKE of their words with one before them."""
    bags = [frozenset(tokens(text)) for text in texts]
    return sum(
        any((len(bag & before) >= ALIKE * len(bag | before)) for before in bags[:place])
        for place, bag in enumerate(bags)
        if bag
    )


def adherence(
    sentences: Sequence[CitedSentence],
    named: Mapping[str, str],
    plan: ForcedPlan,
) -> Counts:
    """Compare a section with the plan that it was given, sentence by sentence in order.

    lines, lines_right   Sentences asked for; those that cite the papers asked for and no other.
    citing_lines, citing_right
                         Of sentences that are to cite; however many there are between them.
    places, in_place     Papers asked for, counted sentence by sentence; those that are cited there.
    sentences_more       Sentences written less sentences asked for.
    same_length          1 where there are as many (LitLLM, Table 8).
    words_more           Words written over words asked for, less 1.
    """
    cites = [
        frozenset(named[key] for key in MARKER.findall(sentence.marked) if key in named)
        for sentence in sentences
    ]
    asked_citing = [asked for asked in plan.cites if asked]
    pairs = list(zip(plan.cites, [*cites, *([None] * len(plan.cites))], strict=False))
    written = sum(len(without_markers(sentence.marked).split()) for sentence in sentences)
    return {
        "lines": len(plan.cites),
        "lines_right": sum(asked == made for asked, made in pairs),
        "citing_lines": len(asked_citing),
        "citing_right": LCSseq.similarity(asked_citing, [made for made in cites if made]),
        "places": sum(len(asked) for asked in plan.cites),
        "in_place": sum(len(asked & (made or frozenset())) for asked, made in pairs),
        "sentences_more": len(sentences) - len(plan.cites),
        "same_length": len(sentences) == len(plan.cites),
        "words_more": written / plan.words - 1,
    }


class Section(BaseModel):
    """The answer."""

    text: str


WRITE = judge_task(
    "write_bare",
    """Write the related-work section of `paper`, in prose, from `works`, which it cites. Cite a work by its number
in square brackets. Where `example` is given, which is another paper's section, write in its style and take none of
its content.""",
    Section,
    4000,
)


async def write_bare(
    case: Case, example: str, clients: Clients, at: Settings
) -> tuple[str, list[Usage]]:
    """Return a section from one question, in the style of an example if one is given, and what it cost."""
    works = {
        str(number): {"title": paper.title, "abstract": paper.abstract or ""}
        for number, paper in enumerate(case.papers, 1)
    }
    run, limits = f"bare-{uuid4().hex}", BudgetLimits()
    mind = open_model(run, limits, "llm", at, clients.embedder)
    shown: dict[str, Any] = {"example": example} if example else {}
    answer = await mind.do(WRITE, **shown, paper=f"{case.title}\n\n{case.abstract}", works=works)
    return answer.text.strip(), ledger_of_run(run, limits, at.home).usage()


LEXRANK = "lexrank"
"""What the others are compared with."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """One way of writing: settings of the run, and whether it is given the gold's plan."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    forced: bool = False
    llm: bool = False
    """Whether only an LLM makes it another one."""
    free: bool = False
    """Whether it is one answer of an LLM, nothing checked, and no run of `write`."""
    shot: bool = False
    """Whether that answer is shown the section of another row."""


_CHATCITE: Mapping[str, Any] = {"writer": "beam", "schedule": "incremental", "every_vote": True}


ARMS = {
    arm.name: arm
    for arm in (
        Arm(name="beam", settings={"writer": "beam", "schedule": "themed"}),
        Arm(name="chatcite", settings=_CHATCITE),
        Arm(name="no_extractor", settings={**_CHATCITE, "key_elements": False}, llm=True),
        Arm(name="no_increments", settings={**_CHATCITE, "schedule": "at_once"}, llm=True),
        Arm(
            name="no_reflection",
            settings={**_CHATCITE, "samples": 1, "votes": 1, "beam": 1},
            llm=True,
        ),
        Arm(name="bare", llm=True, free=True),
        Arm(name="few_shot", llm=True, free=True, shot=True),
        Arm(name="plan", settings={"writer": "plan"}, forced=True),
        Arm(name="prompted_plan", settings={"writer": "plan"}),
        *(
            Arm(name=name, settings={"writer": name})
            for name in ("whole", "per_cite", "sentence_by_sentence", LEXRANK)
        ),
        Arm(name="one_line", settings={"writer": "one_line"}),
    )
}


def try_arm(
    task: tuple[Case, Arm | Candidate], *, mind: str, vectors: Path, cases: Sequence[Case] = ()
) -> Row:
    """Run one way of writing for one row; whatever goes wrong stands in the result.

    It has 'skipped' (why it was not run), 'text' (without the markers of its citations), 'counts' and
    'adherence' (evals.writing.trial; empty where there was no plan of the gold), 'cost', 'failures'. One of `cases`
    may be another's example.
    """
    case, arm = task
    if isinstance(arm, Candidate):
        return try_text(case, arm, mind, vectors)
    row = _row(case, arm.name)
    if arm.llm and mind != "llm":
        return row | {"skipped": "only an LLM writes it"}
    if arm.free:
        example = next((one.gold for one in cases if one.id != case.id), "") if arm.shot else ""
        if arm.shot and not example:
            return row | {"skipped": "there is no other row to show"}
        return row | _try_bare(case, arm, example, vectors)
    plan = forced_plan(case) if arm.forced else None
    if isinstance(plan, str):
        return row | {"skipped": plan}
    inputs = {
        "text": f"# {case.title}\n\n{case.abstract}" if case.title else case.abstract,
        "papers": [paper.model_dump(mode="json") for paper in case.papers],
        "cite": len(case.papers),
        "plan": plan.text if plan else "",
    }

    def written() -> dict[str, Any]:
        clients = BenchClients(here, remembering(vectors))
        return _written(
            case, plan, run_graph("write", inputs, clients, {"mind": mind, **arm.settings})
        )

    with fresh_home() as here:
        return row | attempted(written)


def _row(case: Case, arm: str, text: str = "") -> Row:
    empty: Row = {name: {} for name in ("counts", "adherence", "cost", "tasks")}
    return {"case": case.id, "arm": arm, "text": text, **empty}


def _try_bare(case: Case, arm: Arm, example: str, vectors: Path) -> Row:
    """Let an LLM write by itself, and check its text as a published one; the cost is that of writing."""

    def written() -> dict[str, Any]:
        clients, began = BenchClients(here, remembering(vectors)), perf_counter()
        text, used = asyncio.run(write_bare(case, example, clients, here))
        cost = cost_of(used, perf_counter() - began)
        candidate = Candidate(
            arm=arm.name, text=text, references=tuple(paper.title for paper in case.papers)
        )
        return try_text(case, candidate, "llm", vectors) | {"cost": cost, "tasks": spent(used)}

    with fresh_home() as here:
        return attempted(written)


def _written(case: Case, plan: ForcedPlan | None, result: Mapping[str, Any]) -> dict[str, Any]:
    references = result.get("references") or []
    named = {item.marker: item.paper.id for item in references}
    return {
        **told(case, result, named),
        "adherence": adherence(result.get("sentences") or [], named, plan) if plan else {},
        "printed": {
            "text": str(result.get("related_work") or ""),
            "references": [item.paper.title for item in references],
        },
    }


def told(case: Case, result: Mapping[str, Any], named: Mapping[str, str]) -> dict[str, Any]:
    """Return what came of a run of `write` or `verify`: the text, what is counted of it, and its cost.

    `named` has the id of the paper behind each marker.
    """
    sentences = result.get("sentences") or []
    audit, stop = result.get("audit"), result.get("stop")
    text = text_of(sentences)
    return {
        "text": text,
        "error": stop.cause if stop and not sentences else "",
        "counts": {
            **honesty(sentences, named, audit, case.papers),
            "sentences": len(sentences),
            "words": len(text.split()),
        },
        "cost": cost_of(result["usage"], result["took"]),
        "tasks": spent(result["usage"]),
        "failures": failures_of(result),
    }


_AT_CITE = re.compile(r"@cite_(\d+)")
"""How Multi-XScience and what was trained on it cite."""


def try_text(case: Case, candidate: Candidate, mind: str, vectors: Path) -> Row:
    """Check one published text of one row; whatever goes wrong stands in the result, as of a writer."""
    row = _row(case, candidate.arm, candidate.text)
    inputs = {
        "text": _AT_CITE.sub(r"[\1]", candidate.text),
        "papers": [
            paper.model_dump(mode="json") if isinstance(paper, Paper) else {"title": paper}
            for paper in listed(case, candidate.references)
        ],
    }

    def checked() -> dict[str, Any]:
        result = run_graph(
            "verify",
            inputs,
            BenchClients(here, remembering(vectors)),
            {"mind": mind},
        )
        audit = result.get("audit")
        named = {item.key: item.paper for item in audit.verdicts} if audit else {}
        return {
            **told(case, result, named),
            "printed": {"text": candidate.text, "references": list(candidate.references)},
        }

    with fresh_home() as here:
        return row | attempted(checked)
