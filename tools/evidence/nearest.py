"""Stand-in until the branch of full texts is merged."""

from collections.abc import Sequence

from state.passage import Passage
from tools.embed.port import Embedder


class Searcher:
    def __init__(self, passages: Sequence[Passage], embedder: Embedder) -> None:
        self._passages = list(passages)

    def sentences(self, claim: str, most: int = 10) -> list[Passage]:
        return self._passages[:most]

    def paragraphs(self, claim: str, most: int = 10) -> list[Passage]:
        return self._passages[:most]

    def sections(self, claim: str, most: int = 3) -> list[Passage]:
        return self._passages[:most]

    def nearest(self, claim: str, most: int = 2) -> list[Passage]:
        return self._passages[:most]

    def whole(self, sentence: str) -> list[Passage]:
        return self._passages
