"""Rewrite: say only what the cited papers say, once; what still fails is taken out.

Reads `run`, `request`, `keys`, `outline`, `final`, `verdicts`, `checks`, `removed`. Writes `final`,
`verdicts`, `removed`, `rejections`. A citation that stands is kept by the new sentence; one that does
not may give way to the paper at hand that does say it.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel

from nodes.write.lines import LinePaper, line_papers, untrue_counts, without_markers
from nodes.write.writers.answers import NextSentence
from nodes.write.writers.drafting import Drafting, begin
from nodes.write.writers.faults import Action, Fault
from nodes.write.writers.port import Stage
from nodes.write.writers.telling import tell
from state.channels import WriteState
from state.run import Failure
from state.writing import CitationVerdict, PlanLine, Rejection, Sentence
from tools.context import RunContext
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.evidence.support import BAD
from tools.llm.task import Task
from tools.services import open_services

STAGE = "rewrite_unsupported"

PROMPT = """\
A sentence of a related-work section says something that a paper it cites does not say; the faults
tell which. Write it anew, as one sentence that cites papers by their markers, such as {P3}, directly
after the name or the claim, and says of each only what its title and abstract say. Keep the citations
that have no fault. A paper with a fault may be cited for what it does say, or give way to another
paper given here that says it. For each cited paper copy, letter by letter, the words that support the
sentence.
"""


class Unsupported(BaseModel):
    """What is wrong with one citation, as the mind sees it."""

    key: str
    claim: str
    why: str
    instead: str = ""


def extract(
    embedder: Embedder,
    *,
    sentence: str,
    papers: Sequence[LinePaper],
    so_far: Sequence[str],
    **_: object,
) -> NextSentence:
    """Show the papers' own sentences that are nearest to what was said."""
    kept = [paper for paper in papers if f"{{{paper.key}}}" in sentence]
    return tell(embedder, without_markers(sentence), kept, so_far)


TASK = Task(
    name="rewrite_unsupported", prompt=PROMPT, answer=NextSentence, tier="strong", extract=extract,
    max_output_tokens=700,
)  # fmt: skip


async def rewrite_unsupported(state: WriteState, runtime: Runtime[RunContext]) -> WriteState:
    """After the first check rewrite the faulty sentences, all at once; after the second take them out."""
    services = open_services(runtime, state["run"])
    faulty = sorted({item.sentence for item in state["verdicts"] if item.verdict in BAD})
    if state["checks"] >= 2:
        return take_out(state, faulty)
    stage = Stage(request=state["request"], keys=state["keys"], outline=state["outline"])
    drafting = await begin(services, stage, list(state["keys"]), STAGE)
    drafting.remedy = "it is taken out unless the second check finds it supported"
    done = await asyncio.gather(*(_rewrite(drafting, state, number) for number in faulty))
    new = {number: item for number, item in zip(faulty, done, strict=True) if item}
    sentences = enumerate(state["final"].sentences, start=1)
    return {
        "final": state["final"].model_copy(
            update={"sentences": tuple(new.get(number, item) for number, item in sentences)}
        ),
        "verdicts": [item for item in state["verdicts"] if item.sentence not in set(faulty)],
        "removed": state["removed"],
        "rejections": [*_rejections(state, list(new), "rewritten"), *drafting.rejections],
        "failures": drafting.failures,
    }


