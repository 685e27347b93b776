"""The one place that calls citeproc-py: papers and a style in, marked text out.

It renders one paper at a time. Its own ways of citing several papers at once, of sorting them within
a citation and of telling them apart are incomplete; tools.bibliography.processor does that.
"""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from io import BytesIO
from typing import Any

from state.paper import Paper
from tools.bibliography.csl_items import Letter, csl_reference
from tools.bibliography.runs import NUMBER, Mark, marked, plain, tidy, to_runs
from tools.bibliography.style import CitationStyle

_LEADING_NUMBER = re.compile(rf"^([\ue001-\ue00c]*)[\[(]?{NUMBER}[\])]?[\ue001-\ue00c]*[.:]?\s*")


class _Forms:
    """What the processor takes for an output format: letter forms become single characters."""

    @staticmethod
    def preformat(text: Any) -> Any:
        return text

    @staticmethod
    def _form(mark: Mark) -> Callable[[Any], str]:
        return lambda text: marked(str(text), mark)

    Italic = Oblique = staticmethod(_form("italic"))
    Bold = staticmethod(_form("bold"))
    Light = staticmethod(str)
    Underline = staticmethod(_form("underline"))
    Superscript = staticmethod(_form("sup"))
    Subscript = staticmethod(_form("sub"))
    SmallCaps = staticmethod(_form("small_caps"))


class Engine:
    """A style at work on papers. The processor's trees change while it prints: none is shared."""

    def __init__(self, style: CitationStyle, xml: bytes, papers: Sequence[Paper]) -> None:
        from citeproc import CitationStylesStyle

        self.style = style
        self.papers = papers
        self.letters = [Letter() for _ in papers]
        self._csl = CitationStylesStyle(BytesIO(xml), validate=False)
        self._root = self._csl.root
        self._root.formatter = _Forms
        self._citation = self._found("cs:citation")
        self._layout = self._found("cs:citation/cs:layout")
        self._entry_layout = self._found("cs:bibliography/cs:layout")
        self._printed: dict[tuple[int, Letter, bool], str] = {}

    @property
    def lists(self) -> bool:
        """Whether the style has a reference list."""
        return self._entry_layout is not None

    @property
    def around(self) -> tuple[str, str, str]:
        """What the style puts before, between and behind citations; empty where it is silent."""
        before, between, after = (
            str(self._layout.get(name) or "") for name in ("prefix", "delimiter", "suffix")
        )
        return before, between, after

    @cached_property
    def no_dates(self) -> tuple[str, ...]:
        """What the style's language has for a missing date, such as 'n.d.', short form first."""
        terms = (self._term("no date", "short"), self._term("no date"), "n.d.")
        return tuple(dict.fromkeys(term for term in terms if term))

    def in_text(self) -> list[str]:
        """Return each paper as the text cites it, without brackets; numbers are left open."""
        self._citation.cites = []  # all are cited for the first time

        def render(item: Any) -> Any:
            self._layout.repressed = {}
            return self._layout.render_children(item)

        return [plain(to_runs(text)) for text in self._each(render, for_text=True)]

    def entries(self) -> list[str]:
        """Return each paper's entry, marked, without its number; only for a style that `lists`."""

        def render(item: Any) -> Any:
            printed = self._entry_layout.render_bibliography([item])
            return printed[0] if printed else None

        return [
            _LEADING_NUMBER.sub(r"\1", text).replace(NUMBER, "")
            for text in self._each(render, for_text=False)
        ]

    def list_order(self) -> tuple[int, ...]:
        """Return the papers' places in the order of the style's reference list."""
        items = self._items(for_text=False, number=None)
        sort = self._found("cs:bibliography/cs:sort")
        for place, item in enumerate(items):
            item["place"] = place
        ordered = items if sort is None else sort.sort(items, self._entry_layout)
        return tuple(item["place"] for item in ordered)

    @property
    def sorts_citations(self) -> bool:
        """Whether the style has an order for papers that are cited together."""
        return self._found("cs:citation/cs:sort") is not None

    def _each(self, render: Callable[[Any], Any], *, for_text: bool) -> list[str]:
        """Print each paper that has not been printed in this way yet: it takes milliseconds."""
        wanted = [(place, letter, for_text) for place, letter in enumerate(self.letters)]
        if any(key not in self._printed for key in wanted):
            items = self._items(for_text=for_text, number=NUMBER)
            for key, item in zip(wanted, items, strict=True):
                if key not in self._printed:
                    self._printed[key] = self._tidy(render(item))
        return [self._printed[key] for key in wanted]

    def _items(self, *, for_text: bool, number: str | None) -> list[Any]:
        """Hand all papers to the processor; `number` stands for each one's number."""
        from citeproc import Citation, CitationItem, CitationStylesBibliography
        from citeproc.source import BibliographySource

        class Numbered(CitationItem):  # type: ignore[misc]
            pass

        if number:
            Numbered.number = number
        style, source = self.style, BibliographySource()
        silent = style.by_author and b'"no date"' not in style.xml
        for place, (paper, letter) in enumerate(zip(self.papers, self.letters, strict=True)):
            # A missing date is printed where the style leaves that open or would drop the letter.
            no_date = self.no_dates[0] if silent or not letter.explicit else ""
            source.add(
                csl_reference(paper, f"p{place}", letter, style, no_date=no_date, for_text=for_text)
            )
        items = [Numbered(f"p{place}") for place in range(len(self.papers))]
        bibliography = CitationStylesBibliography(self._csl, source, _Forms)
        for item in items:
            bibliography.register(Citation([item]))
        return items

    def _tidy(self, text: Any) -> str:
        return tidy(
            "" if text is None else str(text),
            inside=str(self._root.get_locale_option("punctuation-in-quote")).lower() == "true",
            et_al=self._term("et-al") or "et al.",
            conjunctions=frozenset({self._term("and"), "&", "and"} - {""}),
        )

    def _term(self, name: str, form: str | None = None) -> str:
        return str(self._root.get_single_term(name=name, form=form)).strip()

    def _found(self, path: str) -> Any:
        return self._root.find(path, self._root.nsmap)
