"""Retrievers by name."""

from tools.embed.port import Embedder
from tools.library.library import Library
from tools.library.port import Progress
from tools.retrieve.port import Retriever, RetrieverName


def prepare_keywords(
    library: Library, embedder: Embedder | None = None, progress: Progress | None = None
) -> int:
    """Make what of a library's keywords is missing; without an embedder only count its words.

    Returns:
        For how many passages keywords were made.

    Raises:
        LibraryError: The library is damaged, or locked for too long.
    """
    from tools.retrieve.keywords_store import KeywordStore

    store = KeywordStore(library.folder)
    try:
        if embedder is None:
            store.take_stock(library.texts)
            return 0
        return store.catch_up(library.texts, embedder, progress)
    finally:
        store.close()


def open_retriever(
    name: RetrieverName, library: Library, embedder: Embedder, *, context_tokens: int = 4096
) -> Retriever:
    """Return a retriever of this library; it remembers what it has read, so keep it for a run.

    Args:
        name: 'hybrid', 'vectors' or 'keywords'.
        library: Where to retrieve from.
        embedder: Of the library.
        context_tokens: The answering model's context; 'keywords' sizes its sub-documents by it.
    """
    match name:
        case "vectors":
            from tools.retrieve.vectors import VectorRetriever

            return VectorRetriever(library.texts)
        case "keywords":
            from tools.retrieve.keywords import keyword_retriever

            return keyword_retriever(library, embedder, context_tokens=context_tokens)
        case "hybrid":
            from tools.retrieve.hybrid import HybridRetriever

            return HybridRetriever(library.texts)
