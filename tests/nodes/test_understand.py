"""nodes/find/understand.py: the papers that a caller names, as the sources know them."""

from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.understand import understand
from state.channels import FindInputs
from state.paper import Paper
from tests.nodes.tables import Tables
from tests.scholar.table import Table
from tools.context import RunContext
from tools.errors import TransientError

KNOWN = Paper(id="doi:10.1000/a", title="Grafting pears", aliases=("openalex:W1", "s2:1"))
TEXT = "Pear trees suffer under drought, and we graft them on rootstocks of quince."


def runtime_with(home: Path, *tables: Table) -> Runtime[RunContext]:
    context = RunContext(mind="extractive")
    vars(context)["clients"] = Tables(home, tables)
    return Runtime(context=context, store=InMemoryStore())


def inputs(**given: object) -> FindInputs:
    values: dict[str, object] = {"text": TEXT, "sources": ["openalex", "semantic_scholar"]}
    return {**values, **given}  # type: ignore[typeddict-item]


def written(channel: Any) -> list[Any]:
    """What a node wrote in place of all that a channel held."""
    values: list[Any] = channel.value
    return values


async def test_paper_excluded_by_one_id_is_excluded_by_all_that_a_source_knows(
    tmp_path: Path,
) -> None:
    knowing = Table([], "openalex", records=[KNOWN])
    runtime = runtime_with(tmp_path, knowing, Table([], "semantic_scholar"))
    update = await understand(inputs(exclude=["openalex:W1"]), runtime)
    assert update["stop"] is None
    assert update["request"].exclude == ("doi:10.1000/a", "openalex:W1", "s2:1")


async def test_source_that_fails_to_look_up_named_papers_is_told_and_the_others_do(
    tmp_path: Path,
) -> None:
    failing = Table([], "openalex")
    failing.get_error = TransientError("openalex is busy")
    knowing = Table([], "semantic_scholar", records=[KNOWN])
    runtime = runtime_with(tmp_path, failing, knowing)
    update = await understand(inputs(must_include=["10.1000/a", "10.1000/none"]), runtime)
    assert update["stop"] is None
    assert [(item.subject, item.cause) for item in written(update["failures"])] == [
        ("openalex", "openalex is busy")
    ]
    assert not any(item.fatal for item in written(update["failures"]))
    assert update["request"].must_include == ("doi:10.1000/a",)
    assert "'10.1000/none'" in " ".join(update["request"].notes)
    assert [(hit.paper, hit.source) for hit in written(update["hits"])] == [
        ("doi:10.1000/a", "semantic_scholar")
    ]
