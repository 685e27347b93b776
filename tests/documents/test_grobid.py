"""Papers read by a GROBID service, and by our own reader where it fails; every text is made up."""

import pytest

from state.document import Document
from tests.fakes.grobid import Answer, GrobidServer
from tests.pdf import papers
from tools.documents import grobid
from tools.errors import DocumentError
from tools.settings import Settings

PAPER = papers.paper()
TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">Snails that count their steps</title></titleStmt></fileDesc><profileDesc><abstract>
<div><p>Snails count.</p></div></abstract></profileDesc></teiHeader><text><body><div>
<head n="1" coords="1,50,60,10,10">Steps</head><p coords="1,50,80,10,10">Snails take few steps
<ref type="bibr" target="#b0" coords="1,9,9,9,9">(Moss and Fern, 2011)</ref>, and small ones.</p></div>
<div><head n="2" coords="3,50,60,10,10">Counts</head><p coords="3,50,80,10,10">We counted them all.</p></div></body>
<back><div type="references"><listBibl><biblStruct xml:id="b0" coords="4,1,1,1,1"><analytic>
<title level="a" type="main">Why snails are slow</title><author><persName><forename type="first">A</forename>
<forename type="middle">B</forename><surname>Moss</surname></persName></author><author><persName><forename>Cleo
</forename><surname>Fern</surname></persName></author><idno type="DOI">10.5555/Snail.1</idno></analytic><monogr>
<title level="j">Journal of Slime</title><imprint><biblScope unit="volume">7</biblScope>
<biblScope unit="page" from="3" to="9"/><date type="published" when="2011-02"/></imprint></monogr>
<note type="raw_reference">Moss AB, Fern C (2011) Why snails are slow</note></biblStruct></listBibl></div></back>
</text></TEI>"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grobid, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(grobid, "_down", {})


def read(url: str, timeout: float = 10.0) -> Document:
    return grobid.read_by_grobid(PAPER, name="a.pdf", grobid=grobid.Grobid(url, timeout))


def test_paper_is_read_by_the_service_which_is_asked_to_look_nothing_up() -> None:
    with GrobidServer([Answer(200, TEI)]) as server:
        document = read(server.url + "/")
    assert (document.reader, document.title) == (grobid.NAME, "Snails that count their steps")
    assert [(b.kind, b.page, b.section, b.text) for b in document.blocks] == [
        ("abstract", None, ("Abstract",), "Snails count."),
        ("text", 1, ("1 Steps",), "Snails take few steps (Moss and Fern, 2011), and small ones."),
        ("text", 3, ("2 Counts",), "We counted them all."),
        (
            "reference",
            4,
            ("References",),
            "A. B. Moss, Cleo Fern. (2011). Why snails are slow. Journal of Slime, 7, pp. 3–9. "
            "doi:10.5555/snail.1",
        ),
    ]
    assert document.pages == 4
    (request,) = server.requests
    assert (request.path, request.files) == ("/api/processFulltextDocument", {"input": PAPER})
    assert ("consolidateHeader", "0") in request.fields
    assert ("consolidateCitations", "0") in request.fields
    places = {value for name, value in request.fields if name == "teiCoordinates"}
    assert places == {"p", "head", "biblStruct", "ref"}


FAULTS = {
    "error": Answer(500, "no"),
    "busy": Answer(503),
    "nothing": Answer(204),
    "a page": Answer(200, "<html><body>Welcome to the proxy</body></html>"),
    "not xml": Answer(200, "<TEI <<<"),
    "no text": Answer(200, "<TEI><teiHeader/><text><body/></text></TEI>"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_the_service_does_not_read_is_said_and_the_next_file_is_asked_for(fault: str) -> None:
    busy = [Answer(503)] * 2
    with GrobidServer([*busy, FAULTS[fault], *busy, Answer(200, TEI)]) as server:
        with pytest.raises(DocumentError):
            read(server.url)
        assert read(server.url).reader == grobid.NAME  # asked again while it was busy


def test_service_that_is_down_or_never_ends_is_left_in_time_and_asked_again_after_a_rest() -> None:
    for fault in (Answer(None), Answer(200, slow=True)):
        with GrobidServer([fault, Answer(200, TEI)]) as server:
            with pytest.raises(DocumentError, match="does not answer"):
                read(server.url, 0.3)
            with pytest.raises(DocumentError, match="did not answer a moment ago"):
                read(server.url)
            assert len(server.requests) == 1
            grobid._down.clear()
            assert read(server.url).reader == grobid.NAME


@pytest.mark.parametrize(
    "url", ["http://me:secret@127.0.0.1:1", "ftp://127.0.0.1", "http://[", "nonsense"]
)
def test_address_where_no_service_is_is_told_without_its_password(url: str) -> None:
    with pytest.raises(DocumentError, match="CITELOOM_GROBID_URL") as caught:
        read(url)
    assert "secret" not in str(caught.value)


def test_service_is_what_the_settings_say() -> None:
    assert grobid.grobid_of(Settings(grobid_url=None)) is None
    asked = grobid.grobid_of(Settings(grobid_url="http://127.0.0.1:1", grobid_timeout=3))
    assert asked == grobid.Grobid("http://127.0.0.1:1", 3)
