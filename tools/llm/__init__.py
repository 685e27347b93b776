"""Minds: an LLM behind any OpenAI-compatible endpoint, or classical methods with no model."""
