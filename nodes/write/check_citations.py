"""Check: judge every citation of a text by the paper it cites, a paragraph at a time.

Reads `run`, `request`, `outline`, `keys`, `final`, `checks`, `verdicts`. Writes `verdicts`, `checks`,
`rejections`. What is a matter of fact is decided by code (nodes.judge.known_facts), all else by a judge: an LLM, or a
model of inference where one is set and no LLM (nodes.judge.evidence_ladder). So is a sentence judged that cites
nobody and rests on papers cited around it, or on the researcher's own text; and what a sentence that cites
tells of the researcher's own work besides. Without a judge nothing
else is decided, and the words of the paper nearest to it are shown.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from nodes.common.citing_sentences import sentences_between
from nodes.common.publisher_notices import standings
from nodes.judge.evidence_ladder import Decision, climb, open_texts
from nodes.judge.judge_claims import AT_ONCE, FIRST_PERSON, Bench, Item
from nodes.judge.known_facts import decide_from_facts, undecided
from nodes.judge.shelf import Shelf
from nodes.write.cited_papers import SHOWN, full_text_quotes
from nodes.write.number_references import paragraph_numbers
from state.channels import CheckState
from state.inputs import CheckedRequest
from state.quote import Quote
from state.writing import (
    FAILING_VERDICTS,
    INPUT,
    CitationVerdict,
    Plan,
    Rejection,
    Sentence,
    VerdictReason,
)
from tools.evidence.own_sentences import verbatim, without_markers
from tools.evidence.quotes import quote_input
from tools.services import NodeRuntime, open_services
from tools.text.words import tokens, written_words

STAGE = "check_citations"
_WHY: Mapping[VerdictReason, str] = {
    "not_verbatim": "no model is configured, and this is not the paper's own sentence",
    "no_abstract": "no abstract or text to check it against",
    "no_verdict": "the judge gave no usable answer",
}
"""Why nobody could say whether it holds."""


@dataclass
class CitationCheck:
    """One check of a text."""

    bench: Bench
    shelf: Shelf
    request: CheckedRequest
    sentences: Mapping[int, Sentence]
    """By number."""
    judged: bool
    """Whether there is a judge."""
    notices: Mapping[str, VerdictReason]
    """The gravest thing that stands against papers themselves, by id; of corrections the list of references tells."""
    found: dict[str, Decision] = field(default_factory=dict)
    """By the ids of items."""

    @property
    def cited(self) -> frozenset[str]:
        """The keys that the text cites."""
        return frozenset(key for sentence in self.sentences.values() for key in sentence.keys)

    def keys_of(self, number: int) -> tuple[str, ...]:
        """Return the keys that a sentence has verdicts for; '' for what it says without a citation."""
        sentence = self.sentences[number]
        if sentence.keys:
            rests = self._tells_own(sentence)
        else:
            rests = bool(sentence.rests_on or (sentence.basis and self.shelf.own))
        return (*sentence.keys, "") if rests else sentence.keys

    def _tells_own(self, sentence: Sentence) -> bool:
        """Whether a sentence that cites may speak of the researcher's own work, too, so that a judge is to look."""
        if not (self.judged and self.shelf.own):
            return False
        cited = [self.shelf.papers[key] for key in sentence.keys if key in self.shelf.papers]
        theirs = {word for paper in cited for word in _names(" ".join(dict(paper.parts).values()))}
        named = _names(without_markers(sentence.text)) & _names(self.shelf.own)
        return bool(FIRST_PERSON & set(tokens(sentence.text)) or named - theirs)

    def rests_on(self, sentence: Sentence) -> tuple[str, ...]:
        """Return the sources by which is judged what a sentence says without a citation; nothing where by none."""
        if sentence.keys:
            return (INPUT,)
        papers = tuple(key for key in sentence.rests_on if key in self.shelf.papers)
        # What rests on papers that a reader never sees cited rests on nothing.
        papers = tuple(key for key in papers if key in self.cited)
        own = bool(self.shelf.own and (sentence.basis or INPUT in sentence.rests_on))
        return (*papers, INPUT) if own else papers

    def known(self, number: int, key: str) -> Decision | None:
        """Return what code knows of a sentence and a paper, or of what it says without a citation, or None."""
        sentence = self.sentences[number]
        if key:
            return decide_from_facts(self.shelf, sentence.text, key)
        mine = not sentence.rests_on or INPUT in sentence.rests_on
        if mine and verbatim(sentence.text, self.shelf.own):
            quote = quote_input(sentence.text, self.shelf.own)
            quotes = (quote,) if quote.verified else ()
            return Decision("supported", quotes=quotes, scope="none", by="code")
        if not self.rests_on(sentence):
            told = ("its evidence is from papers that the text does not cite",)
            return Decision("not_in_source", "mis_cited", alarms=told, scope="none", by="code")
        return None


