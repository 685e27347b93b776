"""Ways to judge papers: each is a Ranker (nodes.find.rankers.ranker)."""
