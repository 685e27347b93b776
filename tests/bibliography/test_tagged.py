"""RIS, PubMed, EndNote and CITATION.cff: every record of a file, and why one is none."""

from datetime import date
from pathlib import Path

import pytest

from tests.bibliography.made import read
from tools.bibliography.read_csl import csl_of
from tools.errors import InputError
from tools.ingest.discover_files import holds_records

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
