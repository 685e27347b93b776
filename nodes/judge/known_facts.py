"""What code knows of a citation without any judge."""

import asyncio

from nodes.judge.evidence_ladder import (
    WHERE,
    Decision,
    nearest_words,
    stands_in_text,
)
from nodes.judge.shelf import Shelf
from state.paper import Paper
from state.quote import Quote
from tools.embed.embedder import Embedder
from tools.evidence.facts import standing_nowhere
from tools.evidence.own_sentences import (
    annotation_told_as_paper,
    names_of,
    own_sentence_of_paper,
    without_markers,
)
from tools.evidence.quotes import fold_text, quote_paper


def decide_from_facts(shelf: Shelf, sentence: str, key: str) -> Decision | None:
    """Return what is a matter of fact and asks for no judge, or None.

    No paper has the key; the sentence is the paper's own; it is another paper's own and not this
    one's, or names its authors before this one's marker; it tells words of an annotation as the authors'; there
    is no text to hold it against.

    Args:
        shelf: The papers, with the full texts that were read.
        sentence: With markers.
        key: Of the paper that it is judged by.
    """
    paper = shelf.papers.get(key)
    if paper is None:
        return Decision("not_in_source", "fabricated", scope="none", by="code")
    if own := own_sentence_of_paper(sentence, key, paper):
        part, span = own
        quote = Quote(
            text=span.text, paper=paper.id, part=part, start=span.start, end=span.end, verified=True
        )
        if paper.abstract:
            return Decision("supported", quotes=(quote,), scope=shelf.scope([key]), by="code")
        if not shelf.passages(paper):
            return Decision("not_checked", "no_abstract", quotes=(quote,), scope="none")
    if stands := stands_in_text(sentence, key, shelf):
        return Decision("supported", quotes=(stands,), scope="full_text", by="code")
    if noted := annotation_told_as_paper(sentence, key, paper):
        quote = quote_paper(noted.text, paper)
        told = ("this quotes an annotation, not the paper's authors",)
        return Decision("not_in_source", "mis_cited", quotes=(quote,), alarms=told, by="code")
    for other in shelf.papers.values():
        if other is not paper and (fault := _is_of_other(sentence, key, paper, other)):
            return Decision(
                "not_in_source", "mis_cited", alarms=(fault,), better=other.id, by="code"
            )
    return None


def _is_of_other(sentence: str, key: str, paper: Paper, other: Paper) -> str:
    """Return what shows that a sentence cites one paper for another's: its own sentence, or its authors' names."""
    if own_sentence_of_paper(sentence, key, other):
        return f"word for word from {other.citation}"
    named = fold_text(f"{other.citation} {{{key}}}") in fold_text(sentence)
    theirs = {fold_text(name) for name in names_of(paper)}
    if named and other.authors and paper.authors and fold_text(other.citation) not in theirs:
        return f"it names {other.citation} before a citation of {paper.citation}"
    return ""


async def undecided(shelf: Shelf, sentence: str, key: str, embedder: Embedder) -> Decision:
    """Return what is known of a citation that nobody judges: what stands nowhere, and the words nearest to it."""
    scope, unread = shelf.scope([key]), shelf.unread([key])
    if scope == "none":
        return Decision("not_checked", "no_abstract", scope=scope, unread=unread)
    cited = {key, *(other for other in shelf.papers if f"{{{other}}}" in sentence)}
    nowhere, nearest = await asyncio.gather(
        asyncio.to_thread(
            standing_nowhere, without_markers(sentence), shelf.read_of(sorted(cited))
        ),
        asyncio.to_thread(nearest_words, sentence, key, shelf, embedder),
    )
    return Decision(
        "not_checked",
        "not_verbatim",
        alarms=tuple(f"{one} {WHERE[scope]}" for one in nowhere),
        scope=scope,
        unread=unread,
        nearest=nearest,
    )
