"""Quotes in what a caller is told: their words, after whose they are."""

from collections.abc import Mapping
from typing import Any

from state.quote import words_of


def said(worth: Any) -> Any:
    """Return a value of a run with one line in place of each quote."""
    if isinstance(worth, Mapping):
        if "words_of" in worth:
            return line_of(worth)
        if worth.keys() == {"text", "quote"}:  # a cell: its text begins the quote
            return line_of(worth["quote"])
        return {name: said(item) for name, item in worth.items()}
    return [said(item) for item in worth] if isinstance(worth, list) else worth


def line_of(quote: Mapping[str, Any]) -> str:
    """Return a quote as one line, after whose words it is."""
    return f"{words_of(quote['part'])}: “{quote['text']}”"
