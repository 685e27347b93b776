"""nodes/synthesize/read_stack_paper.py: what is told of a paper, and that it is read once."""

from pathlib import Path
from typing import Any

import pytest

from nodes.synthesize.read_stack_paper import read_stack_paper
from state.inputs import CheckedRequest
from state.synthesis import PaperToRead, SourcePaper
from tests.nodes.synthesize.support import Bench, bench
from tools.ingest.file_places import allow_paths
from tools.ingest.reader_processes import read_file, run_apart

TEXT = """# Pears in drought

Ida Rook

## Roots

Drought made the roots of pears grow deeper by 12 cm [1]. Others saw no such growth in clay [2, 4].

## References

[1] Ann Reed. 2014. Roots of pears and where they go. Orchard Letters 3, 1-9.

[2] Bo Lund. 2016. Clay holds water for a long time. Soil Notes 8, 20-31.

[3] Cy Moore. 2019. Pruning by moonlight in cold orchards. Orchard Letters 8, 4-7.
"""


async def read(place: Bench, path: Path) -> SourcePaper:
    branch: Any = {
        "run": "run",
        "request": CheckedRequest(text="", kind="question"),
        "place": 0,
        "of": 1,
        "item": PaperToRead(name=path.name, kind="file", path=str(path)),
    }
    allow_paths(place.services.clients, path.parent)
    (report,) = (await read_stack_paper(branch, place.runtime))["stacked"]
    return report


@pytest.mark.usefixtures("references_are_read_elsewhere")
async def test_citation_of_an_entry_that_the_list_lacks_is_counted_and_not_linked(
    home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "pears.md"
    path.write_text(TEXT, encoding="utf-8")
    with bench(home) as place:
        report = await read(place, path)
        found = await place.services.run_store.bibliographies.get([report.key])
    assert (report.kind, report.title, report.entries) == ("markdown", "Pears in drought", 3)
    assert (report.citations, report.linked) == (3, 2)
    assert report.confidence["citations"] == pytest.approx(2 / 3, abs=0.01)
    assert [item.unlinked for item in found[report.key].citations] == [(), ("4",)]


async def test_file_is_read_once_and_again_when_it_changes(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "pears.md"
    path.write_text(TEXT, encoding="utf-8")
    asked: list[str] = []

    async def counted(settings: Any, function: Any, *args: Any) -> Any:
        asked.extend([args[1]] if function is read_file else [])
        return await run_apart(settings, function, *args)

    monkeypatch.setattr("nodes.synthesize.read_stack_paper.run_apart", counted)
    with bench(home) as place:
        first, second = await read(place, path), await read(place, path)
        assert second == first
        assert asked == ["pears.md"]
        path.write_text(TEXT.replace("deeper by 12 cm", "deeper by 14 cm"), encoding="utf-8")
        third = await read(place, path)
    assert asked == ["pears.md"] * 2
    assert third.sha256 != first.sha256


async def test_file_that_is_gone_is_told_and_costs_nothing_else(home: Path, tmp_path: Path) -> None:
    with bench(home) as place:
        report = await read(place, tmp_path / "gone.pdf")
    assert report.paper == ""
    assert "cannot be read" in report.cause
    assert report.remedy
