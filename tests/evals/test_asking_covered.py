"""Tests of what counts as covered: pairs of a point and what an answer says, judged by hand."""

import pytest

from evals.asking.cases import Answer, Point
from evals.asking.covered import covered, points_covered
from evals.asking.told import Told
from tests.evals.answers import point, told
from tests.support import RememberingEmbedder

RRF = "doi:10.1145/1571941.1572114"
JUDGED: list[tuple[str, int, list[tuple[str, str]], bool, str]] = [
    # (question, point, [(what the answer says, what it quotes)], judged by hand, why)
    ("two-01", 1, [("LexRank joins sentences that are alike by cosine similarity and rates them with an "
                    "eigenvector centrality.",
                    "The method links sentences by cosine similarity and computes their importance with an "
                    "eigenvector centrality in the manner of PageRank.")], True, "told and quoted"),
    ("two-01", 1, [("A sentence counts as salient when many other salient ones resemble it.",
                    "A sentence is considered salient when many other salient sentences resemble it.")],
     False, "another sentence of the same paper"),
    ("two-01", 3, [("TextRank is competitive with supervised systems.",
                    "The evaluation finds that the approach is competitive with supervised and domain-tuned "
                    "systems of its time.")], False, "a result, not the links"),
    ("two-02", 2, [("DocLayNet was labelled by hand.",
                    "a document layout dataset that was annotated by people")], True, "a paraphrase"),
    ("two-02", 1, [("PubLayNet is large and has page images of scientific articles.",
                    "a large dataset of page images with annotations of typical layout elements")],
     False, "says nothing of where the labels are from"),
    ("two-03", 2, [("For each token of a passage ColBERT has a contextual vector, and it sums up the best "
                    "match of each token of the query.",
                    "The model keeps one contextual embedding per token and scores a passage by summing the "
                    "maximum similarity for each query token.")], True, "a paraphrase with its quote"),
    ("two-07", 2, [("Product quantization splits a vector into subvectors and quantises each separately.",
                    "The method splits a vector into subvectors and quantises each separately"),
                   ("Distances are estimated from short codes.",
                    "distances are estimated from short codes")], True, "in two sentences"),
    ("two-07", 2, [("Product quantization estimates distances from short codes.",
                    "distances are estimated from short codes")], True,
     "most of the point, though not the split"),
    ("two-07", 4, [("Search with product quantization is accurate and takes little memory.",
                    "high search accuracy with low memory use")], True, "a paraphrase"),
    ("two-12", 2, [("An evaluator estimates how good the retrieved documents are and chooses what to do.",
                    "The method adds a lightweight evaluator that estimates the quality of retrieved "
                    "documents and triggers different actions.")], True, "a paraphrase with its quote"),
    ("two-12", 1, [("Self-RAG gains in factuality.", "Experiments show gains in factuality and citation "
                    "accuracy over larger models and standard retrieval-augmented baselines.")],
     False, "a result, not the way"),
    ("two-26", 2, [("PageRank prefers old papers, as citations point back in time.",
                    "PageRank favours old papers because citations only point backwards in time.")],
     True, "a paraphrase with its quote"),
    ("two-26", 2, [("PageRank and citation counts correlate.",
                    "PageRank favours old papers because citations only point backwards in time.")],
     False, "the quote is right, but the sentence says something else"),
    ("two-31", 3, [("LDA does better than pLSI in modelling documents, classification and collaborative "
                    "filtering.",
                    "Experiments on document modelling, classification and collaborative filtering compare "
                    "the model favourably with probabilistic latent semantic indexing.")],
     True, "a paraphrase with its quote"),
    ("two-43", 2, [("On BEIR, BM25 is robust and dense retrievers often fall behind it out of domain.",
                    "The results indicate that BM25 is a robust baseline and that dense retrievers often "
                    "underperform it out of domain.")], True, "a paraphrase with its quote"),
    ("two-43", 2, [("BEIR compares lexical, sparse, dense and late interaction architectures.",
                    "The evaluation compares lexical, sparse, dense, late interaction and re-ranking "
                    "architectures without any training on the target data.")], False, "the design only"),
    ("two-44", 1, [("Accuracy keeps growing with the number of passages.",
                    "The results indicate that accuracy keeps improving as the number of retrieved passages "
                    "grows.")], True, "a paraphrase with its quote"),
    ("two-44", 2, [("Accuracy is best for information at the beginning or end.",
                    "The results indicate that accuracy is highest when relevant information is at the "
                    "beginning or end and drops in the middle.")], True, "told by its other half"),
    ("one-07", 1, [("Standard attention does not scale to long documents, which have to be cut.",
                    "Standard self-attention scales quadratically and forces long documents to be "
                    "truncated.")], True, "a paraphrase with its quote"),
    ("one-14", 1, [("BERTopic finds coherent topics.",
                    "Experiments show coherent topics and competitive results against classical and "
                    "embedding-based models.")], False, "praise is no limitation"),
    ("one-14", 1, [("It takes for granted that there is only one topic in a document.",
                    "A limitation is the assumption that each document contains a single topic.")],
     True, "a paraphrase with its quote"),
    ("one-16", 1, [("Errors made by rule cover only some of those that summarisers make.",
                    "A limitation is that synthetic errors do not cover all mistakes that neural "
                    "summarisers make.")], True, "a paraphrase with its quote"),
    ("typo-08", 1, [("BERT loses to linear models on email.",
                     "BERT reduces review cost on news but loses to linear models on email")],
     True, "the half that surprises, and the quote has both"),
    ("typo-08", 2, [("BERT was compared with linear models on news and email.",
                     "The authors compare BERT with linear models on a newswire collection and on an email "
                     "collection from legal discovery.")], False, "the design only"),
]  # fmt: skip


