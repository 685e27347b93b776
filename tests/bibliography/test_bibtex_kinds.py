"""BibTeX as people have it: what other programs read is read, and one fault costs one field."""

from pathlib import Path

import pytest

from state.paper import Paper
from tests.bibliography.made import read
from tools.bibliography.plain_latex import plain_text


def papers(folder: Path, text: str) -> list[Paper]:
    good, _ = read(folder / "refs.bib", text)
    return good


def entry(folder: Path, fields: str, kind: str = "article") -> Paper:
    (made,) = papers(folder, f"@{kind}{{k, title={{Snow on roofs}}, {fields}}}")
    return made


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("@article(a, title = {Round (brackets)}, year = 1999)", ["a"]),
        ("@Article{, title={One}}\n@Article{, title={Two}}", ["", ""]),
        ("@misc{a, title={One}}\n@misc{A, title={Two}}\n@misc{a, title={Three}}", ["a", "A", "a"]),
        ("@misc{title={No key at all}, year=2001}", [""]),
        ("@misc{late\n title={No comma behind the key}}", ["late"]),
        ("@book{isbn:{12}, title={Braces in a key}}", ["isbn:{12}"]),
        ("@misc{Ann B 1996, title={Spaces in a key}}", ["Ann B 1996"]),
        ("@misc{a, title={One}} @misc{b, title={Two}}", ["a", "b"]),
        ('@misc{a, title="{Quoted} with {""} marks",, year=2001}', ["a"]),
        ("@misc{a, title={No comma} year={2001} note={x}}", ["a"]),
        ("@misc{a, title={No end}\n\n@misc{b, title={Next}}", ["a", "b"]),
        ("% @misc{no, title={Commented out}}\n@misc{a, title={One}}", ["a"]),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_entry_is_read_whatever_its_key_and_brackets(
    tmp_path: Path, text: str, keys: list[str]
) -> None:
    assert [item.record and item.record.key for item in papers(tmp_path, text)] == keys


def test_abbreviations_are_joined_and_months_stay(tmp_path: Path) -> None:
    text = """@string{js = "Journal of Snow"} @STRING(PUB = {Cold Press})
    @article{a, title = "On " # {drifts}, journal = JS # ", Part B", publisher = pub, month = feb, year = 2001}
    @misc{b, title = {Unknown}, note = nowhere}"""
    good, (note,) = read(tmp_path / "refs.bib", text)
    assert [(item.title, item.venue) for item in good] == [
        ("On drifts", "Journal of Snow, Part B"),
        ("Unknown", None),
    ]
    assert good[0].record
    assert dict(good[0].record.fields)["month"] == "feb"
    assert (note.lost, "nowhere is not defined" in note.reason) == (False, True)


@pytest.mark.parametrize(
    ("fields", "year"),
    [
        ("year={1973--1974}", 1973),
        ("year={in press}", None),
        ("year={[1781] 1998}", 1998),
        ("year={{\\noop{3001}}1986}", 1986),
        ("date={-0335}", None),
        ("date={2010/2012}", 2010),
        ("year={2020a}", 2020),
        ("date={2004-05~}", 2004),
    ],
)
def test_year_is_read_as_far_as_it_goes(tmp_path: Path, fields: str, year: int | None) -> None:
    assert entry(tmp_path, fields).year == year


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"See \href{https://e.org/a_b%20c}{the page}", "See the page"),
        (r"Rain \& snow, 50% \texttt{cold}", "Rain & snow, 50% cold"),
        (r"Radix-4\({}^{\mbox{n}}\) trees", r"Radix-4${}^{\mbox{n}}$ trees"),
        (r"\textsc{Sno} \unknown{words} stay", "Sno words stay"),
        ("Smith's ``rain'' -- again", "Smith's “rain” – again"),
        (r"Broken {\'", "Broken ́"),
    ],
)
def test_latex_never_costs_more_than_its_commands(latex: str, text: str) -> None:
    assert plain_text(latex) == text


@pytest.mark.parametrize(
    ("fields", "doi"),
    [
        (r"doi={10.1234/snow\&ice\_2}", "10.1234/snow&ice_2"),
        (r"doi={10.1234/1(1981)9\textless44:e\textgreater2}", "10.1234/1(1981)9<44:e>2"),
        (r"doi={10.1234/9$<$4:x$>$2.0}", "10.1234/9<4:x>2.0"),
        ("doi={10.1234/a&amp;b}", "10.1234/a&b"),
        ("doi={http://doi.acm.org/10.1145/99.12}", "10.1145/99.12"),
        ("doi={{10.1234/BRACED}}", "10.1234/braced"),
        ("url={https://dl.acm.org/doi/abs/10.1145/99.12?x=1}", "10.1145/99.12"),
        ("url={https://doi.org/10.1234/x}", "10.1234/x"),
    ],
)
def test_doi_is_found_under_latex_and_addresses(tmp_path: Path, fields: str, doi: str) -> None:
    assert entry(tmp_path, fields).doi == doi


