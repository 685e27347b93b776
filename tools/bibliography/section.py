"""A section's sentences and references, printed in a citation style."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from state.paper import Paper
from state.results import CitedSentence, Reference
from state.writing import MARKER
from tools.bibliography.in_text import TextPrinter
from tools.bibliography.keys import citation_keys
from tools.bibliography.processor import StyledList, style_papers
from tools.bibliography.runs import plain
from tools.bibliography.style import CitationStyle


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
        cited = [
            key
            for key in dict.fromkeys(key for text in texts for key in MARKER.findall(text))
            if key in papers
        ]
        first = style_papers(style, [papers[key] for key in cited])
        self.style = style
        self.styled = _in_order(first)
        markers = [cited[place] for place in first.order]
        keys = citation_keys([papers[key] for key in markers])
        self.references = [
            Reference(
                number=number, key=name, marker=key, paper=papers[key],
                entry=plain(self.styled.entries[number - 1]),
            )
            for number, (key, name) in enumerate(zip(markers, keys, strict=True), start=1)
        ]  # fmt: skip
        self.printer = TextPrinter(self.references, self.styled)

    def sentence(self, marked: str) -> str:
        """Return a marked sentence as it is printed."""
        return self.printer.text(marked)


def _in_order(styled: StyledList) -> StyledList:
    """Return the list with its papers in the order in which they are listed."""
    order = styled.order
    return replace(
        styled,
        order=tuple(range(len(order))),
        entries=tuple(styled.entries[place] for place in order),
        cites=tuple(styled.cites[place] for place in order),
        ranks=tuple(styled.ranks[place] for place in order),
    )


def in_paragraphs(sentences: Sequence[CitedSentence]) -> list[list[CitedSentence]]:
    """Return the sentences paragraph by paragraph."""
    return [list(group) for _, group in groupby(sentences, key=lambda item: item.paragraph)]


def running_text(sentences: Sequence[CitedSentence]) -> str:
    """Return the section as plain text, an empty line between paragraphs."""
    return "\n\n".join(
        " ".join(item.text for item in paragraph) for paragraph in in_paragraphs(sentences)
    )
