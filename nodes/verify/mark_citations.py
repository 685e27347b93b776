"""Mark: find the citations in the text, and tell which reference each one leads to.

Reads `run`, `body`, `entries`, `findings`, `source`, `source_file`, `in_paragraphs`. Writes `keys`, `labels`,
`nowhere`, `printed`, `places`, `final`, `findings`, `notes`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from state.audit import ReferenceFinding
from state.paper import Paper
from state.value import Place
from state.verify import Entry, VerifyState
from state.writing import MARKER, MARKERS, Draft, Sentence, VerdictReason
from tools.references.citable import Citable
from tools.references.in_text import Label, Mention
from tools.references.manuscript import NOTE, is_latex
from tools.references.marks import citations_in
from tools.services import NodeRuntime, open_services
from tools.text.places import PlaceFinder
from tools.text.words import split_sentences

STAGE = "mark_citations"
INVENTED = "no searched source has such a work"


async def mark_citations(state: VerifyState, runtime: NodeRuntime) -> VerifyState:
    """Put a marker for each citation; one that leads to no reference is fabricated."""
    services = open_services(runtime, state["run"])
    entries = state["entries"]
    ids = [item.paper or item.stated for item in entries]
    keying = CitationKeys(entries, await services.run_store.papers.get(list(filter(None, ids))))
    # What looks like a marker of ours is none.
    blocks = [MARKER.sub(r"(\1)", paragraph) for paragraph in state["body"]]
    listed = keying.listed
    found = await asyncio.to_thread(
        citations_in, blocks, listed.labels, listed.families, listed.style
    )
    printed: list[str] = []
    marks: list[dict[str, tuple[int, int]]] = []
    sentences: list[Sentence] = []
    for block, mentions in zip(blocks, found, strict=True):
        if NOTE.match(block):  # the venue and year of a note that is a reference are no citation
            mentions = [one for one in mentions if _leads(one, listed)]
        for text, marked, stands in mark_in_text(block, mentions, keying):
            printed.append(text)
            marks.append(stands)
            sentences.append(Sentence(text=marked, line=len(sentences) + 1))
    keying.name_rest()
    return {
        "places": await asyncio.to_thread(_places, state, printed, marks),
        "keys": keying.keys,
        "labels": keying.labels,
        "nowhere": keying.nowhere,
        "printed": printed,
        "final": Draft(id="text", sentences=tuple(sentences)),
        "findings": [*state["findings"], *keying.findings],
        "notes": [*state.get("notes", []), *secondary(found)],
    }


def _places(
    state: VerifyState, printed: Sequence[str], marks: Sequence[Mapping[str, tuple[int, int]]]
) -> list[dict[str, Place]]:
    source = state.get("source", "")
    finder = PlaceFinder(
        source,
        state.get("source_file", ""),
        latex=is_latex(source),
        paragraphs=state.get("in_paragraphs", False),
    )
    places: list[dict[str, Place]] = []
    for found, stands in zip(finder.find(printed), marks, strict=True):
        all_of = {"": (0, None), **stands}
        at = {key: found.place(*span) for key, span in all_of.items()} if found else {}
        places.append({key: place for key, place in at.items() if place})
    return places


def _leads(one: Mention, listed: Citable) -> bool:
    return one.labels[0].kind != "author_year" or any(map(listed.find, one.labels))


def secondary(found: Sequence[Sequence[Mention]]) -> list[str]:
    """Say which works the text cites as another work reports them: only that one is checked."""
    told = (
        f"{label.text} is cited through {one.labels[0].text}: CiteLoom checked only the latter"
        for mentions in found
        for one in mentions
        for label in one.secondary
    )
    return list(dict.fromkeys(told))


@dataclass
class CitationKeys:
    """Gives each paper that is cited its key, in the order of first citation."""

    entries: Sequence[Entry]
    papers: Mapping[str, Paper]
    keys: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    nowhere: dict[str, str] = field(default_factory=dict)
    findings: list[ReferenceFinding] = field(default_factory=list)
    _given: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read what the entries can be cited by."""
        self.listed = Citable(
            [
                (item.label, item.raw, self.papers.get(item.paper or item.stated))
                for item in self.entries
            ]
        )

    def key_of(self, label: Label) -> str:
        """Return the key of the paper that a citation names, a new one where it is cited first."""
        at = self.listed.find(label)
        entry = None if at is None else self.entries[at.place]
        place = f"entry {at.place}" if at else f"nothing {label.text}"
        if place in self._given:
            return self._given[place]
        key = self._given[place] = f"P{len(self._given) + 1}"
        bracketed = label.kind == "number" or label.text.startswith("^")
        self.labels[key] = f"[{label.text}]" if bracketed else label.text
        if at is None or entry is None:
            self.nowhere[key] = "cited, but not in the reference list"
            self._tell(
                label,
                "unresolved",
                self.nowhere[key],
                "add the reference, or remove the citation",
            )
        elif entry.invented:
            self.nowhere[key] = INVENTED
        elif entry.paper:
            self.keys[key] = entry.paper
            if (own := _key_in_file(self.papers[entry.paper])) and own != label.text:
                self.labels[key] += f" ({own})"
            if label.year and at.year and label.year != at.year:
                told = (
                    f"the text gives the year {label.year}",
                    f"the reference list has {at.year}",
                )
                self._tell(label, "metadata_error", *told, paper=entry.paper)
        else:
            self.nowhere[key] = "CiteLoom has no record of it"
        return key

    def _tell(
        self, label: Label, cause: VerdictReason, detail: str, remedy: str, paper: str = ""
    ) -> None:
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


def mark_in_text(
    text: str, mentions: Sequence[Mention], keying: CitationKeys
) -> list[tuple[str, str, dict[str, tuple[int, int]]]]:
    """Return the sentences of a paragraph: each as it stands, with markers, and where in it each key is cited."""
    pieces: list[str] = []
    shown: list[str] = []
    last = 0
    for mention in mentions:
        marks = [f"{{{keying.key_of(label)}}}" for label in mention.labels]
        pieces += [text[last : mention.start], *marks]
        shown += [text[mention.start : mention.end], *("" for _ in marks[1:])]
        last = mention.end
    marked = "".join([*pieces, text[last:]])
    printed = dict(zip([found.start() for found in MARKER.finditer(marked)], shown, strict=True))
    sentences: list[tuple[str, str, dict[str, tuple[int, int]]]] = []
    for start, end in _spans(marked):
        start += len(marked[start:end]) - len(marked[start:end].lstrip())
        sentence, stands = _as_it_stands(marked[start:end].rstrip(), start, printed)
        sentences.append((sentence, marked[start:end].strip(), stands))
    return sentences


def _as_it_stands(
    marked: str, start: int, shown: Mapping[int, str]
) -> tuple[str, dict[str, tuple[int, int]]]:
    """Return a sentence with its citations in place of markers, and where they stand, each key's first."""
    stands: dict[str, tuple[int, int]] = {}
    text, last, span = "", 0, (0, 0)
    for mark in MARKER.finditer(marked):
        text += marked[last : mark.start()]
        words, last = shown[start + mark.start()], mark.end()
        if words:  # further papers of one citation share its place
            span = len(text), len(text) + len(words)
        text += words
        stands.setdefault(mark[1], span)
    return (text + marked[last:]).strip(), stands


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
    marks = MARKERS.match(text)
    rest = text[marks.end() :].lstrip(" ,;.") if marks else ""
    return marks.end() if marks and (not rest or rest[0].isupper()) else 0
