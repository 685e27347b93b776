"""Tests of the judge of claims."""
