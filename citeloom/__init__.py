"""CiteLoom: literature reviews as an agent graph."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citeloom.api import (
        RunError,
        aask,
        afind,
        aingest,
        aresume,
        areview,
        arevise,
        ask,
        asynthesize,
        averify,
        awrite,
        find,
        ingest,
        resume,
        review,
        revise,
        synthesize,
        verify,
        write,
    )  # fmt: skip

__all__ = [
    "PROGRAM", "RunError", "aask", "afind", "aingest", "aresume", "areview", "arevise", "ask",
    "asynthesize", "averify", "awrite", "find", "ingest", "resume", "review", "revise", "synthesize",
    "verify", "write",
]  # fmt: skip

PROGRAM = os.environ.get("CITELOOM_PROGRAM") or "citeloom"
"""What starts this program, for hints that name a command; a server's are for who runs it. ./run sets it."""

# onnxruntime reports its use to its vendor, and writes a device id below the home folder, unless this is set first.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def __getattr__(name: str) -> Any:
    """Import the functions of citeloom.api when one is asked for: they bring the graphs with them."""
    if name not in __all__:
        raise AttributeError(f"module 'citeloom' has no attribute '{name}'")
    return getattr(import_module("citeloom.api"), name)
