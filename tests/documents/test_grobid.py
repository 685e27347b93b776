"""Papers read by a GROBID service, and by our own reader where it fails; every text is made up."""

import socket

import pytest

from citeloom.settings import Settings
from state.document import Document
from tests.fakes.grobid import Answer, GrobidServer
from tests.pdf import papers
from tools.documents.grobid import NAME, GrobidService, grobid_of, read_tei
from tools.errors import DocumentError, TransientError

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


def reader(url: str, *, rest: float = 3600.0) -> GrobidService:
    return GrobidService(url, timeout=10, rest=rest, pauses=(0.0, 0.0))


def read(asked: GrobidService) -> Document:
    return read_tei(asked.tei(PAPER), name="a.pdf")


def test_paper_is_read_by_the_service() -> None:
    with GrobidServer([Answer(200, TEI)]) as server:
        document = read(reader(server.url + "/"))
    assert document.reader == NAME
    assert document.title == "Snails that count their steps"
    assert [(b.kind, b.page, b.section, b.text) for b in document.blocks] == [
        ("abstract", None, ("Abstract",), "Snails count."),
        ("text", 1, ("1 Steps",), "Snails take few steps (Moss and Fern, 2011), and small ones."),
        ("text", 3, ("2 Counts",), "We counted them all."),
        (
            "reference", 4, ("References",),
            "A. B. Moss, Cleo Fern. (2011). Why snails are slow. Journal of Slime, 7, pp. 3–9. "
            "doi:10.5555/snail.1",
        ),
    ]  # fmt: skip
    assert document.pages == 4


def test_service_is_sent_the_file_and_asked_to_look_nothing_up() -> None:
    with GrobidServer([Answer(200, TEI)]) as server:
        reader(server.url).tei(PAPER)
    (request,) = server.requests
    assert request.path == "/api/processFulltextDocument"
    assert request.files == {"input": PAPER}
    assert request.filenames == ["paper.pdf"]
    fields = request.fields
    assert ("consolidateHeader", "0") in fields
    assert ("consolidateCitations", "0") in fields
    places = {value for name, value in fields if name == "teiCoordinates"}
    assert places == {"p", "head", "biblStruct", "ref"}


FAULTS = {
    "error": Answer(500, "no"),
    "busy": Answer(503),
    "nothing": Answer(204),
    "refused": Answer(400, "bad"),
    "moved": Answer(302),
    "empty": Answer(200, "  "),
    "a page": Answer(200, "<html><body>Welcome to the proxy</body></html>"),
    "not xml": Answer(200, "<TEI <<<"),
    "no text": Answer(200, "<TEI><teiHeader/><text><body/></text></TEI>"),
    "cut off": Answer(None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_the_service_does_not_read_is_said_and_the_next_file_is_asked_for(fault: str) -> None:
    busy = [Answer(503)] * 2 if fault == "busy" else []
    with GrobidServer([*busy, FAULTS[fault], Answer(200, TEI)]) as server:
        asked = reader(server.url, rest=0.0)
        with pytest.raises((DocumentError, TransientError)):
            read(asked)
        assert read(asked).reader == NAME


def test_busy_service_is_asked_again() -> None:
    with GrobidServer([Answer(503), Answer(503), Answer(200, TEI)]) as server:
        assert read(reader(server.url)).reader == NAME
    assert len(server.requests) == 3


def test_service_that_is_down_is_asked_once_and_after_a_rest_again() -> None:
    with GrobidServer([Answer(None), Answer(200, TEI)]) as server:
        asked = reader(server.url)
        for _ in range(3):
            with pytest.raises(TransientError, match="does not answer"):
                asked.tei(PAPER)
        assert len(server.requests) == 1
    with GrobidServer([Answer(None), Answer(200, TEI)]) as server:
        asked = reader(server.url, rest=0.0)
        with pytest.raises(TransientError):
            asked.tei(PAPER)
        assert asked.tei(PAPER).startswith(b"<?xml")


def test_service_that_never_ends_its_answer_is_left_in_time() -> None:
    with GrobidServer([Answer(200, slow=True)]) as server:
        asked = GrobidService(server.url, timeout=0.3)
        with pytest.raises(TransientError, match="does not answer"):
            asked.tei(PAPER)


def test_service_that_does_not_exist_is_told_without_its_password() -> None:
    with socket.socket() as held:  # bound and not listening: nothing else answers there
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        with pytest.raises(TransientError) as caught:
            reader(f"http://me:secret@127.0.0.1:{port}").tei(PAPER)
    assert f"127.0.0.1:{port}" in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["127.0.0.1:8070", "ftp://127.0.0.1", "http://[", "nonsense"])
def test_address_that_is_none_is_told(url: str) -> None:
    with pytest.raises(TransientError, match="CITELOOM_GROBID_URL"):
        reader(url).tei(PAPER)


def test_tei_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    document = read_tei(TEI[: TEI.index("<back>")].encode(), name="a.pdf")
    assert [block.text for block in document.blocks][-1] == "We counted them all."


def test_service_is_set_and_shared_by_the_process() -> None:
    assert grobid_of(Settings(grobid_url=None)) is None
    first = grobid_of(Settings(grobid_url="http://127.0.0.1:1", grobid_timeout=3))
    again = grobid_of(Settings(grobid_url="http://127.0.0.1:1", grobid_timeout=3))
    assert first is again is not None
