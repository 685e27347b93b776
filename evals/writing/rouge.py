"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin, 2004) by the reference implementation in Python."""

from functools import cache
from importlib import import_module
from typing import Any

from tools.errors import InputError

MEASURES = ("rouge1", "rouge2", "rougeL")


def rouge(gold: str, text: str) -> dict[str, float]:
    """Return the F1 of each measure, 0..1, words stemmed; 0 for an empty text.

    Raises:
        InputError: The package rouge-score is not installed.
    """
    found = scorer().score(gold, text)
    return {name: float(found[name].fmeasure) for name in MEASURES}


@cache
def scorer() -> Any:
    """Open the scorer, which takes a second.

    Raises:
        InputError: The package rouge-score is not installed.
    """
    try:
        package = import_module("rouge_score.rouge_scorer")
    except ModuleNotFoundError as error:
        raise InputError(
            "ROUGE needs the package rouge-score, which comes with no other part of CiteLoom: "
            "install it with `uv pip install rouge-score`"
        ) from error
    return package.RougeScorer(list(MEASURES), use_stemmer=True)
