"""Measures of the list of references, and of the citations that lead to it."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from evals.pdf.texts import letters
from evals.pdf.truth import Context, Mention, Truth, Work
from state.bibliography import Bibliography, InTextCitation, ReferenceEntry
from state.document import Document

_ARXIV = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+/\d{7})(?:v\d+)?$")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z\[(0-9])")
_SURE = 80.0
"""Of 100: likeness from which a stretch of a document is the one that the truth quotes."""
_OVERLAP = 2
"""Characters of a citation that must lie in a stretch for it to be one of its citations."""
_NAMED = 80.0
"""Of 100: likeness from which an entry has a title in it; papers misquote titles."""


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    hits: int = 0
    of: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.hits + other.hits, self.of + other.of)

    @property
    def value(self) -> float | None:
        """The share itself; None of nothing."""
        return self.hits / self.of if self.of else None


@dataclass(frozen=True)
class References:
    """What was measured of one file's references."""

    entries: int
    found: Share
    """Of the works that the truth names."""
    right: Share
    """Of those whose title or id can be compared, the ones with the right title, DOI or address."""
    linked: Share
    """Of the citations that the truth knows, or else of the works cited that were noticed."""
    precise: Share
    """Of the links in sentences that the truth knows, the right ones."""
    known: bool
    """Whether the truth knows the citations."""
    misses: tuple[str, ...] = ()
    """What was missed, in words."""


def measured(document: Document, list_: Bibliography, truth: Truth) -> References:
    """Compare a document's references with the truth."""
    pairs = paired(list_.entries, truth)
    misses: list[str] = []
    judged: list[bool] = []
    for work in truth.works:
        entry = pairs.get(work.label or work.id)
        verdict = is_right(entry, work)
        if verdict is not None:
            judged.append(verdict)
        if entry is None or verdict is False:
            misses.append(
                f"entry: {work.title or work.id} is not {entry and (entry.title or entry.text)}"
            )
    if truth.contexts:
        linked, precise = by_sentence(document, list_, truth.contexts, misses)
    elif truth.mentions:
        linked, precise = by_mention(document, list_, truth.mentions, misses), Share()
    else:
        linked, precise = noticed(list_.citations), Share()
    return References(
        entries=len(list_.entries),
        found=Share(len(pairs), len(truth.works)),
        right=Share(sum(judged), len(judged)),
        linked=linked,
        precise=precise,
        known=bool(truth.contexts or truth.mentions),
        misses=tuple(misses),
    )


def paired(entries: Sequence[ReferenceEntry], truth: Truth) -> dict[str, ReferenceEntry]:
    """Return the entry of each work by the work's label or id: by label, or by the title in it."""
    if truth.numbered:
        by_label = {entry.label.strip("[]. "): entry for entry in reversed(entries)}
        return {one.label: by_label[one.label] for one in truth.works if one.label in by_label}
    pairs: dict[str, ReferenceEntry] = {}
    left = list(entries)
    for work in truth.works:
        title = letters(work.title)
        scores = [fuzz.partial_ratio(title, letters(entry.text)) for entry in left if title]
        # A text that is shorter than the title is no entry of it, however like a part of it.
        scores = [
            score if len(letters(entry.text)) > len(title) else 0.0
            for score, entry in zip(scores, left, strict=False)
        ]
        if scores and max(scores) >= _NAMED:
            pairs[work.label or work.id] = left.pop(scores.index(max(scores)))
    return pairs


def is_right(entry: ReferenceEntry | None, work: Work) -> bool | None:
    """Whether an entry has its work's title, DOI or address; None where neither can be compared.

    A DOI or an address that the truth found elsewhere, and the paper does not print, decides nothing.
    """
    printed = entry is not None and _id_of(work.id) in letters(entry.text + (entry.url or ""))
    if not work.title and not (work.id and printed):
        return None
    if entry is None:
        return False
    if work.title and same_title(entry.title or "", work.title):
        return True
    ids = [entry.doi or "", entry.arxiv or "", entry.url or ""]
    return bool(work.id) and _id_of(work.id) in {_id_of(one) for one in ids if one}