@pytest.mark.parametrize(("case", "number", "said", "right", "why"), JUDGED)
def test_points_count_as_people_judge_them(
    case: str,
    number: int,
    said: list[tuple[str, str]],
    right: bool,
    why: str,
    embedder_with_memory: RememberingEmbedder,
) -> None:
    wanted = point(case, number)
    sentences = [told(text, (wanted.paper, quote)) for text, quote in said]
    assert covered(embedder_with_memory, wanted, sentences) is right, why


@pytest.fixture
def fused(embedder_with_memory: RememberingEmbedder) -> tuple[Point, Told]:
    wanted = point("two-45", 1)
    return wanted, told(wanted.sentence, (wanted.paper, wanted.sentence))


def test_point_of_another_paper_does_not_count(
    fused: tuple[Point, Told], embedder_with_memory: RememberingEmbedder
) -> None:
    wanted, good = fused
    assert wanted.paper == RRF
    assert covered(embedder_with_memory, wanted, [good])
    other = told(good.text, ("doi:10.1/other", wanted.sentence))
    assert not covered(embedder_with_memory, wanted, [other])
    assert not covered(embedder_with_memory, wanted, [])


def test_opposite_of_a_point_does_not_count(embedder_with_memory: RememberingEmbedder) -> None:
    fact = Point(fact="Convex combination performs better than rank fusion.", paper="p")
    same = told("Convex combination performs better than rank fusion.", ("p", "words"))
    opposite = told("Convex combination performs worse than rank fusion.", ("p", "words"))
    assert covered(embedder_with_memory, fact, [same])
    assert not covered(embedder_with_memory, fact, [opposite])


def test_authors_and_year_must_stand_in_the_answer(
    embedder_with_memory: RememberingEmbedder,
) -> None:
    wanted = point("one-18", 1)
    assert wanted.record == ("Carbonell", "1998")
    quote = (wanted.paper, "is by Jaime Carbonell and Jade Goldstein")
    whole = told("It is by Jaime Carbonell and Jade Goldstein and appeared in 1998.", quote)
    part = told("It is by Jaime Carbonell and Jade Goldstein.", quote)
    assert covered(embedder_with_memory, wanted, [whole])
    assert not covered(embedder_with_memory, wanted, [part])


def test_each_point_is_told_of(embedder_with_memory: RememberingEmbedder) -> None:
    points = (point("two-45", 1), point("two-45", 2))
    only = told(points[1].sentence, (points[1].paper, points[1].sentence))
    answer = Answer(text="", points=points)
    assert points_covered(embedder_with_memory, answer, [only]) == [False, True]