def _names(text: str) -> set[str]:
    """Return the words with two capital letters or more, as systems are called."""
    return {word for word in written_words(text) if sum(map(str.isupper, word)) > 1}


async def check_citations(state: CheckState, runtime: NodeRuntime) -> CheckState:
    """Check all paragraphs at once; later rounds check only what was rewritten."""
    services = open_services(runtime, state["run"])
    papers = await services.run_store.papers.get(list(state["keys"].values()))
    by_key = {key: papers[paper] for key, paper in state["keys"].items() if paper in papers}
    written = "outline" in state
    said, failures = await sentences_between(
        services, state["request"], list(by_key.values()) if written else [], stage=STAGE
    )
    shelf = Shelf(
        by_key,
        said=said,
        # Someone else's text is no work of whoever has it checked.
        own=state["request"].text if written else "",
        known=[
            *await full_text_quotes(services, [paper.id for paper in by_key.values()]),
            *_rested_on(state["final"].sentences),
        ],
    )
    sentences = dict(enumerate(state["final"].sentences, start=1))
    texts = {number: sentence.text for number, sentence in sentences.items()}
    bench = Bench(services, STAGE, texts, shelf.evidence(), failures=failures)
    # What was written here was written from abstracts and the library; open copies are for others' texts.
    request = state["request"].model_copy(update={"sources": ("library",)} if written else {})
    judged = services.judge.judges
    notices = {
        key: told[0].cause
        for key, told in standings(by_key.values()).items()
        if told[0].cause != "corrected"
    }
    check = CitationCheck(bench, shelf, request, sentences, judged, notices)
    kept = _kept(check, state["verdicts"] if state["checks"] else [])
    services.progress("check", len(kept), len(sentences))
    blocks = _blocks(
        paragraph_numbers(state["final"].sentences, state.get("outline", Plan(lines=())))
    )
    await _decide(check, [[number for number in block if number not in kept] for block in blocks])
    new = [
        _verdict(check, number, key)
        for block in blocks
        for number in block
        if number not in kept
        for key in check.keys_of(number)
    ]
    services.progress("check", len(sentences), len(sentences))
    verdicts = [*(item for group in kept.values() for item in group), *new]
    return {
        "verdicts": sorted(verdicts, key=lambda item: item.sentence),
        "checks": state["checks"] + 1,
        "rejections": _rejections(check),
        "failures": bench.failures,
    }


def _rested_on(sentences: Iterable[Sentence]) -> list[Quote]:
    """Return the words of full texts that sentences quote; an earlier check may have found them."""
    cited = (item for sentence in sentences for item in sentence.citations)
    quotes = (quote for item in cited for quote in (item.quote, *item.further))
    return [quote for quote in dict.fromkeys(quotes) if quote and quote.part not in SHOWN]


def _blocks(places: Sequence[int]) -> list[list[int]]:
    """Return the numbers of sentences to be asked about together: of whole paragraphs, where they fit."""
    blocks: list[list[int]] = [[]]
    for _, group in groupby(range(1, len(places) + 1), lambda number: places[number - 1]):
        part = list(group)
        if len(blocks[-1]) + len(part) > AT_ONCE:
            blocks += [part[at : at + AT_ONCE] for at in range(0, len(part), AT_ONCE)]
        else:
            blocks[-1] += part
    return blocks


