"""Tests of tools/llm."""
