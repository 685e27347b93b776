"""What the command line does with the questions of a run."""

import json
from typing import Any

from tests.cli.commands import variables
from tests.cli.conftest import Cite
from tests.support import ABSTRACT, SMALL

FIND = ("find", ABSTRACT, "--library", SMALL, "--set", "max_hops=1")


def test_queries_and_papers_are_asked_for_one_after_the_other(cite: Cite) -> None:
    waiting = cite(*FIND, "--review-queries", "on", "--review-papers", "--json")
    assert waiting.code == 4
    asked: dict[str, Any] = json.loads(waiting.stdout)["waiting"]
    assert asked["kind"] == "queries"
    assert waiting.files == {"queries.txt", "queries.md"}
    assert asked["queries"][0]["reason"] in waiting.text("queries.md")
    name = waiting.stderr.split("--resume ")[1].split()[0]
    (waiting.out / "queries.txt").write_text("metod: citation\n", "utf-8")
    wrong = cite("find", "--resume", name)
    assert wrong.code == 4
    assert "metod" in wrong.stderr
    (waiting.out / "queries.txt").write_text('method: "citation recommendation"\n', "utf-8")
    papers = cite("find", "--resume", name, "--json")
    assert papers.code == 4
    shown = json.loads(papers.stdout)["waiting"]
    assert shown["kind"] == "papers"
    assert shown["papers"][0]["id"] in waiting.text("papers.md")
    (waiting.out / "papers.txt").write_text("[2]\n[1]\n", "utf-8")
    done = cite("find", "--resume", name)
    assert done.code == 0
    assert [item["text"] for item in done.run["queries"]] == ['"citation recommendation"']
    assert done.paper_ids[:2] == [shown["papers"][1]["id"], shown["papers"][0]["id"]]


def test_stop_in_the_file_ends_the_run(cite: Cite) -> None:
    waiting = cite(*FIND, "--review-papers", "--json")
    name = waiting.stderr.split("--resume ")[1].split()[0]
    (waiting.out / "papers.txt").write_text("stop\n", "utf-8")
    done = cite("find", "--resume", name)
    assert "you ended the run" in done.stderr
    assert done.run["outcome"] == "partial"


def test_word_that_is_none_of_the_three_is_a_usage_error(cite: Cite) -> None:
    assert cite(*FIND, "--review-queries=maybe").code == 2


def test_cost_is_told_before_a_model_is_asked(cite: Cite) -> None:
    with variables(STRONG_MODEL="scripted", LLM_BASE_URL="http://127.0.0.1:9/v1"):
        waiting = cite(*FIND, "--review-cost=auto")
        assert waiting.code == 4
        assert "model calls: 2 to " in waiting.stderr
        assert "USD: not known" in waiting.stderr
        assert "no known price" in waiting.text("cost.md")
        name = waiting.stderr.split("--resume ")[1].split()[0]
        (waiting.out / "cost.txt").write_text("stop\n", "utf-8")
        stopped = cite("find", "--resume", name)
    assert stopped.code == 1
    assert "when it asked about the cost" in stopped.stderr
