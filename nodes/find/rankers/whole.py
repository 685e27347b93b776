"""What rankers have in common that judge all papers of a hop together, links aside."""

from collections.abc import Mapping, Sequence

from nodes.find.rankers.port import Evidence


class WholeRanker:
    """Settles nothing and divides nothing."""

    weighs_links = False

    def settle(self, evidence: Mapping[str, Evidence]) -> dict[str, float]:
        """Settle nothing: a place in an order, or the rarity of a word, shows among all papers."""
        return {}

    def split(self, papers: Sequence[str], size: int) -> list[list[str]]:
        """Keep the papers together."""
        return [list(papers)] if papers else []
