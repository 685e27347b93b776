"""Data for the benchmarks out of the starter library: small, ours, and there without a download."""
