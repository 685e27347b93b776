"""Questions on the page: answers with passages and pages, what stands there without one, earlier conversations."""

import re

from playwright.sync_api import FilePayload, Route, expect

from tests.graphs.stacks import first
from tests.server.browser import Visitor
from tests.support import SMALL


def test_question_upload_and_history(visitor: Visitor) -> None:
    page = visitor.at("libraries")
    note = "# Zebrafish\n\nZebrafish larvae choose the warmer side of a tank in the dark. " * 9
    page.set_input_files(
        "input[type=file]",
        {"name": "fish.md", "mimeType": "text/markdown", "buffer": note.encode()},
    )
    page.get_by_label("to library").fill("fishes")
    # A folder of papers goes up in several requests, none above the server's limit.
    parts = """async () => {
      const {requests} = await import("./libraries.js");
      return requests([30e6, 20e6, 15e6, 90e6, 1].map((size) => ({size}))).map((part) => part.map((file) => file.size));
    }"""
    assert page.evaluate(parts) == [[30e6], [20e6, 15e6], [90e6], [1]]
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("fish.md: added").wait_for(timeout=60_000)
    page.get_by_role("link", name="Open fishes").click()
    page.wait_for_selector(".papers li")
    visitor.looks_right()

    visitor.at("ask")
    page.wait_for_selector("option:has-text('fishes')", state="attached")
    page.get_by_label("Library").select_option("fishes")
    page.get_by_label("Question").fill("Which side of a tank do larvae choose?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".turn .s").first.click(timeout=60_000)
    assert "warmer side" in page.locator("aside mark").first.inner_text()

    page.reload()  # the conversation is there again, and goes on
    page.locator(".turn .s").first.wait_for(timeout=60_000)
    page.get_by_label("Question").fill("Which side of a tank do larvae choose in the dark?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".turn")).to_have_count(2)
    page.locator(".turn").nth(1).locator(".s").first.wait_for(timeout=60_000)

    # One opened from the list goes on, too, and its answer stands in sight.
    place = page.url
    page.get_by_role("button", name="New conversation").click()
    page.get_by_role("button", name="Earlier conversations").click()
    page.get_by_role("link", name=re.compile("^Which side")).click()
    expect(page.get_by_role("link", name=re.compile("^Which side"))).to_have_count(0)  # it closes
    expect(page.locator(".turn")).to_have_count(2)
    page.get_by_label("Question").fill("Which side of a tank do larvae choose at night?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".turn").nth(2).locator(".s").first.wait_for(timeout=60_000)
    expect(page.locator(".turn h2").nth(2)).to_be_in_viewport()
    assert page.url == place

    visitor.at("history")  # files that were added are shown in their library
    page.get_by_role("link", name="Add files: fishes").click()
    expect(page).to_have_url(re.compile("/libraries/fishes$"), timeout=20_000)
    page.get_by_text("Select papers to write a synthesis of them.").wait_for()

    page.get_by_role("button", name=re.compile("^Remove")).click()
    page.wait_for_selector(".papers li", state="detached")
    page.get_by_role("button", name="Delete this library").click()
    expect(page.locator(".names")).not_to_contain_text("fishes")
    visitor.at("history")
    page.wait_for_selector(".history li")
    page.get_by_role("button", name="Delete Which side").click()
    expect(page.get_by_role("button", name="Delete Which side")).to_have_count(0)
    visitor.is_well()


def test_page_of_a_quote_is_shown_with_its_words_marked(visitor: Visitor) -> None:
    page = visitor.at("libraries")
    owls = FilePayload(name="owls.pdf", mimeType="application/pdf", buffer=first())
    page.set_input_files("input[type=file]", owls)
    page.get_by_label("to library").fill("barn-owls")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("owls.pdf: added").wait_for(timeout=60_000)
    visitor.at("ask/barn-owls")
    page.wait_for_selector("option:has-text('barn-owls')", state="attached")
    page.get_by_label("Question").fill("How do barn owls tell the height of a sound?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".turn .s").first.click(timeout=60_000)
    picture = page.locator("figure img").first
    picture.wait_for(timeout=60_000)
    assert picture.get_attribute("alt")
    expect(page.locator(".page figcaption").first).to_contain_text("Found in the PDF, p. 1 of 2")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 800
    # It is cut to the marked words first, the whole page on demand.
    view = page.get_by_role("group", name="Part of the page").first
    cut = view.evaluate("box => box.scrollTop + box.scrollLeft")
    page.get_by_role("button", name="Whole page").first.click()
    assert cut > 0
    assert view.evaluate("box => box.scrollTop + box.scrollLeft") == 0
    visitor.looks_right_everywhere()


def test_refusal_is_never_blank_and_conversations_are_found_by_library(visitor: Visitor) -> None:
    page = visitor.at("ask/starter")
    page.wait_for_selector(f"option[value={SMALL}]", state="attached")
    question = "Which band played at the wedding of the chancellor?"
    page.get_by_label("Question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("No passage clearly answers this.").wait_for(timeout=60_000)
    passages = page.locator(".turn .passage")
    expect(passages).to_have_count(3)
    assert all(
        "Annotation, not the paper’s own words" in text for text in passages.all_inner_texts()
    )
    assert page.locator(".turn .passage blockquote:not(.noted)").count() == 0
    visitor.looks_right_everywhere()
    page.locator(".places").get_by_role("link", name="Ask").click()  # begins anew
    expect(page.locator(".turn")).to_have_count(0)
    page.get_by_role("button", name="Earlier conversations").click()
    page.get_by_role("link", name=re.compile("^Which band")).click()
    expect(page.locator(".turn h2")).to_have_text(question)
    page.get_by_label("Library").select_option(SMALL)
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.get_by_role("button", name="Earlier conversations")).to_have_count(0)


def test_threads_are_listed_by_a_server_that_cannot_select_fields(visitor: Visitor) -> None:
    """As Aegra: it refuses the request that names fields."""
    asked: list[bool] = []

    def refuse(route: Route) -> None:
        asked.append("select" in (route.request.post_data or ""))
        if asked[-1]:
            route.fulfill(status=422, json={"detail": "select is not supported"})
        else:
            route.continue_()

    visitor.page.route("**/threads/search", refuse)
    page = visitor.at("ask")
    page.get_by_label("Question").fill("Which band played at the wedding of the chancellor?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="Earlier conversations").wait_for(timeout=60_000)
    assert asked[0]
    assert not any(asked[-2:])

    # An answer that breaks a view leaves the other places alone.
    broken = {"libraries": [None]}
    page.route("**/citeloom/libraries", lambda route: route.fulfill(json=broken))
    visitor.at("ask")
    page.locator(".places").get_by_role("link", name="Libraries").click()
    expect(page.locator(".problem")).to_contain_text("That did not work")
    page.locator(".places").get_by_role("link", name="History").click()
    expect(page.get_by_role("heading", name="History")).to_be_visible()
