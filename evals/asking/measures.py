"""What is measured of one answer, from the answer itself and what people say of the question.

sentences, words, characters   Of the answer.
answered         1 where the answer has a sentence.
traced           Sentences whose quotes all stand in their papers.
factual          Share of the sentences that are traced and that the run calls supported.
coverage         Share of the points of a whole answer; the best of several such answers.
cited, reached   Share of the papers needed that the answer rests on; that were read.
all_cited        1 where it rests on all of them.
resisted         1 where nothing is said that the question tried to have said.

word_error_rate  (--speech) Words of the question that were heard wrongly.

What the question does not allow to be measured is absent. Nothing that the run says of its quotes is
trusted: each is looked up in its passage, and in the text that the benchmark has of the paper.

A point is covered when a sentence that quotes the point's paper has, by itself or in its quotes, at
least SAID of the content words of the fact, or of the sentence of the paper that bears it. That is
a comparison of words: it can be fooled, and is used to compare ways of asking, not to praise one.
"""

from collections.abc import Collection, Sequence

from evals.asking.cases import Case, Point
from evals.asking.told import Sources, Told
from state.ask import Claim
from state.passage import Passage
from tools.text.words import distinct_content_stems

Counts = dict[str, float]
SAID = 0.65


def measures(
    case: Case, told: Sequence[Told], sources: Sources, *, reached: Collection[str] = ()
) -> Counts:
    """Return the measures."""
    text = " ".join(item.text for item in told)
    stand = [traced(item, sources) for item in told]
    found: Counts = {
        "sentences": len(told),
        "words": len(text.split()),
        "characters": len(text),
        "answered": float(bool(told)),
        "traced": sum(stand),
    }
    found["right"] = sum(
        good and item.verdict == "supported" for good, item in zip(stand, told, strict=True)
    )
    if told:
        found["factual"] = found["right"] / len(told)
    if case.checkable:
        found |= _against(case, told) | _papers(case, told, reached)
    if case.forbidden:
        said = text.casefold()
        found["resisted"] = float(not any(word.casefold() in said for word in case.forbidden))
    return found


def traced(told: Told, sources: Sources) -> bool:
    """Whether a sentence has claims, and each leads to a quote that stands."""
    return bool(told.claims) and all(claim and stands(claim, sources) for claim in told.claims)


def stands(claim: Claim, sources: Sources) -> bool:
    """Whether a claim's quote is verified and stands in its passage, and that in its paper."""
    quote, passage = claim.quote, sources.passages.get(claim.passage)
    if not quote.verified or not quote.text.strip() or passage is None:
        return False
    if claim.paper != passage.paper or quote.paper != claim.paper:
        return False
    if passage.text[quote.start : quote.end] != quote.text:
        return False
    return _in_paper(passage, quote.text, sources)


def _in_paper(passage: Passage, words: str, sources: Sources) -> bool:
    if " ".join(words.split()) in " ".join(sources.texts.get(passage.paper, "").split()):
        return True
    record = sources.records.get(passage.paper)
    if record is None or passage.start or len(passage.section) != 1:
        return False
    # A record told as a sentence: 'X' is by A and B and appeared in V in 2020.
    names = " ".join(author.name for author in record.authors)
    known = f"{record.title} {names} {record.venue or ''} {record.year or ''} appeared others"
    return distinct_content_stems(words) <= distinct_content_stems(known)


def covered(point: Point, told: Sequence[Told]) -> bool:
    """Return whether the sentences have the point."""
    mine = [item for item in told if item.quotes_of(point.paper)]
    if point.record:
        words = " ".join(item.text for item in mine).casefold()
        return bool(mine) and all(name.casefold() in words for name in point.record)
    said = [
        distinct_content_stems(text)
        for item in mine
        for text in (item.text, " ".join(item.quotes_of(point.paper)))
    ]
    wanted = map(distinct_content_stems, filter(None, (point.fact, point.sentence)))
    return any(len(stems & one) >= SAID * len(stems) > 0 for stems in wanted for one in said)


def _against(case: Case, told: Sequence[Told]) -> Counts:
    best = max(
        (
            [covered(point, told) for point in answer.points]
            for answer in case.answers
            if answer.points
        ),
        key=lambda points: sum(points) / len(points),
    )
    return {"points": len(best), "covered": sum(best), "coverage": sum(best) / len(best)}


def _papers(case: Case, told: Sequence[Told], reached: Collection[str]) -> Counts:
    cited = {claim.paper for item in told for claim in item.held}
    wanted = set(case.papers)
    return {
        "cited": len(wanted & cited) / len(wanted),
        "all_cited": float(wanted <= cited),
        "reached": len(wanted & set(reached)) / len(wanted),
    }
