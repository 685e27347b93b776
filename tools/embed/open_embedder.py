"""The embedder of the process, as its settings name it."""

from pathlib import Path
from threading import Lock

from tools.embed.embedder import Embedder
from tools.errors import InputError
from tools.settings import Settings
from tools.settings import settings as process_settings

CHOICES = "minilm, bge-m3, bge-m3:FOLDER, st:MODEL or openai:MODEL"
_lock = Lock()
_opened: dict[tuple[str, ...], Embedder] = {}


def embedder(settings: Settings | None = None) -> Embedder:
    """Return the embedder of these settings, or of the process's; one object for equal settings.

    Its model is loaded, or its endpoint asked, when it first embeds something.

    Raises:
        InputError: CITELOOM_EMBEDDER names none.
    """
    options = settings or process_settings()
    choice = options.embedder
    url, key = _endpoint(options) if choice.startswith("openai:") else (None, None)
    place = (choice, url or "", key or "")
    with _lock:
        if place not in _opened:
            _opened[place] = _make(choice, url, key)
        return _opened[place]


def _endpoint(options: Settings) -> tuple[str | None, str | None]:
    """Return address and key; a key goes to no other endpoint than the one that it is of."""
    url, key = options.embeddings_base_url, options.embeddings_api_key
    if url is None and key is None and options.llm_base_url:
        url, key = options.llm_base_url, options.llm_api_key
    elif url is None:
        key = key or options.openai_api_key
    return url, key.get_secret_value() if key else None


def _make(choice: str, url: str | None, key: str | None) -> Embedder:
    kind, _, rest = choice.partition(":")
    match kind, rest.strip():
        case "minilm", "":
            from tools.embed.minilm import MiniLm

            return MiniLm()
        case "bge-m3", folder:
            from tools.embed.bge_m3 import MODEL, BgeM3

            return BgeM3(Path(folder) if folder else MODEL)
        case "st", model if model:
            from tools.embed.sentence_transformer import SentenceTransformerEmbedder

            return SentenceTransformerEmbedder(model)
        case "openai", model if model:
            from tools.embed.openai_endpoint import OpenAiEmbedder

            return OpenAiEmbedder(model, base_url=url, api_key=key)
    raise InputError(f"CITELOOM_EMBEDDER cannot be '{choice}': set it to {CHOICES}")
