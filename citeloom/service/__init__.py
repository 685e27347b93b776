"""The service: runs of the graphs, for other programs and other agents."""
