"""Rewrite: say only what the cited papers say, in view of the paragraph; what still fails is taken out.

Reads `run`, `request`, `keys`, `outline`, `final`, `verdicts`, `checks`, `removed`. Writes `final`,
`verdicts`, `removed`, `rejections`. A citation that stands is kept by the new sentence; one that does
not may give way to the paper at hand that does say it.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from nodes.cost.kept_budget import saving_services
from nodes.judge.judge_prompts import JudgedSentence
from nodes.write.cited_papers import (
    SHOWN,
    PaperToCite,
    lines_with_wrong_count,
    load_papers_to_cite,
)
from nodes.write.number_references import paragraph_numbers
from nodes.write.writers.draft_answers import (
    Action,
    NextSentence,
    SentenceFault,
    SentencesAnswer,
    sentences_of,
    to_sentences_answer,
)
from nodes.write.writers.drafting import DraftSession, open_draft_session
from nodes.write.writers.quoted_sentences import quote_nearest
from nodes.write.writers.writer import DraftingState
from state.channels import WriteState
from state.quote import Quote
from state.run import Failure
from state.writing import (
    MARKER,
    MARKERS,
    UNBORNE,
    CitationVerdict,
    Draft,
    PlanLine,
    Rejection,
    Sentence,
)
from tools.embed.embedder import Embedder
from tools.errors import AnswerError, KeptError, RefusedError
from tools.evidence.own_sentences import without_markers
from tools.llm.task import Task
from tools.services import NodeRuntime
from tools.text.words import tokens

STAGE = "rewrite_unsupported"

PROMPT = """\
You mend a paragraph of a related-work section, in which a check has found faults. `text` is what the
section's authors write of their own work. `papers` are the papers that may be cited, each by its key in
braces, such as {P3}; `elements` are words of theirs by what they tell of, `cites` the keys of papers
given here that they cite. `paragraph` has the sentences with their numbers. Each of the `faults` tells
of a sentence what it claims of a paper, by its key, or, where the key is empty, of all that it rests
on; why that does not stand; as `words`, what the paper's full text says about it, where that was read; and,
as `instead`, the key of a paper given here that does say it, if one does.

Give the sentences that are to be replaced and no others, each with the number of the sentence in whose
place it comes as `line`: every sentence with a fault, and a neighbour only where its link to a replaced
sentence breaks. One sentence comes for one. It keeps its part in the paragraph's argument, its length,
and its citations without a fault; a paper with a fault is cited for what it does say, or gives way to
one that says it. Say of a paper only what its own words say, no stronger and no wider. If nothing true
is left to say in its place, give an empty text: the sentence is then taken out.

After the sentences give `grounds`: for each paper that a sentence cites one to three stretches copied
letter by letter from that paper's title, abstract, elements or `words`, each at least 20 characters long; for a
sentence without citation the key of each paper that it speaks of, or the key "input" with words copied
from `text`. `sentence` is there the place of the sentence in your list.
"""


class Unsupported(BaseModel):
    """What is wrong with one citation, as the mind sees it."""

    sentence: int
    key: str
    claim: str
    why: str
    words: list[str] | None = None
    instead: str = ""


def extract(
    embedder: Embedder,
    *,
    paragraph: Sequence[JudgedSentence],
    papers: Sequence[PaperToCite],
    faults: Sequence[Unsupported],
    **_: object,
) -> SentencesAnswer:
    """Show the papers' own sentences that are nearest to what was said."""
    texts = {item.number: item.text for item in paragraph}
    faulty = dict.fromkeys(item.sentence for item in faults)
    return to_sentences_answer([_told(embedder, number, texts, papers) for number in faulty])


def _told(
    embedder: Embedder, number: int, texts: Mapping[int, str], papers: Sequence[PaperToCite]
) -> NextSentence:
    kept = [paper for paper in papers if f"{{{paper.key}}}" in texts[number]]
    so_far = [text for other, text in texts.items() if other != number]
    told = quote_nearest(embedder, without_markers(texts[number]), kept, so_far)
    return told.model_copy(update={"line": number})


