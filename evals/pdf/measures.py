"""What is known of PDFs (truth.jsonl, GROBID's JSON beside one), and measures of what was read of them.

Headings, running text, references and the citations of these.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from evals.trials import json_lines
from state.bibliography import Bibliography, ReferenceEntry
from state.document import Document

_BEFORE, _BEHIND = 90, 25
"""Characters about a citation by which its place is found again."""


@dataclass(frozen=True)
class Work:
    """One work that the list of references names."""

    label: str
    id: str
    """A DOI or an address; empty where it is unknown."""
    title: str


@dataclass(frozen=True)
class Context:
    """A paragraph, and the labels that each of its sentences cites."""

    text: str
    cites: tuple[tuple[str, ...], ...]


Parsed = tuple[str, tuple[tuple[int, int, str | None], ...]]
"""One paragraph of GROBID's: its text, and begin, end and title of the work of each citation, None if not linked."""


@dataclass(frozen=True)
class Truth:
    """What is known of one file."""

    file: str
    group: str
    """The folder it stands in, such as 'acm'."""
    title: str
    numbered: bool
    count: int | None
    """Entries of the list of references, where all are known."""
    works: tuple[Work, ...]
    headings: tuple[str, ...]
    contexts: tuple[Context, ...]
    parsed: tuple[Parsed, ...]
    """GROBID's paragraphs."""

    @property
    def mentions(self) -> list[tuple[str, str]]:
        """GROBID's citations that are linked to an entry: the words about each, and the title of its work."""
        return [
            (text[max(0, start - _BEFORE) : end + _BEHIND], title)
            for text, spans in self.parsed
            for start, end, title in spans
            if title
        ]


def read_truth(folder: Path) -> list[Truth]:
    """Return what a folder's truth.jsonl says, a file a line."""
    return [truth_of(row, folder) for _, row in json_lines(folder / "truth.jsonl")]


def truth_of(row: Mapping[str, Any], folder: Path) -> Truth:
    """Return one line's truth, with the citations that a JSON file of the same name has."""
    file = str(row["file"])
    sections: Sequence[Any] = row.get("sections") or ()
    beside = (folder / file).with_suffix(".json")
    parsed = json.loads(beside.read_text("utf-8")) if beside.is_file() else {}
    return Truth(
        file=file,
        group=Path(file).parent.name,
        title=row["title"],
        numbered=row.get("citation_style") == "numbered",
        count=row.get("n_references"),
        works=tuple(
            Work(str(one["label"] or ""), one["id"] or "", one["title"] or "")
            for one in row.get("references") or ()
        ),
        headings=tuple(s["heading"] if isinstance(s, dict) else s for s in sections),
        contexts=tuple(
            Context(one["text"], tuple(map(tuple, one["cites"])))
            for one in row.get("contexts") or ()
        ),
        parsed=tuple(_parsed(parsed)),
    )


def _parsed(parsed: Mapping[str, Any]) -> Iterator[Parsed]:
    inner = parsed.get("pdf_parse") or {}
    titles = {key: one.get("title") for key, one in (inner.get("bib_entries") or {}).items()}
    for paragraph in inner.get("body_text") or ():
        spans = (
            (one["start"], one["end"], titles.get(one.get("ref_id") or "") or None)
            for one in paragraph.get("cite_spans") or ()
        )
        yield paragraph["text"], tuple(spans)


_NUMBER = re.compile(r"^(?:(?:\d+|[A-Z])(?:\.\d+)*\.?|[IVX]+\.)\s+")
_UNNUMBERED = {"abstract", "references", "bibliography"}


def letters(text: str) -> str:
    """Return a text in small letters and digits only."""
    return "".join(filter(str.isalnum, text.lower()))


def plain_heading(text: str) -> str:
    """Return a heading without its number, in letters and digits only."""
    return letters(_NUMBER.sub("", text.strip()))


def found_headings(document: Document, *, deepest: int = 9) -> list[str]:
    """Return the headings of a document in order, each once."""
    seen: dict[str, None] = {}
    for block in document.blocks:
        for title in block.section[:deepest]:
            seen.setdefault(plain_heading(title))
    return list(seen)


