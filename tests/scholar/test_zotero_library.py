"""A user's Zotero library: real HTTP to a server that answers as Zotero's web API does."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from state.paper import Author, Paper
from tests.fakes.zotero import KEY, USER, Reply, ZoteroServer
from tools.errors import CiteLoomError, InputError, PermanentError, QuotaError, TransientError
from tools.scholar.zotero_library import (
    ZoteroChangedError,
    ZoteroLibrary,
    item_of,
    key_of,
    matching_items,
)
from tools.settings import Settings

OWLS = "How barn owls hear the height of a sound"


@pytest.fixture
def zotero() -> Iterator[ZoteroServer]:
    with ZoteroServer() as server:
        yield server


def settings_of(server: ZoteroServer, **others: Any) -> Settings:
    given_ = {"zotero_api_url": server.url, "zotero_api_key": SecretStr(KEY), **others}
    return Settings(_env_file=None, **{"source_patience": 5.0, **given_})  # type: ignore[call-arg]


async def opened(server: ZoteroServer, group: int | None = None, **others: Any) -> ZoteroLibrary:
    return await ZoteroLibrary.opened(settings_of(server, **others), group)


def paper(title: str = OWLS, *, names: tuple[str, ...] = ("Ann Owl",), **fields: Any) -> Paper:
    authors = tuple(Author(name=name) for name in names)
    return Paper(**{"id": f"local:{title}", "title": title, "authors": authors, **fields})


def has(server: ZoteroServer, key: str, title: str = OWLS, **data: Any) -> str:
    """Have an item in Zotero."""
    creators = [{"creatorType": "author", "firstName": "Ann", "lastName": "Owl"}]
    made = {"itemType": "journalArticle", "title": title, "creators": creators, **data}
    return server.put(key, **made)


async def match(server: ZoteroServer, *papers: Paper) -> dict[str, str]:
    library = await opened(server)
    listed = await library.everything("items/top?include=data,csljson")
    return {paper: item["key"] for paper, item in matching_items(papers, listed).items()}


async def test_whole_library_is_read_page_by_page(zotero: ZoteroServer) -> None:
    for at in range(230):
        has(zotero, key_of("item", str(at)), f"Owl number {at}")
    library = await opened(zotero)
    assert library.place == f"users/{USER}"
    listed = await library.everything("items/top")
    assert len({item["key"] for item in listed}) == 230


async def test_only_a_key_that_may_write_opens_a_library(zotero: ZoteroServer) -> None:
    for none in (None, SecretStr("")):
        with pytest.raises(InputError, match=r"zotero.org/settings/keys, and set ZOTERO_API_KEY"):
            await opened(zotero, zotero_api_key=none)
    with pytest.raises(PermanentError, match=r"Invalid key.*ZOTERO_API_KEY") as refused:
        await opened(zotero, zotero_api_key=SecretStr("some-other-key"))
    assert "some-other-key" not in str(refused.value)
    with pytest.raises(InputError, match="may not write to the group 7"):
        await opened(zotero, 7)
    zotero.groups = {
        "all": {"library": True, "write": False},
        "7": {"library": True, "write": True},
    }
    assert (await opened(zotero, 7)).place == "groups/7"
    with pytest.raises(InputError, match="group 8"):
        await opened(zotero, 8)
    zotero.notes = False
    with pytest.raises(InputError, match="your library and its notes"):
        await opened(zotero)
    zotero.notes = True
    library = await opened(zotero)
    zotero.writes = False
    with pytest.raises(PermanentError, match="Write access denied"):
        await library.write("items", [{"key": key_of("x"), "itemType": "document"}])
    with pytest.raises(InputError, match="your library"):
        await opened(zotero)


async def test_write_to_a_library_that_was_changed_since_changes_nothing(
    zotero: ZoteroServer,
) -> None:
    has(zotero, "OWLS2345")
    library = await opened(zotero)
    await library.everything("items/top")
    has(zotero, "OWLS2345", "Renamed by its user")
    with pytest.raises(ZoteroChangedError, match="repeat the command"):
        await library.write("items", [{"key": "OWLS2345", "title": "Ours"}])
    assert [one["title"] for one in zotero.held("journalArticle")] == ["Renamed by its user"]
    with pytest.raises(ZoteroChangedError):
        await library.everything("items/top")


async def test_what_fails_of_a_batch_is_told_and_the_rest_is_taken(zotero: ZoteroServer) -> None:
    library = await opened(zotero)
    good, bad = key_of("good"), key_of("bad")
    objects = [
        {"key": good, "itemType": "document", "title": "x"},
        {"key": bad, "itemType": "document", "volume": "3"},
    ]
    versions, failed = await library.write("items", objects)
    assert [*versions] == [good]
    assert failed == {bad: "'volume' is not a valid field for type 'document'"}
    assert await library.write("items", objects[:1]) == ({}, {})


async def test_zotero_is_waited_for_as_long_as_it_asks(zotero: ZoteroServer) -> None:
    library = await opened(zotero)
    zotero.replies = [
        Reply(429, "Rate limit exceeded", {"Retry-After": "0.3"}),
        Reply(503, "Closed"),
        Reply(0, headers={"Backoff": "0.4"}),
    ]
    assert await library.everything("collections") == []
    await library.everything("collections")
    first, second, third, after = (one.at for one in zotero.requests[-4:])
    assert second - first >= 0.3
    assert third > second
    assert after - third >= 0.39


async def test_zotero_that_stays_away_is_told(zotero: ZoteroServer) -> None:
    library = await opened(zotero, source_patience=0.5)
    zotero.replies = [Reply(503, "Down for maintenance")] * 50
    with pytest.raises(TransientError, match="Zotero is busy or not working"):
        await library.everything("collections")
    zotero.replies = [Reply(429, "Too many", {"Retry-After": "7200"})]
    with pytest.raises(QuotaError, match="quota"):
        await library.everything("collections")
    zotero.replies = [Reply(200, "<html>Log in</html>")]
    with pytest.raises(PermanentError, match="not Zotero: check CITELOOM_ZOTERO_API_URL"):
        await library.everything("collections")
    with pytest.raises(CiteLoomError, match="cannot be reached"):
        await ZoteroLibrary.opened(
            settings_of(zotero, zotero_api_url="http://127.0.0.1:9", source_patience=0.5)
        )


async def test_papers_are_found_by_doi_arxiv_id_and_title(zotero: ZoteroServer) -> None:
    has(zotero, "DDDD2345", "Owls, renamed by hand", DOI="10.1000/OWLS")
    has(zotero, "AAAA2345", "Another name", itemType="preprint", archiveID="arXiv:2401.00001")
    has(zotero, "EEEE2345", "In the extra field", extra="DOI: 10.1000/extra")
    has(zotero, "TTTT2345", "Voles in the dark: <i>Microtus</i> heard", date="2019")
    zotero.put("NNNN2345", itemType="note", note="alone")
    zotero.put("FFFF2345", itemType="attachment", contentType="application/pdf")
    papers = [
        paper(id="doi:10.1000/owls", doi="10.1000/owls"),
        paper("A preprint of owls", id="arxiv:2401.00001", arxiv="2401.00001"),
        paper("Voles in the Dark: Microtus Heard", year=2019),
        paper("A paper that nobody has"),
    ]
    assert await match(zotero, *papers) == {
        "doi:10.1000/owls": "DDDD2345",
        "arxiv:2401.00001": "AAAA2345",
        papers[2].id: "TTTT2345",
    }


async def test_title_twins_are_told_apart_and_trash_comes_last(zotero: ZoteroServer) -> None:
    has(zotero, "TWIN2345", "Editorial: the year of the owl", date="2001")
    has(zotero, "TWIN3456", "Editorial: the year of the owl", date="2012")
    has(zotero, "TRAS2345", OWLS, date="2020", deleted=1)
    has(zotero, "WHLE2345", OWLS, date="2020")
    has(zotero, "GNNE2345", "Only in the trash, about owls", date="2020", deleted=1)
    late = paper("Editorial: the year of the owl", year=2012)
    other = paper("Editorial: The Year of the Owl", id="local:other", names=("Bo Crow",), year=2001)
    live, gone = paper(year=2020), paper("Only in the trash, about owls", year=2020)
    assert await match(zotero, late, other, live, gone) == {
        late.id: "TWIN3456",
        live.id: "WHLE2345",
        gone.id: "GNNE2345",
    }


@pytest.mark.parametrize(
    "made",
    [
        paper(arxiv="2401.00001", abstract="We listened.", year=2024),
        paper(
            doi="10.1000/x", venue="Journal of Owls", volume="3", issue="1", pages="5-15", year=2001
        ),
        paper(doi="10.1000/y", arxiv="2401.00002", venue="Proceedings of the Conference on Owls"),
        paper(names=("The Owl Consortium", "Juan de la Cruz", "King, Martin, Jr."), year=1999),
        paper("<b>Barn owls</b> & \\emph{field voles} of the river 😀", year=2003),
    ],
)
async def test_item_of_a_paper_is_taken_and_found_again(zotero: ZoteroServer, made: Paper) -> None:
    library = await opened(zotero)
    item = {"key": key_of("item", made.id), **item_of(made, "owl2001height")}
    assert await library.write("items", [item]) == ({item["key"]: 1}, {})
    assert await match(zotero, made) == {made.id: item["key"]}
    assert "Citation Key: owl2001height" in item["extra"]


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_keys_are_zoteros_and_the_same_each_time(parts: list[str]) -> None:
    key = key_of(*parts)
    assert (key, len(key)) == (key_of(*parts), 8)
    assert set(key) <= set("23456789ABCDEFGHIJKLMNPQRSTUVWXYZ")
    assert key != key_of(*parts, "more")