TASK = Task(
    name="rewrite_unsupported",
    prompt=PROMPT,
    answer=SentencesAnswer,
    tier="strong",
    extract=extract,
    max_output_tokens=2500,
)


async def rewrite_unsupported(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Rewrite the weak sentences, by paragraphs; after the last check take out the faulty."""
    services = saving_services(state, runtime, drafted=True)
    last = state["checks"] >= max_checks(state["final"])
    told = list[Rejection]()
    if (
        last or state["final"].whole
    ):  # whose revision has seen what fails, and could say it otherwise
        state, told = _thinned(state)
    faulty = sorted({item.sentence for item in state["verdicts"] if item.verdict in UNBORNE})
    if last:
        gone = remove_sentences(state, faulty)
        return {**gone, "rejections": [*told, *gone["rejections"]]}
    stage = DraftingState(request=state["request"], keys=state["keys"], outline=state["outline"])
    drafting = await open_draft_session(services, stage, list(state["keys"]), STAGE)
    drafting.known = [*drafting.known, *checked_quotes(state["verdicts"])]
    drafting.remedy = "CiteLoom removes it unless the second check supports it"
    places = paragraph_numbers(state["final"].sentences, state["outline"])
    blocks = groupby(range(1, len(places) + 1), lambda number: places[number - 1])
    done = await asyncio.gather(*(_rewrite(drafting, state, list(block)) for _, block in blocks))
    new = {number: item for result in done for number, item in result.items()}
    out = [number for number, item in new.items() if item is None]
    sentences = enumerate(state["final"].sentences, start=1)
    asked_anew = {*faulty, *new} - {*out}
    update: WriteState = {
        "final": state["final"].model_copy(
            update={"sentences": tuple(new.get(number) or item for number, item in sentences)}
        ),
        "verdicts": [item for item in state["verdicts"] if item.sentence not in asked_anew],
        "removed": state["removed"],
    }
    told += rejections_of(state, [number for number in new if number not in out], "rewritten")
    rest: WriteState = (
        remove_sentences({**state, **update}, out) if out else {**update, "rejections": []}
    )
    return {
        **rest,
        "rejections": [*told, *rest["rejections"], *drafting.rejections],
        "failures": [*rest.get("failures", []), *drafting.failures],
    }


async def _rewrite(
    drafting: DraftSession, state: WriteState, block: Sequence[int]
) -> dict[int, Sentence | None]:
    """Return better sentences of a paragraph, by number; None for one that is to be taken out.

    Where a sentence of the mind has faults the embedded engine's stands in its place; one for which
    there is no better is left as it is.
    """
    bad = [item for item in state["verdicts"] if item.sentence in block and needs_rewrite(item)]
    if not bad:
        return {}
    keys, by_id = state["keys"], {paper: key for key, paper in state["keys"].items()}
    old = {number: state["final"].sentences[number - 1] for number in block}
    wanted = [key for item in old.values() for key in (*item.keys, *item.rests_on)]
    wanted += [by_id[item.better] for item in bad if item.better in by_id]
    allowed = [key for key in dict.fromkeys(wanted) if key in drafting.papers]
    mind, papers = (
        drafting.services.mind,
        await load_papers_to_cite(drafting.services, keys, allowed),
    )
    inputs: dict[str, Any] = {
        "text": state["request"].text,
        "papers": papers,
        "paragraph": [
            JudgedSentence(number=number, text=item.text) for number, item in old.items()
        ],
        "faults": [
            Unsupported(
                sentence=item.sentence,
                key=item.key,
                claim=item.claim,
                why=fault_with_evidence(item),
                words=[one.text for one in checked_quotes([item])] or None,
                instead=by_id.get(item.better or "", ""),
            )
            for item in bad
        ],
    }
    if len(block) > 1 and mind.spare(TASK, **inputs) < 0:
        middle = len(block) // 2
        first = await _rewrite(drafting, state, block[:middle])
        return {**first, **await _rewrite(drafting, state, block[middle:])}
    try:
        answer = await mind.do(TASK, **inputs)
    except (AnswerError, RefusedError, KeptError) as error:
        for number in sorted({item.sentence for item in bad if item.verdict in UNBORNE}):
            drafting.fail(f"sentence {number}", str(error), drafting.remedy, lost=True)
        return {}
    mine = replace(drafting, papers={key: drafting.papers[key] for key in allowed})
    given = {item.line: item for item in sentences_of(answer) if item.line in old}
    return await _placed(mine, state["final"].sentences, bad, given, papers)


async def _placed(
    drafting: DraftSession,
    sentences: Sequence[Sentence],
    bad: Sequence[CitationVerdict],
    given: Mapping[int, NextSentence],
    papers: Sequence[PaperToCite],
) -> dict[int, Sentence | None]:
    """Put the mind's sentences in their places, if nothing is wrong with them; see `_rewrite`."""
    faulty = {item.sentence for item in bad if item.verdict in UNBORNE}
    texts = {number: item.text for number, item in enumerate(sentences, start=1)}
    new: dict[int, Sentence | None] = {}
    for number in sorted({*faulty, *given}):
        old, item = sentences[number - 1], given.get(number)
        if item and not item.sentence.strip():
            new |= {number: None} if number in faulty else {}
            continue
        failing = {one.key for one in bad if one.sentence == number and one.verdict in UNBORNE}
        line = PlanLine(number=old.line, keys=tuple(key for key in old.keys if key not in failing))
        so_far = [text for other, text in texts.items() if other != number]
        result = await _kept(drafting, item, line, so_far, old) if item else []
        if item:
            wrong = [] if isinstance(result, Sentence) else result
            drafting.reject(item, wrong, old.line, "replaced")
        if not isinstance(result, Sentence) and number in faulty and old.keys:
            told = _told(drafting.services.clients.embedder, number, texts, papers)
            result = await _kept(drafting, told, line, so_far, old)
        if isinstance(result, Sentence) and result.text != old.text:
            new[number] = result
            texts[number] = result.text
    return new


async def _kept(
    drafting: DraftSession, item: NextSentence, line: PlanLine, so_far: Sequence[str], old: Sentence
) -> Sentence | list[SentenceFault]:
    result = await drafting.keep(item, line, line.number, so_far)
    if isinstance(result, Sentence) and old.keys and not result.keys:
        return [SentenceFault("off_plan", "it has no citation")]
    return result


def max_checks(draft: Draft) -> int:
    """Return how often a text is checked: what fails in the last check is taken out."""
    return 3 if draft.whole else 2


def needs_rewrite(item: CitationVerdict) -> bool:
    """Whether a sentence is to be mended: a citation may not stay, or a judge calls it partly supported."""
    return item.verdict in UNBORNE or item.verdict == "partly"


_WHY = {
    "fabricated": "it has no entry or record",
    "no_verified_quote": "CiteLoom found no words of the paper that say it",
}


def fault_with_evidence(item: CitationVerdict) -> str:
    """Say in words why a citation is weak, and what speaks against it."""
    return f"{fault_text(item)}: {'; '.join(filter(None, (item.reason, *item.alarms)))}".strip(" :")


def checked_quotes(verdicts: Iterable[CitationVerdict]) -> list[Quote]:
    """Return the words of full texts that a check found, where sentences are to be mended."""
    weak = (item for item in verdicts if needs_rewrite(item))
    found = (quote for item in weak for quote in (item.quote, *item.further))
    return [quote for quote in found if quote and quote.part not in SHOWN]


def fault_text(item: CitationVerdict) -> str:
    """Say in words why a citation may not stay."""
    usual = "the paper does not say it, or has other authors than the sentence names"
    who = "the paper" if item.key else "its evidence"
    if item.verdict == "partly":
        return f"{who} says only part of it"
    if not item.key:
        return "its evidence does not say it"
    if item.verdict == "contradicted":
        return "the paper says the opposite"
    if item.verdict == "not_in_abstract":
        usual = "the abstract does not say it (full text not read)"
    return f"another paper does: {item.better}" if item.better else _WHY.get(item.cause, usual)


def rejections_of(state: WriteState, numbers: Collection[int], action: Action) -> list[Rejection]:
    """Return what was found weak in these sentences, for the record."""
    weak = [item for item in state["verdicts"] if item.sentence in numbers and needs_rewrite(item)]
    return [_rejection(state["final"].sentences[item.sentence - 1], item, action) for item in weak]


def _rejection(sentence: Sentence, item: CitationVerdict, action: Action) -> Rejection:
    return Rejection(
        stage=STAGE,
        line=sentence.line,
        sentence=sentence.text,
        key=item.key,
        paper=item.paper,
        cause=item.cause or "mis_cited",
        detail=fault_text(item),
        action=action,
        by=item.by,
    )


def _thinned(state: WriteState) -> tuple[WriteState, list[Rejection]]:
    """Take single citations out of groups where the others stand; return that state, and what was taken out."""
    sentences = list(state["final"].sentences)
    dropped: list[CitationVerdict] = []
    failing = [item for item in state["verdicts"] if item.verdict in UNBORNE]
    for number, group in groupby(failing, key=lambda item: item.sentence):
        bad = list(group)
        if left := without_citations(sentences[number - 1], {item.key for item in bad}):
            sentences[number - 1] = left
            dropped += bad
    thinned: WriteState = {
        **state,
        "final": state["final"].model_copy(update={"sentences": tuple(sentences)}),
        "verdicts": [item for item in state["verdicts"] if item not in dropped],
        "removed": [
            *state["removed"],
            *(item.model_copy(update={"action": "removed"}) for item in dropped),
        ],
    }
    before = state["final"].sentences
    return thinned, [_rejection(before[item.sentence - 1], item, "removed") for item in dropped]


_COUNTS = frozenset("both two three four five six seven eight nine ten".split())  # noqa: SIM905


def without_citations(sentence: Sentence, keys: Collection[str]) -> Sentence | None:
    """Return a sentence without these citations; None where one stands alone, or where papers may be counted."""
    groups = [MARKER.findall(found[0]) for found in MARKERS.finditer(sentence.text)]
    alone = any(set(group) <= set(keys) for group in groups)
    words = tokens(without_markers(sentence.text).replace("-", " "))
    counts = any(word in _COUNTS or word.isdigit() for word in words)
    if alone or "" in keys or counts:
        return None
    text = MARKERS.sub(
        lambda found: "".join(f"{{{key}}}" for key in MARKER.findall(found[0]) if key not in keys),
        sentence.text,
    )
    cited = tuple(item for item in sentence.citations if item.key not in keys)
    return sentence.model_copy(update={"text": text, "citations": cited})


def remove_sentences(state: WriteState, faulty: Sequence[int]) -> WriteState:
    """Remove the sentences that are still not supported, and renumber the verdicts of the others."""
    numbered = list(enumerate(state["final"].sentences, start=1))
    cited = [key for number, item in numbered if number not in faulty for key in item.keys]
    untrue = lines_with_wrong_count(state["outline"], cited)
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
        "rejections": rejections_of(state, faulty, "removed"),
        "failures": [_removed(number) for number in faulty],
    }


def _removed(number: int) -> Failure:
    cause, remedy = "its evidence does not support it", "CiteLoom removed the sentence"
    return Failure(stage=STAGE, subject=f"sentence {number}", cause=cause, remedy=remedy)
