"""What graphs cost beside the calls of an LLM: ratios, measured in one run."""
