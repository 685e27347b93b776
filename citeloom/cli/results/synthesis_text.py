"""A synthesis as Markdown: the text, its references, and the words that each line comes from."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from citeloom.export import escaping
from citeloom.export.markdown import spending
from state.synthesis import Context, Line, NumberedReference, Origin, Role, SourcePaper
from tools.bibliography.write_csl import address, reference_line
from tools.counting import counted

HEADINGS: Mapping[Role, str] = {
    "primary": "Primary references",
    "secondary": "Secondary references",
}
NOTHING = "The papers do not tell."
_WAYS = {"embedding": "by meaning", "mind": "by the mind", "retriever": "by the retriever"}


def synthesis_text(question: str, values: Mapping[str, Any]) -> str:
    """Return synthesis.md."""
    title = escaping.escape(" ".join(question.split()))
    text = _Text(values, escaping.escape, escaping.prose, escaping.entry)
    return "\n\n".join([f"# {title}", *text.parts(trace=True)]) + "\n"


def printed(values: Mapping[str, Any], *, trace: bool = False) -> str:
    """Return the same for a terminal, with nothing escaped, and how it was made only with `trace`."""
    return "\n\n".join(_Text(values).parts(trace=trace))


class _Text:
    """The parts of a synthesis, in which papers and works are called by their numbers and files."""

    def __init__(
        self,
        values: Mapping[str, Any],
        escape: Callable[[str], str] = str,
        prose: Callable[[str], str] = str,
        entry: Callable[[str], str] = str,
    ) -> None:
        self._values = values
        self._escape, self._prose, self._entry = escape, prose, entry
        self._references: Sequence[NumberedReference] = values.get("references") or ()
        self._numbers: dict[str, int] = {}
        for item in self._references:
            self._numbers |= dict.fromkeys((item.paper.id, *item.paper.aliases), item.number)
        stacked: Sequence[SourcePaper] = values.get("stacked") or ()
        # The same paper may be given twice: the first is read.
        self._names = {item.paper: item.name for item in reversed(stacked)}

    def parts(self, *, trace: bool) -> Iterator[str]:
        if "answer" not in self._values:
            yield from self._unfinished()
        else:
            yield self._prose(str(self._values["answer"]) or NOTHING)
        for role, heading in HEADINGS.items():
            if listed := [item for item in self._references if item.role == role]:
                yield "\n".join([f"## {heading}\n", *map(self._reference, listed)])
        if trace and (lines := self._values.get("lines")):
            yield "\n".join(["## Trace\n", *(text for line in lines for text in self._line(line))])
        if trace:
            yield "\n".join(["## How this was made\n", *self._account()])

    def _unfinished(self) -> Iterator[str]:
        """Yield what a run has that was stopped before its references were numbered."""
        values = self._values
        draft, used = str(values.get("draft") or ""), values.get("used") or ()
        if not draft:
            read = sum(not item.cause for item in values.get("stacked") or ())
            of = (
                f": {read} of {counted(len(values['stack']), 'paper was read', 'papers were read')}"
                if values.get("stack")
                else ""
            )
            yield f"The run was stopped before anything was written{of}."
            return
        relevant = len({item.paragraph for item in values.get("contexts") or ()})
        yield (
            "The run was stopped before the references were numbered. The draft so far holds "
            f"{len(used)} of the {counted(relevant, 'paragraph')} found relevant:"
        )
        yield self._prose(draft)
        held = [f"- {self._place(item)}" for item in used]
        yield "\n".join(["## Paragraphs it holds\n", *held])

    def _reference(self, item: NumberedReference) -> str:
        shown = item.entry or reference_line(item.paper)
        where = address(item.paper) or ""
        known = (where, item.paper.doi or "", item.paper.arxiv or "")
        if where and not any(name and name.lower() in shown.lower() for name in known):
            shown = f"{shown} {where}"
        told = []
        for place in item.cited_in if item.role == "secondary" else ():
            number = self._numbers.get(place.paper)
            name = f"[{number}]" if number else self._names.get(place.paper, place.paper)
            told.append(f"{name} as {place.label}" if place.label else name)
        cited = f" Cited in {self._escape(', '.join(dict.fromkeys(told)))}." if told else ""
        return f"- [{item.number}] {self._entry(shown)}{cited}"

    def _line(self, line: Line) -> Iterator[str]:
        yield f"{line.number}. {self._prose(line.text)} *{line.verdict.replace('_', ' ')}*"
        for origin in line.origins:
            numbers = {self._numbers[work] for work in origin.works if work in self._numbers}
            cites = ", ".join(f"[{number}]" for number in sorted(numbers))
            words = self._escape(" ".join(origin.quote.text.split()))
            yield f"    - {self._place(origin)}: “{words}”{origin.quote.whose}{f' cites {cites}' if cites else ''}"

    def _place(self, origin: Origin) -> str:
        """Return a place as a reader knows it: '[1] lee.pdf, 2 Costs, p. 1, paragraph 4'."""
        number = self._numbers.get(origin.paper)
        name = self._names.get(origin.paper, origin.paper)
        return self._escape(f"{f'[{number}] ' if number else ''}{name}, {origin.place}")

    def _account(self) -> Iterator[str]:
        values, escape = self._values, self._escape
        for item in values.get("stacked") or ():
            if item.cause:
                yield f"- Not read: {escape(f'{item.name}: {item.cause} ({item.remedy})')}"
                continue
            yield f"- Read: {escape(_read(item))}"
            for part in item.unread:
                yield f"    - Not read: {escape(f'{part.where}: {part.cause}')}"
        contexts: Sequence[Context] = values.get("contexts") or ()
        if by := {item.paragraph: item.by for item in contexts}:
            ways = Counter(by.values()).items()
            told = ", ".join(f"{number} {_WAYS[way]}" for way, number in ways)
            yield f"- Relevant paragraphs: {len(by)} of {len(values.get('paragraphs') or ())} ({told})"
        for one in values.get("lost") or ():
            yield f"- Left out: “{escape(one.text)}” ({escape(one.cause)})"
        yield from spending(values, escape)
        if times := values.get("seconds"):
            yield f"- Time: {', '.join(f'{name} {took:.2f} s' for name, took in times.items())}"


def _read(item: SourcePaper) -> str:
    """Return what was read of one paper, in one line."""
    told = [counted(item.pages, "page")] if item.pages else []
    told += [counted(len(item.paragraphs), "paragraph"), counted(item.entries, "reference")]
    if item.citations:
        told.append(f"{item.linked} of {counted(item.citations, 'citation')} linked")
    if item.confidence:
        sure = ", ".join(f"{part} {value:.2f}" for part, value in item.confidence.items())
        told.append(f"confidence: {sure}")
    title = f" ({item.title})" if item.title else ""
    return f"{item.name}{title}: {'; '.join(told)}"
