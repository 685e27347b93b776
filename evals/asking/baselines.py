"""The ways of asking that only the benchmark has: an LLM by itself, and WikiChat (arXivBot's Table 1).

direct     take_question -> rewrite_question -> answer_from_memory -> present_memory
wikichat   One query and the claims of three passages, as the product draws them; beside these the LLM's own answer,
           split into claims, each looked up with three passages of its own, and kept where words of them bear it out.
           The draft of both is refined (arXivBot, section 4, steps 2 to 9). Its sentences are checked no more.
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from evals.claims.questions import SPLIT, faults_of_split, nobody
from graphs.policies import RETRY, add_first_step, or_end
from nodes.ask.answer_sources import PASSAGE_FIELDS, is_several_sentences, load_answer_sources
from nodes.ask.choose_passages import choose_passages
from nodes.ask.compose_answer import Sentence, compose_answer
from nodes.ask.extract_claims import claim_on, extract_claims, quote_in
from nodes.ask.plan_search import plan_search
from nodes.ask.present_answer import present_answer
from nodes.ask.rewrite_question import rewrite_question
from nodes.ask.search_passages import retrieve_passages, search_passages
from nodes.ask.take_question import take_question
from nodes.common.ask_model import ask_with_check
from nodes.common.node_errors import end_run_on_error, with_seconds
from state.ask import AnswerSentence, AskOutput, AskState, Claim, DraftSentence
from state.inputs import AskInput
from state.passage import Passage
from state.run import Failure
from tools.library.library import Library
from tools.llm.task import Task
from tools.run_settings import RunSettings, settings_class_of
from tools.services import Services, open_services
from tools.text.words import language_name

_MOST = 10
"""Claims of the LLM's own answer that are looked up."""


class Memory(BaseModel):
    """The LLM's own answer; without sentences it does not know."""

    sentences: list[str]


class Look(BaseModel):
    """Whether passages bear a claim out."""

    reason: str
    supported: bool
    passage: str = Field(default="", description="Id of the passage that does.")
    words: str = Field(default="", description="Its words, verbatim.")


class Refined(BaseModel):
    """The draft, refined."""

    sentences: list[Sentence]


_MEMORY = """\
Answer `question`, which is about research papers, in `language` and from what you know: you can look nothing
up. Two to six sentences of plain prose, the answer itself first, as definite as your knowledge is: names,
methods, data, numbers. Give no sentence at all if you do not know."""
_LOOK = f"""\
You look a claim up in passages of research papers. It is supported if one of them says it of the same thing,
with the same numbers and conditions; what is likely, or true as far as you know, is not supported by that.
Give first `reason`. If it is supported, name the passage's id and copy from it, letter by letter and in one
piece, the words that say it, at least a whole clause. Where `faults` is given, these words of an earlier
answer are not in the passage.

{PASSAGE_FIELDS}"""
_REFINE = """\
You polish a draft that answers `question`, in `language`. Leave out sentences that do not help to answer it
or say again what another says; put the rest into an order and wording that read naturally; mend what the
dates in it show to be over ("will appear in 2019"). Add nothing, and change no fact, number or hedge. Each
sentence keeps the numbers of the claims that it rests on; of two that become one it has those of both.
Where `faults` is given, split these."""


def _task(name: str, prompt: str, answer: type[Any], room: int) -> Task[Any]:
    return Task(
        name=name,
        prompt=prompt,
        answer=answer,
        tier="strong",
        extract=nobody,
        max_output_tokens=room,
    )


MEMORY: Task[Memory] = _task("answer_from_memory", _MEMORY, Memory, 800)
LOOK: Task[Look] = _task("look_up_claim", _LOOK, Look, 500)
REFINE: Task[Refined] = _task("refine_answer", _REFINE, Refined, 1500)


class OwnState(AskState, total=False):
    """What flows besides the product's own."""

    own: list[str]
    """Sentences that the LLM knew."""
    recalled: list[Claim]
    """Claims of these that passages bear out."""


async def answer_from_memory(state: AskState, runtime: Runtime[RunSettings]) -> OwnState:
    """Ask the LLM what it knows."""
    own, failures = await _memory(open_services(runtime, state["run"]), state)
    return {"own": own, "failures": failures}


async def present_memory(state: OwnState, runtime: Runtime[RunSettings]) -> dict[str, Any]:
    """Print what the LLM knew; nothing stands behind it."""
    shown: dict[str, Any] = {**await present_answer(state, runtime)}
    if own := state.get("own"):
        told = [AnswerSentence(number=at, text=text) for at, text in enumerate(own, start=1)]
        shown |= {"sentences": told, "answer": " ".join(own), "missing": [], "outcome": "complete"}
    return shown


async def recall_claims(state: AskState, runtime: Runtime[RunSettings]) -> OwnState:
    """Ask the LLM what it knows, and keep the claims that passages bear out (steps 5 to 7)."""
    services = open_services(runtime, state["run"])
    own, failures = await _memory(services, state)
    if not own:
        return {"recalled": [], "failures": failures}
    inputs = {"question": state["standalone"], "answer": " ".join(own)}
    split = await ask_with_check(services.mind, SPLIT, inputs, faults_of_split)
    library = await services.library(state["request"].library)
    claims = split.answer.claims if split.answer else []
    looked = await asyncio.gather(
        *(_looked_up(services, library, state, claim) for claim in claims[:_MOST])
    )
    failures += split.failures("recall_claims", "its own answer", "only passages speak")
    return {"recalled": [claim for claim in looked if claim], "failures": failures}


