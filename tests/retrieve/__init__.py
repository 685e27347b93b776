"""Retrievers over a real library."""
