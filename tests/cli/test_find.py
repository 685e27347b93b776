"""`citeloom find`: ranked papers with their arguments."""

import json
import re

from lxml import html

from tests.cli.commands import section
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL

LISTS = {f"files/references.{kind}" for kind in ("bib", "csl.json", "ris")}
FOUND = {"papers.html", "papers.json", "papers.md", "run.json", "files/README.md"} | LISTS


def test_find_writes_prints_and_draws_papers_and_no_section(cite: Cite) -> None:
    done = cite("find", ABSTRACT, "--library", SMALL)
    assert (done.code, done.files) == (0, FOUND)
    assert done.run["outcome"] == "complete"
    assert done.run["sentences"] is None
    assert {item["library"] for item in (done.run["inputs"], done.run["request"])} == {SMALL}
    kept = [item for item in done.papers["papers"] if item["selected"]]
    whole, _, _ = done.text("papers.md").partition("\n## How this was made")
    assert done.stdout.rstrip() == re.sub(r"\\(.)", r"\1", whole).rstrip(), "with nothing escaped"
    assert done.text("files/references.ris").count("TY  - ") == len(kept)
    for item in kept:
        assert f"{item['rank']}. **" in done.stdout
        for side in ("arguments_for", "arguments_against"):
            quote = item["debate"][side][0]["quote"]["text"].split(".")[0][:40]
            assert quote in done.stdout
    (data,) = html.fromstring(done.text("papers.html")).xpath("//script[@id='data']/text()")
    assert len(json.loads(data)["papers"]) == len(done.papers["papers"])
    told = section(done.text("papers.md"), "Coverage")
    complete = done.run["completeness"]
    assert told.startswith(complete["told"])
    assert re.fullmatch(
        r"Estimated coverage: \d+ % \(\d+ to \d+ %\)\. A section on this topic would cite about \d+ papers "
        rf"from this library; the {len(kept)} kept include about \d+ of these\.",
        complete["told"],
    )
    assert all(caveat in told for caveat in complete["caveats"])
    assert complete["curve"][-1]["kept"] == len(done.run["selected"])
    assert sum(complete["found_by"]) == len(kept)


def test_several_searches_are_told_with_each_paper_and_by_their_overlap(cite: Cite) -> None:
    done = cite("find", ABSTRACT, "--library", SMALL, "--runs", "3")
    assert done.code == 0
    complete = done.run["completeness"]
    kept = [item for item in done.papers["papers"] if item["selected"]]
    assert done.run["context"]["runs"] == 3
    assert len(complete["runs"]) == 3
    assert sum(item["runs"] > 0 for item in kept) == sum(complete["runs"])
    for item in kept:
        assert f"Found by {item['runs']} of 3 independent searches." in done.text("papers.md")
    assert 0 <= complete["overlap"] <= 1
    assert complete["told"] in done.text("papers.md")
    assert {number for query in done.run["queries"] for number in query["runs"]} == {1, 2, 3}
