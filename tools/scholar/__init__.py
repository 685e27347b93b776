"""scholar."""
