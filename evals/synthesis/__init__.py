"""Benchmarks of `synthesize`: what it costs, whether its references are right, and what it is compared with."""
