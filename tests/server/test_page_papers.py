"""The papers of a run on the page: filters, order, changes, papers that one adds, and thousands of rows."""

import json
import re
from typing import Any

from playwright.sync_api import Locator, Route, expect

from tests.graphs.stacks import first
from tests.server.browser import IDEA, SENTENCE, Visitor
from tests.server.hostile import Caller
from tests.support import SMALL, small_records

NAME = ".paper .name"


def test_search_that_keeps_nothing_says_why_and_what_to_do(visitor: Visitor) -> None:
    page = visitor.at("start")
    page.get_by_label("Abstract, idea or question").fill(IDEA)
    page.wait_for_selector(f"option[value={SMALL}]", state="attached")
    page.get_by_label("Library", exact=True).select_option(SMALL)
    page.get_by_label("Published before").fill("1950-01-01")
    page.get_by_label("Papers to keep").fill("8")
    page.get_by_role("button", name="Papers only").click()
    page.locator("button.big").click()
    page.wait_for_url("**/papers", timeout=60_000)
    card = page.locator(".none-kept")
    expect(card).to_contain_text("The search kept no paper")
    expect(page.locator(".problem")).to_contain_text("before 1950-01-01")  # why
    expect(card.get_by_role("button", name="Search all free sources")).to_be_visible()
    expect(page.locator(".status")).to_have_text("No papers kept")  # it is not just done
    expect(page.get_by_role("link", name="Export")).to_have_count(1)  # a tab, and no next step
    visitor.looks_right_everywhere()
    card.get_by_role("link", name="Change the text or the sources").click()
    expect(page.get_by_label("Abstract, idea or question")).to_have_value(IDEA)
    expect(page.get_by_label("Published before")).to_have_value("1950-01-01")
    expect(page.get_by_label("Papers to keep")).to_have_value("8")
    page.go_back()
    card.get_by_role("button", name="Search without the dates").click()
    expect(page.locator(NAME)).to_have_count(8, timeout=60_000)