def same_title(first: str, second: str) -> bool:
    """Whether two titles are of one work: the subtitle of one may be missing in the other."""
    whole = letters(first), letters(second)
    if fuzz.ratio(*whole) >= 90:
        return True
    short = letters(first.partition(":")[0]), letters(second.partition(":")[0])
    return whole[0] == short[1] or short[0] == whole[1]


def _id_of(text: str) -> str:
    """Return an identifier as it is compared: an arXiv id, or an address, without its trimmings."""
    text = text.strip().lower().rstrip("/")
    if ("arxiv" in text or text[:1].isdigit()) and (found := _ARXIV.search(text)):
        return letters(found[1])
    return letters(re.sub(r"^(?:https?://)?(?:www\.|(?:dx\.)?doi\.org/)?", "", text))


def by_sentence(
    document: Document, list_: Bibliography, contexts: Iterable[Context], misses: list[str]
) -> tuple[Share, Share]:
    """Return how many of the citations of known sentences were linked, and of the links the right ones."""
    linked, precise = Share(), Share()
    for context in contexts:
        sentences = _SENTENCE.split(context.text)
        # Sets: the truth names a work once where a sentence cites it twice.
        got = [Counter(set(cited_in(document, list_, sentence))) for sentence in sentences]
        wanted = [Counter(set(labels)) for labels in context.cites]
        if len(got) != len(wanted):  # the truth cut them elsewhere: compare the paragraph
            got, wanted = [sum(got, Counter())], [sum(wanted, Counter())]
        for found, true in zip(got, wanted, strict=True):
            hits = (found & true).total()
            linked += Share(hits, true.total())
            precise += Share(hits, found.total())
            if found != true:
                misses.append(f"link: {sorted(true)} read as {sorted(found)}: {context.text[:80]}")
    return linked, precise


def by_mention(
    document: Document, list_: Bibliography, mentions: Iterable[Mention], misses: list[str]
) -> Share:
    """Return how many citations lead to an entry of the right title."""
    linked = Share()
    for mention in mentions:
        entries = (list_.entries[place] for place in places_in(document, list_, mention.around))
        title = letters(mention.title)
        hit = any(fuzz.partial_ratio(title, letters(entry.text)) >= _NAMED for entry in entries)
        linked += Share(hit, 1)
        if not hit:
            misses.append(f"link: {mention.title[:60]}: {mention.around}")
    return linked


def noticed(citations: Iterable[InTextCitation]) -> Share:
    """Return how many of the works cited in the text were linked."""
    total = Share()
    for one in citations:
        total += Share(len(one.entries), len(one.entries) + len(one.unlinked))
    return total


def cited_in(document: Document, list_: Bibliography, words: str) -> list[str]:
    """Return the labels of the entries that a stretch of a document cites."""
    return [list_.entries[n].label.strip("[]. ") for n in places_in(document, list_, words)]


def places_in(document: Document, list_: Bibliography, words: str) -> list[int]:
    """Return the places of the entries cited where a document has these words."""
    where = _found(document, words) or _found(document, words[len(words) // 2 :])
    if where is None:
        return []
    number, start, end = where
    return [
        place
        for one in list_.citations
        if one.block == number and min(one.end, end) - max(one.start, start) >= _OVERLAP
        for place in one.entries
    ]


def _found(document: Document, words: str) -> tuple[int, int, int] | None:
    """Return where a document has words most like these: its block, begin and end."""
    best, where = _SURE, None
    for number, block in enumerate(document.blocks):
        if block.kind == "reference" or len(block.text) < 0.8 * len(words):
            continue
        found = fuzz.partial_ratio_alignment(words, block.text, score_cutoff=best)
        if found is not None and (where is None or found.score > best):
            best, where = found.score, (number, found.dest_start, found.dest_end)
    return where
