"""The benchmark of retrieval: citation graphs, queries, measures, intervals and arms."""

import json
import math
from datetime import date
from pathlib import Path

import pytest

from evals.figures import difference, interval
from evals.retrieval.command import ARMS, FIRST, measures_at, read_inputs, summarise
from evals.retrieval.corpus import (
    Case,
    Corpus,
    Query,
    Sought,
    choose_cases,
    read_corpus,
    read_queries,
)
from evals.trials import Row
from tests.evals.made import paper, topics, write
from tests.support import starter_records
from tools.errors import InputError
from tools.run_settings import RunSettings

# The worked example of LitLLM, D.1: 84 gold papers, 100 kept, 10 of these relevant, 4 in the first 40.
RELEVANT_AT = (0, 7, 21, 39, 94, 95, 96, 97, 98, 99)
KEPT = [f"relevant{n}" if n in RELEVANT_AT else f"other{n}" for n in range(100)]
GOLD = {*(f"relevant{n}" for n in RELEVANT_AT), *(f"missed{n}" for n in range(74))}


def test_measures_give_the_figures_of_the_documents_example() -> None:
    assert (len(GOLD), len(KEPT), len(set(KEPT) & GOLD)) == (84, 100, 10)
    found = measures_at(40, KEPT, GOLD)
    assert found["precision_at_k"] == pytest.approx(0.10)
    assert found["normalised_recall_at_k"] == pytest.approx(0.40)
    assert found["recall_at_k"] == pytest.approx(0.048, abs=0.0005)
    assert found["coverage"] == pytest.approx(10 / 84)


def test_interval_holds_the_mean_and_narrows_with_more_queries() -> None:
    few = interval([0.0, 1.0] * 5, seed=1)
    many = interval([0.0, 1.0] * 500, seed=1)
    assert few is not None
    assert many is not None
    assert few["low"] < few["mean"] == 0.5 < few["high"]
    # The normal approximation: 1.96 times 0.5 by the root of the number of queries.
    assert many["high"] - many["low"] == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(1000), rel=0.1)
    assert many["n"] == 1000


def test_difference_is_taken_query_by_query() -> None:
    # Each query gains exactly 0.1, so there is no doubt about it, however much queries differ.
    found = difference([0.1, 0.6, 1.0, None], [0.0, 0.5, 0.9, 0.4], seed=0)
    assert found is not None
    assert found["low"] == pytest.approx(0.1)
    assert found["high"] == pytest.approx(0.1)
    assert found["n"] == 3


def row(arm: str, kept: list[str], case: str = "q", **more: object) -> Row:
    counts = {"source_calls": 7, "usd": 0.01, "seconds": 1.5, "failures": 0}
    return {
        "case": case,
        "arm": arm,
        "kept": kept,
        "counts": counts,
        "completeness": None,
        **more,
    }


CASE = Case(
    id="q",
    text="t",
    before=date(2020, 1, 1),
    gold=frozenset({"a", "b", "c", "d"}),
    own=("q",),
    hidden=(0,),
)


def test_summary_compares_every_arm_with_default() -> None:
    rows = [
        row("bfs", ["a"]),
        row("default", ["a", "x", "b"]),
        row("embedding", ["x", "y", "a"]),
    ]
    found = summarise([CASE], rows, k=2, seed=0)
    assert found["arms"]["default"]["coverage"]["mean"] == 0.5
    assert found["arms"]["default"]["precision_at_k"]["mean"] == 0.5
    assert found["arms"]["default"]["normalised_recall_at_k"]["mean"] == 0.5
    assert found["minus_default"]["bfs"]["coverage"]["mean"] == -0.25
    assert "default" not in found["minus_default"]


def test_summary_of_a_run_that_found_nothing_has_no_figure_that_is_no_number() -> None:
    rows = [row("bfs", [], error="it broke"), row("default", [])]
    found = summarise([CASE], rows, k=40, seed=0)
    assert found["arms"]["default"]["coverage"]["mean"] == 0.0
    assert "normalised_recall_at_k" not in found["arms"]["default"]
    assert found["queries"][0]["error"] == {"bfs": "it broke"}
    json.dumps(found, allow_nan=False)


def said_of(
    name: str, share: float | None, low: float | None, high: float | None, kept: list[str]
) -> tuple[Case, Row]:
    """A query of four gold papers, and what its default arm said of its own completeness."""
    case = Case(
        id=name, text="t", before=date(2020, 1, 1), gold=frozenset("abcd"), own=(name,), hidden=(0,)
    )
    completeness = {"kept": len(kept), "share": share, "share_low": low, "share_high": high}
    return case, row("default", kept, name, completeness=completeness)


def test_estimates_are_compared_over_the_queries_that_have_one() -> None:
    made = [
        said_of("over", 0.75, 0.5, 1.0, ["a", "b"]),  # covers 0.5
        said_of("under", 0.25, 0.2, 0.5, ["a", "b", "c"]),  # covers 0.75
        said_of("open", 1.0, None, None, ["a", "b", "c", "d"]),
        said_of("silent", None, None, None, ["a"]),
    ]
    found = summarise([case for case, _ in made], [one for _, one in made], k=2, seed=0)
    assert found["completeness"] == {
        "n": 3.0,
        "estimated_share": pytest.approx(2 / 3),
        "coverage": pytest.approx(0.75),
        "mean_error": pytest.approx(-0.25 / 3),
        "mean_absolute_error": pytest.approx(0.25),
        "coverage_inside_interval": 0.5,
        "correlation": pytest.approx(0.0625 / math.sqrt(0.125 * 7 / 24)),
    }
    assert summarise([made[3][0]], [made[3][1]], k=2, seed=0)["completeness"] is None


