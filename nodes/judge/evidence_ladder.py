"""The evidence ladder: judge what papers are said to say by their abstracts, and else by their texts.

Two thirds of what is said of papers is decided by their abstracts. For the rest the nearest sentences of the full
text are shown, then the nearest paragraphs, then three times as many; support ends the climb. That a number or a
name stands nowhere in what was read is a fact, and stops a claim whatever a judge says.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nodes.judge.full_text import read_full_texts, search_full_texts
from nodes.judge.judge_claims import (
    AT_ONCE,
    Bench,
    Evidence,
    Item,
    Ruling,
    judge_claims,
)
from nodes.judge.shelf import Shelf, abstract_words, words_of
from state.inputs import CheckedRequest
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.writing import FAILING_VERDICTS, INPUT, ORDER, Scope, SupportVerdict, VerdictReason
from tools.embed.embedder import Embedder
from tools.evidence.facts import standing_nowhere
from tools.evidence.own_sentences import names_of, verbatim, without_markers
from tools.evidence.passage_search import Searcher
from tools.evidence.quotes import quotes_of

_LEVELS: tuple[Callable[[Searcher, str], list[Passage]], ...] = (
    Searcher.sentences,
    Searcher.paragraphs,
    Searcher.more_paragraphs,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided of an item, by whom, and on what."""

    verdict: SupportVerdict
    cause: VerdictReason = ""
    ruling: Ruling | None = None
    """What the judge said; None where nobody was asked, or gave no usable answer."""
    quotes: tuple[Quote, ...] = ()
    """The words that decide, the deciding ones first."""
    alarms: tuple[str, ...] = ()
    """What in the words speaks against it."""
    scope: Scope = "abstract"
    unread: str = ""
    better: str = ""
    """Id of the paper at hand whose own sentence it is."""
    nearest: tuple[Quote, ...] = ()
    """Where nobody judged: the words nearest to it."""
    by: str = ""
    """Who decided; empty where nobody did."""


async def climb(
    bench: Bench,
    request: CheckedRequest,
    shelf: Shelf,
    blocks: Sequence[Sequence[Item]],
    *,
    once_more: bool = False,
    texts_first: bool = False,
) -> dict[str, Decision]:
    """Judge these items by abstracts, then by full texts where these do not decide; return decisions by id.

    Args:
        bench: The check, with the evidence that is shown first.
        request: Whose library and sources full texts may come from.
        shelf: The papers.
        blocks: Items that belong together, small blocks being asked about in one question; one of a paper without
            an abstract begins with its text.
        once_more: Ask about an item at most twice: its second question shows the nearest paragraphs of full texts.
        texts_first: The first question shows these paragraphs beside the abstracts: whoever wrote the text saw more
            than abstracts, too, and the full texts are at hand.
    """
    # Of a sentence that cites several, what is said of each is for the judge to tell apart.
    bench.strange = lambda item: (
        _nowhere(bench, shelf, item) if len(_cited(bench, shelf, item)) == len(item.sources) else ()
    )
    items = [item for block in blocks for item in block]
    if texts_first:
        await open_texts(bench, request, shelf, items)
    first = _packed(
        [item for item in block if _shows(bench, shelf, item, texts=texts_first)]
        for block in blocks
    )
    asked = (
        _asked(bench, shelf, Searcher.paragraphs, block, {}, beside=True)
        if texts_first
        else judge_claims(bench, block)
        for block in first
    )
    rulings = {id_: one for answer in await asyncio.gather(*asked) for id_, one in answer.items()}
    left = await asyncio.to_thread(_open, bench, shelf, items, rulings)
    if once_more:
        left = [item for item in left if item.id not in rulings or rulings[item.id].first is None]
    await open_texts(bench, request, shelf, left)
    own = await asyncio.to_thread(_own, bench, shelf, left)
    left = [item for item in left if item.id not in own]
    levels = _LEVELS[1:2] if once_more else _LEVELS[2:] if texts_first else _LEVELS
    for level in levels:
        if texts_first or level is not levels[0]:  # of what a search found, all was shown
            left = [item for item in left if any(map(shelf.whole, _papers(shelf, item)))]
        groups = _grouped([item for item in left if _papers(shelf, item)])
        if not groups:
            break
        found = await asyncio.gather(
            *(_asked(bench, shelf, level, group, rulings) for group in groups)
        )
        for answer in found:
            for id_, one in answer.items():
                rulings[id_] = _better(rulings.get(id_), one)
        if not once_more:
            left = await asyncio.to_thread(_open, bench, shelf, left, rulings)
    judged = [item for item in items if item.id not in own]
    return own | await asyncio.to_thread(
        lambda: {item.id: _decided(bench, shelf, item, rulings.get(item.id)) for item in judged}
    )


