"""nodes/find/read_input.py: the papers that a caller names, as the sources know them."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.read_input import read_input
from state.paper import Paper
from tests.graphs.sources import Sources
from tests.scholar.table import Table
from tools.errors import TransientError
from tools.run_settings import RunSettings

KNOWN = Paper(id="doi:10.1000/a", title="Grafting pears", aliases=("openalex:W1", "s2:1"))
TEXT = "Pear trees suffer under drought, and we graft them on rootstocks of quince."


def runtime_with(home: Path, *tables: Table, **settings: Any) -> Runtime[RunSettings]:
    context = RunSettings(mind="extractive", **settings)
    vars(context)["clients"] = Sources(home, *tables)
    return Runtime(context=context, store=InMemoryStore())


def inputs(**given: object) -> dict[str, object]:
    values: dict[str, object] = {"text": TEXT, "sources": ["openalex", "semantic_scholar"]}
    return {**values, **given}


def written(channel: Any) -> list[Any]:
    """What a node wrote in place of all that a channel held."""
    values: list[Any] = channel.value
    return values


async def test_source_that_fails_to_look_up_named_papers_is_told_and_the_others_do(
    tmp_path: Path,
) -> None:
    failing = Table([], "openalex")
    failing.get_error = TransientError("openalex is busy")
    knowing = Table([], "semantic_scholar", records=[KNOWN])
    runtime = runtime_with(tmp_path, failing, knowing)
    update = await read_input(inputs(must_include=["10.1000/a", "10.1000/none"]), runtime)
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


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ranker": "vibes"}, "ranker cannot be 'vibes': input should be 'debate', 'cascade'"),
        ({"expansion": "dfs"}, "expansion cannot be 'dfs'"),
        ({"queries": "none"}, "queries cannot be 'none'"),
        ({"search": "both ways"}, "search cannot be 'both ways'"),
        ({"max_hops": 0}, "max_hops cannot be 0: input should be greater than or equal to 1"),
        ({"bar": 101.0}, "bar cannot be 101.0"),
        ({"pool": "many"}, "pool cannot be 'many'"),
        ({"runs": 0}, "runs cannot be 0"),
        ({"runs": 6}, "runs cannot be 6"),
    ],
)
async def test_setting_that_a_caller_of_a_server_got_wrong_stops_the_run_and_says_what_is_allowed(
    settings: dict[str, Any], words: str, tmp_path: Path
) -> None:
    update = await read_input(inputs(), runtime_with(tmp_path, Table([], "openalex"), **settings))
    assert update["stop"] is not None
    assert words in update["stop"].cause


ABSTRACT = "Young pear trees were grafted on rootstocks of quince and watched for three dry years."
PEARS = KNOWN.model_copy(update={"abstract": ABSTRACT})


@pytest.mark.parametrize("given", ["10.1000/a", " https://doi.org/10.1000/A\n", "doi:10.1000/a"])
async def test_id_as_the_input_stands_for_what_its_paper_is_about(
    given: str, tmp_path: Path
) -> None:
    failing = Table([], "openalex")
    failing.get_error = TransientError("openalex is busy")
    runtime = runtime_with(tmp_path, failing, Table([], "semantic_scholar", records=[PEARS]))
    update = await read_input(inputs(text=given), runtime)
    assert update["stop"] is None
    assert (update["request"].title, update["request"].text) == (KNOWN.title, ABSTRACT)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            "10.1000/none",
            "no source knows the paper doi:10.1000/none; asked: openalex, semantic_scholar",
        ),
        ("10.1000/a", "no source has the abstract of doi:10.1000/a"),
        ("arXiv:2312.10997", "Name another source"),
        ("pears", "the input has 1 word"),
    ],
)
async def test_id_that_tells_nothing_stops_the_run_and_says_what_to_do(
    given: str, words: str, tmp_path: Path
) -> None:
    tables = Table([], "openalex"), Table([], "semantic_scholar", records=[KNOWN])
    update = await read_input(inputs(text=given), runtime_with(tmp_path, *tables))
    assert update["stop"] is not None
    assert words in update["stop"].cause


async def test_first_day_that_is_none_is_told(tmp_path: Path) -> None:
    update = await read_input(inputs(after="May"), runtime_with(tmp_path, Table([], "openalex")))
    assert update["stop"] is not None
    assert "the first day 'May' is not a date" in update["stop"].cause
