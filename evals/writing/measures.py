"""What is counted of one written section, from the section itself and the papers that were given.

Nothing here trusts a count of CiteLoom's own: citations are counted by their markers, and each quote
is looked up again in the paper as the data has it.
"""

from collections.abc import Mapping, Sequence
from typing import get_args

from rapidfuzz.distance import LCSseq

from evals.writing.gold import ForcedPlan, without_markers
from state.audit import Audit
from state.paper import Paper
from state.quote import Quote
from state.results import CitedSentence
from state.writing import MARKER, Adherence, SupportVerdict
from tools.text.words import tokens

ALIKE = 0.8
"""Share of the words of two sentences (Jaccard) from which one repeats the other."""
VERDICTS: tuple[str, ...] = get_args(SupportVerdict)
Counts = dict[str, float]


def text_of(sentences: Sequence[CitedSentence]) -> str:
    """Return what was written, without the markers of its citations."""
    return " ".join(without_markers(sentence.marked) for sentence in sentences)


def honesty(
    sentences: Sequence[CitedSentence],
    named: Mapping[str, str],
    audit: Audit | None,
    papers: Sequence[Paper],
) -> Counts:
    """Count what can be checked of a section, with the paper's id behind each marker.

    citations, resolved      Citations, and those whose marker leads to a paper that was given.
    hallucinated             Those that lead to none.
    citing, quoted           Sentences that cite, and those in which each citation has a verified quote.
    repeated                 Sentences that nearly repeat an earlier one.
    given, cited, accounted  Papers that were given; that are cited; that are cited or explained.
    passed                   1 where the audit passed the text, else 0; absent without an audit.
    supported, partly, ...   Citations by verdict.
    """
    given = {paper.id: paper for paper in papers}
    cited = {key: given[paper] for key, paper in named.items() if paper in given}
    marked = [MARKER.findall(sentence.marked) for sentence in sentences]
    citing = [(sentence, keys) for sentence, keys in zip(sentences, marked, strict=True) if keys]
    verdicts = [item.verdict for sentence in sentences for item in sentence.citations]
    found = [cited[key].id for keys in marked for key in keys if key in cited]
    explained = {item.paper for item in audit.omissions} & given.keys() if audit else set()
    return {
        "citations": sum(map(len, marked)),
        "resolved": len(found),
        "hallucinated": sum(map(len, marked)) - len(found),
        "citing": len(citing),
        "quoted": sum(_quoted(sentence, keys, cited) for sentence, keys in citing),
        "repeated": repeated([without_markers(sentence.marked) for sentence in sentences]),
        "given": len(given),
        "cited": len(set(found)),
        "accounted": len(explained.union(found)),
        **({"passed": audit.passed} if audit else {}),
        **{name: verdicts.count(name) for name in VERDICTS},  # type: ignore[arg-type]  # Support's own
    }


def _quoted(sentence: CitedSentence, keys: Sequence[str], cited: Mapping[str, Paper]) -> bool:
    """Whether each citation of the sentence has words of its paper behind it."""
    quotes = {item.key: item.quote for item in sentence.citations}
    return all(key in cited and stands(quotes.get(key), cited[key]) for key in keys)


def stands(quote: Quote | None, paper: Paper) -> bool:
    """Whether the words of a quote stand in the paper where the quote says that they do."""
    if quote is None or not quote.verified or quote.paper != paper.id or not quote.text.strip():
        return False
    source = dict(paper.parts).get(quote.part, "")
    return source[quote.start : quote.end] == quote.text


def repeated(texts: Sequence[str]) -> int:
    """Count the texts that share ALIKE of their words with one before them."""
    bags = [frozenset(tokens(text)) for text in texts]
    return sum(
        any(_alike(bag, before) for before in bags[:place]) for place, bag in enumerate(bags) if bag
    )


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    return len(left & right) >= ALIKE * len(left | right)


def adherence(
    sentences: Sequence[CitedSentence],
    named: Mapping[str, str],
    plan: ForcedPlan,
    said: Adherence | None,
) -> Counts:
    """Compare a section with the plan that it was given, sentence by sentence in order.

    lines, lines_right   Sentences asked for; those that cite the papers asked for and no other.
    citing_lines, citing_right
                         Of sentences that are to cite; however many there are between them.
    places, in_place     Papers asked for, counted sentence by sentence; those that are cited there.
    sentences_more       Sentences written less sentences asked for.
    same_length          1 where there are as many (LitLLM, Table 8).
    words_more           Words written over words asked for, less 1.
    said_right           The lines right, as the audit says; it may know a line by more than its place.
    """
    cites = [
        frozenset(named[key] for key in MARKER.findall(sentence.marked) if key in named)
        for sentence in sentences
    ]
    asked_citing = [asked for asked in plan.cites if asked]
    padded = [*cites, *([None] * len(plan.cites))]
    pairs = list(zip(plan.cites, padded, strict=False))
    written = sum(len(without_markers(sentence.marked).split()) for sentence in sentences)
    found: Counts = {
        "lines": len(plan.cites),
        "lines_right": sum(asked == made for asked, made in pairs),
        "citing_lines": len(asked_citing),
        "citing_right": LCSseq.similarity(asked_citing, [made for made in cites if made]),
        "places": sum(len(asked) for asked in plan.cites),
        "in_place": sum(len(asked & (made or frozenset())) for asked, made in pairs),
        "sentences_more": len(sentences) - len(plan.cites),
        "same_length": len(sentences) == len(plan.cites),
        "words_more": written / plan.words - 1,
    }
    return found | ({"said_right": said.lines_right} if said else {})
