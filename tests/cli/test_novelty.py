"""`citeloom novelty`: what it prints and writes."""

import json

from tests.cli.conftest import Cite
from tests.cli.test_output_contract import check_described
from tests.support import ABSTRACT, SMALL, small_records

FILES = {"novelty.html", "novelty.md", "novelty.json", "papers.json", "run.json"}


def test_novelty_prints_claims_and_writes_files_that_are_described(cite: Cite) -> None:
    known = small_records()[0]
    taken = str(known.abstract).split(". ")[0] + "."
    done = cite("novelty", f"We propose to review papers by machine. {taken}", "--library", SMALL)
    assert (done.code, done.files) == (0, FILES)
    claims = done.json("novelty.json")["claims"]
    works = [work for claim in claims for work in claim["nearest"]]
    check_described(
        {
            "novelty.json": [done.json("novelty.json")],
            "A claim of the text": claims,
            "A nearest work": works,
            "A record": [work["paper"] for work in works],
        }
    )
    assert done.run["graph"] == "novelty"
    assert any(claim["found"] == "same" for claim in claims)
    assert "An earlier work says the same." in done.stdout
    for claim in claims:
        assert f"{claim['number']}. “{claim['claim'][:30]}" in done.stdout
    assert known.title in done.text("novelty.html")
    printed = cite("novelty", ABSTRACT, "--library", SMALL, "--json")
    assert json.loads(printed.stdout)["claims"]


def test_input_that_cannot_be_used_is_refused(cite: Cite) -> None:
    done = cite("novelty", "ab", "--library", SMALL)
    assert done.code == 2
    assert "give an abstract" in done.stderr