def _shows(bench: Bench, shelf: Shelf, item: Item, *, texts: bool) -> bool:
    """Whether there is something to show of an item's sources."""
    there = any(bench.evidence[key].words for key in item.sources)
    return there or (texts and bool(_papers(shelf, item)))


def _own(bench: Bench, shelf: Shelf, items: Sequence[Item]) -> dict[str, Decision]:
    """Return what is decided of the sentences that stand in the full text of the one paper they are judged by."""
    found: dict[str, Decision] = {}
    for item in items:
        if item.sources[0] in shelf.papers and len(item.sources) == 1:
            quote = stands_in_text(bench.sentences[item.sentence], item.sources[0], shelf)
            if quote:
                found[item.id] = Decision(
                    "supported", quotes=(quote,), scope="full_text", by="code"
                )
    return found


async def open_texts(
    bench: Bench, request: CheckedRequest, shelf: Shelf, items: Sequence[Item]
) -> None:
    """Read the full texts of the papers of these items, as far as that was not tried before."""
    papers = {
        shelf.papers[key].id: shelf.papers[key]
        for item in items
        for key in item.sources
        if key in shelf.papers and shelf.papers[key].id not in shelf.texts
    }
    if papers:
        texts, failures = await read_full_texts(
            bench.services, request, list(papers.values()), stage=bench.stage
        )
        claims = {
            without_markers(bench.sentences[item.sentence]): [
                shelf.papers[key]
                for key in item.sources
                if key in shelf.papers and (text := texts.get(shelf.papers[key].id))
                if not text.passages
            ]
            for item in items
        }
        found, failed = await search_full_texts(bench.services, request, claims, stage=bench.stage)
        shelf.texts |= texts | {
            key: replace(texts[key], passages=tuple(passages), found=True)
            for key, passages in found.items()
        }
        bench.failures += [*failures, *failed]
    embedder = bench.services.clients.embedder
    read = {key: text.passages for key, text in shelf.texts.items() if key in papers}

    def made() -> dict[str, Searcher]:
        return {key: Searcher(passages, embedder) for key, passages in read.items() if passages}

    shelf.searchers |= await asyncio.to_thread(made)


def _papers(shelf: Shelf, item: Item) -> list[Paper]:
    """Return the papers of an item whose full text was read."""
    papers = (shelf.papers[key] for key in item.sources if key in shelf.papers)
    return [paper for paper in papers if paper.id in shelf.searchers]


def _packed(blocks: Iterable[Sequence[Item]]) -> list[list[Item]]:
    """Return the blocks in as few questions as hold them whole, so that what each has in common is told once."""
    packed: list[list[Item]] = []
    for block in blocks:
        if packed and len(packed[-1]) + len(block) <= AT_ONCE:
            packed[-1] += block
        else:
            packed.append([*block])
    return packed


def _grouped(items: Sequence[Item]) -> list[Sequence[Item]]:
    return [items[at : at + AT_ONCE] for at in range(0, len(items), AT_ONCE)]


async def _asked(
    bench: Bench,
    shelf: Shelf,
    level: Callable[[Searcher, str], list[Passage]],
    items: Sequence[Item],
    rulings: Mapping[str, Ruling],
    *,
    beside: bool = False,
) -> dict[str, Ruling]:
    """Ask about these items with what a level finds of the papers' texts, in place of the abstracts or beside them."""

    def found() -> dict[str, Evidence]:
        passages: dict[str, dict[str, Passage]] = {}
        for item in items:
            ruling = rulings.get(item.id)
            claim = (ruling and ruling.claim) or without_markers(bench.sentences[item.sentence])
            for paper in _papers(shelf, item):
                mine = passages.setdefault(paper.id, {})
                mine |= {one.id: one for one in level(shelf.searchers[paper.id], claim)}
        shown = dict(bench.evidence)
        for key, paper in shelf.papers.items():
            if paper.id in passages:
                ordered = sorted(passages[paper.id].values(), key=lambda one: one.start)
                before = shown[key].words if beside else ()
                shown[key] = shelf.evidence_of(paper, [*before, *words_of(ordered)])
        return shown

    return await judge_claims(bench.with_evidence(await asyncio.to_thread(found)), items)


def _better(before: Ruling | None, now: Ruling) -> Ruling:
    """Return the ruling that counts: the later one, unless it says less than the one before.

    Support that a number or a name from nowhere stopped counts for nothing once more was read.
    """
    if before is None or not before.quotes or before.verdict == "supported":
        return now
    if now.verdict == "contradicted" and now.quotes:
        return now
    return now if ORDER.index(now.verdict) <= ORDER.index(before.verdict) else before


