"""The retriever `vectors`: passages near the question in meaning."""

from state.passage import PassageHit
from tools.library.texts import Texts
from tools.retrieve.port import PassageFilter, RetrieverName


class VectorRetriever:
    """Cosine of dense vectors: what KAR's Table 1 calls regular."""

    name: RetrieverName = "vectors"

    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def retrieve(self, query: str, *, limit: int, wanted: PassageFilter) -> list[PassageHit]:
        """Return at most `limit` passages; see Retriever."""
        return self._texts.search(query, mode="dense", limit=limit, wanted=wanted)
