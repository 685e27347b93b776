"""The graph of citations: what it says of a paper, how complete a search was, a picture of it."""
