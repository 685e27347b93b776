"""The papers that a text cites, and what was read of them, as a judge of its claims sees it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nodes.judge.full_text import FullText
from nodes.judge.judge_claims import Evidence, Words
from state.citing import CitingSentence
from state.paper import Paper
from state.passage import Passage
from state.quote import Quote
from state.writing import INPUT, Scope
from tools.evidence.passage_search import Searcher


@dataclass
class Shelf:
    """The papers that a text cites, and what was read of them."""

    papers: Mapping[str, Paper]
    """By key."""
    own: str = ""
    """The researcher's own text."""
    known: Sequence[Quote] = ()
    """Verified words of full texts, which whoever wrote the text was shown."""
    said: Sequence[CitingSentence] = ()
    """What these papers say of one another in their texts, which whoever wrote the text was shown."""
    texts: dict[str, FullText] = field(default_factory=dict)
    """Full texts that were looked for, by the paper's id."""
    searchers: dict[str, Searcher] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """How the papers at hand may be called."""
        return "\n".join(
            " ".join(
                [
                    paper.citation,
                    *(one.name for one in paper.authors),
                    f"{paper.year or ''} {paper.venue or ''}",
                ]
            )
            for paper in self.papers.values()
        )

    def read_of(self, keys: Iterable[str]) -> list[str]:
        """Return all that was read of these papers, with the researcher's own text."""
        papers = [self.papers[key] for key in keys if key in self.papers]
        ids = {paper.id for paper in papers}
        return [
            *(paper.text for paper in papers),
            *(item.text for paper in papers for item in self.passages(paper)),
            *(item.text for item in self.known if item.paper in ids),
            *(item.text for item in self.said if item.citing in ids),
            self.own,
            self.called,
        ]

    def passages(self, paper: Paper) -> tuple[Passage, ...]:
        """Return the passages of a paper's full text, where it was read."""
        return self.texts[paper.id].passages if paper.id in self.texts else ()

    def whole(self, paper: Paper) -> bool:
        """Whether the whole text of a paper was read, and not only what a search found in it."""
        return bool(self.passages(paper)) and not self.texts[paper.id].found

    def scope(self, keys: Iterable[str]) -> Scope:
        """Return what was read of these papers, the least of any of them."""
        papers = [self.papers[key] for key in keys if key in self.papers]
        if papers and all(self.whole(paper) for paper in papers):
            return "full_text"
        read = all(paper.abstract or self.passages(paper) for paper in papers)
        return "abstract" if papers and read else "none"

    def unread(self, keys: Iterable[str]) -> str:
        """Return why the full text of one of these papers was not read, if it was looked for."""
        papers = (self.papers[key] for key in keys if key in self.papers)
        return next((self.texts[one.id].unread for one in papers if one.id in self.texts), "")

    def evidence(self) -> dict[str, Evidence]:
        """Return what is shown of all papers at first: the abstract, and verified words of the full text."""
        shown = {
            key: self.evidence_of(paper, abstract_words(paper))
            for key, paper in self.papers.items()
        }
        for key, paper in self.papers.items():
            words = [
                Words(item.text, item.part, item.start or 0, place=item.place)
                for item in self.known
                if item.paper == paper.id and item.text not in (paper.abstract or "")
            ]
            said = [
                Words(item.text, "passage", item.start, self._on(item.cited), item.place)
                for item in self.said
                if item.citing == paper.id
            ]
            shown[key] = replace(shown[key], words=(*shown[key].words, *words, *said))
        if self.own:
            shown[INPUT] = Evidence(INPUT, (Words(self.own, INPUT),))
        return shown

    def _on(self, cited: str) -> str:
        """Return what a sentence is on that cites one of the papers, as the judge sees it."""
        key, paper = next(item for item in self.papers.items() if item[1].id == cited)
        return f"on {paper.citation} ({paper.year or 'n.d.'}) {{{key}}}"

    def evidence_of(self, paper: Paper, words: Sequence[Words]) -> Evidence:
        """Return a paper with these words as evidence."""
        authors = ", ".join(author.name for author in paper.authors)
        more = "" if paper.authors_complete else " and others"
        return Evidence(paper.id, tuple(words), paper.title, f"{authors}{more}".strip(), paper.year)


def abstract_words(paper: Paper) -> list[Words]:
    """Return what is shown of a paper at first: its abstract, and what a search found in its text."""
    found = (Words(one.text, one.part, one.start or 0, place=one.place) for one in paper.snippets)
    return [*(Words(text, part) for part, text in paper.parts if part != "title"), *found]


def words_of(passages: Iterable[Passage]) -> list[Words]:
    """Return passages as words of a source."""
    return [
        Words(item.text, item.part, item.start, " > ".join(item.section), item.place)
        for item in passages
    ]
