"""Mark: find the citations in the text, and tell which reference each one leads to.

Reads `run`, `body`, `entries`, `findings`. Writes `keys`, `labels`, `nowhere`, `printed`, `final`, `findings`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from langgraph.runtime import Runtime

from state.audit import ReferenceFinding
from state.paper import Paper, canonical_id, title_key
from state.verifying import Entry, VerifyState
from state.writing import MARKER, Cause, Draft, Sentence
from tools.context import RunContext
from tools.references.in_text import Label, Mention, find_mentions
from tools.services import open_services
from tools.text.sentences import split_sentences

STAGE = "mark_citations"
INVENTED = "no source that was asked has such a work"
_MARKS = re.compile(rf"^(?:{MARKER.pattern})+")


async def mark_citations(state: VerifyState, runtime: Runtime[RunContext]) -> VerifyState:
    """Put a marker for each citation; one that leads to no reference is fabricated."""
    services = open_services(runtime, state["run"])
    entries = state["entries"]
    papers = await services.run_store.papers.get([item.paper for item in entries if item.paper])
    keying = Keying(entries, papers)
    names = [paper.authors[0].family for paper in papers.values() if paper.authors]
    known = [*names, *(item.label for item in entries)]
    printed: list[str] = []
    sentences: list[Sentence] = []
    for paragraph in state["body"]:
        block = MARKER.sub(r"(\1)", paragraph)  # what looks like a marker of ours is none
        for text, marked in mark(block, find_mentions(block, known), keying):
            printed.append(text)
            sentences.append(Sentence(text=marked, line=len(sentences) + 1))
    keying.name_rest()
    return {
        "keys": keying.keys,
        "labels": keying.labels,
        "nowhere": keying.nowhere,
        "printed": printed,
        "final": Draft(id="text", sentences=tuple(sentences)),
        "findings": [*state["findings"], *keying.findings],
    }


@dataclass
class Keying:
    """Gives each paper that is cited its key, in the order of first citation."""

    entries: Sequence[Entry]
    papers: Mapping[str, Paper]
    keys: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    nowhere: dict[str, str] = field(default_factory=dict)
    findings: list[ReferenceFinding] = field(default_factory=list)
    _given: dict[str, str] = field(default_factory=dict)

    def key_of(self, label: Label) -> str:
        """Return the key of the paper that a citation names, a new one where it is cited first."""
        entry = find_entry(label, self.entries, self.papers)
        place = f"entry {self.entries.index(entry)}" if entry else f"nothing {label.text}"
        if place in self._given:
            return self._given[place]
        key = self._given[place] = f"P{len(self._given) + 1}"
        self.labels[key] = f"[{label.text}]" if label.kind == "number" else label.text
        if entry is None:
            self.nowhere[key] = "the text cites it, and the list of references does not have it"
            self._tell(
                label,
                "unresolved",
                self.nowhere[key],
                "add the reference, or take the citation out",
            )
        elif entry.invented:
            self.nowhere[key] = INVENTED
        elif entry.paper:
            self.keys[key] = entry.paper
            paper = self.papers[entry.paper]
            if (own := _key_in_file(paper)) and own != label.text:
                self.labels[key] += f" ({own})"
            year = paper.year
            if label.year and year and label.year != year:
                told = f"the text gives the year {label.year}", f"the list of references has {year}"
                self._tell(label, "metadata_error", *told, paper=entry.paper)
        else:
            self.nowhere[key] = "there is no record of it at hand"
        return key

    def _tell(self, label: Label, cause: Cause, detail: str, remedy: str, paper: str = "") -> None:
        self.findings.append(
            ReferenceFinding(key=label.text, paper=paper, cause=cause, detail=detail, remedy=remedy)
        )

    def name_rest(self) -> None:
        """Give the papers that are not cited keys as well: one of them may be what was meant."""
        cited = set(self.keys.values())
        rest = [item for item in self.entries if item.paper and item.paper not in cited]
        for number, entry in enumerate(rest, start=len(self._given) + 1):
            self.keys[f"P{number}"] = entry.paper


def _key_in_file(paper: Paper) -> str:
    """Return the key by which a file of references names a paper, if one does."""
    names = (name for name in paper.aliases if name.startswith("local:"))
    return next(names, "").removeprefix("local:")


def find_entry(label: Label, entries: Sequence[Entry], papers: Mapping[str, Paper]) -> Entry | None:
    """Return the entry that a citation leads to: by number, by key, or by author and year."""
    if label.kind == "author_year":
        return _by_author(label, entries, papers)
    names = {f"local:{label.text}", canonical_id(label.text)} if label.kind != "number" else set()
    for item in sorted(entries, key=lambda item: item.label != label.text):
        paper = papers.get(item.paper)
        if item.label == label.text or (paper and names & {item.paper, *paper.aliases}):
            return item
    return None


def _by_author(label: Label, entries: Sequence[Entry], papers: Mapping[str, Paper]) -> Entry | None:
    names = [title_key(name.split()[-1]) for name in label.names[:2]]
    mine: list[tuple[Entry, int | None, bool]] = []
    for item in entries:
        paper = papers.get(item.paper)
        families = [title_key(one.family.split()[-1]) for one in paper.authors] if paper else []
        # Of an entry that no source knows only its own words are left.
        if families[:1] == names[:1] or (item.invented and names[0] in title_key(item.raw[:60])):
            both = len(names) > 1 and names[1] in families
            mine.append((item, paper.year if paper else None, both))
    if any(both for *_, both in mine):
        mine = [found for found in mine if found[2]]
    if label.year is None:
        return mine[0][0] if len(mine) == 1 else None
    exact = [item for item, year, _ in mine if year in {label.year, None}]
    near = [item for item, year, _ in mine if abs((year or 0) - label.year) <= 1]
    if label.suffix and len(exact) > 1:
        return exact[min(ord(label.suffix) - ord("a"), len(exact) - 1)]
    return exact[0] if exact else near[0] if len(near) == 1 else None


def mark(text: str, mentions: Sequence[Mention], keying: Keying) -> list[tuple[str, str]]:
    """Return the sentences of a paragraph, each as it stands and with markers."""
    pieces: list[str] = []
    shown: list[str] = []
    last = 0
    for mention in mentions:
        marks = [f"{{{keying.key_of(label)}}}" for label in mention.labels]
        pieces += [text[last : mention.start], *marks]
        shown += [text[mention.start : mention.end], *("" for _ in marks[1:])]
        last = mention.end
    marked = "".join([*pieces, text[last:]])
    places = [found.start() for found in MARKER.finditer(marked)]
    printed = dict(zip(places, shown, strict=True))
    return [
        (
            MARKER.sub(lambda at: printed[start + at.start()], marked[start:end]).strip(),  # noqa: B023
            marked[start:end].strip(),
        )
        for start, end in _spans(marked)
    ]


def _spans(marked: str) -> list[tuple[int, int]]:
    """Return the sentences; citations that stand behind a full stop belong to what is before it."""
    spans: list[tuple[int, int]] = []
    for span in split_sentences(marked):
        start = span.start
        lead = _leading(span.text)
        if spans and lead:
            spans[-1] = (spans[-1][0], start + lead)
            start += lead
        if any(char.isalpha() for char in MARKER.sub("", marked[start : span.end])):
            spans.append((start, span.end))
        elif spans:
            spans[-1] = (spans[-1][0], span.end)
    return spans


def _leading(text: str) -> int:
    """Return the length of the markers with which a text begins, where a new sentence follows."""
    rest = _MARKS.sub("", text, count=1).lstrip(" ,;.")
    marks = _MARKS.match(text)
    return marks.end() if marks and (not rest or rest[0].isupper()) else 0
