"""A threshold means the same whoever made the vectors."""

from collections.abc import Sequence

import numpy as np
import pytest

from tools.embed.calibration import MINILM, calibrated, measure
from tools.embed.minilm import MiniLm
from tools.embed.port import Vectors

TEXTS = [
    "Owls hear voles under the snow.",
    "The hearing of owls guides them to prey that they cannot see.",
    "Interest rates of central banks and inflation in small countries.",
    "A survey of neural machine translation.",
]


class Narrow:
    """MiniLM's meaning in vectors whose cosines are all high, as several embedders' are."""

    name = "narrow"
    size = MiniLm.size + 1

    def __init__(self) -> None:
        self.inner = MiniLm()

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.hstack([self.inner.embed(texts), np.full((len(texts), 1), 1.5, np.float32)])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_minilm_keeps_its_cosines() -> None:
    own = MiniLm()
    found = measure(own)
    expected = (MINILM.unrelated, MINILM.related)
    assert (found.unrelated, found.related) == pytest.approx(expected, abs=0.005)
    near = np.array([0.1, 0.47, 0.9], dtype=np.float32)
    assert calibrated(own, near) is near


def test_narrow_cosines_are_told_on_the_same_scale() -> None:
    narrow = Narrow()
    rows, plain = narrow.embed(TEXTS), narrow.inner.embed(TEXTS)
    near, expected = rows[1:] @ rows[0], plain[1:] @ plain[0]
    assert (near > 0.65).all()  # by MiniLM's thresholds all of them would be on the subject
    assert calibrated(narrow, near) == pytest.approx(expected, abs=0.05)
    assert calibrated(narrow, rows @ rows[0])[0] == pytest.approx(1)
