"""Retrievers: from a question to the passages that may answer it."""