async def join_claims(state: OwnState, runtime: Runtime[RunSettings]) -> AskState:
    """Put the claims of passages and those of the LLM's own answer together (step 8)."""
    held = list(state["held"])
    for claim in state["recalled"]:
        if claim.quote not in [other.quote for other in held]:
            held.append(claim.model_copy(update={"number": len(held) + 1}))
    return {"held": held}


async def refine_answer(state: AskState, runtime: Runtime[RunSettings]) -> AskState:
    """Refine the draft (step 9); where that fails it stays as it was."""
    services = open_services(runtime, state["run"])
    if not state["draft"]:
        return {"draft": []}
    known = {claim.number for claim in state["held"]}
    inputs = {
        "language": language_name(state["request"].language),
        "question": state["standalone"],
        "draft": [Sentence(claims=list(item.claims), text=item.text) for item in state["draft"]],
    }

    def long(answer: Refined) -> Sequence[str]:
        return [item.text for item in answer.sentences if is_several_sentences(item.text)]

    asked = await ask_with_check(services.mind, REFINE, inputs, long)
    refined = [
        DraftSentence(text=" ".join(item.text.split()), claims=tuple(held))
        for item in (asked.answer.sentences if asked.answer else [])
        if item.text.strip() and (held := [key for key in item.claims if key in known])
    ]
    failures = asked.failures("refine_answer", "answer", "the draft was not refined")
    return {"draft": refined or state["draft"], "failures": failures}


async def _memory(services: Services, state: AskState) -> tuple[list[str], list[Failure]]:
    inputs = {
        "language": language_name(state["request"].language),
        "question": state["standalone"],
    }
    asked = await ask_with_check(services.mind, MEMORY, inputs)
    told = [" ".join(text.split()) for text in (asked.answer.sentences if asked.answer else [])]
    failures = asked.failures("answer_from_memory", state["standalone"][:80], "it knows nothing")
    return [text for text in told if text], failures


async def _looked_up(
    services: Services, library: Library, state: AskState, text: str
) -> Claim | None:
    """Return a claim with the words that bear it out; None where no passage does."""
    _, found = await retrieve_passages(services, library, text, state["wanted"])
    found = found[: services.context.passages]
    await services.run_store.passages.put(found)
    sources = await load_answer_sources(services, state["request"], [item.id for item in found])
    shown = sources.shown(item.id for item in found)
    named: dict[str, Passage] = {item.id: passage for passage, item in shown}

    def misquoted(answer: Look) -> Sequence[str]:
        good = not answer.supported or (
            answer.passage in named and quote_in(answer.words, named[answer.passage])
        )
        return [] if good else [answer.words[:200]]

    inputs = {"claim": text, "passages": [item for _, item in shown]}
    asked = await ask_with_check(services.mind, LOOK, inputs, misquoted)
    if not asked.stands or asked.answer is None or not asked.answer.supported:
        return None
    quote = quote_in(asked.answer.words, passage := named[asked.answer.passage])
    return claim_on(quote, passage, text, sources) if quote else None


def _begun(*steps: Any) -> StateGraph[Any, RunSettings, Any, Any]:
    graph = StateGraph(
        OwnState,
        context_schema=settings_class_of("ask"),
        input_schema=AskInput,
        output_schema=AskOutput,
    )
    add_first_step(graph, take_question)
    for step in steps:
        graph.add_node(step.__name__, with_seconds(end_run_on_error(step)), retry_policy=RETRY)
    graph.add_edge(START, "take_question")
    return graph


def _chained(graph: StateGraph[Any, RunSettings, Any, Any], end: str, *names: str) -> None:
    for before, after in pairwise(names):
        graph.add_conditional_edges(before, or_end(after, end), list({after, end}))


def _direct() -> Any:
    graph = _begun(rewrite_question, answer_from_memory)
    graph.add_node("present_memory", present_memory)
    _chained(
        graph,
        "present_memory",
        "take_question",
        "rewrite_question",
        "answer_from_memory",
        "present_memory",
    )
    graph.add_edge("present_memory", END)
    return graph.compile(name="direct")


def _wikichat() -> Any:
    graph = _begun(
        rewrite_question,
        plan_search,
        search_passages,
        choose_passages,
        extract_claims,
        recall_claims,
        join_claims,
        compose_answer,
        refine_answer,
    )
    graph.add_node("present_answer", present_answer)
    _chained(graph, "present_answer", "take_question", "rewrite_question")
    graph.add_edge("rewrite_question", "plan_search")
    graph.add_edge("rewrite_question", "recall_claims")
    _chained(
        graph,
        "present_answer",
        "plan_search",
        "search_passages",
        "choose_passages",
        "extract_claims",
    )
    graph.add_edge(["extract_claims", "recall_claims"], "join_claims")
    _chained(
        graph, "present_answer", "join_claims", "compose_answer", "refine_answer", "present_answer"
    )
    graph.add_edge("present_answer", END)
    return graph.compile(name="wikichat")


GRAPHS = {"direct": _direct(), "wikichat": _wikichat()}