async def _rewrite(drafting: Drafting, state: WriteState, number: int) -> Sentence | None:
    """Return a better sentence, the embedded engine's where the mind's has faults; None where it has none."""
    services, keys, old = drafting.services, state["keys"], state["final"].sentences[number - 1]
    if not old.keys:
        return None
    bad = [item for item in state["verdicts"] if item.sentence == number and item.verdict in BAD]
    by_id = {paper: key for key, paper in keys.items()}
    instead = [by_id[item.better] for item in bad if item.better in by_id]
    allowed = [key for key in dict.fromkeys([*old.keys, *instead]) if key in drafting.papers]
    mine = replace(drafting, papers={key: drafting.papers[key] for key in allowed})
    failing = {item.key for item in bad}
    line = PlanLine(number=old.line, keys=tuple(key for key in allowed if key not in failing))
    inputs: dict[str, Any] = {
        "sentence": old.text,
        "papers": await line_papers(services, keys, allowed),
        "so_far": [item.text for item in state["final"].sentences if item is not old],
    }
    try:
        answer = await services.mind.do(
            TASK, **inputs, faults=[_fault(item, by_id) for item in bad]
        )
    except (AnswerError, RefusedError) as error:
        drafting.fail(f"sentence {number}", str(error), drafting.remedy)
        return None
    result = await _kept(mine, answer, line, inputs["so_far"])
    mine.reject(answer, [] if isinstance(result, Sentence) else result, old.line, "replaced")
    if not isinstance(result, Sentence):
        told = extract(services.clients.embedder, **inputs)
        result = await _kept(mine, told, line, inputs["so_far"])
    return result if isinstance(result, Sentence) and result.text != old.text else None


async def _kept(
    drafting: Drafting, answer: NextSentence, line: PlanLine, so_far: Sequence[str]
) -> Sentence | list[Fault]:
    result = await drafting.keep(answer, line, line.number, so_far)
    if isinstance(result, Sentence) and not result.keys:
        return [Fault("off_plan", "it cites nothing")]
    return result


def _fault(item: CitationVerdict, by_id: Mapping[str, str]) -> Unsupported:
    return Unsupported(
        key=item.key, claim=item.claim, why=describe(item), instead=by_id.get(item.better or "", "")
    )


_WHY = {
    "fabricated": "it leads to no paper",
    "no_verified_quote": "no words of the paper that say it could be shown",
}


def describe(item: CitationVerdict) -> str:
    """Say in words why a citation may not stay."""
    usual = "the paper does not say it, or is by others than the sentence names"
    if item.cause != "fabricated" and item.verdict == "contradicted":
        return "the paper says the opposite"
    return f"another paper says it: {item.better}" if item.better else _WHY.get(item.cause, usual)


def _rejections(state: WriteState, numbers: Sequence[int], action: Action) -> list[Rejection]:
    sentences, wanted = state["final"].sentences, set(numbers)
    return [
        Rejection(
            stage=STAGE, line=sentences[item.sentence - 1].line,
            sentence=sentences[item.sentence - 1].text, key=item.key, paper=item.paper,
            cause=item.cause or "mis_cited", detail=describe(item), action=action, by=item.by,
        )
        for item in state["verdicts"]
        if item.sentence in wanted and item.verdict in BAD
    ]  # fmt: skip


def take_out(state: WriteState, faulty: Sequence[int]) -> WriteState:
    """Remove the sentences that are still not supported, and renumber the verdicts of the others."""
    numbered = list(enumerate(state["final"].sentences, start=1))
    cited = [key for number, item in numbered if number not in faulty for key in item.keys]
    untrue = untrue_counts(state["outline"], cited)
    out = {*faulty, *(number for number, item in numbered if item.line in untrue)}
    kept = [number for number in range(1, len(state["final"].sentences) + 1) if number not in out]
    place = {number: position for position, number in enumerate(kept, start=1)}
    return {
        "final": state["final"].model_copy(
            update={"sentences": tuple(state["final"].sentences[number - 1] for number in kept)}
        ),
        "verdicts": [
            item.model_copy(update={"sentence": place[item.sentence]})
            for item in state["verdicts"]
            if item.sentence in place
        ],
        "removed": [
            *state["removed"],
            *(
                item.model_copy(update={"action": "removed"})
                for item in state["verdicts"]
                if item.sentence in out
            ),
        ],
        "rejections": _rejections(state, faulty, "removed"),
        "failures": [
            Failure(
                stage=STAGE, subject=f"sentence {number}",
                cause="a paper it cites does not say what it says, also after rewriting",
                remedy="the sentence was taken out",
            )
            for number in faulty
        ],
    }  # fmt: skip
