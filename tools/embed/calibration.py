"""Cosines of any embedder on one scale, so that a threshold means the same whoever made them.

Embedders spread their cosines differently: of two texts about unlike things one gives 0.05 and
another 0.4. Each is measured once on a few pairs of texts of our own, and its cosines are then told
on the scale of all-MiniLM-L6-v2, on which every threshold of this project was chosen; MiniLM's own
stay what they are.
"""

from dataclasses import dataclass
from threading import Lock

import numpy as np

from tools.embed.embedder import Embedder, Vectors
from tools.embed.minilm import MiniLm

Cosines = Vectors

_PAIRS = (
    (
        "Honeybees find their way back to the hive by the position of the sun and by landmarks.",
        "We study how bees navigate home, using sunlight as a compass and visual cues on the ground.",
    ),
    (
        "A new algorithm sorts large arrays in parallel on graphics processors.",
        "We present a method for parallel sorting on GPUs that scales to large inputs.",
    ),
    (
        "Patients with high blood pressure who walked daily needed less medication.",
        "Regular walking lowers hypertension, as a trial with outpatients shows.",
    ),
    (
        "Retrieval-augmented language models answer questions with passages from a corpus.",
        "Language models that retrieve documents before they answer give more factual replies.",
    ),
    (
        "Medieval guilds set the prices of bread and the wages of bakers in many towns.",
        "How craft guilds controlled trade and pay in the cities of the Middle Ages is examined.",
    ),
    (
        "Perovskite solar cells lose efficiency when they are exposed to moisture.",
        "Humidity degrades photovoltaic cells made of perovskite; coatings slow the loss.",
    ),
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Mean cosines that an embedder gives to texts about unlike things, and about the same one."""

    unrelated: float
    related: float

    def calibrated(self, cosines: Cosines) -> Cosines:
        """Return cosines on MiniLM's scale: both means become those of MiniLM, and 1 stays 1.

        An embedder that hardly tells the two apart keeps its own scale: stretched, it would be noise.
        """
        if self == MINILM or not self.unrelated + _LEAST < self.related < 1:
            return cosines
        own = (-1.0, self.unrelated, self.related, 1.0)
        common = (-1.0, MINILM.unrelated, MINILM.related, 1.0)
        return np.interp(cosines, own, common).astype(np.float32)


MINILM = Calibration(unrelated=0.0163, related=0.7127)
"""What `measure` says of all-MiniLM-L6-v2."""
_LEAST = 0.05
_lock = Lock()
_measured: dict[str, Calibration] = {MiniLm.name: MINILM}


def calibrated(embedder: Embedder, cosines: Cosines) -> Cosines:
    """Return the cosines of this embedder's vectors on MiniLM's scale, for a threshold to judge.

    Synchronous: the first call for an embedder measures it. An order needs no calibration.
    """
    with _lock:
        if embedder.name not in _measured:
            _measured[embedder.name] = measure(embedder)
        return _measured[embedder.name].calibrated(cosines)


def measure(embedder: Embedder) -> Calibration:
    """Return the calibration of an embedder; synchronous, it embeds twelve sentences."""
    rows = embedder.embed([text for pair in _PAIRS for text in pair])
    near = rows @ rows.T
    topic = np.arange(len(rows)) // 2
    same = topic[:, None] == topic[None, :]
    others = ~np.eye(len(rows), dtype=bool)
    return Calibration(float(near[~same].mean()), float(near[same & others].mean()))