def _kept(
    check: CitationCheck, known: Sequence[CitationVerdict]
) -> dict[int, list[CitationVerdict]]:
    """Return the verdicts of the sentences that have all of theirs, and whose papers are still there."""
    found: dict[int, list[CitationVerdict]] = {}
    for number, sentence in check.sentences.items():
        keys = check.keys_of(number)
        mine = [item for item in known if item.sentence == number and item.key in keys]
        if all(key in check.shelf.papers for key in sentence.keys) and len(mine) == len(keys):
            found[number] = mine
    return found


async def _decide(check: CitationCheck, blocks: Sequence[Sequence[int]]) -> None:
    """Decide what code knows, and ask a judge about the rest."""
    left: list[list[Item]] = []
    for block in blocks:
        unsure = await asyncio.to_thread(_look, check, block)
        left += [unsure] if unsure else []
    if check.judged:
        check.found |= await climb(
            check.bench, check.request, check.shelf, left, texts_first=bool(check.shelf.own)
        )
        return
    items = [item for block in left for item in block]
    await open_texts(check.bench, check.request, check.shelf, items)
    await asyncio.to_thread(_look, check, dict.fromkeys(item.sentence for item in items))
    embedder = check.bench.services.clients.embedder
    for item in (item for item in items if item.id not in check.found):
        text, key = check.bench.sentences[item.sentence], item.sources[0]
        check.found[item.id] = (
            await undecided(check.shelf, text, key, embedder)
            if key in check.shelf.papers and check.sentences[item.sentence].keys
            else Decision("not_checked", "not_verbatim", scope="none")
        )


def _look(check: CitationCheck, numbers: Sequence[int] | Mapping[int, None]) -> list[Item]:
    """Note what code knows of these sentences, and return what a judge must say."""
    unsure: list[Item] = []
    for number in numbers:
        for key in check.keys_of(number):
            id_ = f"{number}-{key or 'all'}"
            if known := check.known(number, key):
                check.found[id_] = known
            else:
                sources = (key,) if key else check.rests_on(check.sentences[number])
                unsure.append(Item(id_, number, sources))
    return unsure


def _verdict(check: CitationCheck, number: int, key: str) -> CitationVerdict:
    """Return a decision as it is recorded, with what stands against the paper itself."""
    found = check.found[f"{number}-{key or 'all'}"]
    paper, said = check.shelf.papers.get(key), found.ruling
    notice = check.notices.get(paper.id, "") if paper else ""
    cause: VerdictReason = found.cause
    if notice and found.verdict not in FAILING_VERDICTS and (not cause or notice == "retracted"):
        cause = notice
    return CitationVerdict(
        sentence=number,
        key=key,
        paper=paper.id if paper else "",
        verdict=found.verdict,
        cause=cause,
        claim=(said and said.claim) or without_markers(check.bench.sentences[number]),
        quote=next(iter(found.quotes), None),
        further=found.quotes[1:],
        reason=said.reason if said else _WHY.get(found.cause, ""),
        better=found.better or None,
        alarms=found.alarms,
        evidence_scope=found.scope,
        unread=found.unread,
        nearest=found.nearest,
        purpose=said.purpose if said else "",
        first=said.first if said else None,
        by=found.by,
    )


def _rejections(check: CitationCheck) -> list[Rejection]:
    """Return the words that the judge gave as a source's and that are not, for the record."""
    told: list[Rejection] = []
    for item, cause, detail, sent_back in check.bench.misquotes:
        sentence = check.sentences[item.sentence]
        key = item.sources[0] if item.sources[0] in sentence.keys else ""
        told.append(
            Rejection(
                stage=STAGE,
                line=sentence.line,
                sentence=sentence.text,
                key=key,
                paper=check.shelf.papers[key].id if key else "",
                cause=cause,
                action="asked_again" if sent_back else "replaced",
                detail=f"the check quoted: {detail}",
                by=check.bench.mind.name,
            )
        )
    return told
