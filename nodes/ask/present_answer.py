"""Present: print the answer with the numbers of its claims, and everything behind it.

Reads all that the run has. Writes the output of `ask`. A run that was stopped shows the claims it has.
"""

import asyncio
from collections.abc import Sequence

from langchain_core.messages import AIMessage

from nodes.ask.answer_sources import AnswerSources, load_answer_sources, with_claims_left
from nodes.ask.search_passages import retriever_of
from nodes.ask.take_question import CLOSEST, REFUSED, SOURCES, STOPPED
from state.ask import (
    AnswerSentence,
    AskState,
    AskUpdate,
    Claim,
    DraftSentence,
    DroppedClaim,
    Hop,
    Nearest,
)
from state.passage import OF_RECORD
from state.run import Failure, fatal_failure, outcome_of
from tools.errors import LibraryError
from tools.evidence.prompt_injection import without_injections
from tools.services import NodeRuntime, Services, open_services
from tools.text.answer_sentences import AnswerSource, rate_sentences

STAGE = "present_answer"
_QUOTED = 300
"""Characters of a quote in the list of sources; its whole sentences may have twice as many. All is in `claims`."""


async def present_answer(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Number the claims in the order of the answer, and print it."""
    services = open_services(runtime, state["run"])
    stop = fatal_failure(state.get("failures", []))
    held = {claim.number: claim for claim in state.get("held", [])}
    draft = with_claims_left(state.get("draft", []), held)
    verdicts = {(item.text, item.claims): item.verdict for item in state.get("verdicts", [])}
    if stop and not verdicts and held:  # nobody checked it: the claims speak
        told = list(held.values())[: services.context.claims]
        draft = [DraftSentence(text=claim.text, claims=(claim.number,)) for claim in told]
        verdicts = {
            (claim.text, (claim.number,)): "supported" for claim in told if _is_quote(claim)
        }
    new = _numbers(draft)
    claims = [held[old].model_copy(update={"number": number}) for old, number in new.items()]
    sentences = [
        AnswerSentence(
            number=number,
            text=item.text,
            claims=tuple(sorted(new[old] for old in item.claims)),
            verdict=verdicts.get((item.text, item.claims), "not_checked"),
        )
        for number, item in enumerate(draft, start=1)
    ]
    try:
        sources = await load_answer_sources(services, state["request"], claims)
    except LibraryError:  # the stop tells of it
        sources = AnswerSources({}, {})
    missing = _missing(state, sentences, stop)
    nearest = [] if sentences or stop else await nearest_sentences(state, services)
    answer = _prose(sentences, missing, state, stop)
    if services.context.method == "kar":
        answer += _unchecked(sentences, state.get("hops", []))
    answer += listed(nearest)
    return {
        "answer": answer,
        "sentences": sentences,
        "claims": claims,
        "passages": list(sources.passages.values()),
        "cited": list({paper.id: paper for paper in sources.papers.values()}.values()),
        "hops": _hops(state.get("hops", []), state.get("held", []), claims),
        "missing": missing,
        "nearest": nearest,
        "messages": [
            # Of one id: a stopped run's branches may each come here.
            AIMessage(answer + _sources(claims, sources), id=f"answer-{state['run']}")
        ],
        "seconds": {key: round(value, 3) for key, value in state.get("times", {}).items()},
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome_of(sentences, state.get("failures", []), whole=not missing),
        "stop": stop,
        "library": state["request"].library,
        "method": services.context.method,
        "retriever": retriever_of(services.context),
    }


def _is_quote(claim: Claim) -> bool:
    return claim.text.split() in (claim.quote.text.split(), claim.evidence.split())


def _numbers(draft: Sequence[DraftSentence]) -> dict[int, int]:
    """Return the number in the answer of each claim that it rests on, by the claim's own number."""
    old = dict.fromkeys(number for sentence in draft for number in sentence.claims)
    return {number: place for place, number in enumerate(old, start=1)}


def _hops(hops: Sequence[Hop], held: Sequence[Claim], claims: Sequence[Claim]) -> list[Hop]:
    """Return the hops with the answer's numbers of their claims, and the claims that were not taken."""
    used = {claim.quote for claim in claims}
    told = []
    for hop in hops:
        numbers = tuple(claim.number for claim in claims if claim.hop == hop.number)
        unused = [
            DroppedClaim(text=claim.text, passage=claim.passage, cause="not used in the answer")
            for claim in held
            if claim.hop == hop.number and claim.quote not in used
        ]
        named = {claim.quote for claim in held if claim.number in hop.named}
        new = {
            "claims": numbers,
            "lost": (*hop.lost, *unused),
            "named": tuple(claim.number for claim in claims if claim.quote in named),
        }
        told.append(hop.model_copy(update=new))
    return told


def _missing(
    state: AskState, sentences: Sequence[AnswerSentence], stop: Failure | None
) -> list[str]:
    missing = list(dict.fromkeys(state.get("missing", [])))
    return missing if sentences or missing or stop else [state["standalone"]]


def _prose(
    sentences: Sequence[AnswerSentence],
    missing: Sequence[str],
    state: AskState,
    stop: Failure | None,
) -> str:
    """Return the answer as it is printed, and what it lacks."""
    prose = " ".join(_with_numbers(item) for item in sentences)
    if stop:
        return f"{prose}\n\n{STOPPED} {stop.cause}" if prose else f"{REFUSED} {stop.cause}"
    wanting = "; ".join(item.rstrip("?.") for item in missing)
    if not prose:
        library, whole = state["request"].library, missing == [state["standalone"]]
        told = f"No passage of library '{library}' clearly answers this."
        return told if whole or not wanting else f"{told} Missing: {wanting}."
    return f"{prose}\n\nNot answered: {wanting}." if wanting else prose


def _unchecked(sentences: Sequence[AnswerSentence], hops: Sequence[Hop]) -> str:
    """Return which sentences nobody has held against their quotes, and what was said without any."""
    numbers = ", ".join(str(item.number) for item in sentences if item.verdict == "not_checked")
    note = f"\n\nNot checked: whether the quotes support these sentences ({numbers})."
    unfound = [f"\n\nUnchecked, no quote found: “{item.text}”" for hop in hops for item in hop.lost]
    return "".join([note if numbers else "", *unfound])


def _with_numbers(sentence: AnswerSentence) -> str:
    """Put the numbers before the full stop."""
    text = sentence.text.rstrip()
    if text.endswith(("”", "’")):  # the full stop stands in the quotation
        return f"{text} [{', '.join(map(str, sentence.claims))}]"
    bare = text.rstrip(".!?") or text
    numbers = ", ".join(str(number) for number in sentence.claims)
    return f"{bare} [{numbers}]{text[len(bare) :] or '.'}"


def _sources(claims: Sequence[Claim], sources: AnswerSources) -> str:
    if not claims:
        return ""
    return SOURCES + "\n".join(_source(claim, sources) for claim in claims)


def _source(claim: Claim, sources: AnswerSources) -> str:
    paper, passage = sources.papers.get(claim.paper), sources.passages.get(claim.passage)
    year = f" ({paper.year})" if paper and paper.year else ""
    name = f"{paper.citation}{year}: {paper.title}" if paper else claim.paper
    place = f", {passage.place}" if passage and passage.place else ""
    shown = quote = claim.quote.text
    if len(quote) < len(claim.evidence) <= 2 * _QUOTED:
        shown = claim.evidence.replace(quote, f"**{quote}**", 1)
    elif len(quote) > _QUOTED:
        shown = f"{quote[:_QUOTED].rsplit(' ', 1)[0]} …"
    return f"[{claim.number}] {name}{place} ({claim.paper}): “{' '.join(shown.split())}”{claim.quote.whose}"


_MOST = 3


async def nearest_sentences(state: AskState, services: Services) -> list[Nearest]:
    """Return the sentences nearest to the question among all that was retrieved, one of a passage.

    Raises:
        LibraryError: The library is gone.
    """
    ids = dict.fromkeys(hit.passage for hop in state.get("hops", []) for hit in hop.retrieved)
    sources = await load_answer_sources(services, state["request"], ids)
    read = [item for item in sources.passages.values() if item.section != OF_RECORD]
    texts = [
        AnswerSource(without_injections(item.text)[0], item.title, item.section) for item in read
    ]
    rated = await asyncio.to_thread(
        rate_sentences, services.clients.embedder, state["standalone"], texts
    )
    best = {item.source: item.text for item in reversed(rated) if item.whole}
    order = dict.fromkeys(item.source for item in rated if item.source in best)
    found = []
    for place in list(order)[:_MOST]:
        passage = read[place]
        paper = sources.papers.get(passage.paper)
        year = f" ({paper.year})" if paper and paper.year else ""
        found.append(
            Nearest(
                text=" ".join(best[place].split()),
                passage=passage.id,
                paper=passage.paper,
                title=without_injections(passage.title)[0],
                citation=f"{without_injections(paper.citation)[0]}{year}" if paper else "",
                place=passage.place,
                part=passage.part,
            )
        )
    return found


def listed(nearest: list[Nearest]) -> str:
    """Return these sentences as a list, each with its paper, section and page."""
    if not nearest:
        return ""
    return CLOSEST + "\n".join(f"- {_place(item)}: “{item.text}”" for item in nearest)


def _place(item: Nearest) -> str:
    paper = f"{item.citation}: {item.title}" if item.citation else item.title
    return f"{paper}, {item.place}" if item.place else paper