@pytest.mark.parametrize("name", ARMS)
def test_arm_sets_only_what_a_run_can_be_told(name: str) -> None:
    context = RunSettings(**ARMS[name])  # type: ignore[arg-type]
    assert {key: getattr(context, key) for key in ARMS[name]} == ARMS[name]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    later = paper("10.5555/late", "A late paper", "It came too late.", 2012)
    bare = paper("10.5555/bare", "A bare paper", None, 2001)
    query = paper(
        "10.5555/Query",
        "The paper that asks",
        "What did the others find?",
        2010,
        cites=[
            "10.5555/0.1",
            "10.5555/0.1",
            "10.5555/BARE",
            "10.5555/late",
            "10.5555/twin",
            "10.5555/0.2",
        ],
    )
    twin = paper("10.5555/twin", "The Paper That Asks!", "What did the others find?", 2009)
    other = {**paper("10.5555/other", "The paper that asks", "Unlike.", 2009), "authors": ["Z. Q."]}
    empty = paper("10.5555/empty", "No abstract here", None, 2010, cites=["10.5555/0.1"])
    lonely = paper("10.5555/lonely", "Nothing cited", "It cites nothing.", 2010)
    made = [*topics(), later, bare, query, twin, other, empty, lonely]
    return read_corpus(write(tmp_path / "data", made))


def papers(*ids: str) -> list[Query]:
    return [Query(id=key) for key in ids]


def test_gold_is_what_has_an_abstract_and_an_earlier_year(corpus: Corpus) -> None:
    chosen = choose_cases(corpus, papers("10.5555/Query"), 1)
    assert chosen.cases[0].gold == {"doi:10.5555/0.1", "doi:10.5555/0.2"}
    assert chosen.cases[0].cited == {*chosen.cases[0].gold, "doi:10.5555/bare"}


def test_second_record_of_the_query_paper_is_hidden_with_it(corpus: Corpus) -> None:
    case = choose_cases(corpus, papers("10.5555/query"), 1).cases[0]
    assert set(case.own) == {"doi:10.5555/query", "doi:10.5555/twin"}
    assert {corpus.records[at].id for at in case.hidden} == {"10.5555/Query", "10.5555/twin"}


def test_gold_of_a_question_is_what_the_data_show_before_its_day(corpus: Corpus) -> None:
    """By id or title, with or without an abstract; of the year of the day all, as no more is known."""
    gold = (
        Sought(id="10.5555/bare"),
        Sought(title="A Late Paper!"),
        Sought(id="no", title="Nothing cited"),
        Sought(id="x"),
    )
    asked = [
        Query(id=str(day), text="What did they find?", gold=gold, before=day)
        for day in (None, date(2012, 3, 1), date(2012, 1, 1), date(1999, 1, 1))
    ]
    chosen = choose_cases(corpus, asked, 4)
    every = {"doi:10.5555/bare", "doi:10.5555/late", "doi:10.5555/lonely"}
    assert [(set(case.gold), case.lacking, case.until) for case in chosen.cases] == [
        (every, 1, None),
        (every, 1, 2013),
        (every - {"doi:10.5555/late"}, 2, 2012),
    ]
    assert "none of its 4 gold papers" in chosen.left_out["1999-01-01"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a", "text": "What?"}\n', "line 1 of .* a 'text' and no 'gold'"),
        (
            '{"id": "a", "text": "What?", "gold": [{"doi": "b"}]}\n',
            "line 1 of .* see 'gold': .*neither 'id' nor",
        ),
        ('{"id": "a", "text": "What?", "gold": 7}\n', "line 1 of .* see 'gold': .*tuple"),
        (
            '{"id": "a", "text": "What?", "gold": ["b"], "before": "soon"}\n',
            "line 1 of .* see 'before': .*soon",
        ),
        ('{"id": "a"}\n{"id": \n', "line 2 of .* is no JSON"),
        ('{"name": "a"}\n', "line 1 of .* see 'id'"),
        ('{"id": 7}\n', "line 1 of .* see 'id'"),
        ("\n \n", "holds no queries"),
    ],
)
def test_bad_line_of_the_queries_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_queries(file)


RELEVANCE_PAPERS = {paper.id for paper in starter_records()}


def test_forty_and_more_inputs_name_papers_of_the_starter_library() -> None:
    cases = read_inputs()
    assert len(cases) >= 40
    assert [case["id"] for case in cases] == [f"{at:02}" for at in range(1, len(cases) + 1)]
    for case in cases:
        assert case["first"], case["id"]
        assert len(case["first"]) <= FIRST, case["id"]
        assert set(case["first"]) <= set(case["judged"]) <= RELEVANCE_PAPERS, case["id"]