def test_papers_are_filtered_ordered_added_and_written_of_again(visitor: Visitor) -> None:
    caller = Caller(visitor.url)
    thread = caller.made("review", text=IDEA, keep=8, cite=4)
    page = visitor.at(f"run/{thread}/papers")
    page.wait_for_selector(NAME)
    before = page.locator(NAME).all_inner_texts()
    assert len(before) == 8
    assert page.locator(".paper blockquote").count() == 8
    # The list says once whose words the quotes are, no row repeats it.
    noted = page.locator(".paper blockquote.noted").count()
    assert noted == 0 or page.locator(".noted-key").is_visible()
    assert page.get_by_text("Annotation, not the paper’s own words").count() == noted
    assert not any(
        box["height"] > 2
        for box in map(Locator.bounding_box, page.locator(".paper .where.annotation").all())
        if box
    )
    expect(page.locator(".p-meta").first).to_contain_text("found by")
    assert page.locator(".apply").count() == 0  # nothing is changed yet
    visitor.looks_right_everywhere()

    page.get_by_role("button", name="Compact").click()
    rows = filter(None, map(Locator.bounding_box, page.locator(".paper").all()))
    assert all(box["height"] <= 26 for box in rows)  # forty to a thousand pixels
    page.locator(NAME).first.click()
    expect(page.locator(".paper blockquote").first).to_be_visible()
    expect(page.locator(".paper blockquote").last).to_be_hidden()
    visitor.looks_right_everywhere()
    page.locator(NAME).first.click()
    page.get_by_role("button", name="Compact").click()

    page.get_by_role("button", name="Filters").click()
    page.get_by_label("Years from").fill("2024")
    page.keyboard.press("Escape")
    years = page.locator(".p-meta").all_inner_texts()
    assert 0 < len(years) < 8
    assert all(int(re.findall(r"\b20\d\d\b", text)[0]) >= 2024 for text in years)
    page.get_by_role("button", name="Filters (1)").click()
    page.get_by_label("Years from").fill("")
    page.get_by_label("Found by").select_option("links")
    assert all(
        "reference list" in one or "citing paper" in one
        for one in page.locator(".p-meta").all_inner_texts()
    )
    page.get_by_label("Found by").select_option("")
    page.keyboard.press("Escape")

    # By keys; the row that moves keeps them.
    page.locator(".grip").nth(0).press("ArrowDown")
    expect(page.locator(NAME).nth(1)).to_have_text(before[0])
    expect(page.locator(".grip").nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator(NAME).nth(2)).to_have_text(before[0])
    expect(page.locator(".apply")).to_contain_text("1 change: your order")
    page.locator(".grip").nth(2).drag_to(page.locator(".paper").nth(0))
    expect(page.locator(NAME).nth(0)).to_have_text(before[0])

    bar = page.locator(".apply")
    page.get_by_role("button", name=f"Leave out: {before[0]}").click()
    expect(bar).to_contain_text(f"without “{before[0].split(': ')[0][:60]}")
    expect(bar).to_contain_text("this one stays")
    bar.get_by_role("button", name="Undo").click()
    expect(bar).to_have_count(0)

    known = {item["paper"]["id"] for item in caller.values(thread)["papers"]}
    missed = next(paper for paper in small_records() if paper.id not in known and paper.abstract)
    page.get_by_role("button", name="Add a paper").first.click()
    page.get_by_label("DOI, arXiv id or title").fill("no paper has this title")
    page.locator("form.add .main").click()
    expect(page.locator(".problem")).to_contain_text(
        "No paper has this title where this run searched"
    )
    page.get_by_label("DOI, arXiv id or title").fill(missed.title)
    page.locator("form.add .main").click()
    expect(bar).to_contain_text("with “")
    page.set_input_files(
        "form.add input[type=file]",
        {"name": "owls.pdf", "mimeType": "application/pdf", "buffer": first()},
    )
    expect(bar).to_contain_text("2 changes", timeout=60_000)
    visitor.is_well()
    bar.get_by_role("button", name="Make the list again").click()
    page.wait_for_url(lambda url: thread not in url and "/text" in url, timeout=90_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)


def test_criteria_are_columns_and_more_rows_than_are_drawn_scroll(visitor: Visitor) -> None:
    caller = Caller(visitor.url)
    thread = caller.made("review", text=IDEA, keep=8, cite=4)
    page, run = visitor.page, caller.get(f"/citeloom/runs/{thread}").json()
    run["values"]["papers"] = [copied(run["values"]["papers"], number) for number in range(1500)]

    def many(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=json.dumps(run))

    page.route(f"**/citeloom/runs/{thread}", many)
    visitor.at(f"run/{thread}/papers")
    page.reload()
    page.wait_for_selector(NAME)
    expect(page.locator(".p-head")).to_contain_text("Was it measured?")
    expect(page.locator(".paper").first).to_contain_text("Yes")
    expect(page.locator(".paper").nth(1)).to_contain_text("Not stated")
    assert page.locator(".paper").count() < 100
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_text("Paper number 1499", exact=True)).to_be_visible()
    page.evaluate("window.scrollTo(0, document.body.scrollHeight / 2)")
    expect(page.get_by_text(re.compile(r"^Paper number [67]\d\d$")).first).to_be_visible()
    assert page.locator(".paper").count() < 100
    page.get_by_placeholder("Find a title, author or word").fill("number 1321")
    expect(page.locator(NAME)).to_have_text(["Paper number 1321"])
    visitor.looks_right()


def copied(papers: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Return one of the run's papers under another name; every second one meets a criterion."""
    like = papers[number % len(papers)]
    met = [{"criterion": "Was it measured?", "met": "yes", "quote": "We measured it twice."}]
    paper = {**like["paper"], "id": f"made:{number}", "title": f"Paper number {number}"}
    return {
        **like,
        "paper": paper,
        "rank": number + 1,
        "selected": True,
        "criteria": met if number % 2 == 0 else [],
    }
