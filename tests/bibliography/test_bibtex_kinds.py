"""BibTeX as people write it; RIS, PubMed, EndNote and CITATION.cff: every record of a file, and why one is none."""

from datetime import date
from pathlib import Path

import pytest

from state.paper import Paper
from tests.bibliography.made import read
from tools.bibliography.plain_latex import plain_text
from tools.bibliography.read_csl import csl_of
from tools.errors import InputError
from tools.ingest.discover_files import holds_records


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


RIS = """Provider: a database
TY  - JOUR
ID  - snow1
A1  - Lee, Ann
A1  - King, Martin, Jr.
T1  - Snow on <i>flat</i>
  roofs &amp; walls
JF  - Journal of Snow
JO  - J. Snow
Y1  - 2005/05//
DA  - 2005/05/09
VL  - 4
IS  - 2
SP  - 11
EP  - 19
SN  - 1234-5678
DO  - 10.1234/SNOW.1
KW  - snow
KW  - roofs
N1  - a note
AB  - It falls.
ER  -

TY  - BOOK
ED  - Kim, Bo
BT  - A book of ice
PB  - Cold Press
SN  - 978-1
PY  - 2001
TY  - UNPB
AU  - Lee, Ann
TI  - The end is cut off
AN  - arXiv:2001.00001"""


def test_ris_is_read_to_its_last_record(tmp_path: Path) -> None:
    (snow, ice, cut), bad = read(tmp_path / "refs.ris", RIS.replace("\n", "\r\n"))
    assert bad == []
    assert (snow.id, snow.title) == ("doi:10.1234/snow.1", "Snow on flat roofs & walls")
    assert [author.name for author in snow.authors] == ["Lee, Ann", "King, Martin, Jr."]
    assert (snow.venue, snow.year, snow.published) == ("Journal of Snow", 2005, date(2005, 5, 9))
    assert snow.abstract == "It falls."
    assert (ice.title, ice.venue, ice.year) == ("A book of ice", "Cold Press", 2001)
    assert [author.name for author in ice.authors] == ["Kim, Bo"]
    assert (cut.title, cut.arxiv) == ("The end is cut off", "2001.00001")


def test_ris_keeps_every_line_and_says_it_in_csl(tmp_path: Path) -> None:
    (snow, ice, _), _ = read(tmp_path / "refs.ris", RIS)
    assert snow.record
    assert ice.record
    assert (snow.record.type, snow.record.key, len(snow.record.fields)) == ("JOUR", "snow1", 18)
    item = csl_of(snow.record)
    expected = {
        "type": "article-journal",
        "volume": "4",
        "issue": "2",
        "page": "11-19",
        "ISSN": "1234-5678",
        "keyword": "snow, roofs",
        "note": "a note",
        "issued": {"date-parts": [[2005, 5, 9]]},
    }
    assert {name: item[name] for name in expected} == expected
    book = csl_of(ice.record)
    assert (book["type"], book["ISBN"], book["publisher"]) == ("book", "978-1", "Cold Press")


NBIB = """
PMID- 30000007
OWN - NLM
DP  - 2018 Jul 3
TI  - A trial of snow
      in summer.
LID - S0140(18)1 [pii]
LID - 10.1234/nbib.7 [doi]
AB  - BACKGROUND: It melts.
FAU - Lee, Ann
AU  - Lee A
FAU - Kim, Bo
AU  - Kim B
CN  - Snow Trial Group
PT  - Journal Article
PT  - Retracted Publication
JT  - Journal of summers
TA  - J Summ

PMC - PMC9
PMID- 30000008
TI  - Another trial.
DP  - 2019 Winter
"""


