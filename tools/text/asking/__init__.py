"""How the tasks of `ask` are answered without an LLM: sentences of passages, chosen and trimmed."""
