"""Benchmarks of writing: each writer over papers' own related-work sections."""