def headings(document: Document, titles: Sequence[str]) -> tuple[float, float] | None:
    """Return precision and recall of the headings; None where none are known.

    Precision is of the headings of the first level: not all that know the truth go deeper.
    """
    wanted = {plain_heading(title) for title in titles} - _UNNUMBERED - {""}
    if not wanted:
        return None
    found = [title for title in found_headings(document) if title not in _UNNUMBERED]
    hits = {w for w in wanted if any(same(w, f) for f in found)}
    top = [t for t in found_headings(document, deepest=1) if t not in _UNNUMBERED]
    return len([t for t in top if any(same(w, t) for w in wanted)]) / max(1, len(top)), len(
        hits
    ) / len(wanted)


def same(first: str, second: str) -> bool:
    """Whether two headings are the same but for what recognition of characters does."""
    return fuzz.ratio(first, second) >= 85


_ARXIV = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+/\d{7})(?:v\d+)?$")
SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z\[(0-9])")
_SURE = 80.0
"""Of 100: likeness from which a stretch of a document is the one that the truth quotes."""
_OVERLAP = 2
"""Characters of a citation that must lie in a stretch for it to be one of its citations."""
NAMED = 80.0
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


def measured(document: Document, list_: Bibliography, truth: Truth) -> dict[str, Share]:
    """Compare a document's references with the truth.

    found      Of the works that the truth names.
    right      Of those whose title or id can be compared, the ones with the right title, DOI or address.
    linked     Of the citations that the truth knows.
    precise    Of the links in sentences that the truth knows, the right ones.
    """
    pairs = paired(list_.entries, truth)
    verdicts = [is_right(pairs.get(work.label or work.id), work) for work in truth.works]
    judged = [one for one in verdicts if one is not None]
    linked, precise = by_sentence(document, list_, truth.contexts)
    if not truth.contexts:
        linked = by_mention(document, list_, truth.mentions)
    return {
        "found": Share(len(pairs), len(truth.works)),
        "right": Share(sum(judged), len(judged)),
        "linked": linked,
        "precise": precise,
    }


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
        if scores and max(scores) >= NAMED:
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
    return bool(work.id) and _id_of(work.id) in {
        _id_of(one) for one in [entry.doi or "", entry.arxiv or "", entry.url or ""] if one
    }


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
    for trimming in ("https://", "http://", "www.", "dx.", "doi.org/"):
        text = text.removeprefix(trimming)
    return letters(text)


def by_sentence(
    document: Document, list_: Bibliography, contexts: Iterable[Context]
) -> tuple[Share, Share]:
    """Return how many of the citations of known sentences were linked, and of the links the right ones."""
    linked, precise = Share(), Share()
    for context in contexts:
        sentences = SENTENCE.split(context.text)
        # Sets: the truth names a work once where a sentence cites it twice.
        got = [
            Counter(
                {list_.entries[at].label.strip("[]. ") for at in places_in(document, list_, one)}
            )
            for one in sentences
        ]
        wanted = [Counter(set(labels)) for labels in context.cites]
        if len(got) != len(wanted):  # the truth cut them elsewhere: compare the paragraph
            got, wanted = [sum(got, Counter())], [sum(wanted, Counter())]
        for found, true in zip(got, wanted, strict=True):
            hits = (found & true).total()
            linked += Share(hits, true.total())
            precise += Share(hits, found.total())
    return linked, precise


def by_mention(
    document: Document, list_: Bibliography, mentions: Iterable[tuple[str, str]]
) -> Share:
    """Return how many citations lead to an entry of the right title."""
    linked = Share()
    for around, named in mentions:
        entries = (list_.entries[place] for place in places_in(document, list_, around))
        title = letters(named)
        hit = any(fuzz.partial_ratio(title, letters(entry.text)) >= NAMED for entry in entries)
        linked += Share(hit, 1)
    return linked


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
    blocks = {
        number: block.text
        for number, block in enumerate(document.blocks)
        if block.kind != "reference" and len(block.text) >= 0.8 * len(words)
    }
    return best_stretch(words, blocks, _SURE)


def best_stretch(words: str, texts: Mapping[int, str], least: float) -> tuple[int, int, int] | None:
    """Return the number of the text that has the stretch most like these words, and its begin and end.

    None where none is as like as `least` of 100; of equal ones the first.
    """
    best, where = least, None
    for number, text in texts.items():
        found = fuzz.partial_ratio_alignment(words, text, score_cutoff=best)
        if found is not None and (where is None or found.score > best):
            best, where = found.score, (number, found.dest_start, found.dest_end)
    return where
