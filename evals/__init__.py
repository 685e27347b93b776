"""Benchmarks. Data sets are given by path and are no part of the project.

Nothing imports this package; `citeloom eval` loads a benchmark by its name when it is asked for one.
"""
