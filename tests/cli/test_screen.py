"""`citeloom screen`: from a protocol and files of records to decisions, agreement and the flow diagram."""

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import Result

from tests.cli.commands import model, run
from tests.cli.conftest import Cite
from tests.cli.test_output_contract import check_described
from tests.fakes.reviewer import reviewer
from tests.support import SMALL, small_records

TABLE = """Title,Abstract,DOI,Publication Year,Authors,Colour
Honey bees find home,We displaced forty honey bees. Most flew home in an hour.,10.1234/home,2019,A. Bee; B. Bee,red
Ants count steps,We trained desert ants to walk on stilts. They overshoot.,10.1234/ants,2006,C. Ant,blue
Bees in a computer,We simulate honey bees in a computer. No animals were used.,10.1234/sim,2020,D. Sim,red
=Bees unabridged,,10.1234/none,2021,E. None,red
Honey bees find home!,,10.1234/HOME,2019,A. Bee,red
"""
CRITERIA = ("--include", "Studies bees", "--exclude", "computer simulations")


def screen(*arguments: str | Path, stdin: str | None = None) -> Result:
    return run("screen", *arguments, stdin=stdin)


@pytest.fixture
def begun(home: Path, tmp_path: Path) -> Path:
    """A screening with the papers of TABLE."""
    (tmp_path / "found.csv").write_text(TABLE, "utf-8")
    folder = tmp_path / "s"
    made = screen("new", folder, "--question", "Do bees find home?", *CRITERIA, "--abstracts-only")
    assert made.exit_code == 0, made.stderr
    added = screen("add", folder, tmp_path / "found.csv")
    assert "4 new papers, 1 duplicate" in added.stdout
    return folder


