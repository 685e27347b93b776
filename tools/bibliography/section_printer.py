"""A section printed in a citation style: its sentences, whose markers become citations, and its references."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from state.paper import Paper
from state.results import CitedSentence, Reference
from state.writing import MARKER, MARKERS
from tools.bibliography.citation_printer import Cite, style_papers
from tools.bibliography.citation_style import CitationStyle
from tools.bibliography.keys import citation_keys
from tools.bibliography.names import without_possessive
from tools.bibliography.text_runs import characters_of


@dataclass(frozen=True, slots=True)
class CitationGroup:
    """Papers cited at one place."""

    markers: tuple[str, ...]
    named: tuple[str, ...] = ()
    """Those that the words before have just named; the first of `markers`."""
    name: str = ""
    """That name, as the words before end with it."""
    possessive: str = ""
    """What stands between the name and the citation: '', or \"'s\"."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of printed text; `marker` names the paper that it cites, and is empty elsewhere."""

    text: str
    marker: str = ""
    group: CitationGroup | None = None
    """The citation that it is a part of, brackets included."""


def split_marked(text: str, papers: Mapping[str, Paper]) -> Iterator[str | CitationGroup]:
    """Yield the text between citations, and the citations; `papers` are those cited, by marker.

    Markers of no paper here are left out, with the space before them.
    """
    last = 0
    for found in MARKERS.finditer(text):
        before, last = text[last : found.start()], found.end()
        markers = [key for key in dict.fromkeys(MARKER.findall(found[0])) if key in papers]
        if not markers:
            yield before.rstrip()
            continue
        yield before
        yield _group(markers, before, papers)
    yield text[last:]


def put_together(
    marked: str,
    papers: Mapping[str, Paper],
    text: Callable[[str], str],
    cite: Callable[[str, CitationGroup], str],
) -> str:
    """Return a marked sentence: its words as `text` prints them, and what `cite` makes of it at each citation."""
    written = ""
    for part in split_marked(marked, papers):
        written = written + text(part) if isinstance(part, str) else cite(written, part)
    return written.strip()


def _group(markers: Sequence[str], before: str, papers: Mapping[str, Paper]) -> CitationGroup:
    words = before.rstrip(" ,")
    stem = without_possessive(words)
    possessive = words[len(stem) :]
    for marker in markers:
        name = papers[marker].citation
        start = len(stem) - len(name)
        if stem.endswith(name) and not (start and (stem[start - 1].isalnum())):
            named = [key for key in markers if papers[key].citation == name]
            rest = [key for key in markers if key not in named]
            return CitationGroup((*named, *rest), tuple(named), name, possessive)
    return CitationGroup(tuple(markers))


class PrintedSection:
    """The references of a section in its style, and a way to print its sentences."""

    def __init__(
        self, texts: Sequence[str], papers: Mapping[str, Paper], style: CitationStyle
    ) -> None:
        """Number the papers that the marked texts cite.

        `papers` are all that may be cited, by marker; a marker of no paper prints nothing. Numbers
        follow the order of first citation, or the style's own order where it sorts its list.

        Raises:
            InputError: The processor cannot work with this style.
        """
        found = dict.fromkeys(key for text in texts for key in MARKER.findall(text))
        cited = [key for key in found if key in papers]
        self.style = style
        self.styled = style_papers(style, [papers[key] for key in cited])
        markers = [cited[item.place] for item in self.styled.papers]
        keys = citation_keys([papers[key] for key in markers])
        self.references = [
            Reference(
                number=number,
                key=name,
                marker=key,
                paper=papers[key],
                entry=characters_of(item.entry),
            )
            for number, (key, name, item) in enumerate(
                zip(markers, keys, self.styled.papers, strict=True), start=1
            )
        ]
        self._papers = {key: papers[key] for key in markers}
        self._numbers = {item.marker: item.number for item in self.references}
        self._cites = dict(zip(markers, (item.cite for item in self.styled.papers), strict=True))

    def sentence(self, marked: str) -> str:
        """Return a marked sentence as it is printed."""
        return "".join(piece.text for piece in self.pieces(marked))

    def pieces(self, marked: str) -> list[Piece]:
        """Return a sentence as it is printed, in pieces that tell which paper each cites."""
        pieces: list[Piece] = []
        for part in split_marked(marked, self._papers):
            if isinstance(part, str):
                pieces.append(Piece(part))
                continue
            printed = self.citation(part)
            if not printed and pieces:  # the name is the whole citation
                pieces[-1] = Piece(pieces[-1].text.rstrip())
            elif part.named and pieces and self.style.by_author:
                pieces[-1] = Piece(pieces[-1].text.rstrip(" ,") + " ")
            pieces.extend(replace(one, group=part) for one in printed)
        return [piece for piece in pieces if piece.text]

    def citation(self, group: CitationGroup) -> list[Piece]:
        """Return one citation, brackets included."""
        inner = self._by_author(group) if self.style.by_author else self._numbered(group.markers)
        return inner and [Piece(self.styled.before), *inner, Piece(self.styled.after)]

    def _numbered(self, markers: Sequence[str]) -> list[Piece]:
        """Return numbers in order; three or more that run on become a range."""
        ordered = sorted((self._numbers[key], key) for key in markers)
        blocks: list[list[Piece]] = []
        for _, run in groupby(enumerate(ordered), key=lambda pair: pair[1][0] - pair[0]):
            shown = [Piece(str(number), key) for _, (number, key) in run]
            more = len(shown) > 2
            blocks += [[shown[0], Piece("-"), shown[-1]]] if more else [[one] for one in shown]
        return _joined(blocks, ", ")

    def _by_author(self, group: CitationGroup) -> list[Piece]:
        named = [
            (key, self._cites[key]) for key in sorted(group.named, key=self._numbers.__getitem__)
        ]
        rest = [(key, self._cites[key]) for key in group.markers if key not in group.named]
        if self.styled.sorts_citations:
            rest.sort(key=lambda item: self._numbers[item[0]])
        years = [Piece(cite.year or _beyond(cite, group.name), key) for key, cite in named]
        shown = _joined([[piece] for piece in years if piece.text], ", ")
        blocks = [shown] if shown else []
        for _, same in groupby(rest, key=lambda item: item[1].author or item[1].text):
            # Works of one author stand as they are listed: 2021a before 2021b.
            (key, first), *others = sorted(same, key=lambda item: self._numbers[item[0]])
            more = ([Piece(cite.year or cite.text, other)] for other, cite in others)
            blocks.append(_joined([[Piece(first.text, key)], *more], ", "))
        return _joined(blocks, self.styled.between)


def _beyond(cite: Cite, name: str) -> str:
    """Return what a citation without a year adds to a name that the sentence has."""
    if cite.text.strip("“”‘’ ").casefold() == name.strip("“”‘’").casefold():
        return ""
    return cite.text.removeprefix(name).lstrip(" ,")


def _joined(blocks: Sequence[Sequence[Piece]], between: str) -> list[Piece]:
    return [piece for block in blocks for piece in (Piece(between), *block)][1:]


def in_paragraphs(sentences: Sequence[CitedSentence]) -> list[list[CitedSentence]]:
    """Return the sentences paragraph by paragraph."""
    return [list(group) for _, group in groupby(sentences, key=lambda item: item.paragraph)]


def running_text(sentences: Sequence[CitedSentence]) -> str:
    """Return the section as plain text, an empty line between paragraphs."""
    return "\n\n".join(
        " ".join(item.text for item in paragraph) for paragraph in in_paragraphs(sentences)
    )
