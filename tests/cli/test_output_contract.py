"""docs/output.md describes the files as they are: every field, and no other."""

import re
from collections.abc import Mapping
from typing import Any

from state.audit import ReferenceFinding
from state.run import Failure, SourceUsage
from state.search import RankedOrder
from state.writing import Rejection
from tests.cli.commands import Done
from tests.support import ROOT

DOCS = (ROOT / "docs" / "output.md").read_text(encoding="utf-8")
_FIELD = re.compile(r"^\| `(\w+)` \| ([a-z, ]+) \|", re.MULTILINE)
_TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "boolean": (bool,),
    "list": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def described(heading: str) -> dict[str, str]:
    """Return the fields in the table under a heading, with their types."""
    found = re.search(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", DOCS, re.MULTILINE | re.DOTALL)
    assert found, heading
    return dict(_FIELD.findall(found[1]))


def samples(reviewed: Done) -> dict[str, list[dict[str, Any]]]:
    """Return the objects of a real run that each heading describes."""
    run, papers = reviewed.run, reviewed.papers["papers"]
    verdicts = [item for sentence in run["sentences"] for item in sentence["citations"]]
    return {
        "run.json": [run],
        "A request": [run["request"]],
        "A query": run["queries"],
        "A call to a source": run["search_log"],
        "Counts": [run["counts"]],
        "A round": run["rounds"],
        "Completeness": [run["completeness"]],
        "A point of the discovery curve": run["completeness"]["curve"],
        "Sufficiency": run["sufficiency"],
        "A sentence": run["sentences"],
        "A citation's verdict": verdicts,
        "A quote": [item["quote"] for item in verdicts],
        "A reference": run["references"],
        "Usage": run["usage"],
        "audit.json": [reviewed.json("audit.json")],
        "The comparison table": [run["table"]],
        "A row": run["table"]["rows"],
        "Adherence": [reviewed.json("audit.json")["adherence"]],
        "papers.json": [reviewed.papers],
        "A ranked paper": papers,
        "A record": [item["paper"] for item in papers],
        "A debate": [item["debate"] for item in papers],
        "A way to a paper": [hit for item in papers for hit in item["found_by"]],
    }


def check_described(objects: Mapping[str, list[dict[str, Any]]]) -> None:
    """Check objects against the table under each heading: every field of its type, and no other."""
    for heading, values in objects.items():
        fields = described(heading)
        assert values, heading
        for value in values:
            assert set(value) == set(fields), heading
            for name, kinds in fields.items():
                allowed = tuple(one for kind in kinds.split(", ") for one in _TYPES[kind])
                assert isinstance(value[name], allowed), f"{heading}: {name} is {value[name]!r}"


def test_every_object_of_a_run_is_described_field_by_field(reviewed: Done) -> None:
    check_described(samples(reviewed))


def test_every_heading_that_is_linked_to_is_there() -> None:
    headings = re.findall(r"^#+ (.+)$", DOCS, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings}
    links = set(re.findall(r"\]\(#([\w-]+)\)", DOCS))
    assert links
    assert links <= anchors


def test_what_a_good_run_does_not_have_is_described_as_it_is() -> None:
    for heading, kind in (
        ("A failure", Failure),
        ("A rejection", Rejection),
        ("A listing", RankedOrder),
        ("A finding on a reference", ReferenceFinding),
        ("A source's usage", SourceUsage),
    ):
        assert set(described(heading)) == set(kind.model_fields)
