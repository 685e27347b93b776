"""Tests of the graphs, through their public inputs and outputs."""
