"""The graph `references`: what it gives of texts and files, and of what cannot be read."""

from pathlib import Path

import pytest

from citeloom import areferences
from tools.errors import InputError

MOTH = "Moth, D. (2019). Moths steer by the moon. Journal of Moths, 3(2), 4–9. https://doi.org/10.5555/moth"


async def test_references_to_one_work_stay_as_many_as_were_printed(home: Path) -> None:
    found = await areferences(f"{MOTH}\n{MOTH.replace('4–9', '40–49')}")
    first, second = found["references"]
    assert (first.paper.doi, second.paper.doi) == ("10.5555/moth", "10.5555/moth")
    assert first.key != second.key
    assert (first.paper.pages, second.paper.pages) == ("4-9", "40-49")
    assert (found["outcome"], found["stop"], first.check) == ("complete", None, None)


async def test_file_that_cannot_be_read_does_not_cost_the_others(
    home: Path, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.pdf"
    good.write_text(MOTH, "utf-8")
    bad.write_bytes(b"%PDF-1.4 nothing")
    found = await areferences(files=[bad, good])
    assert [one.paper.title for one in found["references"]] == ["Moths steer by the moon"]
    (failure,) = found["failures"]
    assert (failure.subject, found["outcome"]) == ("bad.pdf", "partial")
    assert failure.remedy


async def test_nothing_and_too_much_are_refused(home: Path) -> None:
    for given, told in ((" ", "no reference list"), (f"{MOTH}\n" * 2001, "more than 2,000")):
        with pytest.raises(InputError, match=told):
            await areferences(given)


async def test_name_of_a_file_is_any_text(home: Path) -> None:
    upload = {"name": "C:\\lists\\\ud800.txt", "content": MOTH, "encoding": "text"}
    found = await areferences(uploads=[upload])
    assert [one.paper.doi for one in found["references"]] == ["10.5555/moth"]
