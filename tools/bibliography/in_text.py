"""Citations in the text: markers such as {P3} become '[1, 3]' or '(Lewis et al., 2020)'.

Markers with nothing but spaces and commas between them are one citation. Where a sentence has just
named a paper as `Paper.citation` does, a citation by author and year prints the year alone:
'Lewis et al. {P3} show' becomes 'Lewis et al. (2020) show'.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from state.paper import Paper
from state.writing import MARKER

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
