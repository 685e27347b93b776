"""Judging claims: what a text says of a paper against what the paper says, its full text included."""
