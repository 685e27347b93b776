"""Vectors of short texts, kept: the steps of one question embed the same sentences."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from tools.embed.port import Embedder, Vectors

_MOST = 4096
"""Vectors kept; those asked for longest ago go first."""
_lock = Lock()
_kept: "OrderedDict[tuple[str, str], NDArray[np.float32]]" = OrderedDict()


def vectors(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return one row of norm 1 for each text, in input order; what is new is embedded in one batch."""
    keys = [(embedder.name, text) for text in texts]
    with _lock:
        found = {key: _kept[key] for key in keys if key in _kept}
    new = [key for key in dict.fromkeys(keys) if key not in found]
    if new:
        found.update(zip(new, embedder.embed([text for _, text in new]), strict=True))
    with _lock:
        for key in dict.fromkeys(keys):
            _kept[key] = found[key]
            _kept.move_to_end(key)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    if not keys:
        return np.empty((0, embedder.size), dtype=np.float32)
    return np.stack([found[key] for key in keys])
