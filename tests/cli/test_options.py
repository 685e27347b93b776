"""What the options of a search and of a section do."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import PAGE, Done, cited
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL

REVIEW = ("review", ABSTRACT, "--library", SMALL)
FIND = ("find", ABSTRACT, "--library", SMALL)


def papers_by_sentence(done: Done) -> list[list[str]]:
    """Return the ids that each sentence cites, in the order of the references' numbers."""
    by_number = {item["number"]: item["paper"]["id"] for item in done.run["references"]}
    return [[by_number[number] for number in cited(item["text"])] for item in done.run["sentences"]]


def months_in(value: Any) -> set[tuple[int, int]]:
    """Return year and month by which each paper inside a JSON value had surely appeared."""
    if isinstance(value, list):
        return {month for item in value for month in months_in(item)}
    if not isinstance(value, dict):
        return set()
    preprint = re.match(r"arxiv:(\d\d)(\d\d)\.", str(value.get("id")))
    own = {(value["year"], 12)} if isinstance(value.get("year"), int) else set()
    if preprint and own:
        own = {(2000 + int(preprint[1]), int(preprint[2]))}
    return own | {month for item in value.values() for month in months_in(item)}


def test_options_of_a_search_and_of_a_section_are_followed_and_recorded(
    cite: Cite, home: Path
) -> None:
    settings = ("--before", "2020-12-31", "--keep", "6", "--set", "pool=8", "--set", "max_hops=1")
    plain = cite(*FIND, *settings, out="plain")
    best, last = plain.run["selected"][0], plain.paper_ids[-1]
    title = next(item["paper"]["title"] for item in plain.papers["papers"] if item["rank"] == 1)
    assert max(months_in(plain.papers)) < (2020, 12), "a paper of the cut-off's year is not certain"
    kept = [key for key in plain.run["selected"] if key != best]
    plan = home.parent / "plan.txt"
    lines = (f"1. Start with [{last}] and [{kept[0]}]", f"2. Contrast [{kept[1]}] with [{kept[2]}]")
    plan.write_text("\n".join(lines), "utf-8")
    named = ("--include", last, "--include", "arxiv:9999.99999", "--exclude", best, "--plan", plan)
    done = cite(*REVIEW, *settings, *named)
    assert done.code == 0
    assert max(months_in(done.papers) | months_in(done.run)) < (2020, 12)
    assert [set(ids) for ids in papers_by_sentence(done)] == [{last, kept[0]}, set(kept[1:3])]
    assert [line["note"] for line in done.run["outline"]["lines"]][1].startswith("Contrast {P")
    assert len(done.run["selected"]) == 6
    assert sorted(done.run["cited"] + done.run["uncited"]) == sorted(done.run["selected"])
    assert best not in done.paper_ids
    assert title not in done.text("review.md") + done.text("papers.json")
    assert done.run["counts"]["excluded_by_request"] == 1
    assert "no source knows the paper to include 'arxiv:9999.99999'; check its id" in done.stderr
    assert plain.run["counts"]["assessed"] == 8
    assert done.run["request"]["before"] == "2020-12-31"
    assert (done.run["context"]["pool"], done.run["context"]["max_hops"]) == (8, 1)


def test_plan_that_names_unknown_papers_stops_the_writing_and_lists_them(
    cite: Cite, home: Path
) -> None:
    plan = home.parent / "plan.txt"
    plan.write_text("Contrast [99] with [arxiv:9999.99999]\nClose with [1]\n", "utf-8")
    done = cite(*REVIEW, "--plan", plan, "--set", "pool=8", "--set", "max_hops=1")
    assert (done.code, done.stdout) == (1, "")
    assert "the plan names [99], [arxiv:9999.99999]" in done.stderr
    assert "use [1] to [" in done.stderr
    assert done.files == {"papers.json", "run.json"} | PAGE


def test_run_that_spends_its_budget_ends_with_what_it_has_and_says_so(cite: Cite) -> None:
    done = cite(*REVIEW, "--max-calls", "9")
    assert done.code == 1
    assert "the run's budget is 9 calls" in done.stderr
    assert "larger budget" in done.stderr
    assert done.run["outcome"] in {"partial", "nothing"}
    assert done.papers["papers"]
    assert sum(item["calls"] for item in done.run["usage"]) == 9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--set", "pol=10"), "no setting 'pol' (did you mean 'pool'?); there are: mind, max_usd"),
        (("--set", "review_plann=on"), "(did you mean 'review_plan'?)"),
        (("--set", "pool=many"), "'many' cannot be the value of 'pool'"),
        (("--set", "pool"), "'' cannot be the value of 'pool'"),
        (("--plan", "empty.txt"), "is empty: write one line per sentence, or leave out --plan"),
    ],
)
def test_option_that_does_not_exist_or_fit_is_refused(
    cite: Cite, home: Path, options: tuple[str, str], message: str
) -> None:
    (home.parent / "empty.txt").write_text("  \n", "utf-8")
    done = cite(*REVIEW, *options)
    assert (done.code, done.files) == (2, set())
    assert message in done.stderr
