"""A table of a library on the page: columns, cells that fill, the quote behind a cell."""

from playwright.sync_api import expect

from tests.server.browser import Visitor
from tests.support import SMALL, small_records

RANKED = "How are papers ranked?"


def test_each_paper_is_asked_and_a_cell_shows_its_quote(visitor: Visitor) -> None:
    page = visitor.at(f"libraries/{SMALL}")
    page.get_by_text("Ask each paper").click()
    page.get_by_label("A question to each paper").fill(RANKED)
    page.get_by_role("button", name="Add another column").click()
    page.get_by_label("A question to each paper").fill("Who paid for it?")
    expect(page.get_by_text("Without a model CiteLoom shows the nearest sentence")).to_be_visible()
    page.get_by_role("button", name="Fill the table").click()
    page.wait_for_url("**/cells")
    expect(page.get_by_text("Done", exact=True)).to_be_visible(timeout=90_000)
    rows = page.get_by_role("list", name="Table").get_by_role("listitem")
    papers = small_records()
    assert 0 < rows.count() < len(papers)  # what is not seen is not drawn
    expect(rows.first).to_contain_text(papers[0].title)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(rows.last).to_contain_text(papers[-1].title)
    page.evaluate("scrollTo(0, 0)")
    expect(rows.first).to_contain_text(papers[0].title)
    expect(page.get_by_text("Not found in the text read").first).to_be_visible()
    cell = page.locator(".cell").first
    words = cell.inner_text().strip("“”")
    cell.click()
    panel = page.get_by_role("complementary", name="Evidence")
    expect(panel.get_by_text(words[:40]).first).to_be_visible()
    assert any(words[:40] in str(paper.abstract) for paper in small_records())
    visitor.looks_right_everywhere()
    page.get_by_role("link", name="Export").first.click()
    expect(page.get_by_role("button", name="Save table.csv").first).to_be_visible()
