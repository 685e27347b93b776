"""What is read comes out again: our own papers through each format, and files as they came."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from state.paper import Author, Paper, identify
from state.record import Record
from tests.bibliography.made import read
from tests.bibliography.test_tagged import NBIB, RIS
from tools.bibliography.keys import citation_keys, numbered
from tools.bibliography.names import csl_name
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_records import to_csl, to_ris

Write = Callable[[list[Paper]], str]
WRITERS: dict[str, Write] = {
    "bib": lambda papers: to_bibtex(numbered(papers)),
    "json": lambda papers: json.dumps(to_csl(numbered(papers))),
    "ris": lambda papers: to_ris(numbered(papers)),
}
WORDS = st.text(alphabet="abcdeXYZ áÜß%&#_{}$~:,.()0123β“”", min_size=1, max_size=20)
NAMES = st.sampled_from(
    [
        "Ann Lee",
        "van den Berg, Ann",
        "King, Martin, Jr.",
        "José Ñandú",
        "OpenAI",
        "Snow Research Group",
        "Plato",
    ]
)


@st.composite
def made_papers(draw: st.DrawFn) -> Paper:
    day = draw(st.none() | st.dates(date(1990, 1, 1), date(2099, 12, 31)))
    year = day.year if day else draw(st.none() | st.integers(1000, 2100))
    doi = draw(st.none() | st.sampled_from(["10.1234/a_b(1)", "10.1234/x&y<z>"]))
    arxiv = draw(st.none() | st.sampled_from(["2005.11401", "cs/9301115"]))
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    title = f"On {draw(WORDS)} snow"
    key, aliases = identify(doi=doi, arxiv=arxiv, title=title, year=year, first_author=None)
    return Paper(
        id=key,
        aliases=aliases,
        title=title,
        year=year,
        published=day,
        doi=doi,
        arxiv=arxiv,
        authors=tuple(Author(name=name) for name in names),
        authors_complete=not names or draw(st.booleans()),
        retracted=draw(st.booleans()),
        venue=draw(st.none() | st.sampled_from(["Journal of Snow & Ice", "EMNLP", "arXiv"])),
    )


def told(paper: Paper) -> dict[str, Any]:
    same = {"title", "year", "published", "doi", "arxiv", "authors_complete", "retracted"}
    people = [csl_name(author) for author in paper.authors]
    venue = paper.venue or ("arXiv" if paper.arxiv else None)
    return paper.model_dump(include=same) | {"people": people, "venue": venue}


@pytest.mark.parametrize("ending", WRITERS)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(papers=st.lists(made_papers(), min_size=1, max_size=3))
@example(papers=[Paper(id="title:on-0-snow", title="On &#0 snow")])
def test_export_is_read_back(tmp_path: Path, ending: str, papers: list[Paper]) -> None:
    back, bad = read(tmp_path / f"refs.{ending}", WRITERS[ending](papers))
    assert [one for one in bad if one.lost] == []
    assert [told(paper) for paper in back] == [told(paper) for paper in papers]


BIB = r"""@book{ed73, editor = {Lee, Ann and {Snow and Ice, Ltd.}}, title = {The {BIG} Snow}, year = {1973},
  publisher = {Cold Press}, volume = {2}, isbn = {1}, pages = {1--300}, note = {out of print}}