def test_short_doi_becomes_an_address_and_that_is_said(tmp_path: Path) -> None:
    (made,), (note,) = read(tmp_path / "refs.bib", "@misc{a, title={Ice}, doi={10/abc123}}")
    assert (made.doi, made.url) == (None, "https://doi.org/10/abc123")
    assert "10/abc123" in note.reason


@pytest.mark.parametrize(
    ("names", "read_as"),
    [
        (
            "family=Berg, given=Ann, prefix=van den, useprefix=true and Lee, Bo",
            ["van den Berg, Ann", "Lee, Bo"],
        ),
        ("{{Snow and Ice, Ltd.}}", ["Snow and Ice Ltd."]),
        ("{Snow Group} and others", ["Snow Group"]),
        ("Ludwig van Dam and King, Jr., Martin", ["van Dam, Ludwig", "King, Martin, Jr."]),
        ("{{Ann D. Lee}, }", ["Ann D. Lee"]),
        ("A, B, C, D, E", ["A B C D E"]),
    ],
)
def test_names_are_taken_apart_as_bibtex_does(
    tmp_path: Path, names: str, read_as: list[str]
) -> None:
    assert [author.name for author in entry(tmp_path, f"author={{{names}}}").authors] == read_as


def test_editors_stand_where_there_is_no_author(tmp_path: Path) -> None:
    made = entry(tmp_path, "editor={Lee, Ann and Kim, Bo}, publisher={Cold Press}", "book")
    assert [author.name for author in made.authors] == ["Lee, Ann", "Kim, Bo"]
    assert made.venue == "Cold Press"


CROSSED = """@xdata{press, publisher={Cold Press}, address={Oslo}}
@inproceedings{a, title={Drifts}, author={Lee, Ann}, pages={1--9}, crossref={Conf}}
@proceedings{conf, title={Proc. of Snow}, editor={Kim, Bo}, year={2007}, doi={10.1234/whole}, xdata={press}}
@inproceedings{b, title={Lost}, crossref={gone}}
@inproceedings{c, title={Round}, crossref={d}} @proceedings{d, title={And round}, crossref={c}}"""


def test_entry_takes_from_the_one_it_names_what_it_lacks(tmp_path: Path) -> None:
    good, notes = read(tmp_path / "refs.bib", CROSSED)
    drifts, whole, lost, *_ = good
    assert (drifts.year, drifts.venue, drifts.doi) == (2007, "Proc. of Snow", None)
    assert [author.name for author in drifts.authors] == ["Lee, Ann"]
    assert whole.record
    assert ("publisher", "Cold Press") in whole.record.fields
    assert (len(good), lost.venue) == (5, None)
    assert ["'gone' is not in the file" in note.reason for note in notes] == [True]


def test_subtitle_belongs_to_the_title_and_markup_does_not(tmp_path: Path) -> None:
    assert entry(tmp_path, "subtitle={A history}").title == "Snow on roofs: A history"
    (made,) = papers(tmp_path, "@misc{a, title={H<sub>2</sub>O &amp; <i>ice</i>}}")
    assert made.title == "H2O & ice"


@pytest.mark.parametrize(
    ("fields", "retracted"),
    [
        ("note={Retracted}", True),
        ("note={See p. 4. Retracted.}", True),
        ("note={Never retracted}", False),
    ],
)
def test_retraction_is_read_from_the_note(tmp_path: Path, fields: str, retracted: bool) -> None:
    assert entry(tmp_path, fields).retracted is retracted
    (made,) = papers(tmp_path, "@misc{a, title={RETRACTED: Snow is warm}}")
    assert made.retracted


FAULTS = [
    ("@misc{a, title={Ice}, year={2001}, month = 10~jan, note={kept}}", "its month is malformed"),
    ("@misc{a, title={Ice}}, year={2001}}", "a brace closes it early"),
    ("@misc{a, title={Ice}, note={never ends", "malformed in its note"),
]


@pytest.mark.parametrize(("text", "reason"), FAULTS, ids=lambda value: value[-20:])
def test_fault_in_a_field_costs_that_field_and_is_told(
    tmp_path: Path, text: str, reason: str
) -> None:
    (made,), (note,) = read(tmp_path / "refs.bib", text)
    assert (made.title, note.lost) == ("Ice", False)
    assert reason in note.reason


def test_entry_without_brackets_is_told_and_loose_addresses_are_not(tmp_path: Path) -> None:
    text = (
        "write to ann@example.org (or {bo})\n@article doe99, title = {Lost}\n@misc{a, title={Ice}}"
    )
    (made,), (bad,) = read(tmp_path / "refs.bib", text)
    assert (made.title, bad.line, bad.lost) == ("Ice", 2, True)
    assert "no bracket" in bad.reason