def _open(
    bench: Bench, shelf: Shelf, items: Sequence[Item], rulings: Mapping[str, Ruling]
) -> list[Item]:
    """Return the items that what was read so far does not decide."""
    return [item for item in items if not _sure(bench, shelf, item, rulings.get(item.id))]


def _sure(bench: Bench, shelf: Shelf, item: Item, ruling: Ruling | None) -> bool:
    if ruling is None or not any(key in shelf.papers for key in item.sources):
        return ruling is not None
    if ruling.verdict == "contradicted":
        return bool(ruling.quotes)
    return ruling.verdict == "supported" and not _stopped(bench, shelf, item, ruling)


def _nowhere(bench: Bench, shelf: Shelf, item: Item) -> list[str]:
    """Return the numbers and names of an item's sentence that stand in nothing that was read of what it cites."""
    sentence = without_markers(bench.sentences[item.sentence])
    return standing_nowhere(sentence, shelf.read_of(_cited(bench, shelf, item)))


def _stopped(bench: Bench, shelf: Shelf, item: Item, ruling: Ruling) -> list[str]:
    """Return those of them that what is claimed has: all, where the judge does not say what is claimed.

    What it leaves out, such as what is said of others, it was asked about once more (Bench.strange).
    """
    nowhere = _nowhere(bench, shelf, item)
    if not nowhere or not ruling.states_claim:
        return nowhere
    claimed = standing_nowhere(ruling.claim, shelf.read_of(_cited(bench, shelf, item)))
    return [one for one in nowhere if one in claimed]


def _cited(bench: Bench, shelf: Shelf, item: Item) -> list[str]:
    """Return the sources of an item, and what else its sentence cites."""
    sentence = bench.sentences[item.sentence]
    beside = (key for key in shelf.papers if f"{{{key}}}" in sentence)
    return list(dict.fromkeys((*item.sources, *beside)))


def _decided(bench: Bench, shelf: Shelf, item: Item, ruling: Ruling | None) -> Decision:
    """Return what a ruling comes to on what was read."""
    scope, unread = shelf.scope(item.sources), shelf.unread(item.sources)
    if ruling is None:
        cause: VerdictReason = "no_abstract" if scope == "none" else "no_verdict"
        return Decision("not_checked", cause, scope=scope, unread=unread)
    verdict, cause, alarms = ruling.verdict, _cause(ruling), ruling.differs
    if verdict in {"supported", "partly"} and (nowhere := _stopped(bench, shelf, item, ruling)):
        where = WHERE[scope]
        verdict, cause = "not_in_source", "mis_cited"
        alarms = (*(f"{one} {where}" for one in nowhere), *alarms)
    if verdict == "not_in_source" and scope != "full_text" and set(item.sources) != {INPUT}:
        verdict = "not_in_abstract"
    return Decision(
        verdict, cause, ruling, ruling.quotes, alarms, scope, unread, by=bench.mind.name
    )


WHERE: Mapping[Scope, str] = {
    "none": "does not appear in what CiteLoom read",
    "abstract": "is not in the abstract (full text not read)",
    "full_text": "does not appear in the paper",
}


def _cause(ruling: Ruling) -> VerdictReason:
    if ruling.misquoted:
        return "no_verified_quote"
    return "mis_cited" if ruling.verdict in FAILING_VERDICTS else ""


def stands_in_text(sentence: str, key: str, shelf: Shelf) -> Quote | None:
    """Return the words of a paper's full text that a sentence is, if it is one of its own sentences."""
    paper = shelf.papers[key]
    if paper.id not in shelf.searchers:
        return None
    whole = shelf.searchers[paper.id].whole
    span = verbatim(sentence, whole.text, names_of(paper))
    if span is None:
        return None
    (quote,) = quotes_of([whole.part(span.start, span.end)])
    return quote


def nearest_words(sentence: str, key: str, shelf: Shelf, embedder: Embedder) -> tuple[Quote, ...]:
    """Return the two sentences of all that was read of a paper that are nearest to a sentence."""
    paper = shelf.papers[key]
    searcher = shelf.searchers.get(paper.id) or Searcher(_as_passages(paper), embedder)
    return tuple(
        Quote(
            text=item.text,
            paper=paper.id,
            start=item.start,
            end=item.start + len(item.text),
            part=item.part if item.document else paper.abstract_kind,
            verified=True,
            place=item.place if item.document else "",
        )
        for item in searcher.nearest(without_markers(sentence))
    )


def _as_passages(paper: Paper) -> list[Passage]:
    return [
        Passage(
            id=item.part,
            paper=paper.id,
            title=paper.title,
            start=0,
            end=len(item.text),
            text=item.text,
        )
        for item in abstract_words(paper)
    ]
