"""What code can find wrong with a sentence before anyone is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from nodes.write.writers.answers import NextSentence
from state.paper import Paper
from state.quote import Quote
from state.writing import INPUT, MARKER, Cause, PlanLine
from tools.evidence.invented_citations import invented_citations
from tools.evidence.quotes import quotable, quote_fault, quote_input, quote_paper
from tools.text.sentences import split_sentences
from tools.text.words import SAME, coverage, resemblance

Action = Literal["asked_again", "replaced", "rewritten", "removed"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a sentence."""

    cause: Cause
    detail: str
    key: str = ""


def faults_of(
    answer: NextSentence,
    line: PlanLine | None,
    papers: Mapping[str, Paper],
    own_text: str,
    so_far: Sequence[str] = (),
) -> list[Fault]:
    """Say what is wrong: markers missing or foreign, citations made up, words said twice.

    A sentence that cites nothing speaks of the researcher's own work, and must rest on its words, or
    of papers cited around it, and must name them; whether it may is for the check of citations.

    Args:
        answer: The sentence with its support.
        line: The plan's line; None where any of the papers may be cited.
        papers: The papers that may be cited, by key.
        own_text: The researcher's text.
        so_far: The sentences before it.
    """
    text = answer.sentence.strip()
    if not text:
        return [Fault("off_plan", "the sentence is empty")]
    marked = list(dict.fromkeys(MARKER.findall(text)))
    found = [
        Fault("fabricated", f"it cites {key}, which it was not given", key)
        for key in marked
        if key not in papers
    ]
    at_hand = [own_text, *(paper.text for paper in papers.values())]
    found += [
        Fault("fabricated", f"it has a citation that is not a marker: {item}", item)
        for item in invented_citations(text, at_hand)
    ]
    if any(resemblance(text, earlier) >= SAME for earlier in so_far):
        found.append(Fault("repeated", "it repeats a sentence that is there already"))
    if line is not None and (lacking := [key for key in line.keys if key not in marked]):
        found.append(Fault("off_plan", f"it does not cite {', '.join(lacking)}", lacking[0]))
    if not marked and not found:
        found += _uncited(answer, papers, own_text)
    return found


def _uncited(answer: NextSentence, papers: Mapping[str, Paper], own_text: str) -> list[Fault]:
    if answer.rests_on:
        strange = [key for key in answer.rests_on if key not in {*papers, INPUT}]
        return [
            Fault("fabricated", f"it rests on {key}, which it was not given") for key in strange
        ]
    if not quote_input(answer.basis, own_text).verified:
        return [Fault("uncited_claim", "it cites nothing, and its basis is not in the input")]
    return []


def best_quotes(
    paper: Paper, given: Sequence[str], sentence: str, known: Sequence[Quote] = ()
) -> list[Quote]:
    """Return those of the given words that are the paper's, else its sentence that says most of it."""
    quotes = [quote_paper(words, paper, known) for words in given if words.strip()]
    held = list(dict.fromkeys(quote for quote in quotes if quote.verified))
    closest = None if held else _closest(paper, sentence)
    return [closest] if closest else held


def _closest(paper: Paper, sentence: str) -> Quote | None:
    spans = split_sentences(paper.abstract or "")
    if not spans:
        quote = quote_paper(paper.title, paper)
        return quote if quote.verified else None
    best = max(spans, key=lambda span: coverage(span.text, sentence))
    quote = quote_paper(best.text, paper)
    return quote if quote.verified else None


def false_quotes(
    answer: NextSentence, papers: Mapping[str, Paper], known: Sequence[Quote] = ()
) -> list[Fault]:
    """Find words given as support that are not in the paper they are said to be of, or too few."""
    return [
        Fault(*wrong, item.key)
        for item in answer.support
        if (paper := papers.get(item.key))
        for words in item.quotes
        if words.strip() and (wrong := quote_fault(words, quotable(paper, known)))
    ]
