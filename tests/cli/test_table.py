"""`citeloom table`: what it prints and writes, and what it refuses."""

import csv
import json
from io import StringIO
from zipfile import ZipFile

import pytest

from tests.cli.conftest import Cite
from tests.cli.test_output_contract import check_described
from tests.support import SMALL, small_records

RANKED, PAID = "How are papers ranked?", "Who paid for it?"
FILES = {"table.html", "table.md", "table.csv", "run.json"}


def test_table_prints_rows_and_writes_files_that_are_described(cite: Cite) -> None:
    done = cite("table", RANKED, PAID, "--library", SMALL)
    assert (done.code, done.files) == (0, FILES)
    run = done.json("run.json")
    rows = run["rows"]
    assert run["columns"] == [RANKED, PAID]
    assert [row["paper"] for row in rows] == [paper.id for paper in small_records()]
    cells = [cell for row in rows for cell in row["cells"]]
    check_described({"A row of a table": rows, "A cell of a table": cells})
    assert {cell["kind"] for cell in cells} == {"nearest", "not_found"}
    lines = [*csv.DictReader(StringIO(done.text("table.csv")))]
    assert len(lines) == len(rows)
    assert {line[PAID] for line in lines} == {"Not found in the text read"}
    found = [line for line in lines if line[RANKED] == "Nearest sentence"]
    assert found
    assert all(line[f"{RANKED} (quote)"] for line in found)
    assert f"{len(rows) - 20} more rows in the files." in done.stdout
    assert f"{PAID} Filled for 0 of {len(rows)} papers." in done.stdout
    assert rows[-1]["title"] in done.text("table.html")
    one = cite("table", PAID, "--library", SMALL, "--paper", rows[0]["paper"], "--json")
    assert len(json.loads(one.stdout)["rows"]) == 1


def test_excel_file_is_written_where_it_is_asked_for(cite: Cite) -> None:
    pytest.importorskip("xlsxwriter")
    done = cite("table", RANKED, "--library", SMALL, "--format", "xlsx")
    assert done.files == {*FILES, "table.xlsx"}
    with ZipFile(done.out / "table.xlsx") as book:
        assert RANKED in book.read("xl/sharedStrings.xml").decode()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "0 questions"),
        ((RANKED, "--library", "nowhere"), "nowhere"),
    ],
)
def test_input_that_cannot_be_used_is_refused(
    cite: Cite, arguments: tuple[str, ...], told: str
) -> None:
    library = () if "--library" in arguments else ("--library", SMALL)
    done = cite("table", *arguments, *library)
    assert done.code == 2
    assert told in done.stderr
