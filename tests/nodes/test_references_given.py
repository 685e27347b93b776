"""What `verify` and `write` take of records: each entry with its key, and two that bear one DOI."""

import json
from pathlib import Path

import pytest
from langgraph.runtime import Runtime

from citeloom.cli.read_inputs import read_papers_file
from nodes.verify.take_text import take_text
from nodes.write.take_papers import take_papers
from state.paper import Paper
from tools.run_settings import RunSettings
from tools.services import open_services

BIB = """@article{Lee:01, title={Snow on roofs}, author={Lee, Ann}, doi={10.1234/a}}
@article{copy, title={Snow on the roofs}, author={Lee, Ann}, doi={10.1234/A}}
@misc{, title={No key}, author={Kim, Bo}, year=2001}"""
RIS = "TY  - JOUR\nID  - r1\nTI  - Snow\nER  - \n"
CSL = json.dumps([{"id": "c1", "type": "book", "title": "Ice"}])


async def taken(path: Path, runtime: Runtime[RunSettings]) -> list[Paper]:
    """Return the records of the entries that `verify` makes of a file."""
    sent = {"text": "Snow lies on every roof of the town.", "papers": read_papers_file(path)}
    state = await take_text(sent, runtime)
    ids = [entry.paper for entry in state["entries"]]
    papers = await open_services(runtime, state["run"]).run_store.papers.get(ids)
    return [papers[key] for key in ids]


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("refs.bib", BIB, ["local:Lee:01", "local:copy", ""]),
        ("refs.ris", RIS, ["local:r1"]),
        ("refs.json", CSL, ["local:c1"]),
    ],
)
async def test_each_entry_is_known_by_its_key(
    tmp_path: Path, runtime: Runtime[RunSettings], name: str, text: str, keys: list[str]
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    found = await taken(path, runtime)
    assert len({paper.id for paper in found}) == len(keys)
    for paper, key in zip(found, keys, strict=True):
        assert {key} <= {paper.id, *paper.aliases, ""}


async def test_two_entries_with_one_doi_keep_it_and_stay_two(
    tmp_path: Path, runtime: Runtime[RunSettings]
) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(BIB, encoding="utf-8")
    first, second, _ = await taken(path, runtime)
    assert (first.id, second.id) == ("doi:10.1234/a", "local:copy")
    assert first.id in second.aliases, "by which it is looked up"
    assert (first.doi, second.doi) == ("10.1234/a", "10.1234/a")
    assert (first.title, second.title) == ("Snow on roofs", "Snow on the roofs")


WORK = {"id": "10.1234/a", "title": "Snow on roofs of old towns", "authors": ["Ann Lee"]}
TEXT = "How snow lies on the roofs of old towns in winter."


async def test_text_is_written_about_each_work_once_and_no_work_is_lost_for_its_doi(
    runtime: Runtime[RunSettings],
) -> None:
    same = {**WORK, "title": "Snow on Roofs of Old Towns", "abstract": "It lies there."}
    other = {**WORK, "title": "Ice in the harbours of the north"}
    state = await take_papers({"text": TEXT, "papers": [WORK, same, other, other]}, runtime)
    assert state["selected"] == ["doi:10.1234/a", "local:entry 3"]
    papers = await open_services(runtime, state["run"]).run_store.papers.get(state["selected"])
    first, second = papers.values()
    assert (first.title, first.abstract) == (WORK["title"], "It lies there.")
    assert second.title == other["title"]
