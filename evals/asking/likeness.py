"""How like an answer is to one that a person gave: ROUGE-L and the F1 of tokens."""

from collections import Counter

from evals.writing.rouge import rouge
from tools.text.words import tokens

_ARTICLES = frozenset({"a", "an", "the"})


def likeness(golds: list[str], text: str) -> dict[str, float]:
    """Return the best ROUGE-L, token F1 (Rajpurkar et al., 2016) and token recall over the golds.

    Recall is the share of the gold's tokens that the text has; a long text is not punished for the rest.

    Raises:
        InputError: The package rouge-score is not installed.
    """
    return {
        "rougeL": max(rouge(gold, text)["rougeL"] for gold in golds),
        "token_f1": max(token_f1(gold, text) for gold in golds),
        "token_recall": max(token_recall(gold, text) for gold in golds),
    }


def token_f1(gold: str, text: str) -> float:
    """Return the harmonic mean of the shares of tokens that the two have in common, 0..1."""
    wanted, said = _bag(gold), _bag(text)
    common = (wanted & said).total()
    if not common:
        return float(not wanted and not said)
    precision, recall = common / said.total(), common / wanted.total()
    return 2 * precision * recall / (precision + recall)


def token_recall(gold: str, text: str) -> float:
    """Return the share of the gold's tokens that the text has, 0..1."""
    wanted = _bag(gold)
    return (wanted & _bag(text)).total() / wanted.total() if wanted else 0.0


def _bag(text: str) -> Counter[str]:
    return Counter(word for word in tokens(text) if word not in _ARTICLES)
