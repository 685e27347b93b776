"""Tests of the extractive way of asking."""
