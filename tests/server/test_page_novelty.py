"""Novelty on the page: each claim beside the nearest earlier works."""

from playwright.sync_api import expect

from tests.server.browser import Visitor
from tests.support import SMALL, small_records


def test_claims_are_shown_beside_the_nearest_works_with_the_words_of_both(visitor: Visitor) -> None:
    known = small_records()[0]
    taken = str(known.abstract).split(". ")[0] + "."
    page = visitor.at("start")
    page.get_by_role("textbox", name="Abstract, idea or question").fill(
        f"We study moths by night. {taken}"
    )
    page.wait_for_selector(f"option[value={SMALL}]", state="attached")
    page.get_by_role("combobox", name="Library").select_option(SMALL)
    page.get_by_role("button", name="Check novelty", exact=True).first.click()
    expect(page.get_by_text("It does not compare what they mean")).to_be_visible()
    page.get_by_role("complementary").get_by_role("button", name="Check novelty").click()
    page.wait_for_url("**/claims", timeout=90_000)
    same = page.get_by_role("region", name="Claim").filter(has_text=taken[:40])
    expect(same.get_by_text("An earlier work says the same")).to_be_visible()
    expect(same.get_by_role("heading", level=3).first).to_have_text(known.title)
    other = page.get_by_role("region", name="Claim").filter(has_text="moths by night")
    expect(other.get_by_text("Not compared; nearest works")).to_be_visible()
    expect(other.get_by_text("more near works")).to_be_visible()
    visitor.looks_right_everywhere()