@InProceedings{Über:{1} b, Author = {L{\"o}w, Bo and others}, Title = "On " # {\LaTeX{} \& $x^2$}, month = feb,
  booktitle = {Proc. of Snow}, Year = 1999, abstract = {One.

  Two.}, unique-id = {{A:1}}, keywords = {a}, keywords = {b}}
@thesis{t, author = {family=Berg, given=Ann, prefix=van}, title = {Ice}, date = {2003-05}, doi = {10.1234/ICE\_1}}"""


def test_bibtex_comes_out_with_type_key_and_every_field(tmp_path: Path) -> None:
    before, _ = read(tmp_path / "refs.bib", BIB)
    after, _ = read(tmp_path / "again.bib", WRITERS["bib"](before))
    assert [paper.record for paper in after] == [paper.record for paper in before]
    assert [paper.record and paper.record.key for paper in after] == ["ed73", "Über:{1} b", "t"]
    assert after == before


def test_ris_and_csl_come_out_with_every_field(tmp_path: Path) -> None:
    before, _ = read(tmp_path / "refs.ris", RIS)
    after, _ = read(tmp_path / "again.ris", WRITERS["ris"](before))
    assert after[0].record == before[0].record
    kept = [dict(paper.record.fields) for paper in after if paper.record]
    assert all(
        set(paper.record.fields) <= set(fields.items()) | set(paper.record.fields)
        for paper, fields in zip(before, kept, strict=True)
        if paper.record
    )
    item = {
        "id": "k1",
        "type": "chapter",
        "title": "A <i>snow</i> story",
        "page": "1-9",
        "author": [
            {"family": "Fon", "given": "Jean", "dropping-particle": "de", "suffix": "Jr."},
            {"literal": "Snow and Ice, Ltd."},
        ],
        "editor": [{"family": "Lee", "given": "Ann"}],
        "publisher": "Cold Press",
        "issued": {"date-parts": [[2016]], "season": 1},
        "custom": {"x": [1, None]},
    }
    papers, _ = read(tmp_path / "refs.json", json.dumps([item]))
    assert json.loads(WRITERS["json"](papers)) == [item]


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_says_in_the_others_what_they_can_say(tmp_path: Path, ending: str) -> None:
    papers = [
        paper
        for name, text in (("a.bib", BIB), ("a.ris", RIS), ("a.nbib", NBIB))
        for paper in read(tmp_path / name, text)[0]
    ]
    text = WRITERS[ending](papers)
    back, bad = read(tmp_path / f"all.{ending}", text)
    assert [one for one in bad if one.lost] == []
    assert [(one.title, one.year, one.doi) for one in back] == [
        (one.title, one.year, one.doi) for one in papers
    ]
    assert [one.retracted for one in back] == [one.retracted for one in papers]
    for said in ("Cold Press", "30000007" if ending != "ris" else "nbib.7", "ed73", "It falls."):
        assert said in text
    assert ("300" in text, "19" in text) == (True, True)


def test_retraction_is_added_to_a_record_that_does_not_say_it(tmp_path: Path) -> None:
    papers = [
        paper.model_copy(update={"retracted": True})
        for name, text in (("a.bib", BIB), ("a.ris", RIS))
        for paper in read(tmp_path / name, text)[0]
    ]
    for ending, write in WRITERS.items():
        back, _ = read(tmp_path / f"r.{ending}", write(papers))
        assert [one.retracted for one in back] == [True] * len(papers), ending
        assert "out of print" in write(papers)


HOSTILE = Record(
    format="bibtex",
    type="misc{x,",
    key="a}\\input{/etc/passwd}",
    fields=(("title", "T}"), ("no te", "x"), ("note", "}@book{evil, title={E}")),
)


def test_record_of_a_stranger_breaks_no_other_entry(tmp_path: Path) -> None:
    odd = Paper(id="local:a", title="Odd", record=HOSTILE)
    taken = odd.model_copy(update={"record": HOSTILE.model_copy(update={"type": "misc"})})
    text = WRITERS["bib"]([odd, taken, Paper(id="local:b", title="Plain")])
    back, bad = read(tmp_path / "refs.bib", text)
    assert (len(back), back[-1].title, [one for one in bad if one.lost]) == (3, "Plain", [])
    assert "input" not in citation_keys([odd])[0]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (r"\textbf{Snow} \& \LaTeX{}", r"\textbf{Snow} \& \LaTeX{}"),
        (r"Snow \input{/etc/passwd}", "Snow"),
        (r"\immediate\write18{ls} Snow", "18ls Snow"),
        (r"^^5cinput{x}", None),
    ],
)
def test_latex_of_a_record_stays_unless_it_does_more_than_print(
    value: str, written: str | None
) -> None:
    record = Record(format="bibtex", type="misc", key="k", fields=(("note", value),))
    text = WRITERS["bib"]([Paper(id="local:a", title="Odd", record=record)])
    assert f"note = {{{written}}}" in text if written else value not in text
    assert not any(f"\\{command}" in text for command in ("input", "write", "immediate"))


def test_command_for_sorting_is_defined_where_it_is_used(tmp_path: Path) -> None:
    (made,), _ = read(tmp_path / "a.bib", r"@misc{a, title={Ice}, year={{\noop{3}}1986}}")
    text = WRITERS["bib"]([made])
    assert text.startswith(r"@preamble{{\providecommand{\noop}[1]{}}}")
    assert read(tmp_path / "b.bib", text) == ([made], [])


def test_key_of_the_owner_is_kept_where_a_text_can_cite_it() -> None:
    def keyed(key: str, title: str) -> Paper:
        return Paper(id=f"local:{title}", title=title, record=Record(format="bibtex", key=key))

    papers = [
        keyed("lee:01", "B"),
        keyed("lee:01", "A"),
        keyed("Lee 2001", "Ice"),
        keyed("", "Snow"),
    ]
    assert citation_keys(papers) == ["lee:01b", "lee:01", "anonndice", "anonndsnow"]
    assert [item.key for item in numbered(papers)][2] == "Lee 2001"
