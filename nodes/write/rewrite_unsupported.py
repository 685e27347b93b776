"""Rewrite: say only what the cited papers say, once; what still fails is taken out.

Reads `run`, `request`, `keys`, `final`, `verdicts`, `checks`, `removed`. Writes `final`,
`verdicts`, `removed`.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from nodes.write.extend_draft import NextSentence, Support, best_quote, faults
from nodes.write.lines import LinePaper, as_cited, line_papers
from state.request import Request
from state.run import Failure
from state.writing import Citation, CitationVerdict, Draft, PlanLine, Sentence
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.compose import Composer

STAGE = "rewrite_unsupported"
BAD = frozenset({"contradicted", "not_in_source"})

PROMPT = """\
A sentence of a related-work section says something that a paper it cites does not say. Write it
anew, as one sentence that cites the same papers by the same markers, such as {P3}, and says of each
only what its title and abstract say. For each cited paper copy, letter by letter, the words that
support the sentence.
"""


def extract(
    embedder: Embedder,
    *,
    sentence: str,
    papers: Sequence[LinePaper],
    so_far: Sequence[str],
    **_: object,
) -> NextSentence:
    """Say the surest thing about each paper in its own words."""
    composer = Composer([as_cited(paper) for paper in papers], so_far)
    parts = [part for paper in papers if (part := composer.plain(as_cited(paper)))]
    text = "; ".join(part.text.rstrip(".") for part in parts)
    quotes = {key: words for part in parts for key, words in part.quotes.items()}
    return NextSentence(
        sentence=f"{text}." if text else "",
        support=[Support(key=key, quote=words) for key, words in quotes.items()],
    )


TASK = Task(
    name="rewrite_unsupported", prompt=PROMPT, answer=NextSentence, tier="strong", extract=extract,
    max_output_tokens=700,
)  # fmt: skip


class Branch(TypedDict):
    """What this node reads."""

    run: str
    request: Request
    keys: dict[str, str]
    final: Draft
    verdicts: list[CitationVerdict]
    checks: int
    removed: list[CitationVerdict]


class Update(TypedDict):
    """What this node writes."""

    final: Draft
    verdicts: list[CitationVerdict]
    removed: list[CitationVerdict]
    failures: list[Failure]


async def rewrite_unsupported(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """After the first check rewrite the faulty sentences; after the second take them out."""
    desk = open_desk(runtime, state["run"])
    faulty = {item.sentence for item in state["verdicts"] if item.verdict in BAD}
    if state["checks"] >= 2:
        return take_out(state, faulty)
    sentences = list(state["final"].sentences)
    failures: list[Failure] = []
    for number in sorted(faulty):
        old = sentences[number - 1]
        try:
            sentences[number - 1] = await _rewrite(desk, state, old)
        except (AnswerError, RefusedError) as error:
            failures.append(
                Failure(
                    stage=STAGE, subject=f"sentence {number}", cause=str(error),
                    remedy="it is taken out unless the second check finds it supported",
                )
            )  # fmt: skip
    return {
        "final": state["final"].model_copy(update={"sentences": tuple(sentences)}),
        "verdicts": [item for item in state["verdicts"] if item.sentence not in faulty],
        "removed": state["removed"],
        "failures": failures,
    }


async def _rewrite(desk: Desk, state: Branch, old: Sentence) -> Sentence:
    papers = await line_papers(desk, state["keys"], old.keys)
    so_far = [item.text for item in state["final"].sentences if item is not old]
    answer = await desk.mind.do(TASK, sentence=old.text, papers=papers, so_far=so_far)
    line = PlanLine(number=old.line, keys=old.keys)
    own = state["request"].text
    if faults(answer, line, old.keys, own):
        answer = extract(desk.clients.embedder, sentence=old.text, papers=papers, so_far=so_far)
        if faults(answer, line, old.keys, own):
            return old
    records = await desk.shelf.papers([state["keys"][key] for key in old.keys])
    given = {item.key: item.quote for item in answer.support}
    return Sentence(
        text=" ".join(answer.sentence.split()),
        line=old.line,
        citations=tuple(
            Citation(
                key=key,
                quote=best_quote(records[state["keys"][key]], given.get(key, ""), answer.sentence),
            )
            for key in old.keys
        ),
    )


def take_out(state: Branch, faulty: set[int]) -> Update:
    """Remove the sentences that are still not supported, and renumber the verdicts of the others."""
    kept = [
        number for number in range(1, len(state["final"].sentences) + 1) if number not in faulty
    ]
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
                if item.sentence in faulty
            ),
        ],
        "failures": [
            Failure(
                stage=STAGE, subject=f"sentence {number}",
                cause="a paper it cites does not say what it says, also after rewriting",
                remedy="the sentence was taken out",
            )
            for number in sorted(faulty)
        ],
    }  # fmt: skip
