"""Benchmark of retrieval: is the passage that holds the answer among the first ten?"""
