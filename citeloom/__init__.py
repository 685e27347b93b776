"""CiteLoom: literature reviews as an agent graph."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citeloom.api import (
        RunError,
        aask,
        acheck_watch,
        acitations,
        afind,
        aingest,
        anovelty,
        areferences,
        aresume,
        areview,
        arevise,
        ascreen,
        ask,
        asynthesize,
        atable,
        averify,
        awatch,
        awrite,
        check_watch,
        citations,
        find,
        ingest,
        novelty,
        references,
        resume,
        review,
        revise,
        screen,
        synthesize,
        table,
        verify,
        watch,
        write,
    )

__all__ = [
    "RunError",
    "aask",
    "acheck_watch",
    "acitations",
    "afind",
    "aingest",
    "anovelty",
    "areferences",
    "aresume",
    "areview",
    "arevise",
    "ascreen",
    "ask",
    "asynthesize",
    "atable",
    "averify",
    "awatch",
    "awrite",
    "check_watch",
    "citations",
    "find",
    "ingest",
    "novelty",
    "references",
    "resume",
    "review",
    "revise",
    "screen",
    "synthesize",
    "table",
    "verify",
    "watch",
    "write",
]


def __getattr__(name: str) -> Any:
    """Import the functions of citeloom.api when one is asked for: they bring the graphs with them."""
    if name not in __all__:
        raise AttributeError(f"module 'citeloom' has no attribute '{name}'")
    return getattr(import_module("citeloom.api"), name)
