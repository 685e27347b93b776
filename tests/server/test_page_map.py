"""The map of a run in a real Chromium: what it draws, its card, its lenses, and its keys."""

from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from tests.server.browser import Visitor
from tests.server.conftest import Server
from tests.server.hostile import Caller
from tests.support import ABSTRACT, SMALL

KEEP = 12


@pytest.fixture(scope="module")
def thread(server: Server) -> str:
    """A search whose papers make themes."""
    caller = Caller(server.url)
    found = caller.thread()
    text = ABSTRACT.read_text(encoding="utf-8")
    caller.run("find", found, text=text, library=SMALL, sources=["library"], keep=KEEP)
    return found


def boxes(page: Page, selector: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each of these that has a size."""
    script = """all => all.map(one => one.getBoundingClientRect()).filter(box => box.width)
        .map(box => [box.left, box.top, box.right, box.bottom])"""
    return [tuple(box) for box in page.locator(selector).evaluate_all(script)]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_map_names_its_papers_and_opens_them(
    visitor: Visitor, thread: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = visitor.page
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    visitor.at(f"run/{thread}/graph")
    expect(page.locator(".frame .dot.kept")).to_have_count(KEEP)
    frame = boxes(page, ".frame")[0]
    titles = boxes(page, ".frame .dot.kept .label")
    assert len(titles) == KEEP
    for left, _, right, _ in titles:
        assert frame[0] <= left
        assert right <= frame[2] + 1
    lanes = page.locator("text.lane").all_text_contents()
    assert len(lanes) >= 2
    assert "Other" not in " ".join(lanes)

    # A title that is cut ends in an ellipsis, and stands there whole under the focus.
    discs = page.locator(".frame .dot.kept")
    cut = 0
    for disc in discs.all():
        shown, title = (
            disc.locator(".label").text_content() or "",
            disc.get_attribute("data-title") or "",
        )
        assert shown.endswith("…") or title.startswith(shown)
        disc.focus()
        whole = page.locator(".whole text")
        if shown != title:
            assert " ".join(whole.all_text_contents()) == title
            (box,) = boxes(page, ".whole rect")
            assert frame[0] <= box[0]
            assert box[2] <= frame[2] + 1
            assert all(
                box[0] < left and right < box[2] for left, _, right, _ in boxes(page, ".whole text")
            )
            cut += 1
        else:
            expect(whole).to_have_count(0)
    assert cut
    labels = boxes(page, ".frame .dot .label")
    assert not [
        (one, other)
        for place, one in enumerate(labels)
        for other in labels[place + 1 :]
        if one[0] < other[2] - 1
        and other[0] < one[2] - 1
        and one[1] < other[3] - 5
        and other[1] < one[3] - 5
    ]

    page.locator(".frame .dot.kept").first.click()
    card = page.locator(".map-card")
    title = card.locator("h2").inner_text()
    assert page.locator(".frame .dot.chosen").get_attribute("data-title") == title
    expect(card.locator("blockquote")).to_be_visible()
    (card_box,) = boxes(page, ".map-card")
    # Beside the map, or a sheet that leaves the disc in sight.
    assert card_box[0] >= frame[2] if width > 1000 else card_box[1] > 800 * 0.38 - 1
    visitor.looks_right()
    card.get_by_role("button", name="Close the card").click()
    expect(page.locator(".frame .dot.chosen")).to_have_count(0)
    assert page.evaluate("document.activeElement.classList.contains('dot')")


def test_lenses_zoom_and_words_change_what_is_seen(visitor: Visitor, thread: str) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 800})
    visitor.at(f"run/{thread}/graph")
    page.get_by_role("button", name="Relevance", exact=True).click()
    assert page.locator("text.lane").first.text_content() == "Score 85 to 100"
    before = page.locator(".frame .dot").count()
    page.get_by_role("button", name="Ranked, not kept").click()
    assert page.locator(".frame .dot").count() > before
    page.get_by_role("button", name="Zoom in").click()
    expect(page.locator(".zoom output")).to_have_text("140 %")
    page.locator(".frame .dot.kept").first.focus()
    page.keyboard.press("0")
    expect(page.locator(".zoom output")).to_have_text("100 %")
    title = page.locator(".frame .dot.kept").first.get_attribute("data-title") or ""
    page.get_by_label("Find in the map").fill(title[:30])
    assert page.locator(".dot.found").count() >= 1
    page.get_by_role("button", name="Role in your text").click()
    expect(page.locator(".frame .dot")).to_have_count(KEEP)
    assert page.locator("text.lane").all_text_contents()[0].startswith("Kept, not")
    page.locator(".frame .dot.kept").first.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Must cite").click()
    expect(page.get_by_role("button", name="Must cite")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(page.locator(".frame .dot.chosen")).to_have_count(0)
    visitor.is_well()


OLDER = "Owls that hear voles below the snow of the northern meadows"
NEWER = "Owls that hear no voles below the wet snow of the southern meadows"
AGAINST = "Unlike Barn (2019), our owls heard no voles at all below wet snow."
BIBTEX = (
    f"@article{{barn, title={{{OLDER}}}, author={{Barn, Ann}}, year={{2019}},"
    " abstract={Owls hear voles below snow.}}"
)
TEXT = f"""# {NEWER}

## Abstract

Owls that hear voles below snow were brought to wet meadows, where they heard no voles below the snow.

## Results

Owls sat on posts. {AGAINST} They flew home hungry.

## References

Barn, Ann. 2019. {OLDER}. Snow 3, 4-9.
"""


def test_line_shows_what_the_citing_paper_says_in_words_and_style(
    visitor: Visitor, server: Server
) -> None:
    caller = Caller(server.url)
    files = [{"name": "barn.bib", "content": BIBTEX}, {"name": "wet.md", "content": TEXT}]
    caller.run("ingest", caller.thread(), library="wet-owls", uploads=files)
    thread = caller.thread()
    asked = "How do owls hear voles below snow?"
    caller.run("find", thread, text=asked, library="wet-owls", sources=["library"], keep=2)
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 800})
    visitor.at(f"run/{thread}/graph")
    line = page.locator(".frame .lines path.contrasts")
    expect(line).to_have_count(1)
    style = line.evaluate("one => getComputedStyle(one).strokeDasharray")
    assert style not in {"", "none"}
    expect(page.locator(".legend.says")).to_have_text("contrasts with it")
    page.locator(".frame .dot.kept", has_text="no voles").first.press("Enter")
    page.locator(".map-card summary").click()
    expect(page.locator(".map-card q")).to_have_text(AGAINST)
    expect(page.locator(".map-card")).to_contain_text("classified by cue words")
    visitor.looks_right()
