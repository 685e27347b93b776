"""The steps of the graphs, one a file, in a folder for their stage."""
