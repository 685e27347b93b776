"""Citations in the text: markers such as {P3} become '[1, 3]' or '(Lewis et al., 2020)'.

Markers with nothing but spaces and commas between them are one citation. Where a sentence has just
named a paper as `Paper.citation` does, a citation by author and year prints the year alone:
'Lewis et al. {P3} show' becomes 'Lewis et al. (2020) show'.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from state.paper import Paper
from state.results import Reference
from state.writing import MARKER
from tools.bibliography.processor import Cite, StyledList

_GROUP = re.compile(rf"{MARKER.pattern}(?:[\s,;]*{MARKER.pattern})*")
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of printed text; `marker` names the paper that it cites, and is empty elsewhere."""

    text: str
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Papers cited at one place."""

    markers: tuple[str, ...]
    named: tuple[str, ...] = ()
    """Those that the words before have just named; the first of `markers`."""
    name: str = ""
    """That name, as the words before end with it."""
    possessive: str = ""
    """What stands between the name and the citation: '', or \"'s\"."""


def split_marked(text: str, papers: Mapping[str, Paper]) -> Iterator[str | Group]:
    """Yield the text between citations, and the citations; `papers` are those cited, by marker.

    Markers of no paper here are left out, with the space before them.
    """
    last = 0
    for found in _GROUP.finditer(text):
        before, last = text[last : found.start()], found.end()
        markers = [key for key in dict.fromkeys(MARKER.findall(found[0])) if key in papers]
        if not markers:
            yield before.rstrip()
            continue
        yield before
        yield _group(markers, before, papers)
    yield text[last:]


def _group(markers: Sequence[str], before: str, papers: Mapping[str, Paper]) -> Group:
    words = before.rstrip(" ,")
    possessive = found[0] if (found := _POSSESSIVE.search(words)) else ""
    stem = words[: len(words) - len(possessive)]
    for marker in markers:
        name = papers[marker].citation
        start = len(stem) - len(name)
        if stem.endswith(name) and not (start and (stem[start - 1].isalnum())):
            named = [key for key in markers if papers[key].citation == name]
            rest = [key for key in markers if key not in named]
            return Group((*named, *rest), tuple(named), name, possessive)
    return Group(tuple(markers))


class TextPrinter:
    """Prints the citations of a text in one style."""

    def __init__(self, references: Sequence[Reference], styled: StyledList) -> None:
        self.papers = {item.marker: item.paper for item in references}
        self.numbers = {item.marker: item.number for item in references}
        self.styled = styled
        # `styled` has the papers in the order in which it was given them, which is this one.
        self.cites = {
            item.marker: cite for item, cite in zip(references, styled.cites, strict=True)
        }
        self.ranks = {
            item.marker: rank for item, rank in zip(references, styled.ranks, strict=True)
        }

    def text(self, marked: str) -> str:
        """Return a sentence as it is printed."""
        return "".join(piece.text for piece in self.pieces(marked))

    def pieces(self, marked: str) -> list[Piece]:
        """Return a sentence as it is printed, in pieces that tell which paper each cites."""
        pieces: list[Piece] = []
        for part in split_marked(marked, self.papers):
            if isinstance(part, str):
                pieces.append(Piece(part))
                continue
            printed = self.citation(part)
            if not printed and pieces:  # the name is the whole citation
                pieces[-1] = Piece(pieces[-1].text.rstrip())
            elif part.named and pieces and self.styled.style.by_author:
                pieces[-1] = Piece(pieces[-1].text.rstrip(" ,") + " ")
            pieces.extend(printed)
        return [piece for piece in pieces if piece.text]

    def citation(self, group: Group) -> list[Piece]:
        """Return one citation, brackets included."""
        style = self.styled.style
        if style.by_author:
            inner = self._by_author(group)
        elif style.kind == "label":
            ordered = sorted(group.markers, key=lambda key: self.numbers[key])
            inner = _joined([Piece(self.cites[key].text, key) for key in ordered], ", ")
        else:
            inner = self._numbers(group.markers)
        if not inner:
            return []
        return [Piece(self.styled.before), *inner, Piece(self.styled.after)]

    def _numbers(self, markers: Sequence[str]) -> list[Piece]:
        """Return numbers in order; three or more that run on become a range."""
        ordered = sorted((self.numbers[key], key) for key in markers)
        runs = [
            [item for _, item in run]
            for _, run in groupby(enumerate(ordered), key=lambda pair: pair[1][0] - pair[0])
        ]
        pieces: list[Piece] = []
        for run in runs:
            shown = [Piece(str(number), key) for number, key in run]
            if len(run) < 3:
                pieces += [item for one in shown for item in (Piece(", "), one)]
            else:
                pieces += [Piece(", "), shown[0], Piece("-"), shown[-1]]
        return pieces[1:]

    def _by_author(self, group: Group) -> list[Piece]:
        listed = sorted(group.named, key=lambda key: self.numbers[key])
        named = [(key, self.cites[key]) for key in listed]
        rest = [(key, self.cites[key]) for key in group.markers if key not in group.named]
        rest.sort(key=lambda item: self.ranks[item[0]])
        years = [Piece(cite.year or _beyond(cite, group.name), key) for key, cite in named]
        shown = _joined([piece for piece in years if piece.text], ", ")
        blocks = [shown] if shown else []
        for _, same in groupby(
            rest, key=lambda item: item[1].author if item[1].year else item[1].text
        ):
            # Works of one author stand as they are listed: 2021a before 2021b.
            (key, first), *others = sorted(same, key=lambda item: self.numbers[item[0]])
            block = [Piece(first.text, key)]
            for other, cite in others:
                block += [Piece(", "), Piece(cite.year or cite.text, other)]
            blocks.append(block)
        between = Piece(self.styled.between)
        return [piece for block in blocks for piece in (between, *block)][1:]


def _beyond(cite: Cite, name: str) -> str:
    """Return what a citation without a year adds to a name that the sentence has."""
    text = cite.text.strip()
    if text.strip("“”‘’").casefold() == name.strip("“”‘’").casefold():
        return ""
    return text.removeprefix(name).lstrip(" ,")


def _joined(pieces: Sequence[Piece], between: str) -> list[Piece]:
    return [item for piece in pieces for item in (Piece(between), piece)][1:]
