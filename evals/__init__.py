"""Benchmarks; not shipped. Data sets are given by path and are no part of the project."""
