"""`citeloom eval judging`: texts scored by a judge, G-Score and LitLLM's grade."""
