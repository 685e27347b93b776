"""Synthesis of papers without a language model: the steps of `synthesize`, in plain text."""
