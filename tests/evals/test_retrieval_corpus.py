"""Tests of reading a citation graph and its queries."""

from datetime import date
from pathlib import Path

import pytest

from evals.retrieval.corpus import Corpus, Query, Sought, choose_cases, read_corpus, read_queries
from tests.evals.made import paper, topics, write
from tools.errors import InputError


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
