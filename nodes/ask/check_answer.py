"""Check: judge each sentence of the answer by the passages that its claims are from.

Reads `run`, `request`, `standalone`, `held`, `draft`. Writes `draft`, `verdicts`. A sentence that is its passage's own
is supported; any other is judged by the papers of its claims, their passages first and then the nearest paragraphs of
their text, in two questions at most (nodes.judge.evidence_ladder). A sentence that fails gives way to the quotes of its
claims; one that nobody judged stands as not checked.
"""

import asyncio
from collections.abc import Mapping, Sequence

from nodes.ask.answer_sources import AnswerSources, load_answer_sources, with_claims_left
from nodes.judge.evidence_ladder import climb
from nodes.judge.judge_claims import AT_ONCE, Bench, Item
from nodes.judge.shelf import Shelf
from state.ask import AskState, AskUpdate, CheckedSentence, Claim, DraftSentence
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.run import Failure
from state.writing import UNBORNE, SupportVerdict
from tools.errors import counted
from tools.evidence.facts import standing_nowhere
from tools.evidence.unmarked_citations import invented_citations
from tools.services import NodeRuntime, Services, open_services
from tools.text.source_lines import without_numbers

STAGE = "check_answer"


async def check_answer(state: AskState, runtime: NodeRuntime) -> AskUpdate:
    """Keep the sentences that their quotes support; in the place of others put the quotes."""
    services = open_services(runtime, state["run"])
    services.progress(STAGE, 0, 1)
    claims = {claim.number: claim for claim in state["held"]}
    sources = await load_answer_sources(services, state["request"], state["held"])
    drafted = with_claims_left(state["draft"], claims)
    said, failures = await _judged(services, state, drafted, claims, sources)
    checked: list[CheckedSentence] = []
    for place, sentence in enumerate(drafted, start=1):
        held = [claims[number] for number in sentence.claims]
        verdict = said.get(place, "not_checked")
        if verdict not in UNBORNE:
            checked.append(_checked(sentence.text, sentence.claims, verdict))
            continue
        failures.append(_refused(sentence, verdict))
        for claim in _unsaid(held, sentence, drafted, checked):
            checked.append(_checked(_quote(claim), (claim.number,), "supported"))
    services.progress(STAGE, 1, 1, counted(len(checked), "sentence stands", "sentences stand"))
    draft = [DraftSentence(text=item.text, claims=item.claims) for item in checked]
    return {"draft": draft, "verdicts": checked, "failures": failures}


def _checked(text: str, claims: tuple[int, ...], verdict: SupportVerdict) -> CheckedSentence:
    return CheckedSentence(text=text, claims=claims, verdict=verdict)


async def _judged(
    services: Services,
    state: AskState,
    drafted: Sequence[DraftSentence],
    claims: Mapping[int, Claim],
    sources: AnswerSources,
) -> tuple[dict[int, SupportVerdict], list[Failure]]:
    """Return verdicts by the sentences' places, from 1, of those that code or a judge decides."""
    said: dict[int, SupportVerdict] = {}
    for place, item in enumerate(drafted, start=1):
        held = [claims[number] for number in item.claims]
        if await asyncio.to_thread(_is_own, sources, item.text, held):
            said[place] = "supported"
        elif invented_citations(item.text, sources.around(held)):
            said[place] = "not_in_source"
    left = [place for place in range(1, len(drafted) + 1) if place not in said]
    asked = services.context.method != "kar" and services.judge.judges
    if not left or not asked:
        return said | await asyncio.to_thread(_from_nowhere, drafted, left, claims, sources), []
    used = [claims[number] for place in left for number in drafted[place - 1].claims]
    passages = [sources.passages[key] for key in dict.fromkeys(item.passage for item in used)]
    ids = dict.fromkeys(item.paper for item in passages)
    keys = {paper: f"P{number}" for number, paper in enumerate(ids, start=1)}
    shelf = Shelf(
        {
            key: sources.papers.get(paper)  # else the library no longer has it
            or Paper(id=paper, title=next(one.title for one in passages if one.paper == paper))
            for paper, key in keys.items()
        },
        known=[_whole(item) for item in passages],
    )
    texts = {place: item.text for place, item in enumerate(drafted, start=1)}
    bench = Bench(services, STAGE, texts, shelf.evidence(), about=state["standalone"])
    items = [
        Item(
            str(place),
            place,
            tuple(
                dict.fromkeys(keys[claims[number].paper] for number in drafted[place - 1].claims)
            ),
        )
        for place in left
    ]
    blocks = [items[at : at + AT_ONCE] for at in range(0, len(items), AT_ONCE)]
    request = state["request"].model_copy(update={"sources": ("library",)})
    found = await climb(bench, request, shelf, blocks, once_more=True)
    return said | {int(id_): one.verdict for id_, one in found.items()}, bench.failures


def _from_nowhere(
    drafted: Sequence[DraftSentence],
    left: Sequence[int],
    claims: Mapping[int, Claim],
    sources: AnswerSources,
) -> dict[int, SupportVerdict]:
    """Return the verdict on the sentences with a number or a name that stands nowhere in their passages."""
    said: dict[int, SupportVerdict] = {}
    for item, place in ((drafted[place - 1], place) for place in left):
        if standing_nowhere(item.text, sources.around([claims[number] for number in item.claims])):
            said[place] = "not_in_source"
    return said


def _is_own(sources: AnswerSources, text: str, held: Sequence[Claim]) -> bool:
    return any(sources.is_own(text, claim) for claim in held)


def _whole(passage: Passage) -> Quote:
    """Return a passage as words that whoever wrote the answer was shown."""
    return Quote(
        text=passage.text,
        paper=passage.paper,
        part=passage.part,
        start=passage.start,
        end=passage.start + len(passage.text),
        verified=True,
        place=passage.place,
    )


def _unsaid(
    held: Sequence[Claim],
    sentence: DraftSentence,
    all_: Sequence[DraftSentence],
    kept: Sequence[DraftSentence],
) -> list[Claim]:
    """Return the claims of a refused sentence that no other sentence rests on."""
    others = {number for item in (*all_, *kept) if item is not sentence for number in item.claims}
    return [claim for claim in held if claim.number not in others]


def _quote(claim: Claim) -> str:
    return without_numbers(claim.evidence or claim.quote.text)


def _refused(sentence: DraftSentence, verdict: SupportVerdict) -> Failure:
    word = "contradict it" if verdict == "contradicted" else "do not say it"
    return Failure(
        stage=STAGE,
        subject=sentence.text[:200],
        cause=f"the quotes of its claims {word}",
        remedy="CiteLoom left the sentence out and shows the quotes instead",
    )
