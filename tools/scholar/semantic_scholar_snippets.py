"""Snippets of Semantic Scholar's full texts: the words nearest to a query, and the works cited beside them.

Source: https://api.semanticscholar.org/api-docs/graph, GET /snippet/search. A snippet has some 500 words and
says by corpus ids of which paper it is and which works it cites.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from state.quote import Quote
from tools.http.response_errors import mapping, mappings
from tools.scholar.fields import count_of, text_of
from tools.text.words import Span, distinct_content_stems, split_sentences

SENTENCES = 3
"""Of a snippet that are kept."""


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """What one snippet says to a query."""

    corpus: str
    """Corpus id of its paper."""
    title: str
    """Of its paper."""
    quote: Quote
    """The sentences that have most words of the query; its paper is the corpus id."""
    whole: str
    """All of the snippet."""
    cited: Mapping[str, str]
    """Corpus ids of the works that it cites, with the sentence that cites each."""


def read_snippet(record: object, query: str) -> Snippet | None:
    """Return what a record of the search says to a query, or None for one without paper, title or text."""
    own, paper = mapping(mapping(record).get("snippet")), mapping(mapping(record).get("paper"))
    corpus, title = _corpus(paper.get("corpusId")), text_of(paper.get("title"))
    text = own.get("text")
    if not corpus or not title or not isinstance(text, str) or not text.strip():
        return None
    notes = mapping(own.get("annotations"))
    spans = _spans(text, notes.get("sentences")) or split_sentences(text)
    words = _nearest(spans, text, query)
    kind = text_of(own.get("snippetKind"))
    section = text_of(own.get("section")) or (kind.title() if kind and kind != "body" else "")
    start = (count_of(mapping(own.get("snippetOffset")).get("start")) or 0) + words.start
    quote = Quote(
        text=words.text,
        paper=f"CorpusId:{corpus}",
        part="passage",
        start=start,
        end=start + len(words.text),
        verified=True,
        place=section,
    )
    cited = {
        other: next((one.text for one in spans if one.start <= at < one.end), "")
        for mention in mappings(notes.get("refMentions"))
        if (other := _corpus(mention.get("matchedPaperCorpusId"))) and other != corpus
        if (at := count_of(mention.get("start"))) is not None
    }
    return Snippet(corpus=corpus, title=title, quote=quote, whole=text, cited=cited)


def _corpus(value: object) -> str:
    """Return a corpus id, which is a number or a text of digits; empty for anything else."""
    digits = str(value) if type(value) in {int, str} else ""
    return digits if digits.isdecimal() else ""


def _spans(text: str, given: object) -> list[Span]:
    """Return the sentences that the service marks, as far as they lie within the text."""
    ends = [(count_of(one.get("start")), count_of(one.get("end"))) for one in mappings(given)]
    return [
        Span(text[start:end], start, end)
        for start, end in ends
        if start is not None and end is not None and text[start:end].strip() and end <= len(text)
    ]


def _nearest(spans: Sequence[Span], text: str, query: str) -> Span:
    """Return the neighbouring sentences that have most content words of a query."""
    wanted = distinct_content_stems(query)

    def shared(at: int) -> int:
        return len(wanted & distinct_content_stems(text[spans[at].start : _end(spans, at)]))

    best = max(range(max(1, len(spans) - SENTENCES + 1)), key=shared)
    start, end = spans[best].start, _end(spans, best)
    return Span(text[start:end], start, end)


def _end(spans: Sequence[Span], at: int) -> int:
    return spans[min(at + SENTENCES, len(spans)) - 1].end
