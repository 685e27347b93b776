"""The retriever `keywords`: Keyword Augmented Retrieval (Purwar and Sundar, 2023).

Keywords of the question are compared with those of sub-documents, which were made when the library
was filled. A sub-document is a run of passages of one section, as large as the answering model has
room for. No text of the library is embedded for a question; the question's word groups are, since
phrases are also compared by meaning.
"""

from collections.abc import Sequence

from state.passage import PassageHit
from tools.embed.port import Embedder
from tools.errors import LibraryError
from tools.library.library import Library
from tools.library.texts import Texts
from tools.retrieve.keyphrases import key_stems
from tools.retrieve.keyword_matches import KeywordMatches, Match, Place
from tools.retrieve.keywords_store import KeywordStore, question_keywords
from tools.retrieve.port import PassageFilter, RetrieverName

WORDS_PER_TOKEN = 0.7
SHARE = 4
"""Sub-documents that fit into the answering model's context together."""
# Against the match of a single word. Chosen on half of the questions of evals/passages; neither is
# sharp: twice as much changed recall there by 0.04 at most.
_WHOLE_PHRASE = 0.5
_NEAR_PHRASE = 0.5
_BEST = 500
"""Passages whose sub-documents are ranked."""


class KeywordRetriever:
    """Passages by keywords, the best sub-documents first."""

    name: RetrieverName = "keywords"

    def __init__(
        self, texts: Texts, store: KeywordStore, embedder: Embedder, *, context_tokens: int = 4096
    ) -> None:
        """Retrieve from a library's texts.

        Args:
            texts: The library's passages, for filters.
            store: Their keywords.
            embedder: Of the library.
            context_tokens: The answering model's context, which sets the size of sub-documents.
        """
        self._texts = texts
        self._store = store
        self._matches = KeywordMatches(store, embedder)
        self._words = max(int(context_tokens * WORDS_PER_TOKEN) // SHARE, 1)

    def retrieve(self, query: str, *, limit: int, wanted: PassageFilter) -> list[PassageHit]:
        """Return at most `limit` passages that share a keyword with the query; see Retriever.

        Raises:
            LibraryError: No keywords are made yet.
        """
        if limit < 1 or not query.strip():
            return []
        if not self._store.count() and self._texts.count():
            raise LibraryError(
                "the library has no keywords yet: run `citeloom library index` on it, or choose "
                "another retriever"
            )
        matches = self._match(query)
        scores = self._allowed(_scores(matches), wanted, limit)
        best = sorted(scores, key=lambda number: (-scores[number], number))[: max(_BEST, limit)]
        ordered = self._by_sub_document(best, scores, matches)[:limit]
        return [
            PassageHit(passage=place.id, score=1 / rank, rank=rank)
            for rank, place in enumerate(ordered, 1)
        ]

    def _match(self, query: str) -> list[Match]:
        rarity = self._store.rarity()
        worth = {item: rarity(item) for item in dict.fromkeys(key_stems(query))}
        phrases = question_keywords(query, rarity)
        totals = [sum(rarity(item) for item in stems) for _, stems in phrases]
        whole = {
            stems: _WHOLE_PHRASE * total for (_, stems), total in zip(phrases, totals, strict=True)
        }
        means = [
            _NEAR_PHRASE * total / len(stems)
            for (_, stems), total in zip(phrases, totals, strict=True)
        ]
        return [
            *self._matches.exact(list(worth), worth),
            *self._matches.whole(whole),
            *self._matches.near(phrases, means),
        ]

    def _allowed(
        self, scores: dict[int, float], wanted: PassageFilter, limit: int
    ) -> dict[int, float]:
        numbers = sorted(scores, key=lambda number: (-scores[number], number))
        if wanted == PassageFilter():
            # Only to leave out what has just gone: no need to ask for all.
            numbers = numbers[: max(2 * limit, _BEST)]
        ids = self._matches.ids(numbers)
        allowed = self._texts.wanted_ids(list(ids.values()), wanted)
        return {number: scores[number] for number, key in ids.items() if key in allowed}

    def _by_sub_document(
        self, best: Sequence[int], scores: dict[int, float], matches: Sequence[Match]
    ) -> list[Place]:
        """Order passages by the score of their sub-document, then by their own."""
        places = self._matches.places(best)
        parts = sub_documents(places, self._words)
        kept = set(best)
        found = [place for place in places if place.number in kept]
        totals: dict[int, float] = {}
        for part in {parts[place.number] for place in found}:
            totals[part] = 0.0
        for match in matches:
            tops: dict[int, float] = {}
            for place in found:
                value = match.passages.get(place.number)
                if value is not None:
                    part = parts[place.number]
                    tops[part] = max(tops.get(part, 0.0), value)
            for part, value in tops.items():
                totals[part] += match.worth * value**0.5
        return sorted(
            found,
            key=lambda place: (
                -round(totals[parts[place.number]], 6),
                parts[place.number],
                -scores[place.number],
                place.number,
            ),
        )


def sub_documents(places: Sequence[Place], words: int) -> dict[int, int]:
    """Return the sub-document of each passage; `places` are in reading order."""
    parts: dict[int, int] = {}
    part, run, filled = -1, None, 0
    for place in places:
        if place.run != run or filled + place.words > words:
            part, run, filled = part + 1, place.run, 0
        filled += place.words
        parts[place.number] = part
    return parts


def keyword_retriever(
    library: Library, embedder: Embedder, *, context_tokens: int = 4096
) -> KeywordRetriever:
    """Return the retriever of a library; its keywords are in the library's folder."""
    store = KeywordStore(library.folder)
    return KeywordRetriever(library.texts, store, embedder, context_tokens=context_tokens)


def _scores(matches: Sequence[Match]) -> dict[int, float]:
    # The root evens out weights: a keyword's being there says more than how central it is.
    scores: dict[int, float] = {}
    for match in matches:
        for number, value in match.passages.items():
            scores[number] = scores.get(number, 0.0) + match.worth * value**0.5
    return scores
