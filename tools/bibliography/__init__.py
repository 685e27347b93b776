"""bibliography."""
