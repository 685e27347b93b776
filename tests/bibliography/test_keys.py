"""Readable keys, no two alike; and references handed to a Zotero on this machine."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Author, Paper
from tools.bibliography.keys import citation_keys
from tools.bibliography.zotero import send_to_zotero
from tools.errors import CiteLoomError, InputError, PermanentError, TransientError


def paper(title: str, author: str | None = None, year: int | None = None) -> Paper:
    authors = (Author(name=author),) if author else ()
    return Paper(id=f"local:{title} {author} {year}", title=title, year=year, authors=authors)


@pytest.mark.parametrize(
    ("title", "author", "year", "key", "why"),
    [
        (
            "Retrieval-Augmented Generation",
            "Patrick Lewis",
            2020,
            "lewis2020retrievalaugmented",
            "author, year, first word",
        ),
        ("A Survey of the Citation", "Lewis, Patrick", 2020, "lewis2020citation", "a telling word"),
        ("On trees", "Laurens van der Maaten", 2008, "vandermaaten2008trees", "particles"),
        ("Über Bäume", "Jürgen Müßig", 1999, "mussig1999uber", "accents"),
        ("Trees", "Đorđe Łukić-Øre", 1999, "lukicore1999trees", "letters no form takes apart"),
        ("Trees", None, 1999, "anon1999trees", "no author"),
        ("树木", "王伟", 2021, "anon2021untitled", "a script without ASCII"),
        ("???", "Lewis", 2021, "lewis2021untitled", "a title without words"),
    ],
)
def test_key_is_author_year_and_word(
    title: str, author: str | None, year: int | None, key: str, why: str
) -> None:
    assert citation_keys([paper(title, author, year)]) == [key], why


def test_papers_with_one_key_get_letters() -> None:
    papers = [paper("Trees", "Lewis", 2020)] * 29
    keys = citation_keys(papers)
    assert keys[:3] == ["lewis2020trees", "lewis2020treesb", "lewis2020treesc"]
    assert keys[-3:] == ["lewis2020treesaa", "lewis2020treesab", "lewis2020treesac"]


PAPERS = st.lists(
    st.builds(
        paper,
        st.one_of(st.sampled_from(["b", "bb", "c", "cb", "bc"]), st.text(min_size=1)).filter(
            str.strip
        ),
        st.one_of(st.none(), st.sampled_from(["Lee", "王", "É"]), st.text(min_size=1)),
        st.sampled_from([None, 2020]),
    ),
    max_size=40,
)


@given(PAPERS)
def test_keys_are_unique_ascii_and_stable(papers: list[Paper]) -> None:
    keys = citation_keys(papers)
    assert len(keys) == len(set(keys)) == len(papers)
    assert all(key.isascii() and key.isalnum() and key == key.lower() for key in keys)
    assert citation_keys(papers) == keys
    keyed = {id(item): key for item, key in zip(papers, keys, strict=True)}
    turned = sorted(papers, key=lambda item: (item.title, item.id), reverse=True)
    for item, key in zip(turned, citation_keys(turned), strict=True):
        alike = [other for other in papers if other == item]
        assert key in {keyed[id(other)] for other in alike}, "no order of the list changes a key"


RIS = "TY  - JOUR\r\nTI  - Owls\r\nER  - \r\nTY  - JOUR\r\nTI  - Voles\r\nER  - \r\n"


class Zotero(ThreadingHTTPServer):
    """As the connector server of Zotero: web pages are refused, what is no references is told."""

    answer: tuple[int, str] | None = None
    taken = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answering(BaseHTTPRequestHandler):
    server: Zotero

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"])).decode()
        status, text = self.server.answer or self._taken(content)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def _taken(self, content: str) -> tuple[int, str]:
        if not self.path.startswith("/connector/import?session="):
            return 404, "No endpoint found"
        if not self.headers["X-Zotero-Connector-API-Version"]:
            return 403, "Request not allowed"
        self.server.taken = content
        return 201, json.dumps([{"itemType": "journalArticle"}] * content.count("TY  - "))

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def zotero() -> Iterator[Zotero]:
    with Zotero(("127.0.0.1", 0), _Answering) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


async def test_references_are_taken_as_they_are_sent(zotero: Zotero) -> None:
    assert await send_to_zotero(RIS, f"{zotero.url}/") == 2
    assert zotero.taken == RIS


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        ((500, '{"libraryEditable": false}'), InputError, "choose another there"),
        ((400, ""), PermanentError, "it answered 400"),
        ((201, "{}"), PermanentError, "it answered 201"),
        ((201, "no JSON"), PermanentError, "it answered 201"),
    ],
)
async def test_refusal_is_told(
    zotero: Zotero, answer: tuple[int, str], kind: type[CiteLoomError], words: str
) -> None:
    zotero.answer = answer
    with pytest.raises(kind, match=words):
        await send_to_zotero(RIS, zotero.url)


async def test_zotero_that_does_not_run_is_told() -> None:
    with pytest.raises(TransientError, match="start it on this machine"):
        await send_to_zotero(RIS, "http://127.0.0.1:9")