@pytest.mark.parametrize("name", ["a.nbib", "pubmed.txt"])
def test_pubmed_is_read_with_its_dois_bodies_and_retractions(tmp_path: Path, name: str) -> None:
    (snow, other), bad = read(tmp_path / name, NBIB)
    assert bad == []
    assert (snow.title, snow.doi) == ("A trial of snow in summer.", "10.1234/nbib.7")
    assert (snow.published, snow.venue) == (date(2018, 7, 3), "Journal of summers")
    assert [author.name for author in snow.authors] == ["Lee, Ann", "Kim, Bo", "Snow Trial Group"]
    assert (snow.retracted, other.retracted) == (True, False)
    assert (other.year, other.record and other.record.fields[0]) == (2019, ("PMC", "PMC9"))


ENW = """%0 Journal Article
%A Lee, Ann
%A Snow Group
%T Reading tags
%J Journal of Tags
%V 3
%P 7-9
%D 2014
%R 10.1234/enw.1

%0 Thesis
%A Kim, Bo
%T A thesis on tags
%I University of Tags
%D in press
"""


def test_endnote_is_read(tmp_path: Path) -> None:
    (tags, thesis), (note,) = read(tmp_path / "a.enw", ENW)
    assert (tags.id, tags.venue, tags.year) == ("doi:10.1234/enw.1", "Journal of Tags", 2014)
    assert [author.name for author in tags.authors] == ["Lee, Ann", "Snow Group"]
    assert (thesis.title, thesis.venue, thesis.year) == (
        "A thesis on tags",
        "University of Tags",
        None,
    )
    assert (note.lost, "'in press'" in note.reason) == (False, True)


CFF = """cff-version: 1.2.0
message: cite it
title: SnowKit
version: 1.0
doi: 10.1234/kit
date-released: 2021-03-04
license: MIT
authors:
  - family-names: Berg
    name-particle: van den
    given-names: Ann
  - name: Snow Group
preferred-citation:
  type: article
  title: SnowKit, a kit
  journal: Journal of Kits
  year: 2022
  start: 1
  end: 9
  authors: [{family-names: Lee, given-names: Bo}]
references:
  - {title: Not to be cited, type: article}
"""


def test_citation_file_gives_the_software_and_its_article(tmp_path: Path) -> None:
    (kit, article), bad = read(tmp_path / "CITATION.cff", CFF)
    assert bad == []
    assert (kit.id, kit.title, kit.published) == ("doi:10.1234/kit", "SnowKit", date(2021, 3, 4))
    assert [author.name for author in kit.authors] == ["van den Berg, Ann", "Snow Group"]
    assert (article.title, article.venue, article.year) == (
        "SnowKit, a kit",
        "Journal of Kits",
        2022,
    )
    assert kit.record
    assert article.record
    assert csl_of(kit.record)["custom"]["license"] == "MIT"
    assert csl_of(article.record)["page"] == "1-9"


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.ris", "AU  - Lee, Ann", "none begins with TY"),
        ("a.enw", "Dear all", "none begins with %0"),
        ("a.nbib", "Dear all", "none begins with PMID"),
    ],
)
def test_file_without_a_record_is_refused(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        read(tmp_path / name, text)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.ris", "TY  - JOUR\nAU  - Lee, Ann\nER  - \n", "no title"),
        ("a.cff", "title: [", "not YAML"),
        ("a.cff", "message: cite it", "no title"),
    ],
)
def test_record_that_is_no_paper_is_told(tmp_path: Path, name: str, text: str, reason: str) -> None:
    good, (bad,) = read(tmp_path / name, text)
    assert (good, bad.lost) == ([], True)
    assert reason in bad.reason


@pytest.mark.parametrize(
    ("name", "head", "records"),
    [
        ("a.ris", b"TY  - JOUR", True),
        ("a.nbib", b"PMID- 1", True),
        ("a.enw", b"%0 Book", True),
        ("CITATION.cff", b"cff-version: 1.2.0", True),
        ("pubmed-1.txt", b"\nPMID- 1", True),
        ("notes.txt", b"PMIDs are numbers", False),
        ("paper.pdf", b"%PDF-1.7", False),
    ],
)
def test_file_of_records_is_never_taken_for_a_paper(name: str, head: bytes, records: bool) -> None:
    assert holds_records(name, head, named=False) is records
