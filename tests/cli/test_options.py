"""What the options of a search and of a section do."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import PICTURE, Done, cited, section
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL, small_records

REVIEW = ("review", ABSTRACT, "--library", SMALL)
FIND = ("find", ABSTRACT, "--library", SMALL)


@pytest.fixture
def plan(home: Path) -> Path:
    return home.parent / "plan.txt"


def papers_by_sentence(done: Done) -> list[list[str]]:
    """Return the ids that each sentence cites, in the order of the references' numbers."""
    by_number = {item["number"]: item["paper"]["id"] for item in done.run["references"]}
    return [[by_number[number] for number in cited(item["text"])] for item in done.run["sentences"]]


def years_in(value: Any) -> set[int]:
    """Return every year of a paper inside a JSON value."""
    if isinstance(value, list):
        return {year for item in value for year in years_in(item)}
    if not isinstance(value, dict):
        return set()
    own = {value["year"]} if isinstance(value.get("year"), int) else set()
    return own | {year for item in value.values() for year in years_in(item)}


# --- The plan ---------------------------------------------------------------------------------


def test_plan_of_lines_is_followed_line_by_line(cite: Cite, plan: Path) -> None:
    kept = cite(*FIND, out="found").run["selected"]
    plan.write_text(
        f"1. Start with [1] and [2]\n2. Contrast [4] with [3]\n3. Turn to [{kept[4]}]\n", "utf-8"
    )
    done = cite(*REVIEW, "--plan", plan)
    assert done.code == 0
    assert [sorted(ids) for ids in papers_by_sentence(done)] == [
        sorted(kept[0:2]), sorted(kept[2:4]), [kept[4]],
    ]  # fmt: skip
    assert done.run["outline"]["origin"] == "user"
    assert [line["note"] for line in done.run["outline"]["lines"]][1] == "Contrast {P4} with {P3}"


def test_plan_of_directives_gives_as_many_sentences_and_puts_papers_on_their_lines(
    cite: Cite, plan: Path
) -> None:
    plan.write_text("4 sentences. Cite [1] on lines 1 and 3, [2] and [3] on line 2.", "utf-8")
    done = cite(*REVIEW, "--plan", plan)
    first, second, third = done.run["selected"][:3]
    assert done.code == 0
    assert [set(ids) for ids in papers_by_sentence(done)] == [
        {first}, {second, third}, {first}, set(),
    ]  # fmt: skip
    assert len(done.run["references"]) == 3


def test_plan_that_names_unknown_papers_stops_the_writing_and_lists_them(
    cite: Cite, plan: Path
) -> None:
    plan.write_text("Contrast [99] with [arxiv:9999.99999]\nClose with [1]\n", "utf-8")
    done = cite(*REVIEW, "--plan", plan)
    assert done.code == 1
    assert "the plan names [99], [arxiv:9999.99999]" in done.stderr
    assert "use [1] to [" in done.stderr
    assert done.files == {"papers.json", "run.json"} | PICTURE
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  \n", "is empty: give a line for each sentence, or no plan"),
        ("2 sentences. Cite [1] on line 5.", "cites on line 5, but asks for 2 sentences"),
        ("Line\n" * 100, "ask for 1 to 60 sentences, or give one line for each"),
    ],
)
def test_plan_that_cannot_be_followed_is_refused(
    cite: Cite, plan: Path, text: str, message: str
) -> None:
    plan.write_text(text, "utf-8")
    done = cite(*REVIEW, "--plan", plan)
    assert done.code in {1, 2}
    assert message in done.stderr
    assert "review.md" not in done.files


# --- The cut-off ------------------------------------------------------------------------------


def test_paper_on_or_after_the_cutoff_appears_nowhere(cite: Cite) -> None:
    done = cite("review", ABSTRACT, "--before", "2020-01-01")
    late = [paper for paper in small_records() if (paper.year or 0) >= 2020]
    assert done.code == 0
    assert len(done.papers["papers"]) >= 40
    assert max(years_in(done.papers) | years_in(done.run)) == 2019
    written = done.text("papers.json") + done.text("run.json") + done.text("review.md")
    assert late
    assert [paper.title for paper in late if paper.title in written] == []
    assert not re.search(r"\b202\d\b", section(done.text("review.md"), "References"))
    assert done.run["request"]["before"] == "2020-01-01"


