"""A synthesis as plain text: its lines, its references, and the way from each line to its sources."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from state.synthesis import Context, Line, NumberedReference, Origin, Role, SourcePaper
from tools.bibliography.write_csl import address, reference_line

HEADINGS: Mapping[Role, str] = {
    "primary": "Primary references", "secondary": "Secondary references",
}  # fmt: skip
NOTHING = "The papers do not tell."
_WAYS = {"embedding": "by meaning", "mind": "by the mind", "retriever": "by the retriever"}


class Names:
    """What papers and works are called in a synthesis: their numbers, and the names of the files."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.references: Sequence[NumberedReference] = values.get("references") or ()
        self._numbers: dict[str, int] = {}
        for item in self.references:
            self._numbers |= dict.fromkeys((item.paper.id, *item.paper.aliases), item.number)
        stacked: Sequence[SourcePaper] = values.get("stacked") or ()
        self._names: dict[str, str] = {}
        for source in stacked:  # the same paper may be given twice: the first is read
            self._names.setdefault(source.paper, source.name)

    def of_role(self, role: Role) -> list[NumberedReference]:
        """Return the references of a role, by number."""
        return [item for item in self.references if item.role == role]

    def source(self, paper: str) -> str:
        """Return a source as a reader knows it: '[1] lee.pdf'."""
        name = self._names.get(paper, paper)
        number = self._numbers.get(paper)
        return f"[{number}] {name}" if number else name

    def works(self, origin: Origin) -> str:
        """Return the numbers of the works that the words of an origin cite: '[4], [7]'."""
        numbers = {self._numbers[work] for work in origin.works if work in self._numbers}
        return ", ".join(f"[{number}]" for number in sorted(numbers))

    def cited_in(self, item: NumberedReference) -> str:
        """Return where a work is cited, and under which label: '[1] as 12, [2]'."""
        told = []
        for place in item.cited_in:
            number = self._numbers.get(place.paper)
            name = f"[{number}]" if number else self._names.get(place.paper, place.paper)
            told.append(f"{name} as {place.label}" if place.label else name)
        return ", ".join(dict.fromkeys(told))


def printed(values: Mapping[str, Any], *, trace: bool = False) -> str:
    """Return the text with its references and, with `trace`, the words that each line comes from."""
    if "answer" not in values:
        parts = list(_unfinished(values))
    else:
        parts = [str(values["answer"]) or NOTHING, *_lists(Names(values))]
    if trace:
        parts += ["\n".join(lines) for lines in _trace(values) if lines]
    return "\n\n".join(parts)


def entry_of(item: NumberedReference) -> str:
    """Return a reference as shown."""
    return item.entry or reference_line(item.paper)


def address_of(item: NumberedReference) -> str:
    """Return the address of a reference, unless its entry shows it."""
    where, shown = address(item.paper) or "", entry_of(item).lower()
    known = (where, item.paper.doi or "", item.paper.arxiv or "")
    return "" if any(name and name.lower() in shown for name in known) else where


def _lists(names: Names) -> Iterator[str]:
    for role, heading in HEADINGS.items():
        if items := names.of_role(role):
            yield "\n".join([f"{heading}:", *(line for one in items for line in _item(one, names))])


def _item(item: NumberedReference, names: Names) -> Iterator[str]:
    yield f"[{item.number}] {entry_of(item)}"
    if where := address_of(item):
        yield f"    {where}"
    if item.role == "secondary" and (cited := names.cited_in(item)):
        yield f"    cited in {cited}"


def _unfinished(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a run has that was stopped before its references were numbered."""
    draft = str(values.get("draft") or "")
    used: Sequence[Origin] = values.get("used") or ()
    if not draft:
        read = sum(not item.cause for item in values.get("stacked") or ())
        told = f": {read} of {len(values['stack'])} papers were read" if values.get("stack") else ""
        yield f"The run was stopped before anything was written{told}."
        return
    of = len({item.paragraph for item in values.get("contexts") or ()})
    yield (
        "The run was stopped before the references were numbered. The draft so far holds "
        f"{len(used)} of the {of} paragraphs found relevant:"
    )
    yield draft
    names = Names(values)
    held = [f"- {names.source(item.paper)}, {item.place}" for item in used]
    yield "\n".join(["Paragraphs it holds:", *held])


def _trace(values: Mapping[str, Any]) -> Iterator[list[str]]:
    names = Names(values)
    lines: Sequence[Line] = values.get("lines") or ()
    yield [text for line in lines for text in _line(line, names)]
    yield [f"Read: {source_line(item)}" for item in values.get("stacked") or () if not item.cause]
    last = [contexts_line(values)] if values.get("contexts") else []
    if times := values.get("seconds"):
        told = ", ".join(f"{name} {value:.2f} s" for name, value in times.items())
        last.append(f"Time: {told}")
    yield last


def _line(line: Line, names: Names) -> Iterator[str]:
    yield f"Line {line.number}: {line.verdict.replace('_', ' ')}"
    yield f"    {line.text}"
    for origin in line.origins:
        works = names.works(origin)
        yield f"    {names.source(origin.paper)}, {origin.place}: “{origin.quote.text}”"
        if works:
            yield f"        cites {works}"


def source_line(item: SourcePaper) -> str:
    """Return what was read of one paper, in one line."""
    told = [_counted(item.pages, "page")] if item.pages else []
    told += [_counted(len(item.paragraphs), "paragraph"), _counted(item.entries, "reference")]
    if item.citations:
        told.append(f"{item.linked} of {item.citations} citations linked")
    if item.confidence:
        sure = ", ".join(f"{part} {value:.2f}" for part, value in item.confidence.items())
        told.append(f"confidence: {sure}")
    title = f" ({item.title})" if item.title else ""
    return f"{item.name}{title}: {'; '.join(told)}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def contexts_line(values: Mapping[str, Any]) -> str:
    """Return how many paragraphs bear on the question, and who found them."""
    contexts: Sequence[Context] = values.get("contexts") or ()
    by = {item.paragraph: item.by for item in contexts}
    told = ", ".join(f"{number} {_WAYS[way]}" for way, number in Counter(by.values()).items())
    of = len(values.get("paragraphs") or ())
    return f"Relevant paragraphs: {len(by)}{f' of {of}' if of else ''} ({told or 'none'})"
