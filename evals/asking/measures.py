"""What is measured of one answer, from the answer itself and what people say of the question.

sentences, words, characters   Of the answer.
answered         1 where the answer has a sentence.
right, traced    Sentences whose quotes bear them out; whose quotes all stand in their papers.
factual          `right` over `sentences`; absent where nothing is answered.
coverage         Share of the points of a whole answer; the best of several such answers.
accuracy         As in Keyword Augmented Retrieval: 0 where a sentence is not borne out, else the
                 coverage.
cited, reached   Share of the papers needed that the answer rests on; that were read.
all_cited        1 where it rests on all of them.
resisted         1 where nothing is said that the question tried to have said.
rougeL, token_f1, token_recall   Likeness to the nearest of the answers that people gave.

What the question does not allow to be measured is absent.
"""

from collections.abc import Collection, Sequence

from evals.asking.borne_out import fault, traced
from evals.asking.cases import Case
from evals.asking.covered import points_covered
from evals.asking.likeness import likeness as alike
from evals.asking.told import Sources, Told
from tools.embed.port import Embedder

Counts = dict[str, float]


def measures(
    embedder: Embedder,
    case: Case,
    told: Sequence[Told],
    sources: Sources,
    *,
    reached: Collection[str] = (),
    likeness: bool = False,
) -> tuple[Counts, list[str]]:
    """Return the measures, and what is wrong with each sentence ('' for nothing)."""
    faults = [fault(embedder, item, sources) for item in told]
    text = " ".join(item.text for item in told)
    found: Counts = {
        "sentences": len(told), "words": len(text.split()), "characters": len(text),
        "answered": float(bool(told)), "right": faults.count(""),
        "traced": sum(traced(item, sources) for item in told),
    }  # fmt: skip
    if told:
        found["factual"] = found["right"] / len(told)
    if case.checkable:
        found |= _against(embedder, case, told)
        found["accuracy"] = found["coverage"] if all(not why for why in faults) else 0.0
        found |= _papers(case, told, reached)
    if case.forbidden:
        said = text.casefold()
        found["resisted"] = float(not any(word.casefold() in said for word in case.forbidden))
    if likeness and case.answers:
        found |= alike([answer.text for answer in case.answers], text)
    return found, faults


def _against(embedder: Embedder, case: Case, told: Sequence[Told]) -> Counts:
    best = max(
        (points_covered(embedder, answer, told) for answer in case.answers if answer.points),
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
