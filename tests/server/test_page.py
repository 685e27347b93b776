"""The page at /app in a real Chromium, over the real server with the embedded engine."""

import json
import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from docx import Document
from playwright.sync_api import Browser, FilePayload, expect

from tests.graphs.stacks import FIRST_TITLE, first
from tests.server.browser import IDEA, SENTENCE, Visitor, saved
from tests.server.conftest import Server
from tests.support import SMALL


def test_whole_way_from_an_abstract_to_a_word_file(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL)
    page = visitor.page
    page.reload()  # in the middle: it goes on where it is
    page.wait_for_selector(SENTENCE, timeout=90_000)
    page.locator(f"{SENTENCE}.supported").first.click()
    assert page.locator("aside blockquote").count() >= 1
    assert page.locator("aside .verdict").first.inner_text() == "Supported"

    # A paper is left out, another must be cited: the text is written again with these.
    visitor.at(f"run/{thread}/papers")
    cited = page.locator(".paper", has=page.locator(".cite", has_text="[1]"))
    gone = cited.locator(".name").inner_text()
    cited.get_by_role("button", name="Leave out").click()
    page.get_by_role("button", name="Make the list again").click()
    page.wait_for_url(lambda url: thread not in url and "/text" in url, timeout=90_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)
    references = page.locator(".references").inner_text()
    assert gone not in references
    page.get_by_role("button", name="What changed").click()
    assert page.locator("del").count() >= 1

    page.locator(".tabs").get_by_role("link", name="Export").click()
    page.get_by_text("All files").click()
    word = Document(BytesIO(saved(page, "Save files/review.docx")))
    printed = "\n".join(paragraph.text for paragraph in word.paragraphs)
    assert "References" in printed
    assert gone not in printed
    bundle = ZipFile(BytesIO(saved(page, "Save bundle.zip")))
    assert {"review.html", "review.md", "files/references.bib"} <= set(bundle.namelist())
    assert gone not in bundle.read("review.md").decode()
    visitor.is_well()


def test_draft_is_read_and_a_file_that_is_none_is_told_of(visitor: Visitor) -> None:
    page = visitor.at("start")
    draft = FilePayload(name="draft.pdf", mimeType="application/pdf", buffer=first())
    page.set_input_files("input[type=file]", draft)
    box = page.get_by_label("Abstract, idea or question")
    expect(box).to_have_value(re.compile(rf"^# {FIRST_TITLE}\n\n.*owls", re.DOTALL), timeout=60_000)
    page.set_input_files("input[type=file]", {**draft, "buffer": b"%PDF-1.4 nothing"})
    page.wait_for_selector(".problem", timeout=60_000)
    visitor.looks_right()


def test_person_is_asked_and_a_run_is_stopped_and_goes_on(visitor: Visitor) -> None:
    visitor.review(IDEA, SMALL, "the queries", "the plan")
    page = visitor.page
    page.wait_for_selector(".question", timeout=60_000)
    visitor.looks_right()
    page.get_by_label("Line 1", exact=True).fill("citation recommendation")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Review the plan").wait_for(timeout=90_000)
    expect(page.locator(".queries")).to_contain_text("citation recommendation")  # in a fold
    page.get_by_label("Down 1", exact=True).click()
    page.reload()
    page.get_by_role("button", name="End this run").click()
    page.wait_for_selector(".status.completed", timeout=60_000)

    thread = visitor.review(IDEA, SMALL)
    page.get_by_role("button", name="Pause").click(timeout=30_000)
    page.wait_for_selector(".status.cancelled, .status.completed", timeout=60_000)
    if page.locator(".status.cancelled").count():
        page.get_by_role("button", name="Resume").click()
    visitor.at(f"run/{thread}/text")
    page.wait_for_selector(SENTENCE, timeout=90_000)


def test_papers_are_chosen_in_the_graph_and_a_search_is_made_again(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL)
    page = visitor.page
    page.wait_for_selector(SENTENCE, timeout=90_000)
    visitor.at(f"run/{thread}/graph")
    page.locator(".frame .dot.kept").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Must cite").click()
    visitor.at(f"run/{thread}/papers")
    page.get_by_text("1 change").wait_for()
    page.get_by_role("button", name="Check for new papers").click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    page.wait_for_url("**/papers", timeout=60_000)
    page.get_by_text("No new papers").wait_for(timeout=30_000)
    page.get_by_role("button", name=re.compile("^Kept")).click()
    expect(page.locator(".paper")).to_have_count(8)
    visitor.looks_right()

    page.get_by_role("button", name="Ask these papers").click()
    page.wait_for_url("**/ask/**", timeout=60_000)
    expect(page.get_by_label("Library")).to_have_value(re.compile("^we-study-.*"))
    visitor.at(f"run/{thread}/graph")
    page.locator(".frame .dot.kept").first.click()
    title = page.locator(".map-card h2").inner_text()
    page.get_by_role("button", name="Search around this paper").click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    expect(page.locator("h1")).to_contain_text(title[:30])


HOSTILE: list[dict[str, Any]] = [
    {
        "id": f"doi:10.5555/{at}",
        "title": title,
        "year": 2020,
        "url": "javascript:alert(1)",
        "abstract": f"{title} "
        "Language models recommend citations for a sentence, and this paper measures whether the citations hold.",
        "authors": [{"name": "<img src=x onerror=alert(1)>"}],
    }
    for at, title in enumerate(
        (
            "<script>document.title='owned'</script> Citations",
            "<svg onload=\"document.title='owned'\"> of sentences",
            "[click](javascript:document.title='owned') citations",
            "\u202etxet desrever\u202c of citations",
        ),
    )
]


def test_hostile_papers_do_nothing_in_any_view_dark_and_small(visitor: Visitor) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    visitor.at("libraries")
    records = "\n".join(json.dumps(record) for record in HOSTILE)
    page.set_input_files(
        "input[type=file]",
        {"name": "bad.jsonl", "mimeType": "application/json", "buffer": records.encode()},
    )
    page.get_by_label("to library").fill("hostile")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("form .reports li", timeout=60_000)
    thread = visitor.review(IDEA, "hostile")
    page.wait_for_selector(f"{SENTENCE}, .problem", timeout=90_000)
    for tab in ("live", "papers", "graph", "table", "text", "take"):
        visitor.at(f"run/{thread}/{tab}")
        page.wait_for_selector(".status.completed")
        if tab == "papers":
            page.wait_for_selector(".paper .name")
            for name in page.locator(".paper .name").all():
                name.click()
            assert "<script>" in page.locator("main").inner_text()
        visitor.is_well()
        assert page.title() == "CiteLoom"
    assert page.locator("main script, main img, main a[href^=javascript]").count() == 0


def test_page_is_small_and_its_first_paint_quick_to_come(chromium: Browser, server: Server) -> None:
    sizes = []
    visitor = Visitor(chromium.new_page(), server.url)  # which has kept no file of the page
    visitor.page.on("response", lambda answer: sizes.append(len(answer.body())))
    visitor.at()
    painted = visitor.page.evaluate(
        "performance.getEntriesByType('paint').some(entry => entry.name === 'first-contentful-paint')"
    )
    assert painted
    assert sum(sizes) < 250_000
    visitor.page.close()
