"""Tests of reading a citation graph and its queries."""

import gzip
from pathlib import Path

import pytest

from evals.retrieval.corpus import Corpus, choose_cases, read_corpus, read_ids
from tests.evals.made import paper, topics, write
from tools.errors import InputError


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    later = paper("10.5555/late", "A late paper", "It came too late.", 2012)
    bare = paper("10.5555/bare", "A bare paper", None, 2001)
    query = paper(
        "10.5555/Query", "The paper that asks", "What did the others find?", 2010,
        cites=["10.5555/0.1", "10.5555/0.1", "10.5555/BARE", "10.5555/late", "10.5555/twin", "10.5555/0.2"],
    )  # fmt: skip
    twin = paper("10.5555/twin", "The Paper That Asks!", "What did the others find?", 2009)
    other = {**paper("10.5555/other", "The paper that asks", "Unlike.", 2009), "authors": ["Z. Q."]}
    empty = paper("10.5555/empty", "No abstract here", None, 2010, cites=["10.5555/0.1"])
    lonely = paper("10.5555/lonely", "Nothing cited", "It cites nothing.", 2010)
    made = [*topics(), later, bare, query, twin, other, empty, lonely]
    return read_corpus(write(tmp_path / "data", made))


def test_gold_is_what_has_an_abstract_and_an_earlier_year(corpus: Corpus) -> None:
    chosen = choose_cases(corpus, ["10.5555/Query"], 1)
    assert chosen.cases[0].gold == {"doi:10.5555/0.1", "doi:10.5555/0.2"}


def test_second_record_of_the_query_paper_is_hidden_with_it(corpus: Corpus) -> None:
    case = choose_cases(corpus, ["10.5555/query"], 1).cases[0]
    assert set(case.own) == {"doi:10.5555/query", "doi:10.5555/twin"}
    assert {corpus.records[at].id for at in case.hidden} == {"10.5555/Query", "10.5555/twin"}


def test_queries_without_abstract_or_gold_are_left_out_with_the_reason(corpus: Corpus) -> None:
    chosen = choose_cases(corpus, ["10.5555/empty", "10.5555/lonely", "10.5555/Query"], 3)
    assert [case.id for case in chosen.cases] == ["10.5555/Query"]
    assert "no abstract" in chosen.left_out["10.5555/empty"]
    assert "no reference" in chosen.left_out["10.5555/lonely"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a"}\n{"id": \n', "line 2 of .* is no JSON"),
        ('{"name": "a"}\n', "line 1 of .* has no 'id'"),
        ('{"id": 7}\n', "line 1 of .* has no 'id'"),
        ("\n \n", "holds no queries"),
    ],
)
def test_bad_line_of_the_queries_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_ids(file)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{broken", "line 2 of .* is no JSON"),
        ('["a list"]', "line 2 of .* is no record"),
        ('{"title": "no id"}', "line 2 of .* is no record"),
        ('{"id": "10.1/x", "title": " "}', "line 2 of .* is no record"),
    ],
)
def test_bad_line_of_the_data_is_named(tmp_path: Path, line: str, said: str) -> None:
    with gzip.open(tmp_path / "papers.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write('{"id": "10.1/a", "title": "T", "year": 2000}\n' + line + "\n")
    with pytest.raises(InputError, match=said):
        read_corpus(tmp_path)
