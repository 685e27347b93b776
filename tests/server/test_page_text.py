"""A text on the page: its sentences with their evidence, what a person does to it, and its versions."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.server.browser import IDEA, SENTENCE, Visitor, box_of
from tests.server.conftest import Server
from tests.server.hostile import Caller
from tests.support import SMALL


@pytest.fixture(scope="module")
def written(server: Server) -> str:
    """A list of which others may make versions."""
    return Caller(server.url).made("review", text=IDEA, keep=8, cite=4)


def test_evidence_stands_beside_the_sentence_and_keys_go_from_one_to_the_next(
    visitor: Visitor,
) -> None:
    caller = Caller(visitor.url)
    thread = caller.made("review", text=IDEA, library="starter", keep=8, cite=4)
    page = visitor.at(f"run/{thread}/text")
    page.wait_for_selector(SENTENCE)
    found = caller.values(thread)["papers"]
    for head in page.locator(f"{SENTENCE}.lead").all_inner_texts():  # the themes of the map
        named = head.partition(" (")[0].lower()
        assert named in {one["theme"].lower() for one in found}
    title = page.locator("aside h2").first
    chosen = page.locator(f"{SENTENCE}[aria-pressed=true]")
    expect(chosen).to_have_count(1)  # there is evidence before anything is clicked
    expect(page.get_by_text("Annotated list by theme")).to_be_visible()
    expect(page.get_by_text("These sentences come from annotations")).to_have_count(1)
    theme, after = page.locator(SENTENCE).nth(0), page.locator(SENTENCE).nth(1)
    expect(theme).to_have_text(re.compile(r"\(\d+ papers?, .*\)\.\s*$"))
    assert (
        box_of(theme)["y"] + box_of(theme)["height"] <= box_of(after)["y"] + 4
    )  # a line of its own
    page.locator(SENTENCE).nth(1).click()
    leads = page.locator(f"{SENTENCE}.lead").count()  # a theme is no sentence
    expect(title).to_have_text(f"Sentence 1 of {page.locator(SENTENCE).count() - leads}")
    assert page.locator("aside .verdict").first.inner_text() == "Supported"
    assert (
        box_of(page.locator("aside"))["y"] < box_of(chosen)["y"] + box_of(chosen)["height"]
    )  # beside, not below
    noted = page.locator("aside blockquote.noted").first
    assert not noted.inner_text().startswith(
        "“"
    )  # an annotation does not look like a paper's words
    expect(page.locator("aside .where.annotation").first).to_have_text(
        "Annotation, not the paper’s own words"
    )

    # An annotation is all that this library has of the paper.
    expect(page.get_by_role("button", name="Show other passages")).to_have_count(0)

    page.keyboard.press("j")
    expect(title).to_have_text(re.compile("^Sentence 2"))
    begins = re.compile("^" + re.escape(chosen.inner_text()[:10]))
    page.get_by_role("button", name="Edit text").click()  # it begins at the sentence chosen
    expect(page.locator("textarea:focus")).to_have_value(begins)
    page.get_by_role("button", name="Cancel").click()
    page.keyboard.press("k")
    page.keyboard.press("k")
    expect(title).to_have_text(re.compile("^Sentence 1"))
    page.get_by_label("Ask for a change").fill("jk")  # letters are letters in a field
    expect(title).to_have_text(re.compile("^Sentence 1"))
    page.get_by_label("Letter keys").uncheck()
    page.locator(SENTENCE).nth(1).press("Enter")
    page.keyboard.press("j")
    expect(title).to_have_text(re.compile("^Sentence 1"))
    page.get_by_label("Letter keys").check()
    page.locator(SENTENCE).nth(1).press("Enter")  # a second time: into the evidence
    expect(page.locator("aside .panel-body")).to_be_focused()

    chip = page.get_by_role("group", name="Show sentences by verdict").get_by_role("button").first
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    faint = page.locator(f"{SENTENCE}.faint").count()
    assert faint == page.locator(SENTENCE).count() - int(chip.inner_text().split()[0])
    visitor.looks_right_everywhere()


def test_evidence_is_a_sheet_on_a_phone_and_gives_the_focus_back(
    visitor: Visitor, written: str
) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.at(f"run/{written}/text")
    page.wait_for_selector(SENTENCE)
    page.emulate_media(reduced_motion="reduce")
    assert box_of(page.locator("article"))["y"] < 300  # below a title of three lines
    expect(page.locator("aside")).to_be_hidden()
    sentence = page.locator(SENTENCE).nth(4)
    sentence.press("Enter")
    sheet = page.locator("aside")
    expect(sheet).to_be_visible()
    page.wait_for_function("scrollY > 0")
    assert box_of(sheet)["height"] <= 0.62 * 844 + 1
    assert 0 <= box_of(sentence)["y"] < box_of(sheet)["y"]  # the sentence stays in sight above it
    visitor.looks_right()
    page.get_by_label("Close", exact=True).click()
    expect(sheet).to_be_hidden()
    expect(sentence).to_be_focused()

    menu = page.get_by_label("Menu")
    menu.click()
    expect(page.get_by_role("link", name="Libraries")).to_be_visible()
    assert box_of(page.locator("header"))["height"] <= 48
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Libraries")).to_be_hidden()
    for tab, content in (("papers", ".paper"), ("graph", ".frame"), ("table", ".wide")):
        page.goto(page.url.rpartition("/")[0] + f"/{tab}")  # one row of controls above it
        assert box_of(page.locator(content).first)["y"] < 330, tab


def test_version_keeps_every_tab_and_says_what_made_it(visitor: Visitor) -> None:
    thread = Caller(visitor.url).made("review", text=IDEA, keep=8, cite=4)
    page = visitor.at(f"run/{thread}/text")
    page.locator(SENTENCE).nth(2).click()
    page.get_by_role("button", name="Show other passages").first.click()
    expect(page.locator("aside .source [role=status]").first).to_have_text(
        re.compile("^(Other passages near|This library has no other passage)")
    )
    gone = max(page.locator(SENTENCE).nth(2).inner_text().split(), key=len)
    page.get_by_role("button", name=re.compile(r"^Leave out \[\d\]$")).click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)
    expect(page.locator(".tabs a")).to_have_text(
        [re.compile(name) for name in ("Text", "Papers", "Map", "Compare", "Progress", "Export")]
    )
    page.get_by_role("button", name="What changed").click()
    assert gone in " ".join(page.locator("article del").all_inner_texts())
    visitor.looks_right_everywhere()
    page.get_by_role("button", name=re.compile("^Version 2 of 2")).click()
    versions = page.locator(".versions a")
    expect(versions).to_have_count(2)
    assert "Leave out [" in versions.nth(0).inner_text()
    assert "From the search" in versions.nth(1).inner_text()
    visitor.looks_right()
    page.locator(".tabs").get_by_role("link", name="Papers").click()
    expect(page.locator("main li", has_text="[1]").first).to_be_visible()
    page.locator(".tabs").get_by_role("link", name="Map").click()
    page.wait_for_selector("main svg .dot")


def test_text_is_edited_checked_and_asked_for_anew(visitor: Visitor, written: str) -> None:
    page = visitor.at(f"run/{written}/text")
    page.wait_for_selector(SENTENCE)
    before = page.locator(SENTENCE).all_inner_texts()
    page.get_by_role("button", name="Edit text").click()
    visitor.looks_right()
    line = page.get_by_label("Line 2", exact=True)
    kept = line.input_value()
    line.fill("Nobody has ever studied citations [1].")
    page.get_by_role("button", name="Check my text").click()
    page.wait_for_url(lambda url: written not in url, timeout=30_000)
    page.wait_for_selector(f"{SENTENCE}, .question", timeout=90_000)
    if page.locator(".question").count():  # it does not stand: mend it, or have it taken out
        visitor.looks_right()
        page.get_by_role("button", name="Continue").click()
        page.wait_for_selector(SENTENCE, timeout=90_000)
    false = page.locator(SENTENCE, has_text="Nobody has ever studied")
    assert not false.count() or "supported" not in str(false.get_attribute("class"))
    assert kept not in page.locator("article").inner_text() or "[1]" not in kept

    visitor.at(f"run/{written}/text")
    page.wait_for_selector(SENTENCE)
    page.get_by_label("Ask for a change").fill("without [1]")
    page.get_by_role("button", name="Change", exact=True).click()
    page.wait_for_url(lambda url: written not in url, timeout=30_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)
    assert len(page.locator(SENTENCE).all_inner_texts()) < len(before)


def test_plan_is_edited_as_the_server_has_it(visitor: Visitor, written: str) -> None:
    page = visitor.at(f"run/{written}/text")
    page.wait_for_selector(SENTENCE)
    gone = page.locator(".references li").first.inner_text().split("“")[-1][:40]
    page.get_by_role("button", name="Plan", exact=True).click()
    themes = page.get_by_label(re.compile(r"^Theme \d"))
    lines = page.get_by_role("group", name=re.compile(r"^Line \d"))
    lines.first.wait_for()
    expect(page.locator(".lines textarea")).to_have_count(0)  # all of it is in words
    paragraphs = page.get_by_text("New paragraph").count()
    before = themes.count()
    assert before
    visitor.looks_right_everywhere()
    themes.first.fill("owls at night")
    first = page.get_by_role("button", name="Remove [1]")
    line = next(one for one in lines.all() if one.filter(has=first).count())
    line.get_by_role("button", name="Remove [1]").click()
    line.get_by_label("Add a paper").select_option("2")
    line.get_by_label("What the sentence does").select_option(label="Contrasts papers")
    line.get_by_label("What it says").fill("say it of [2] first")
    page.get_by_role("button", name="Write from this plan").click()
    page.wait_for_url(lambda url: written not in url, timeout=30_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)
    assert gone not in page.locator(".references").inner_text()
    page.get_by_role("button", name="Plan", exact=True).click()
    expect(themes.first).to_have_value("owls at night")
    expect(themes).to_have_count(before)
    assert page.get_by_text("New paragraph").count() == paragraphs
    says = page.get_by_label("What it says")
    assert "say it of [1] first" in [box.input_value() for box in says.all()]


def test_change_that_needs_a_model_is_refused_before_a_run_is_made(
    visitor: Visitor, written: str
) -> None:
    page = visitor.at(f"run/{written}/text")
    page.wait_for_selector(SENTENCE)
    runs = len(threads_of(visitor))
    page.get_by_label("Ask for a change").fill("contrast [1] and [2]")
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator("aside .problem")).to_contain_text(
        "Only a model can follow this instruction"
    )
    assert f"/run/{written}/text" in page.url
    assert len(threads_of(visitor)) == runs
    page.locator(SENTENCE).first.click()
    assert page.get_by_role("button", name="Soften").count() == 0
    visitor.is_well()


def threads_of(visitor: Visitor) -> list[Any]:
    return list(Caller(visitor.url).post("/threads/search", {"limit": 100}).json())


def changes_a_sentence(visitor: Visitor) -> None:
    """With a model: Deep Research on a text, and one of its sentences made shorter."""
    page = visitor.at("start")
    page.get_by_text("Depth and methods").click()
    page.get_by_role("radio", name=re.compile("^Deep Research")).check()
    visitor.review(IDEA, SMALL)
    page.locator(SENTENCE).nth(1).click(timeout=90_000)
    page.get_by_role("button", name="Shorter", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("^Version 2 of 2"))).to_be_visible()
