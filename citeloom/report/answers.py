"""What is told of an answer and of a synthesis, as Markdown: the text, its references, and the way to it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.report.account import spending
from citeloom.report.escaping import entry, escape, prose
from state.ask import Hop
from state.synthesis import Line, NumberedReference, Origin, Role, SourcePaper
from tools.bibliography.write_records import address, reference_line
from tools.errors import counted

HEADINGS: Mapping[Role, str] = {
    "primary": "Primary references",
    "secondary": "Secondary references",
}
NOTHING = "The papers do not answer."
DOUBTFUL = 0.5
"""Confidence below which a part that was read is doubtful."""
_WAYS = {"embedding": "by meaning", "mind": "by the model", "retriever": "by the retriever"}


def answer_blocks(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the answer with its sources; of a run that was stopped before, the claims that it has."""
    if "answer" in values:
        yield escape(str(values["messages"][-1].content))
    elif held := values.get("held"):
        claims = "\n".join(f"- {escape(f'{claim.text} ({claim.paper})')}" for claim in held)
        yield f"The run stopped before it wrote the answer. Claims so far:\n{claims}"
    else:
        yield "The run stopped before it found anything."


def answer_trace(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the way to an answer: each hop, the verdict on each sentence, the time that each step took."""
    if "answer" not in values:
        return
    lines = [f"Question as understood: {values.get('standalone', '')}"]
    for hop in values.get("hops") or ():
        lines += _hop(hop)
    lines += [f"Sentence {item.number}: {item.verdict}" for item in values.get("sentences") or ()]
    yield escape("\n".join([*lines, *_time(values)]))


def _hop(hop: Hop) -> Iterator[str]:
    yield f"Hop {hop.number}: {hop.query}  ({hop.why})"
    told = (
        f"{counted(len(hop.retrieved), 'passage')} found, {len(hop.read)} read",
        hop.claims and f"claims {', '.join(map(str, hop.claims))}",
        *(f"rejected: {item.text} ({item.cause})" for item in hop.lost),
        hop.reasoning,
        hop.bias and f"one-sided: {hop.bias}",
        hop.missing and f"missing: {'; '.join(hop.missing)}",
    )
    yield from (f"    {line}" for line in told if line)


def _time(values: Mapping[str, Any]) -> Iterator[str]:
    if times := values.get("seconds"):
        yield f"Time: {', '.join(f'{name} {took:.2f} s' for name, took in times.items())}"


def synthesis_blocks(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the synthesis and its lists of references; of a run that was stopped before, its draft."""
    names = _Names.of(values)
    if "answer" in values:
        yield from _by_paper(values, names)
    else:
        yield from _draft(values, names)
    for role, heading in HEADINGS.items():
        listed = [item for item in values.get("references") or () if item.role == role]
        if listed:
            yield from (f"## {heading}", "\n".join(_reference(item, names) for item in listed))


def synthesis_trace(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words that each line of a synthesis comes from, and how it was made."""
    names = _Names.of(values)
    if lines := values.get("lines"):
        yield from ("## Trace", "\n".join(told for line in lines for told in _line(line, names)))
    yield from ("## How this was made", "\n".join(_made(values)))


@dataclass(frozen=True)
class _Names:
    """What papers and works are called in a synthesis: by their numbers and files."""

    numbers: Mapping[str, int]
    files: Mapping[str, str]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "_Names":
        references: Sequence[NumberedReference] = values.get("references") or ()
        numbers = {
            known: item.number
            for item in references
            for known in (item.paper.id, *item.paper.aliases)
        }
        # The same paper may be given twice: the first is read.
        stacked: Sequence[SourcePaper] = values.get("stacked") or ()
        return cls(numbers, {item.paper: item.name for item in reversed(stacked)})

    def short(self, paper: str) -> str:
        """Return a paper's number in brackets, or the name of its file."""
        number = self.numbers.get(paper)
        return f"[{number}]" if number else self.files.get(paper, paper)

    def place(self, origin: Origin) -> str:
        """Return a place as a reader knows it: '[1] lee.pdf, 2 Costs, p. 1, paragraph 4'."""
        number = self.numbers.get(origin.paper)
        name = self.files.get(origin.paper, origin.paper)
        return escape(f"{f'[{number}] ' if number else ''}{name}, {origin.place}")


def _by_paper(values: Mapping[str, Any], names: _Names) -> Iterator[str]:
    """Yield the paragraphs of an answer; without a model each is of one paper, and its title heads it."""
    quoted = (values.get("lines") or ()) if values.get("mind") == "extractive" else ()
    told = Counter((item.paragraph, origin.paper) for item in quoted for origin in item.origins)
    owners = {paragraph: paper for (paragraph, paper), _ in reversed(told.most_common())}
    titles = {item.paper: item.title for item in values.get("stacked") or ()}
    for number, text in enumerate((str(values["answer"]) or NOTHING).split("\n\n"), start=1):
        if (owner := owners.get(number)) and titles.get(owner):
            yield f"### {names.short(owner)} {escape(titles[owner])}"
        yield prose(text)


def _draft(values: Mapping[str, Any], names: _Names) -> Iterator[str]:
    """Yield what a run has that was stopped before its references were numbered."""
    draft, used = str(values.get("draft") or ""), values.get("used") or ()
    if not draft:
        read = sum(not item.cause for item in values.get("stacked") or ())
        stack = values.get("stack")
        of = stack and f": {read} of {counted(len(stack), 'paper was read', 'papers were read')}"
        yield f"The run stopped before it wrote anything{of or ''}."
        return
    relevant = len({item.paragraph for item in values.get("contexts") or ()})
    yield (
        "The run stopped before it numbered the references. The draft so far uses "
        f"{len(used)} of {counted(relevant, 'relevant paragraph')}:"
    )
    yield prose(draft)
    yield from ("## Paragraphs it holds", "\n".join(f"- {names.place(item)}" for item in used))


def _reference(item: NumberedReference, names: _Names) -> str:
    shown = item.entry or reference_line(item.paper)
    where = address(item.paper) or ""
    known = (where, item.paper.doi or "", item.paper.arxiv or "")
    if where and not any(name and name.lower() in shown.lower() for name in known):
        shown = f"{shown} {where}"
    places = item.cited_in if item.role == "secondary" else ()
    told = dict.fromkeys(
        f"{names.short(place.paper)}{place.label and f' as {place.label}'}" for place in places
    )
    cited = f" Cited in {escape(', '.join(told))}." if told else ""
    return f"- [{item.number}] {entry(shown)}{cited}"


def _line(line: Line, names: _Names) -> Iterator[str]:
    yield f"{line.number}. {prose(line.text)} *{line.verdict.replace('_', ' ')}*"
    for origin in line.origins:
        numbers = sorted({names.numbers[work] for work in origin.works if work in names.numbers})
        cites = f" cites {', '.join(f'[{number}]' for number in numbers)}" if numbers else ""
        words = escape(" ".join(origin.quote.text.split()))
        yield f"    - {names.place(origin)}: “{words}”{origin.quote.whose}{cites}"


def _made(values: Mapping[str, Any]) -> Iterator[str]:
    read = [item for item in values.get("stacked") or () if not item.cause]
    yield from (f"- Read: {escape(_read(item))}" for item in read)
    if by := {item.paragraph: item.by for item in values.get("contexts") or ()}:
        told = ", ".join(f"{number} {_WAYS[way]}" for way, number in Counter(by.values()).items())
        yield f"- Relevant paragraphs: {len(by)} of {len(values.get('paragraphs') or ())} ({told})"
    yield from (f"- {sign}: {escape(text)}" for sign, text in reading_faults(values))
    yield from spending(values)
    yield from (f"- {told}" for told in _time(values))


def reading_faults(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a synthesis has not read or left out, and what may be doubtful in it, each after what it is."""
    for item in values.get("stacked") or ():
        if item.cause:
            yield "Not read", f"{item.name}: {item.cause}{item.remedy and f' ({item.remedy})'}"
        yield from (("Not read", f"{item.name}, {one.where}: {one.cause}") for one in item.unread)
        yield from (("Note", f"{item.name}: {note}") for note in item.notes)
        sure = {part: value for part, value in item.confidence.items() if value < DOUBTFUL}
        if doubtful := ", ".join(f"{part} ({value:.2f})" for part, value in sure.items()):
            yield "Note", f"{item.name}: read with low confidence: {doubtful}"
    yield from (("Left out", f"“{line.text}” ({line.cause})") for line in values.get("lost") or ())


def _read(item: SourcePaper) -> str:
    """Return what was read of one paper, in one line."""
    sure = ", ".join(f"{part} {value:.2f}" for part, value in item.confidence.items())
    told = [
        item.pages and counted(item.pages, "page"),
        counted(len(item.paragraphs), "paragraph"),
        counted(item.entries, "reference"),
        item.citations and f"{item.linked} of {counted(item.citations, 'citation')} linked",
        sure and f"confidence: {sure}",
    ]
    title = f" ({item.title})" if item.title else ""
    return f"{item.name}{title}: {'; '.join(str(part) for part in told if part)}"
