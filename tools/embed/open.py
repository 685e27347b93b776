"""The one embedder of the process."""

from threading import Lock

from tools.embed.port import Embedder

_lock = Lock()
_opened: list[Embedder] = []


def embedder() -> Embedder:
    """Return the process's embedder; its model is loaded when it first embeds something."""
    with _lock:
        if not _opened:
            from tools.embed.minilm import MiniLm

            _opened.append(MiniLm())
        return _opened[0]
