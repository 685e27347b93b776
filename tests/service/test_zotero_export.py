"""A run's papers, quotes and highlights in Zotero: planned, written, and left alone where they are the user's."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trial
from hypothesis import strategies as st
from pydantic import SecretStr
from rapidfuzz import fuzz

from citeloom.report.zotero_notes import (
    CONTRADICTS,
    SUPPORTS,
    NotedPaper,
    QuotedClaim,
    highlight_of,
)
from citeloom.service.zotero_export import ExportPlan, Kept, plan_changes, write_changes
from state.paper import Author, Paper
from state.quote import Quote
from tests.fakes.zotero import KEY, ZoteroServer, nobody
from tests.pdf.writer import Page, pdf
from tools.ingest.reader_processes import close_workers
from tools.pdf.page_image import quote_place
from tools.scholar.zotero_library import ZoteroChangedError, ZoteroLibrary, key_of
from tools.settings import Settings, settings

PLACE = "users/12"
QUOTE = "barn owls tell the height of a sound by the loudness at either ear"
OTHER = "The study took three years and forty birds in nine barns near the river."


@pytest.fixture
def zotero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ZoteroServer]:
    """A library, and a Zotero on this machine with the file of its paper: the first quote stands on page 4."""
    sheets = [*(Page() for _ in range(3)), sheet((60, 700, f"Indeed {QUOTE}"))]
    (tmp_path / "zotero.pdf").write_bytes(pdf(sheets))
    with ZoteroServer() as server:
        server.files["FFFF2345"] = tmp_path / "zotero.pdf"
        monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
        monkeypatch.setenv("CITELOOM_ZOTERO_URL", server.url)
        settings.cache_clear()
        yield server
    settings.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def readers() -> Iterator[None]:
    """End the processes that read PDFs."""
    yield
    close_workers()


def noted(title: str = "How barn owls hear", *, key: str = "owl2001", **fields: Any) -> NotedPaper:
    paper = Paper(
        **{"id": f"local:{title}", "title": title, "year": 2001, **fields},
        authors=(Author(name="Ann Owl"),),
    )
    quotes = [
        Quote(
            text=text, paper=paper.id, part=part, start=0, end=len(text), verified=True, place=place
        )
        for text, part, place in ((QUOTE, "passage", "3 Results, p. 4"), (OTHER, "abstract", ""))
    ]
    findings = [
        QuotedClaim("Owls hear <b>height</b>.", "supported", quotes[:1]),
        QuotedClaim("The study was short.", "contradicted", quotes[1:]),
    ]
    return NotedPaper(paper, key, findings)


def nothing() -> Kept:
    return {"items": {}, "written": {}}


async def library_of(server: ZoteroServer) -> ZoteroLibrary:
    given_ = Settings(
        _env_file=None,
        zotero_api_url=server.url,
        zotero_api_key=SecretStr(KEY),  # type: ignore[call-arg]
    )
    return await ZoteroLibrary.opened(given_)


async def planned(
    server: ZoteroServer, papers: list[NotedPaper], kept: Kept
) -> tuple[ZoteroLibrary, ExportPlan]:
    library = await library_of(server)
    return library, await plan_changes(library, papers, "run-1", "Owl review", kept)


async def put(
    server: ZoteroServer, papers: list[NotedPaper], kept: Kept
) -> tuple[ExportPlan, list[str]]:
    library, plan = await planned(server, papers, kept)
    return plan, (await write_changes(library, plan, kept))[1]


def user_has(server: ZoteroServer, **data: Any) -> tuple[str, str]:
    """Have the paper in Zotero with a PDF; return the keys of both."""
    person = {"creatorType": "author", "firstName": "Ann", "lastName": "Owl"}
    item = {"title": "How barn owls hear", "date": "2001", "creators": [person], **data}
    server.put("CLLM2345", "collections", name="Mine")
    server.put("BARN2345", itemType="journalArticle", tags=[{"tag": "read"}], **item)
    server.put(
        "FFFF2345", itemType="attachment", parentItem="BARN2345", contentType="application/pdf"
    )
    server.put("HHHH2345", itemType="attachment", parentItem="BARN2345", contentType="text/html")
    return "BARN2345", "FFFF2345"


async def test_paper_that_the_user_has_gets_note_highlight_tags_and_collection(
    zotero: ZoteroServer,
) -> None:
    item, file = user_has(zotero, collections=["CLLM2345"])
    mine = noted()
    plan, problems = await put(
        zotero, [mine, noted("Voles in the dark", key="vole2001")], nothing()
    )
    assert not problems
    made, own = zotero.held("document") + zotero.held("preprint"), zotero.held("journalArticle")[0]
    assert [one["title"] for one in made] == ["Voles in the dark"]
    (collection,) = (one["key"] for one in zotero.held() if one["name"] == "Owl review")
    assert [*own["collections"]] == ["CLLM2345", collection]
    assert [one["tag"] for one in own["tags"]] == ["read", CONTRADICTS, SUPPORTS]
    note = next(one["note"] for one in zotero.held("note") if one["parentItem"] == item)
    for part in (
        f"“{QUOTE}” (3 Results, p. 4)",
        "<strong>contradicted</strong>: The study was short.",
        "Owls hear &lt;b&gt;height&lt;/b&gt;.",
        "run-1",
    ):
        assert part in note
    (mark,) = zotero.held("annotation")
    assert (mark["parentItem"], mark["annotationPageLabel"]) == (file, "4")
    assert mark["annotationComment"] == "supported: Owls hear <b>height</b>."
    assert mark["annotationColor"] == "#5fb236"
    assert mark["annotationSortIndex"].startswith("00003|000000|49")
    position = json.loads(mark["annotationPosition"])
    assert position["pageIndex"] == 3
    words = words_under(zotero.files[file].read_bytes(), 3, position["rects"])
    assert words == mark["annotationText"] == QUOTE
    assert plan.left == [
        "“How barn owls hear”: 1 of 2 quotes not highlighted; start Zotero on this machine, "
        "and see that it has the PDF and the PDF these words"
    ]


async def test_what_the_user_changed_or_deleted_is_left_alone(zotero: ZoteroServer) -> None:
    user_has(zotero)
    kept, papers = nothing(), [noted(), noted("Voles in the dark"), noted("Mice by day")]
    await put(zotero, papers, kept)
    notes = {one["parentItem"]: one["key"] for one in zotero.held("note")}
    (mark,) = zotero.held("annotation")
    zotero.put(notes["BARN2345"], note="my own words")
    zotero.delete(mark["key"])
    zotero.put(kept["items"]["local:Voles in the dark"], deleted=1)
    zotero.delete(kept["items"]["local:Mice by day"])
    zotero.put("BARN2345", tags=[], collections=[])
    before = json.dumps(zotero.objects)
    for one in papers:
        one.findings.append(QuotedClaim("More.", "partly", one.findings[0].quotes))
    plan, _ = await put(zotero, papers, kept)
    assert not plan.changes
    assert json.dumps(zotero.objects) == before
    assert [told for told in plan.left if "quotes" not in told] == [
        "“Voles in the dark”: it is in Zotero's trash; restore it there",
        "“Mice by day”: you deleted it in Zotero",
        "note to “How barn owls hear”: it was changed in Zotero",
        "highlight in “How barn owls hear”, page 4: you deleted it in Zotero",
    ]


async def test_own_note_is_updated_and_no_other_is_touched(zotero: ZoteroServer) -> None:
    user_has(zotero)
    zotero.put("NNNN2345", itemType="note", parentItem="BARN2345", note="CiteLoom: mine")
    kept, one = nothing(), noted()
    await put(zotero, [one], kept)
    one.findings[0] = QuotedClaim("Owls hear it.", "partly", one.findings[0].quotes)
    plan, _ = await put(zotero, [one], kept)
    assert [change.told.split(" ")[0] for change in plan.changes] == ["note", "highlight"]
    notes = {item["key"]: item["note"] for item in zotero.held("note")}
    assert notes.pop("NNNN2345") == "CiteLoom: mine"
    assert ["Owls hear it." in text for text in notes.values()] == [True]
    assert [item["annotationComment"] for item in zotero.held("annotation")] == [
        "partly: Owls hear it."
    ]


async def test_paper_in_the_trash_is_not_added_again(zotero: ZoteroServer) -> None:
    user_has(zotero, deleted=1)
    plan, _ = await put(zotero, [noted()], nothing())
    assert len(zotero.held("journalArticle")) == 1
    assert not [*zotero.held("note"), *zotero.held("preprint"), *zotero.held("document")]
    assert plan.left == ["“How barn owls hear”: it is in Zotero's trash; restore it there"]


async def test_failed_item_takes_its_note_along_and_comes_with_the_next_call(
    zotero: ZoteroServer,
) -> None:
    zotero.refused = {"Voles in the dark"}
    kept, papers = nothing(), [noted(), noted("Voles in the dark")]
    _, problems = await put(zotero, papers, kept)
    assert problems == [
        "new: “Voles in the dark”: An error occurred",
        f"note to “Voles in the dark”: Parent item {key_of(PLACE, 'item', 'local:Voles in the dark')} not found",
    ]
    assert len(zotero.held("note")) == 1
    zotero.refused = set()
    plan, problems = await put(zotero, papers, kept)
    assert not problems
    assert [one.told for one in plan.changes] == [
        "new: “Voles in the dark”",
        "note to “Voles in the dark”",
    ]
    assert len(zotero.held("note")) == 2


async def test_batch_that_was_written_before_a_cut_is_known_and_edits_of_it_stay(
    zotero: ZoteroServer,
) -> None:
    papers = [noted(f"Owl paper number {at}", doi=f"10.1000/{at}") for at in range(70)]
    kept = nothing()

    def add() -> None:
        zotero.put("XXXX2345", itemType="document", title="Another one")

    zotero.meanwhile = [nobody, nobody, nobody, add]
    with pytest.raises(ZoteroChangedError):
        await put(zotero, papers, kept)
    sizes = [len(one.body) for one in zotero.requests if one.method == "POST"]
    assert sizes == [1, 50, 50, 40]
    edited = zotero.held("note")[0]
    zotero.put(edited["key"], note="my own words")
    for one in papers:
        one.findings.append(QuotedClaim("More.", "partly", one.findings[0].quotes))
    plan, problems = await put(zotero, papers, kept)
    assert not problems
    assert [told.partition(":")[2] for told in plan.left] == [" it was changed in Zotero"]
    texts = [item["note"] for item in zotero.held("note")]
    assert len(texts) == 70
    assert [text for text in texts if "More." not in text] == ["my own words"]


async def test_note_whose_record_is_lost_is_not_written_over(zotero: ZoteroServer) -> None:
    user_has(zotero)
    await put(zotero, [noted()], nothing())
    (note,) = zotero.held("note")
    zotero.put(note["key"], note="my own words")
    plan, _ = await put(zotero, [noted()], nothing())
    assert "note to “How barn owls hear”: it was changed in Zotero" in plan.left
    assert [one["note"] for one in zotero.held("note")] == ["my own words"]


@pytest.mark.parametrize("trashed", [True, False])
async def test_collection_that_the_user_deleted_is_made_anew_with_its_papers(
    zotero: ZoteroServer, trashed: bool
) -> None:
    user_has(zotero)
    kept = nothing()
    await put(zotero, [noted()], kept)
    old = next(one["key"] for one in zotero.held() if one["name"] == "Owl review")
    if trashed:
        zotero.put(old, "collections", deleted=1)
    else:
        del zotero.objects[f"{PLACE}/collections"][old]
        zotero.put("BARN2345", collections=[])
    await put(zotero, [noted()], kept)
    (new,) = (
        one["key"] for one in zotero.held() if one["name"] == "Owl review" and one["key"] != old
    )
    assert new in zotero.held("journalArticle")[0]["collections"]


STEPS = st.lists(st.sampled_from(["put", "forget", "cut", "edit"]), min_size=1, max_size=4)


@trial(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_whatever_happens_nothing_is_there_twice(
    zotero: ZoteroServer, steps: list[str]
) -> None:
    zotero.objects.clear()
    zotero.versions.clear()
    item, _ = user_has(zotero)
    kept, papers = nothing(), [noted(), noted("Voles in the dark")]

    def change() -> None:
        zotero.put(item, extra="x")

    for step in [*steps, "put"]:
        if step == "forget":
            kept = nothing()
        elif step == "edit":
            zotero.put(item, abstractNote="mine")
        else:
            zotero.meanwhile = [nobody, change] if step == "cut" else []
            try:
                await put(zotero, papers, kept)
            except ZoteroChangedError:
                assert step == "cut"
    # One that has lost its record writes the same into the same objects, which Zotero takes as unchanged.
    before = json.dumps(zotero.objects)
    await put(zotero, papers, nothing())
    assert json.dumps(zotero.objects) == before
    assert sorted(one["parentItem"] == item for one in zotero.held("note")) == [False, True]
    assert len(zotero.held("annotation")) == 1
    assert len(zotero.held("preprint")) == 1
    assert [one["name"] for one in zotero.held()] == ["Mine", "Owl review"]
    own = zotero.held("journalArticle")[0]
    assert [one["tag"] for one in own["tags"]].count(SUPPORTS) == 1


def words_under(content: bytes, page: int, boxes: Sequence[tuple[float, ...]]) -> str:
    """Return the text under boxes of a page, as another reader has it; each lies inside the page."""
    document = pypdfium2.PdfDocument(content)
    sheet = document[page]
    text = sheet.get_textpage()
    left, bottom, right, top = sheet.get_cropbox()
    for box in boxes:
        assert left <= box[0] < box[2] <= right
        assert bottom <= box[1] < box[3] <= top
    told = " ".join(text.get_text_bounded(*box) for box in boxes)
    text.close()
    sheet.close()
    document.close()
    return " ".join(told.split())


def sheet(*texts: tuple[float, float, str]) -> Page:
    page = Page()
    for x, y, text in texts:
        page.paragraph(x, y, text, width=200)
    return page


def written(tmp_path: Path, pages: list[Page], shifted: bool = False) -> tuple[bytes, str]:
    content = pdf(pages)
    if shifted:  # a page whose corner is not at 0, 0
        content = content.replace(b"[0 0 612 792]", b"[9 9 612 792]")
    (tmp_path / "owls.pdf").write_bytes(content)
    return content, str(tmp_path / "owls.pdf")


@pytest.mark.parametrize("shifted", [False, True])
def test_rects_of_a_quote_lie_over_its_words(tmp_path: Path, shifted: bool) -> None:
    pages = [sheet((60, 700, OTHER)), sheet((60, 700, OTHER), (60, 600, QUOTE))]
    content, path = written(tmp_path, pages, shifted)
    place = quote_place(path, "owls", 1, QUOTE)
    assert place
    assert (place.page, place.label, place.next_boxes) == (1, "2", [])
    assert words_under(content, 1, place.boxes) == QUOTE
    assert len(place.boxes) == 2
    mark = highlight_of(QUOTE, [], place)
    assert mark["annotationSortIndex"].startswith("00001|000000|49")


def test_rects_on_a_page_that_is_turned_lie_over_its_words(tmp_path: Path) -> None:
    page = Page(rotated=90)
    for at, line in enumerate((QUOTE[:33], QUOTE[34:])):
        page.text(300 + 12 * at, 100, line, upward=True)
    content, path = written(tmp_path, [page])
    place = quote_place(path, "owls", 1, QUOTE)
    assert place
    # That reader cuts letters off at the sides of turned lines.
    assert fuzz.ratio(words_under(content, 0, place.boxes), QUOTE) > 97


def test_quote_over_two_columns_or_two_pages_has_rects_on_both(tmp_path: Path) -> None:
    half = len(OTHER) // 2
    begin, end = OTHER[: OTHER.index(" ", half)], OTHER[OTHER.index(" ", half) + 1 :]
    content, path = written(
        tmp_path, [sheet((60, 80, begin), (330, 700, end)), sheet((60, 700, QUOTE))]
    )
    place = quote_place(path, "owls", None, OTHER)
    assert place
    assert words_under(content, 0, place.boxes) == OTHER
    content, path = written(
        tmp_path,
        [sheet((60, 80, begin)), sheet((60, 700, end), (60, 500, QUOTE)), sheet((60, 99, QUOTE))],
    )
    for hint in (1, 2, 3):
        place = quote_place(path, "owls", hint, OTHER)
        assert place
        assert place.page == 0
        assert (
            f"{words_under(content, 0, place.boxes)} {words_under(content, 1, place.next_boxes)}"
            == OTHER
        )
    position = json.loads(highlight_of(OTHER, [], place)["annotationPosition"])
    assert [len(position[name]) for name in ("rects", "nextPageRects")] == [1, 1]


@pytest.mark.parametrize(
    "quote", ["", "   ", OTHER[:40] + " and cats were never heard of again here", "—"]
)
def test_words_that_do_not_stand_there_have_no_place(tmp_path: Path, quote: str) -> None:
    _, path = written(tmp_path, [sheet((60, 700, OTHER)), sheet((60, 700, QUOTE))])
    assert quote_place(path, "owls", 7, quote) is None
