"""tools/bibliography/write_csl.py and kinds.py: CSL items and one-line references."""

import json
from datetime import date
from pathlib import Path

import pytest

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.kinds import kind_of_work
from tools.bibliography.read import read_records
from tools.bibliography.write_csl import address, reference_line, to_csl

PAPER = Paper(
    id="doi:10.1000/a", title="On citations", year=2020, published=date(2020, 3, 4), venue="EMNLP",
    doi="10.1000/a", arxiv="2005.11401",
    authors=(Author(name="Ann Lee"), Author(name="van der Maaten, Laurens"), Author(name="OpenAI")),
)  # fmt: skip


def item(paper: Paper) -> dict[str, object]:
    (written,) = to_csl([Reference(number=1, key="lee2020citations", paper=paper)])
    return written


def test_item_has_every_known_field() -> None:
    assert item(PAPER) == {
        "id": "lee2020citations",
        "citation-key": "lee2020citations",
        "type": "paper-conference",
        "title": "On citations",
        "author": [
            {"family": "Lee", "given": "Ann"},
            {"family": "van der Maaten", "given": "Laurens"},
            {"literal": "OpenAI"},
        ],
        "container-title": "EMNLP",
        "DOI": "10.1000/a",
        "URL": "https://doi.org/10.1000/a",
        "issued": {"date-parts": [[2020, 3, 4]]},
    }


def test_unknown_fields_are_left_out() -> None:
    bare = Paper(id="local:x", title="T")
    assert item(bare) == {
        "id": "lee2020citations", "citation-key": "lee2020citations", "type": "article", "title": "T",
    }  # fmt: skip


def test_year_alone_is_a_date_of_one_part() -> None:
    assert item(Paper(id="local:x", title="T", year=1999))["issued"] == {"date-parts": [[1999]]}


def test_arxiv_number_stands_where_there_is_no_doi() -> None:
    preprint = Paper(id="arxiv:2005.11401", title="T", arxiv="2005.11401", venue="arXiv")
    assert item(preprint)["number"] == "arXiv:2005.11401"
    assert item(preprint)["type"] == "article"
    assert "number" not in item(PAPER)


def test_items_are_read_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "refs.json"
    path.write_text(json.dumps(to_csl([Reference(number=1, key="k", paper=PAPER)])), "utf-8")
    (back,) = read_records(path)
    assert isinstance(back, Paper)
    assert (back.id, back.title, back.year, back.published, back.venue) == (
        "doi:10.1000/a", "On citations", 2020, date(2020, 3, 4), "EMNLP",
    )  # fmt: skip
    assert [author.family for author in back.authors] == ["Lee", "van der Maaten", "OpenAI"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"doi": "10.1000/a", "arxiv": "2005.11401"}, "https://doi.org/10.1000/a"),
        ({"arxiv": "2005.11401", "url": "https://e.org"}, "https://arxiv.org/abs/2005.11401"),
        ({"url": "https://e.org"}, "https://e.org"),
        ({}, None),
    ],
)
def test_address_is_the_surest_identifier(fields: dict[str, str], expected: str | None) -> None:
    assert address(Paper.model_validate({"id": "local:x", "title": "T", **fields})) == expected


def line(title: str, *names: str, complete: bool = True, year: int | None = 2020) -> str:
    authors = tuple(Author(name=name) for name in names)
    return reference_line(
        Paper(id="local:x", title=title, authors=authors, authors_complete=complete, year=year)
    )


@pytest.mark.parametrize(
    ("names", "complete", "expected"),
    [
        ([], True, "2020. T."),
        (["Ann Lee"], True, "Ann Lee. 2020. T."),
        (["Ann Lee", "Bo Kim"], True, "Ann Lee and Bo Kim. 2020. T."),
        (["Ann Lee", "Bo Kim", "C. D."], True, "Ann Lee, Bo Kim and C. D. 2020. T."),
        (["Ann Lee"], False, "Ann Lee, et al. 2020. T."),
        (["Lee, Ann", "van der Maaten, L."], True, "Ann Lee and L. van der Maaten. 2020. T."),
        (list("ABCDEFG"), True, "A, B, C, D, E, et al. 2020. T."),
    ],
)
def test_line_names_the_authors(names: list[str], complete: bool, expected: str) -> None:
    assert line("T", *names, complete=complete) == expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Why cite?", "n.d. Why cite?"),
        ("It works.", "n.d. It works."),
        ("It works", "n.d. It works."),
    ],
)
def test_title_ends_in_one_mark(title: str, expected: str) -> None:
    assert line(title, year=None) == expected


def test_line_ends_in_the_address() -> None:
    assert reference_line(PAPER).endswith("On citations. EMNLP. https://doi.org/10.1000/a")


@pytest.mark.parametrize(
    ("venue", "kind"),
    [
        (None, "preprint"),
        ("arXiv", "preprint"),
        ("EMNLP", "proceedings"),
        ("NeurIPS", "proceedings"),
        ("Findings of ACL", "proceedings"),
        ("WWW Companion", "proceedings"),
        ("Conference on the Science of Science", "proceedings"),
        ("AMIA Joint Summits on Translational Science", "proceedings"),
        ("Advances in Neural Information Processing Systems", "proceedings"),
        ("Journal of the ACM", "journal"),
        ("Proceedings of the National Academy of Sciences", "journal"),
        ("Proceedings of the Annual Meeting of the ACL", "proceedings"),
        ("Nature Machine Intelligence", "journal"),
        ("Computational Linguistics", "journal"),
        ("TACL", "journal"),
        ("BMC Bioinformatics", "journal"),
        ("ACM Computing Surveys", "journal"),
        ("Designature Workshop", "proceedings"),
    ],
)
def test_kind_is_told_by_the_venues_name(venue: str | None, kind: str) -> None:
    assert kind_of_work(Paper(id="local:x", title="T", venue=venue)) == kind


def test_list_that_goes_on_says_so_and_is_read_back(tmp_path: Path) -> None:
    paper = Paper(
        id="local:x", title="T", authors=(Author(name="Ann Lee"),), authors_complete=False
    )
    assert item(paper)["author"] == [{"family": "Lee", "given": "Ann"}, {"literal": "et al."}]
    path = tmp_path / "refs.json"
    path.write_text(json.dumps(to_csl([Reference(number=1, key="k", paper=paper)])), "utf-8")
    (back,) = read_records(path)
    assert isinstance(back, Paper)
    assert (len(back.authors), back.authors_complete) == (1, False)


def test_parts_of_names_are_told_apart() -> None:
    names = ["Martin Luther King Jr.", "Google Research Team", "King, M. L., Jr."]
    paper = Paper(id="local:x", title="T", authors=tuple(Author(name=name) for name in names))
    assert item(paper)["author"] == [
        {"family": "King", "given": "Martin Luther", "suffix": "Jr."},
        {"literal": "Google Research Team"},
        {"family": "King", "given": "M. L.", "suffix": "Jr."},
    ]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"])
def test_address_that_could_do_harm_is_left_out(url: str) -> None:
    paper = Paper(id="local:x", title="T", url=url)
    assert "URL" not in item(paper)
    assert address(paper) is None
