"""CiteLoom: literature reviews as an agent graph."""
