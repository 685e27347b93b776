"""The `ingest` graph: from files, folders, record files and ids to passages in a library.

START -> take_sources -> read_source (a branch per source, a wave at a time) -> complete_records
         take_sources -> read_on_cluster (all files of a wave, on a cluster) -> complete_records
complete_records -> index_passages
index_passages -> read_source      while there are sources left
               -> report_ingest -> END
A fatal failure at any step leads to report_ingest, so that a run always says what it has done.
Every step does again, at next to no cost, what was done before it was stopped.
"""

from typing import Literal

from langgraph.types import Send

from graphs.policies import connect, new_graph
from nodes.ingest.complete_records import complete_records
from nodes.ingest.index_passages import index_passages, next_wave
from nodes.ingest.read_on_cluster import read_on_cluster
from nodes.ingest.read_source import read_source
from nodes.ingest.report_ingest import report_ingest
from nodes.ingest.take_sources import take_sources
from state.ingest import IngestInput, IngestOutput, IngestState
from state.run import fatal_failure


def each_source(state: IngestState) -> list[Send] | Literal["report_ingest"]:
    """Start a branch for each source of the next wave."""
    sources = next_wave(state["files"], state["done"])
    if fatal_failure(state["failures"]) or not sources:
        return "report_ingest"
    shared = {"run": state["run"], "request": state["request"], "of": len(state["files"])}
    kinds = {"file", "dump"} if state.get("bulk") else set()
    bulk = [item for item in sources if item.kind in kinds]
    single = [
        Send("read_source", shared | {"source": item}) for item in sources if item.kind not in kinds
    ]
    return [*single, *([Send("read_on_cluster", shared | {"sources": bulk})] if bulk else [])]


builder = new_graph(
    "ingest",
    IngestState,
    IngestInput,
    IngestOutput,
    take_sources,
    read_source,
    read_on_cluster,
    complete_records,
    index_passages,
    last=report_ingest,
)
connect(
    builder,
    ("take_sources", each_source, ["read_source", "read_on_cluster", "report_ingest"]),
    ("read_source", "complete_records"),
    ("read_on_cluster", "complete_records"),
    ("complete_records", "index_passages"),
    ("index_passages", each_source, ["read_source", "read_on_cluster", "report_ingest"]),
)

graph = builder.compile(name="ingest")