def test_paper_of_the_cutoffs_own_year_is_not_certain_to_be_earlier(cite: Cite) -> None:
    done = cite(*FIND, "--before", "2020-12-31")
    assert max(years_in(done.papers)) == 2019


# --- Papers that must or must not be there ----------------------------------------------------


def test_included_paper_is_kept_and_excluded_ones_are_nowhere(cite: Cite) -> None:
    plain = cite(*FIND, "--keep", "5", out="plain")
    best, last = plain.run["selected"][0], plain.paper_ids[-1]
    done = cite(*REVIEW, "--keep", "5", "--include", last, "--exclude", best)
    assert done.code == 0
    assert last in done.run["selected"]
    assert len(done.run["selected"]) == 5
    assert best not in done.paper_ids
    assert best not in done.run["selected"]
    title = next(item["paper"]["title"] for item in plain.papers["papers"] if item["rank"] == 1)
    assert title not in done.text("review.md") + done.text("papers.json")
    assert done.run["counts"]["excluded_by_request"] == 1


@pytest.mark.parametrize("form", ["https://arxiv.org/abs/{}v2", "arXiv:{}", "10.48550/arXiv.{}"])
def test_excluded_paper_may_be_named_in_any_form(cite: Cite, form: str) -> None:
    number = next(paper.arxiv for paper in small_records() if paper.arxiv)
    done = cite(*FIND, "--exclude", form.format(number))
    assert done.code == 0
    assert f"arxiv:{number}" not in done.paper_ids
    assert done.run["request"]["exclude"] == [f"arxiv:{number}"]


def test_unknown_paper_to_include_is_a_note_and_not_invented(cite: Cite) -> None:
    done = cite(*FIND, "--include", "arxiv:9999.99999")
    assert done.code == 0
    assert "no source knows the paper to include 'arxiv:9999.99999'; check its id" in done.stderr
    assert "arxiv:9999.99999" not in done.paper_ids


def test_keep_and_cite_bound_the_papers_kept_and_cited(cite: Cite) -> None:
    done = cite(*REVIEW, "--keep", "6", "--cite", "4")
    assert len(done.run["selected"]) == 6
    assert len(done.run["references"]) == 4
    assert sorted(done.run["cited"] + done.run["uncited"]) == sorted(done.run["selected"])


@pytest.mark.parametrize(
    ("option", "value", "bound"),
    [("--keep", "0", "greater than or equal to 1"), ("--cite", "201", "less than or equal to 200")],
)
def test_number_out_of_range_is_refused_with_its_range(
    cite: Cite, option: str, value: str, bound: str
) -> None:
    done = cite(*REVIEW, option, value)
    assert done.code == 1
    assert f"{option[2:]}: Input should be {bound}" in done.stderr
    assert done.files == {"run.json"}


# --- Budgets ----------------------------------------------------------------------------------


def test_run_that_spends_its_budget_ends_with_what_it_has_and_says_so(cite: Cite) -> None:
    done = cite(*REVIEW, "--max-calls", "15")
    assert done.code == 1
    assert "the run's budget is 15 calls" in done.stderr
    assert "larger budget" in done.stderr
    assert done.run["outcome"] in {"partial", "nothing"}
    assert done.papers["papers"]
    assert sum(item["calls"] for item in done.run["usage"]) == 15


# --- Other settings of a run ------------------------------------------------------------------


def test_further_settings_are_followed_and_recorded(cite: Cite) -> None:
    done = cite(*FIND, "--set", "pool=10", "--set", "max_depth=0", "--set", "bar=55.5")
    assert done.code == 0
    assert done.run["counts"]["assessed"] == 10
    assert min(item["score"] for item in done.papers["papers"] if item["selected"]) >= 55.5
    assert {name: done.run["context"][name] for name in ("pool", "max_depth", "bar")} == {
        "pool": 10, "max_depth": 0, "bar": 55.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("pol=10", "there is no setting 'pol'; there are: mind, max_usd"),
        ("pool=many", "'many' cannot be the value of 'pool'"),
        ("pool", "'' cannot be the value of 'pool'"),
    ],
)
def test_setting_that_does_not_exist_or_fit_is_refused(
    cite: Cite, given: str, message: str
) -> None:
    done = cite(*FIND, "--set", given)
    assert (done.code, done.files) == (2, set())
    assert message in done.stderr
