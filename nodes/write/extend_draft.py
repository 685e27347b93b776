"""Extend: write the next line of one surviving draft, in one of several ways.

Reads `run`, `request`, `keys`, `outline`, `position` and, per branch, one draft and a variant's
number. Writes `candidates` (ChatCite, section 3.2.1: a sentence is written in view of the target
work and of what is already there; earlier sentences stay as they are, so that nothing said of an
earlier paper can be lost).
"""

import re
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from nodes.write.lines import LinePaper, as_cited, line_papers, verified_words
from state.paper import Paper
from state.quote import Quote
from state.request import Request
from state.run import Failure
from state.writing import MARKER, Citation, Draft, Plan, PlanLine, Sentence
from tools.context import RunContext
from tools.desk import Desk, open_desk
from tools.embed.port import Embedder
from tools.errors import AnswerError, RefusedError
from tools.llm.task import Task
from tools.text.compose import Composed, Composer, resemblance
from tools.text.quotes import quote_input, quote_paper
from tools.text.sentences import split_sentences
from tools.text.words import coverage

STAGE = "extend_draft"
_NEAR = 0.22
"""Dice resemblance from which two papers' contributions count as similar."""
_SAME = 0.9
"""Dice resemblance from which two sentences count as one said twice."""
_OWN_WORDS = 0.6
"""Share of an uncited sentence's content words that the input must have."""
_INVENTED = re.compile(
    r"\s*(?:\[\d+(?:\s*[,–-]\s*\d+)*\]|\((?:[A-Z][\w'’-]+(?: (?:et al\.|and|&) ?[\w'’-]*)?,? \d{4}[a-z]?;? ?)+\))"
)

PROMPT = """\
You write a related-work section sentence by sentence, for the authors of the work described in the
input. Write exactly one sentence: the next line of the plan.

- Cite every paper of the line by its marker, such as {P3}, directly after its authors' names or the
  claim it supports, and no other paper unless it was cited before.
- Compare: say how the line's papers relate to the work of the authors and to the papers already
  discussed (shares, extends, differs, contradicts), with a fitting connective. Do not repeat what
  has been said, and do not list.
- Role of the line: "open" starts a theme and names it; "develop" goes on; "contrast" sets two papers
  against each other in one sentence; "close" says how the present work differs and cites nothing.
- Follow the line's note where there is one: it is the authors' own instruction.
- Claim only what the papers' words say. For each cited paper copy, letter by letter, the words of
  its title or abstract that support the sentence. For a closing line copy the words of the input.
"""


class Support(BaseModel):
    """The words behind one citation, as the mind gives them."""

    key: str
    quote: str = Field(description="Words of that paper, verbatim.")


class NextSentence(BaseModel):
    """The mind's answer."""

    sentence: str = Field(description="One whole sentence with markers such as {P3}.")
    support: list[Support] = Field(default=[], description="One entry for each cited paper.")
    basis: str = Field(default="", description="Words of the input, for a closing line only.")


def extract(
    embedder: Embedder,
    *,
    text: str,
    own: dict[str, str],
    line: PlanLine,
    papers: Sequence[LinePaper],
    discussed: Sequence[LinePaper],
    so_far: Sequence[str],
    variant: int,
    **_: object,
) -> NextSentence:
    """Compose the sentence of clauses that are the papers' own statements."""
    cited = [as_cited(paper) for paper in papers]
    before = as_cited(discussed[-1]) if discussed else None
    composer = Composer([*cited, *([before] if before else [])], so_far)
    if line.role == "close" or not cited:
        facts = [own[name] for name in ("background", "problem") if name in own]
        facts += [span.text for span in split_sentences(text)[:1]]
        claims = [own[name] for name in ("contribution", "method", "findings") if name in own]
        spoken = composer.stating(facts) if line.role != "close" else None
        spoken = spoken or composer.closing(claims, variant)
        return (
            NextSentence(sentence=spoken[0], basis=spoken[1])
            if spoken
            else NextSentence(sentence="")
        )
    made: Composed | None = None
    if len(cited) >= 2:
        near = _near(papers[0], papers[1])
        made = composer.contrasting(cited[0], cited[1], near, variant)
    elif line.role == "open" and line.theme:
        made = composer.opening(cited[0], line.theme, not so_far, variant)
    else:
        near = bool(discussed) and _near(discussed[-1], papers[0])
        made = composer.developing(cited[0], before, near, variant)
    parts = [made] if made else [part for paper in cited if (part := composer.plain(paper))]
    missing = [paper for paper in cited[2:] if made]
    parts += [part for paper in missing if (part := composer.plain(paper))]
    sentence = "; ".join(part.text.rstrip(".") for part in parts)
    quotes = {key: words for part in parts for key, words in part.quotes.items()}
    return NextSentence(
        sentence=f"{sentence}." if sentence else "",
        support=[Support(key=key, quote=words) for key, words in quotes.items()],
    )


def _near(first: LinePaper, second: LinePaper) -> bool:
    return (
        resemblance(f"{first.title} {first.abstract}", f"{second.title} {second.abstract}") >= _NEAR
    )


TASK = Task(
    name="extend_draft", prompt=PROMPT, answer=NextSentence, tier="strong", extract=extract,
    max_output_tokens=700,
)  # fmt: skip


class Branch(TypedDict):
    """What one branch of this node reads."""

    run: str
    request: Request
    keys: dict[str, str]
    outline: Plan
    position: int
    draft: Draft
    variant: int


class Update(TypedDict):
    """What this node writes."""

    candidates: list[Draft]
    failures: list[Failure]


