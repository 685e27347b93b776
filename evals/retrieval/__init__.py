"""The benchmark of finding: how much of a paper's own reference list `find` recovers."""
