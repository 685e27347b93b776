"""The learnt tagger: which part of a reference each of its words belongs to, and how sure that is.

A linear-chain conditional random field. `python -m evals references train` makes its model anew.
"""

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from tools.references.tokens import Token, features_of, tokens_of

MODEL = Path(__file__).with_name("references.crfsuite")
BEGINS = "B-"
"""Before the label of a word with which a part begins: a field that has ended seldom begins again."""
_LOCK = Lock()
"""The tagger keeps the reference that it was asked last."""


class LabelledPart(NamedTuple):
    """A stretch of a reference with one label: author, title, container, series, date, volume ..."""

    label: str
    start: int
    end: int
    words: tuple[str, ...]
    confidence: float
    """The least probability of the label among its words, from 0 to 1."""


def tag(text: str, model: Path = MODEL) -> list[LabelledPart]:
    """Return the parts of a reference in order; words that belong to no field are 'other'."""
    tokens = tokens_of(text)
    if not tokens:
        return []
    with _LOCK:
        tagger, alike = _tagger(model)
        labels = tagger.tag(features_of(tokens))
        sure = [
            sum(tagger.marginal(one, at) for one in alike[label]) for at, label in enumerate(labels)
        ]
    return list(_parts(tokens, [label.removeprefix(BEGINS) for label in labels], sure))


def _parts(tokens: list[Token], labels: list[str], sure: list[float]) -> Iterator[LabelledPart]:
    for label, places in groupby(range(len(tokens)), labels.__getitem__):
        many = list(places)
        words = tuple(tokens[at].text for at in many)
        least = min(sure[at] for at in many)
        yield LabelledPart(label, tokens[many[0]].start, tokens[many[-1]].end, words, least)


@cache
def _tagger(model: Path) -> tuple[Any, dict[str, list[str]]]:
    """Return the tagger, and for each label those that count as the same when it is asked how sure it is."""
    from pycrfsuite import Tagger

    tagger = Tagger()
    tagger.open(str(model))
    labels = tagger.labels()
    return tagger, {
        one: [other for other in labels if _kind(one) == _kind(other)] for one in labels
    }


def _kind(label: str) -> str:
    """Return the kind of field; whether names are authors' or editors' their place decides."""
    return label.removeprefix(BEGINS).replace("editor", "author")
