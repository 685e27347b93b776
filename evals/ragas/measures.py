"""The measures of LLM-Ref's appendix A.6, out of what a judge says. All are 0 to 1.

faithfulness         Statements of the answer that the contexts bear out, of all of them (formula 2).
answer_relevancy     Mean cosine of the question and questions that a judge makes of the answer (3); 0
                     where the answer evades the question.
context_precision    Average precision of the contexts: precision at each relevant one, in the mean (4).
context_recall       Sentences of the truth that can be inferred from the contexts, of all of them (5).
context_relevancy    Sentences of the contexts that are needed to answer the question, of all of them.
answer_correctness   Three parts F1 of the statements of answer and truth, one part answer_similarity.
answer_similarity    Cosine of answer and truth.
ragas_score          Harmonic mean of faithfulness, answer relevancy, context relevancy and context recall, as
                     Table 1 has it; `ragas_with_precision` takes context precision for the third, as formula 1
                     has it. The document contradicts itself there: with formula 1 its own table does not come
                     out (0.79 where it prints 0.513).

The package ragas is not used: version 0.4 asks for other versions of openai and rich than the product, and
brings pandas, pyarrow, scipy and langchain with it; what it computes are these formulas.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evals.synthesis.measures import average_precision, harmonic

SCORE = ("faithfulness", "answer_relevancy", "context_relevancy", "context_recall")
WITH_PRECISION = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
_STATEMENTS = 0.75
"""Weight of statements in answer_correctness, as the package has it."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a judge said of one answer; None where its answer could not be used."""

    borne: Sequence[bool] | None = None
    """For each statement of the answer, whether the contexts bear it out."""
    cosines: Sequence[float] | None = None
    """Of the question and each question made of the answer."""
    evasive: bool = False
    relevant: Sequence[bool] | None = None
    """For each context, whether it is relevant."""
    needed: tuple[int, int] | None = None
    """Sentences of the contexts that are needed, and how many there are."""
    inferred: Sequence[bool] | None = None
    """For each sentence of the truth, whether it can be inferred from the contexts."""
    both: tuple[int, int, int] | None = None
    """Statements that answer and truth share, of the answer alone, of the truth alone."""
    similarity: float = 0.0


def measures(said: Said) -> dict[str, float]:
    """Return the measures of one answer; what the judge did not say is left out."""
    found = {"answer_similarity": max(said.similarity, 0.0)}
    if said.borne:
        found["faithfulness"] = sum(said.borne) / len(said.borne)
    if said.cosines:
        mean = sum(max(cosine, 0.0) for cosine in said.cosines) / len(said.cosines)
        found["answer_relevancy"] = 0.0 if said.evasive else mean
    if said.relevant is not None:
        found["context_precision"] = average_precision(said.relevant)
    if said.inferred:
        found["context_recall"] = sum(said.inferred) / len(said.inferred)
    if said.needed:
        needed, every = said.needed
        found["context_relevancy"] = needed / every if every else 0.0
    if said.both:
        f1 = f1_of(*said.both)
        found["answer_correctness"] = (
            _STATEMENTS * f1 + (1 - _STATEMENTS) * found["answer_similarity"]
        )
    for name, parts in (("ragas_score", SCORE), ("ragas_with_precision", WITH_PRECISION)):
        if all(part in found for part in parts):
            found[name] = harmonic([found[part] for part in parts])
    return found


def f1_of(shared: int, added: int, missed: int) -> float:
    """Return F1 of statements: shared by both, only in the answer, only in the truth."""
    whole = shared + 0.5 * (added + missed)
    return shared / whole if whole else 0.0
