"""Watches on the page: a run is watched, checked, and its digest shows the papers that came since."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.server.browser import CHROMIUM, IDEA, REQUIRED, Visitor
from tests.server.test_local_app import begun, opened, rested
from tests.support import link_libraries, small_records

pytestmark = pytest.mark.skipif(
    not CHROMIUM and not REQUIRED, reason="this machine has no Chromium"
)
PATIENCE = 120_000


def test_run_is_watched_checked_and_its_digest_tells_what_the_library_got_since(
    chromium: Browser, tmp_path: Path, built: Path
) -> None:
    link_libraries(built, tmp_path / "home")
    records = [one.model_dump_json(exclude_defaults=True) for one in small_records()]
    page = chromium.new_page()
    with opened(tmp_path / "home") as http:

        def add(first: int, last: int) -> None:
            sent = {
                "name": "p.jsonl",
                "content": "\n".join(records[first:last]),
                "encoding": "text",
            }
            rested(http, begun(http, "ingest", {"library": "own", "uploads": [sent]}))

        add(0, 20)
        run = begun(http, "find", {"text": IDEA, "library": "own"}, bar=1)
        assert rested(http, run)["status"] == "completed"
        visitor = Visitor(page, str(http.base_url).rstrip("/"))
        visitor.at(f"run/{run}/papers")
        page.get_by_role("link", name="Watch this").click()
        form = page.get_by_role("form", name="Watch this")
        form.get_by_label("Name of the watch").fill("mine")
        form.get_by_label("How often").select_option("1")
        form.get_by_label("Stop each check at").fill("0.2")
        visitor.looks_right_everywhere()
        form.get_by_role("button", name="Start watching").click()
        watch = page.get_by_role("listitem").filter(has_text="mine")
        expect(watch.get_by_text("at most 0.20 USD a check")).to_be_visible()
        expect(watch.get_by_text("not checked yet")).to_be_visible()
        expect(page.get_by_text("CiteLoom does not check by itself")).to_be_visible()
        add(20, 40)
        watch.get_by_role("button", name="Check now").click()
        expect(watch.get_by_role("heading", name="New papers")).to_be_visible(timeout=PATIENCE)
        (found,) = http.get("/citeloom/watches").json()["watches"]
        told = [item["paper"]["title"] for item in found["digests"][0]["items"]]
        assert told
        assert {*told} <= {one.title for one in small_records()[20:40]}
        expect(watch.get_by_text("Nothing new at the last check")).to_have_count(0)
        for title in told:
            expect(watch.get_by_text(title)).to_be_visible()
        visitor.looks_right_everywhere()
        page.reload()
        expect(watch.get_by_text(told[0])).to_be_visible()
        watch.get_by_role("button", name="Stop watching").click()
        expect(page.get_by_text("Nothing is watched yet")).to_be_visible()
        assert http.post("/citeloom/watches/mine/check", json={}).status_code == 422
    page.close()
