"""What a run may cost: foreseen before it begins, and kept for its section while it searches."""
