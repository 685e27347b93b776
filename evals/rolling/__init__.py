"""`citeloom eval build`: a set of related-work sections out of a month's arXiv papers (LitLLM's RollingEval)."""