def test_two_people_disagree_a_third_settles_and_the_files_tell_it(
    begun: Path, tmp_path: Path
) -> None:
    first = screen("decide", begun, "--as", "Ann", stdin="i\n" * 4)
    assert "No paper is left." in first.stdout
    assert "You may stop." in screen("decide", begun, "--as", "Ann").stdout
    other = tmp_path / "bo.csv"
    other.write_text(
        "doi,decision,reason\n10.1234/home,include,\n10.1234/ants,Exclude,I1\n10.1234/sim,0,E1\n10.1234/none,yes,\n"
        "10.1234/nobody,yes,\n",
        "utf-8",
    )
    imported = screen("import", begun, other, "--as", "Bo")
    assert "4 decisions of Bo added." in imported.stdout
    assert "1 record not in this screening" in imported.stderr
    shown = screen("status", begun)
    assert "2 conflicts" in shown.stdout
    assert "50% of 4 papers alike, kappa not defined" in shown.stdout
    settled = screen("resolve", begun, "--as", "Cy", stdin="e\ne E9\ne I1\ne E1\n")
    assert "an exclusion needs the number of a criterion" in settled.stdout
    assert "no criterion 'E9'" in settled.stdout
    done = screen("export", begun, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    told = json.loads((tmp_path / "out" / "screening.json").read_text("utf-8"))
    flow = told["flow"]
    assert (flow["identified"], flow["duplicates"]) == ({"found.csv": 5}, 1)
    assert (flow["screened"], flow["excluded"], flow["included"]) == (4, 2, 2)
    assert flow["excluded_by_reason"] == {"E1": 1, "I1": 1}
    check_described(
        {
            "screening.json": [told],
            "Flow": [flow],
            "Agreement": told["agreement"],
            "A recall estimate": [*told["recall"].values()],
            "A screened paper": told["papers"],
            "A screening decision": [one for paper in told["papers"] for one in paper["decisions"]],
        }
    )
    rows = [*csv.DictReader(io.StringIO((tmp_path / "out" / "decisions.csv").read_text("utf-8")))]
    assert len(rows) == 10
    assert {row["title"] for row in rows if row["id"] == "doi:10.1234/none"} == {
        "'=Bees unabridged"
    }
    svg = ElementTree.parse(tmp_path / "out" / "prisma.svg").getroot()
    texts = " ".join(filter(None, (one.text for one in svg.iter())))
    assert "Studies included in review (n = 2)" in texts
    assert "Duplicate records (n = 1)" in texts
    included = (tmp_path / "out" / "included.ris").read_text("utf-8")
    assert included.count("TY  - ") == 2


def test_decisions_come_back_from_ris_with_their_reasons(begun: Path, tmp_path: Path) -> None:
    screen("decide", begun, "--as", "Ann", stdin="i\ne E1\nm\ns\nq\n")
    # Until a second screener decides nothing is settled, so a screening of one is what is written.
    protocol = json.loads((begun / "protocol.json").read_text("utf-8"))
    (begun / "protocol.json").write_text(json.dumps(protocol | {"screeners": 1}), "utf-8")
    told = screen("export", begun, "--out", tmp_path / "out")
    assert "3 decisions were made under an older version of the protocol" in told.stderr
    text = (tmp_path / "out" / "decisions.ris").read_text("utf-8")
    assert "N1  - ASReview_irrelevant" in text
    done = screen("import", begun, tmp_path / "out" / "decisions.ris", "--as", "Bo")
    assert "2 decisions of Bo added." in done.stdout
    shown = json.loads(screen("status", begun, "--json").stdout)
    by = {
        one["by"]: (one["decision"], one["reason"])
        for paper in shown["papers"]
        for one in paper["decisions"]
        if one["decision"] == "exclude"
    }
    assert by == {"Ann": ("exclude", "E1"), "Bo": ("exclude", "E1")}


RAYYAN = 'N1  - RAYYAN-INCLUSION: {"Bo"=>"Excluded", "Al"=>"Included"} | RAYYAN-LABELS: far'
FOREIGN = f"""TY  - JOUR
TI  - Honey bees find home
DO  - 10.1234/home
PY  - 2019
{RAYYAN}
ER  -

TY  - JOUR
TI  - Ants count steps
DO  - 10.1234/ants
N1  - ASReview_irrelevant
ER  -
"""


def test_notes_of_rayyan_and_asreview_are_read_and_exclusions_need_no_criterion(
    begun: Path, tmp_path: Path
) -> None:
    (tmp_path / "others.ris").write_text(FOREIGN, "utf-8")
    for name in ("Bo", "Al"):
        done = screen("import", begun, tmp_path / "others.ris", "--as", name)
        assert f"2 decisions of {name} added." in done.stdout
    shown = json.loads(screen("status", begun, "--json").stdout)
    home, ants, *_ = (paper["decisions"] for paper in shown["papers"])
    assert [(one["by"], one["decision"]) for one in home] == [("Bo", "exclude"), ("Al", "include")]
    assert [one["note"] for one in ants] == ["ASReview_irrelevant"] * 2
    assert shown["flow"]["excluded_by_reason"] == {"other": 1}


@pytest.mark.parametrize("notes", ['{"Bo"=>"Included"}', "{broken", "{}", '{"Bo"=>7, "Al"=>null}'])
def test_rayyan_of_one_person_and_ugly_notes(begun: Path, tmp_path: Path, notes: str) -> None:
    lines = f"TY  - JOUR\nTI  - Ants\nDO  - 10.1234/ants\nN1  - RAYYAN-INCLUSION: {notes}\nER  - \n"
    (tmp_path / "one.ris").write_text(lines, "utf-8")
    done = screen("import", begun, tmp_path / "one.ris", "--as", "Cy")
    if "Included" in notes:
        assert "1 decision of Cy added." in done.stdout
    else:
        assert "one.ris has no decision of Cy on a paper of this screening" in done.stderr


def test_answers_are_asked_again_or_taken_back_and_skipped_papers_are_told(begun: Path) -> None:
    done = screen("decide", begun, "--as", "Ann", stdin="u\n \nwhat\ne\ne e1\ni\nu\ni E1\ns\ns\n")
    assert "Ann has not decided on any paper here" in done.stdout
    assert "an exclusion needs the number of a criterion: I1, E1" in done.stdout
    assert "2 papers skipped." in done.stdout
    assert (
        "2 papers skipped."
        in screen("decide", begun, "--as", "Ann", "--undo", stdin="i\ns\ns\n").stdout
    )
    shown = json.loads(screen("status", begun, "--json").stdout)
    made = [one for paper in shown["papers"] for one in paper["decisions"]]
    assert sorted((one["decision"], one["reason"], one["drawn"]) for one in made) == [
        ("exclude", "E1", "ranked"),
        ("include", "", "ranked"),
    ]


def test_model_decides_and_what_it_cannot_is_left(begun: Path) -> None:
    assert "No cost" in screen("run", begun, "--estimate").stdout
    refused = screen("run", begun)
    assert refused.exit_code == 2
    assert "no model is configured, so CiteLoom decides nothing" in refused.stderr
    with model(reviewer(), STRONG_MODEL="gpt", STRONG_PRICE="[2, 8]") as server:
        told = screen("run", begun, "--estimate")
        assert not server.requests
        done = screen("run", begun)
        asked = len(server.requests)
        again = screen("run", begun)
        assert len(server.requests) == asked
    assert done.exit_code == 0, done.stderr
    for line in ("4 papers to screen", "- model calls: 1 to 2\n", "- USD: 0."):
        assert line in told.stderr
        assert line in done.stderr
    assert "3 papers screened by gpt." in done.stdout
    assert "1 paper left to a person" in done.stdout
    assert "0 papers screened by gpt." in again.stdout
    shown = json.loads(screen("status", begun, "--json").stdout)
    made = {one["paper"]: one for paper in shown["papers"] for one in paper["decisions"]}
    assert made["doi:10.1234/sim"]["reason"] == "E1"
    assert made["doi:10.1234/ants"]["reason"] == "I1"
    assert made["doi:10.1234/home"]["decision"] == "include"
    assert "computer" in made["doi:10.1234/sim"]["criteria"][1]["quote"]["text"]


@pytest.mark.parametrize(
    ("command", "name", "content", "told"),
    [
        ("add", "no.csv", "a,b\n1,2\n", "has no column 'title'; it has: a, b"),
        ("add", "empty.csv", "", "empty.csv has no column 'title'"),
        ("add", "bare.csv", "title\n", "bare.csv has no paper that can be screened"),
        ("add", "no.ris", "nothing here\n", "has no record in it"),
        ("import", "bo.csv", "doi,verdict\n10.1234/home,yes\n", "has no column 'decision'"),
        ("import", "bo.csv", "doi,decision\n10.1234/home,perhaps\n", "'perhaps' is no decision"),
        (
            "import",
            "bo.csv",
            "doi,decision\n10.1234/nobody,yes\n",
            "has no decision of Bo on a paper",
        ),
        ("import", "bo.csv", "doi,decision,reason\n10.1234/home,exclude,E7\n", "no criterion 'E7'"),
        (
            "import",
            "bo.csv",
            "doi,decision\n10.1234/home,exclude\n",
            "needs the number of a criterion",
        ),
    ],
)
def test_file_that_cannot_be_used_is_refused(
    begun: Path, tmp_path: Path, command: str, name: str, content: str, told: str
) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    done = screen(command, begun, tmp_path / name, *(("--as", "Bo") if command == "import" else ()))
    assert done.exit_code == 2
    assert told in done.stderr


def test_papers_of_a_copy_a_library_and_a_run_are_counted_once(begun: Path, cite: Cite) -> None:
    again = screen(
        "add", begun, begun.with_name("found.csv").rename(begun.with_name("copy.csv"))
    ).stdout
    assert again.startswith("copy.csv (the same file as found.csv): 0 new papers, 0 duplicates, 5 ")
    papers = small_records()
    assert f"{len(papers)} new papers" in screen("add", begun, "--library", SMALL).stdout
    found = cite("find", papers[0].title, "--library", SMALL, "--keep", "3", "--set", "bar=0")
    name = found.run["run"]
    kept = screen("add", begun, "--run", name, "--kept").stdout
    assert kept == f"find run {name}: 0 new papers, 3 duplicates\n"
    assert ", 3 records added before" in screen("add", begun, "--run", name).stdout
    flow = json.loads(screen("status", begun, "--json").stdout)["flow"]
    assert (flow["identified"]["found.csv"], flow["not_screened"]) == (5, 4 + len(papers))


def test_screening_is_deleted_once_a_person_agrees_and_their_files_stay(begun: Path) -> None:
    own = begun / "notes.txt"
    own.touch()
    assert "its protocol, 4 papers and 0 decisions?" in screen("delete", begun, stdin="n\n").stdout
    assert (begun / "log.jsonl").exists()
    assert screen("delete", begun, "--yes").exit_code == 0
    assert [*begun.iterdir()] == [own]


def test_screening_is_needed_first(home: Path, tmp_path: Path) -> None:
    assert "no screening in" in screen("status", tmp_path / "s").stderr