async def extend_draft(state: Branch, runtime: Runtime[RunContext]) -> Update:
    """Write one sentence more; markers and quotes of the answer are checked by code."""
    desk = open_desk(runtime, state["run"])
    line, draft = state["outline"].lines[state["position"]], state["draft"]
    inputs = await _inputs(desk, state, line)
    failures: list[Failure] = []
    try:
        answer, notes = await _ask(desk, state, line, inputs)
    except (AnswerError, RefusedError) as error:
        answer, notes = NextSentence(sentence=""), [str(error)]
        failures.append(_failure(line, str(error), _REPLACED))
    if notes:
        answer = extract(desk.clients.embedder, **inputs)
        if left := _faults(answer, state, line, inputs):
            failures.append(_failure(line, "; ".join(left), _LEFT_OUT))
            answer = NextSentence(sentence="")
    sentences = list(draft.sentences)
    if answer.sentence:
        sentences.append(await _sentence(desk, answer, line, state))
    child = Draft(
        id=f"{draft.id}.{state['variant']}",
        parent=draft.id,
        sentences=tuple(sentences),
        round=state["position"] + 1,
        repairs=tuple(notes),
    )
    return {"candidates": [child], "failures": failures}


async def _ask(
    desk: Desk, state: Branch, line: PlanLine, inputs: dict[str, Any]
) -> tuple[NextSentence, list[str]]:
    """Return the mind's sentence and what is wrong with it, after one chance to mend it."""
    llm = desk.mind.name != "extractive"
    manner: dict[str, Any] = {"sample": state["variant"], "temperature": 0.7 if llm else 0.0}
    answer = await desk.mind.do(TASK, **manner, **inputs)
    notes = _faults(answer, state, line, inputs)
    if notes and llm:
        rejected: dict[str, Any] = {"faults": notes, "rejected": answer.sentence}
        answer = await desk.mind.do(TASK, **manner, **inputs, **rejected)
        notes = _faults(answer, state, line, inputs)
    return answer, notes


def _faults(
    answer: NextSentence, state: Branch, line: PlanLine, inputs: dict[str, Any]
) -> list[str]:
    known = [paper.key for paper in (*inputs["papers"], *inputs["discussed"])]
    return faults(answer, line, known, state["request"].text, inputs["so_far"])


def _failure(line: PlanLine, cause: str, remedy: str) -> Failure:
    return Failure(stage=STAGE, subject=f"line {line.number}", cause=cause, remedy=remedy)


_REPLACED = "the line was written by the embedded engine instead"
_LEFT_OUT = "the line was left out: nothing with a checked quote could be written"


async def _inputs(desk: Desk, state: Branch, line: PlanLine) -> dict[str, Any]:
    draft = state["draft"]
    said = [key for sentence in draft.sentences for key in sentence.keys]
    own = (await desk.shelf.elements(["input"])).get("input")
    return {
        "text": state["request"].text,
        "own": verified_words(own),
        "line": line,
        "papers": await line_papers(desk, state["keys"], line.keys),
        "discussed": await line_papers(desk, state["keys"], list(dict.fromkeys(said))),
        "so_far": [sentence.text for sentence in draft.sentences],
        "variant": state["variant"],
    }


def faults(
    answer: NextSentence,
    line: PlanLine,
    allowed: Sequence[str],
    own_text: str,
    so_far: Sequence[str] = (),
) -> list[str]:
    """Say what is wrong with a sentence: markers missing or foreign, citations made up.

    A sentence that cites nothing speaks of the researcher's own work, and must rest on its words.
    """
    text = answer.sentence.strip()
    if not text:
        return ["the sentence is empty"]
    marked = set(MARKER.findall(text))
    found: list[str] = []
    if any(resemblance(text, earlier) >= _SAME for earlier in so_far):
        found.append("it repeats a sentence that is there already")
    if lacking := [key for key in line.keys if key not in marked]:
        found.append(f"it does not cite {', '.join(lacking)}")
    if foreign := sorted(marked - set(allowed)):
        found.append(f"it cites {', '.join(foreign)}, which it was not given")
    if _INVENTED.search(text):
        found.append(
            "it has a citation that is not a marker: " + _INVENTED.findall(text)[0].strip()
        )
    if not marked and coverage(text, own_text) < _OWN_WORDS:
        found.append("it cites nothing and says what the input does not say")
    if not marked and not quote_input(answer.basis, own_text).verified:
        found.append("it cites nothing, and its basis is not in the input")
    return found


async def _sentence(desk: Desk, answer: NextSentence, line: PlanLine, state: Branch) -> Sentence:
    """Attach to each citation a verified quote: the mind's, or the closest sentence of the paper."""
    text = " ".join(answer.sentence.split())
    keys = list(dict.fromkeys(MARKER.findall(text)))
    papers = await desk.shelf.papers([state["keys"][key] for key in keys])
    given = {support.key: support.quote for support in answer.support}
    citations = [
        Citation(key=key, quote=best_quote(papers[state["keys"][key]], given.get(key, ""), text))
        for key in keys
        if state["keys"][key] in papers
    ]
    basis = quote_input(answer.basis, state["request"].text) if answer.basis else None
    return Sentence(
        text=text, citations=tuple(citations), line=line.number,
        basis=basis if basis and basis.verified else None,
    )  # fmt: skip


def best_quote(paper: Paper, given: str, sentence: str) -> Quote | None:
    """Return the given words if they are the paper's, else its sentence that says most of it."""
    quote = quote_paper(given, paper) if given else None
    if quote and quote.verified:
        return quote
    spans = split_sentences(paper.abstract or "")
    if not spans:
        quote = quote_paper(paper.title, paper)
        return quote if quote.verified else None
    best = max(spans, key=lambda span: coverage(span.text, sentence))
    quote = quote_paper(best.text, paper)
    return quote if quote.verified else None
