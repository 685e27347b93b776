"""Tests of the PDF reader."""
