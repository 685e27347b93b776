"""Number the references of a synthesis, once over all its sources (LLM-Ref, section 3.4).

Primary references are the sources, secondary ones the works that they cite; a work that is itself a
source is a primary one wherever it is cited. Primary ones come first, each kind in the order of its
first mention.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from state.bibliography import Bibliography
from state.paper import Paper
from state.synthesis import (
    CitedIn,
    EntryWorks,
    Granularity,
    Line,
    NumberedReference,
    Paragraph,
)
from tools.bibliography.citation_printer import style_papers
from tools.bibliography.citation_style import DEFAULT, named_style
from tools.bibliography.keys import citation_keys
from tools.bibliography.text_runs import characters_of
from tools.bibliography.write_records import reference_line
from tools.errors import InputError


def number_works(
    lines: Sequence[Line],
    contexts_paragraphs: Sequence[Paragraph],
    entries: EntryWorks,
    papers: Mapping[str, Paper],
    granularity: Granularity,
    resolved: Mapping[str, str] | None = None,
    *,
    sources: Collection[str] = (),
    bibliographies: Mapping[str, Bibliography] | None = None,
) -> tuple[list[Line], list[NumberedReference]]:
    """Return the lines with their numbers, and the numbered list. CPU-bound.

    Args:
        lines: The lines with their origins.
        contexts_paragraphs: The paragraphs that the synthesis was made from, in their order.
        entries: Which work each entry of each source is.
        papers: Sources and works by id; a work of which there is no record is left out.
        granularity: 'fine': what the lines' origins are and cite. 'coarse': every source of the
            contexts and every work cited in them; lines then have numbers of sources only.
        resolved: By work: the source on the network that knows it.
        sources: Ids of the stack's papers, besides those that `entries` and the contexts name.
        bibliographies: What each source cites, for the labels that its entries have there.
    """
    ours = {*sources, *entries.works, *(item.paper for item in contexts_paragraphs)}
    ours |= {origin.paper for line in lines for origin in line.origins}
    fine = granularity == "fine"
    mentioned = [
        key
        for line in lines
        for key in (
            *(origin.paper for origin in line.origins),
            *(work for origin in line.origins for work in origin.works if fine),
        )
    ]
    if not fine:
        mentioned += [item.paper for item in contexts_paragraphs]
        mentioned += [work for item in contexts_paragraphs for work in works_of(item, entries)]
    ids = [key for key in dict.fromkeys(mentioned) if key in papers]
    ids.sort(key=lambda key: key not in ours)  # stable: the order of mention within each kind
    numbers = {key: number for number, key in enumerate(ids, start=1)}
    numbered = [_numbered(line, numbers, granularity) for line in lines]
    cited = _cited_in(ids, entries, bibliographies or {})
    shown = _shown([papers[key] for key in ids], cited)
    return numbered, [
        NumberedReference(
            number=numbers[key],
            role="primary" if key in ours else "secondary",
            key=name,
            entry=entry,
            paper=papers[key],
            cited_in=tuple(cited[key]),
            resolved=(resolved or {}).get(key, ""),
        )
        for key, (name, entry) in zip(ids, shown, strict=True)
    ]


def with_numbers(line: Line) -> str:
    """Return a line with the numbers of its references: 'So it is [1, 3-5].', or behind a quotation."""
    numbers = sorted({*line.primary, *line.secondary})
    if not numbers:
        return line.text
    printed = f"[{', '.join(_folded(numbers))}]"
    text = line.text.rstrip(".!?…")
    return f"{text.rstrip()} {printed}{line.text[len(text) :]}"


def _folded(numbers: Sequence[int]) -> Iterator[str]:
    """Yield numbers in rising order; three or more in a row as a range."""
    for _, pairs in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in pairs]
        yield from [f"{run[0]}-{run[-1]}"] if len(run) >= 3 else map(str, run)


def works_of(paragraph: Paragraph, entries: EntryWorks) -> list[str]:
    """Return the works that a paragraph cites, each once, in the order of its citations."""
    works = entries.works.get(paragraph.paper, ())
    places = (place for citation in paragraph.citations for place in citation.entries)
    cited = dict.fromkeys(works[place] for place in places if place < len(works))
    return [work for work in cited if work != paragraph.paper]


def _numbered(line: Line, numbers: Mapping[str, int], granularity: Granularity) -> Line:
    own = {numbers[origin.paper] for origin in line.origins if origin.paper in numbers}
    works = (
        {work for origin in line.origins for work in origin.works} if granularity == "fine" else ()
    )
    cited = {numbers[work] for work in works if work in numbers} - own
    return line.model_copy(
        update={"primary": tuple(sorted(own)), "secondary": tuple(sorted(cited))}
    )


def _cited_in(
    ids: Sequence[str], entries: EntryWorks, bibliographies: Mapping[str, Bibliography]
) -> dict[str, list[CitedIn]]:
    """Return where each reference stands in the lists of the sources."""
    found: dict[str, list[CitedIn]] = {key: [] for key in ids}
    for source, works in entries.works.items():
        printed = entries.printed.get(source, ())
        own = bibliographies.get(source, Bibliography()).entries
        labels = {entry.place: entry.label for entry in own}
        for place, work in enumerate(works):
            if work in found and work != source:
                text = printed[place] if place < len(printed) else ""
                found[work].append(CitedIn(paper=source, label=labels.get(place, ""), entry=text))
    return found


def printed_only(paper: Paper, printed: Iterable[str]) -> str:
    """Return the entry as a source prints it, where no title could be told in it; else nothing."""
    title = " ".join(paper.title.split())
    entries = (" ".join(entry.split()) for entry in printed)
    return next((entry for entry in entries if entry.startswith(title)), "")


def _shown(
    papers: Sequence[Paper], cited: Mapping[str, Sequence[CitedIn]]
) -> list[tuple[str, str]]:
    """Return the key and the entry of each paper."""
    printed = [printed_only(item, [place.entry for place in cited[item.id]]) for item in papers]
    try:
        styled = style_papers(named_style(DEFAULT), papers).papers if papers else ()
        entries = [characters_of(one.entry) for one in styled]
    except InputError:
        entries = [reference_line(paper) for paper in papers]
    return [
        (key, found or entry)
        for key, found, entry in zip(citation_keys(papers), printed, entries, strict=True)
    ]
