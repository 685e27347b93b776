"""The page at /app in a real Chromium, over the real server with the embedded engine."""

import json
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from docx import Document
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.graphs.stacks import FIRST_TITLE, first
from tests.server.browser import CHROMIUM, REQUIRED, Visitor, browser
from tests.server.conftest import Server, prepared, serving
from tests.server.hostile import Caller
from tests.support import SMALL, small_records
from tools.callers import ApiKeyLimits, ApiKeys

pytestmark = pytest.mark.skipif(
    not CHROMIUM and not REQUIRED, reason="this machine has no Chromium"
)
IDEA = (
    "We study how well large language models recommend citations for a sentence of a paper, and "
    "whether the recommended papers support what the sentence claims."
)
SENTENCE = "article .sentence"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture
def visitor(chromium: Browser, server: Server) -> Iterator[Visitor]:
    page = chromium.new_page()
    yield Visitor(page, server.url)
    page.close()


def downloaded(page: Page, name: str) -> bytes:
    with page.expect_download() as waited:
        page.get_by_role("button", name=f"Save {name}").click()
    return Path(waited.value.path()).read_bytes()


def test_whole_way_from_an_abstract_to_a_word_file(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL)
    page = visitor.page
    page.reload()  # in the middle: it goes on where it is
    page.wait_for_selector(SENTENCE, timeout=90_000)
    page.locator(f"{SENTENCE}.supported").first.click()
    assert page.locator("aside blockquote").count() >= 1
    assert page.locator("aside .support.supported").inner_text() == "supported"
    visitor.looks_right()

    # A paper is left out, another must be cited: the text is written again with these.
    visitor.at(f"run/{thread}/papers")
    visitor.looks_right()
    cited = page.locator(".paper", has=page.locator(".name", has_text="[1]"))
    gone = cited.locator(".name").inner_text().removeprefix("[1] ")
    cited.get_by_role("button", name="Leave out").click()
    page.get_by_role("button", name="Write again with these papers").click()
    page.wait_for_url(lambda url: thread not in url and "/text" in url, timeout=90_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)
    references = page.locator(".references").inner_text()
    assert gone not in references
    page.get_by_text("What changed").click()
    assert page.locator("del").count() >= 1

    page.locator(".tabs").get_by_role("link", name="Export").click()
    word = Document(BytesIO(downloaded(page, "files/review.docx")))
    printed = "\n".join(paragraph.text for paragraph in word.paragraphs)
    assert "References" in printed
    assert gone not in printed
    bundle = ZipFile(BytesIO(downloaded(page, "bundle.zip")))
    assert {"review.html", "review.md", "files/references.bib"} <= set(bundle.namelist())
    assert gone not in bundle.read("review.md").decode()
    visitor.looks_right()


def test_draft_is_read_and_a_file_that_is_none_is_told_of(visitor: Visitor) -> None:
    page = visitor.at("start")
    draft = FilePayload(name="draft.pdf", mimeType="application/pdf", buffer=first())
    page.set_input_files("input[type=file]", draft)
    box = page.get_by_label("Abstract, idea or question")
    expect(box).to_have_value(re.compile(rf"^# {FIRST_TITLE}\n\n.*owls", re.DOTALL), timeout=60_000)
    page.set_input_files("input[type=file]", {**draft, "buffer": b"%PDF-1.4 nothing"})
    page.wait_for_selector(".problem", timeout=60_000)
    visitor.looks_right()


def test_text_is_edited_checked_and_asked_for_anew(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL)
    page = visitor.page
    page.wait_for_selector(SENTENCE, timeout=90_000)
    before = page.locator(SENTENCE).all_inner_texts()
    page.get_by_role("button", name="Edit the text").click()
    visitor.looks_right()
    line = page.get_by_label("Line 2", exact=True)
    kept = line.input_value()
    line.fill("Nobody has ever studied citations [1].")
    page.get_by_role("button", name="Check my text").click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    page.wait_for_selector(f"{SENTENCE}, .question", timeout=90_000)
    if page.locator(".question").count():  # it does not stand: mend it, or have it taken out
        visitor.looks_right()
        page.get_by_role("button", name="Continue").click()
        page.wait_for_selector(SENTENCE, timeout=90_000)
    false = page.locator(SENTENCE, has_text="Nobody has ever studied")
    assert not false.count() or "supported" not in str(false.get_attribute("class"))
    assert kept not in page.locator("article").inner_text() or "[1]" not in kept

    visitor.at(f"run/{thread}/text")
    page.wait_for_selector(SENTENCE)
    page.get_by_label("Ask for a change").fill("without [1]")
    page.get_by_role("button", name="Change it").click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)
    assert len(page.locator(SENTENCE).all_inner_texts()) < len(before)


def test_person_is_asked_and_a_run_is_stopped_and_goes_on(visitor: Visitor) -> None:
    visitor.review(IDEA, SMALL, "the queries", "the plan")
    page = visitor.page
    page.wait_for_selector(".question", timeout=60_000)
    visitor.looks_right()
    page.get_by_label("Line 1", exact=True).fill("citation recommendation")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Review the plan").wait_for(timeout=90_000)
    assert "citation recommendation" in page.locator("main").inner_text()
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


def test_each_paper_is_asked_and_a_search_is_made_again(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL)
    page = visitor.page
    page.wait_for_selector(SENTENCE, timeout=90_000)
    visitor.at(f"run/{thread}/table")
    page.get_by_label("Add your own column").fill("What is introduced?")
    page.get_by_role("button", name="Ask each paper").click()
    page.get_by_role("columnheader", name="What is introduced?").wait_for(timeout=60_000)
    told = page.locator("tbody td:nth-child(2)").all_inner_texts()
    assert len(told) == page.locator("tbody tr").count()
    assert any(text != "not stated" for text in told)
    page.reload()  # what was asked is kept
    page.get_by_role("columnheader", name="What is introduced?").wait_for()
    visitor.looks_right()

    visitor.at(f"run/{thread}/graph")
    page.locator(".dot.kept").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Must cite").click()
    visitor.looks_right()
    visitor.at(f"run/{thread}/papers")
    page.get_by_text("1 change").wait_for()
    page.get_by_role("button", name="Check for new papers").click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    page.wait_for_url("**/papers", timeout=60_000)
    page.get_by_text("No new papers").wait_for(timeout=30_000)
    page.get_by_label("Show").select_option("kept")
    expect(page.locator(".paper")).to_have_count(8)
    visitor.looks_right()

    page.get_by_role("button", name="Save the kept papers as a library").click()
    page.locator(".apply a").click(timeout=60_000)
    expect(page.get_by_label("Library")).to_have_value(re.compile("^we-study-.*"))
    visitor.at(f"run/{thread}/graph")
    page.locator(".dot.kept").first.click()
    title = page.locator(".map-card h2").inner_text()
    page.get_by_role("button", name="Search around this paper").click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    expect(page.locator("h1")).to_contain_text(title[:30])
    visitor.at(f"run/{thread}/take")
    page.get_by_role("button", name="Send the references to Zotero").click()
    page.get_by_text("start it on this machine").wait_for()


def test_question_upload_and_history(visitor: Visitor) -> None:
    page = visitor.at("libraries")
    note = "# Zebrafish\n\nZebrafish larvae choose the warmer side of a tank in the dark. " * 9
    page.set_input_files(
        "input[type=file]",
        {"name": "fish.md", "mimeType": "text/markdown", "buffer": note.encode()},
    )
    page.get_by_label("to library").fill("fishes")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("fish.md: added").wait_for(timeout=60_000)
    page.get_by_role("link", name="fishes").click()
    page.wait_for_selector(".papers li")
    visitor.looks_right()

    visitor.at("ask")
    page.wait_for_selector("option:has-text('fishes')", state="attached")
    page.get_by_label("Library").select_option("fishes")
    page.get_by_label("Question").fill("Which side of a tank do larvae choose?")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".turn .sentence").first.click(timeout=60_000)
    assert "warmer side" in page.locator(".turn mark").first.inner_text()
    visitor.looks_right()

    page.reload()  # the conversation is there again, and goes on
    page.locator(".turn .sentence").first.wait_for(timeout=60_000)
    page.get_by_label("Question").fill("Which side of a tank do larvae choose in the dark?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".turn")).to_have_count(2)
    page.locator(".turn").nth(1).locator(".sentence").first.wait_for(timeout=60_000)

    visitor.at("libraries/fishes")
    page.get_by_role("button", name=re.compile("^Remove")).click()
    page.wait_for_selector(".papers li", state="detached")
    page.get_by_role("button", name="Delete this library").click()
    expect(page.locator(".names")).not_to_contain_text("fishes")
    visitor.at("history")
    page.wait_for_selector(".history li")
    page.get_by_role("button", name="Delete Which side").click()
    expect(page.get_by_role("button", name="Delete Which side")).to_have_count(0)
    visitor.looks_right()


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
    page.locator(".turn .sentence").first.click(timeout=60_000)
    page.get_by_role("button", name="Show the page").first.click()
    picture = page.locator("figure img").first
    picture.wait_for(timeout=60_000)
    assert picture.get_attribute("alt")
    expect(page.locator("figcaption").first).to_have_text(re.compile(r"^Page \d / 2$"))
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 800
    visitor.looks_right()


def test_citations_of_a_text_are_checked_and_a_synthesis_is_written(visitor: Visitor) -> None:
    known = small_records()[0]
    page = visitor.at("check")
    visitor.looks_right()
    text = f"Moths steer by the moon [1].\n\nOwls hear voles [2].\n\n# References\n\n[1] {known.title}. {known.year}."
    page.get_by_label("Your text, with").fill(text)
    page.wait_for_selector(f"option[value={SMALL}]", state="attached")
    page.get_by_label("Library").select_option(SMALL)
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_url("**/checked", timeout=60_000)
    page.get_by_text("Problems found:").wait_for()
    page.get_by_role("button", name="Owls hear voles").click()
    page.locator("aside .support").first.wait_for()
    visitor.looks_right()

    visitor.at(f"libraries/{SMALL}")
    page.wait_for_selector(".papers li")
    for box in page.get_by_label("Select for a synthesis").all()[:3]:
        box.check()
    page.get_by_label("Write a synthesis").fill("How are citations recommended by language models?")
    page.get_by_role("button", name="Write", exact=True).click()
    page.wait_for_url("**/synthesis", timeout=90_000)
    if page.locator(SENTENCE).count():
        page.locator(SENTENCE).first.click()
        page.locator("aside blockquote").first.wait_for()
    visitor.looks_right()


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


def test_hostile_papers_do_nothing_in_any_view_dark_and_small(
    chromium: Browser, server: Server
) -> None:
    page = chromium.new_page(
        color_scheme="dark", viewport={"width": 390, "height": 800}, reduced_motion="reduce"
    )
    visitor = Visitor(page, server.url)
    visitor.at("libraries")
    records = "\n".join(json.dumps(record) for record in HOSTILE)
    page.set_input_files(
        "input[type=file]",
        {"name": "bad.jsonl", "mimeType": "application/json", "buffer": records.encode()},
    )
    page.get_by_label("to library").fill("hostile")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("form li strong", timeout=60_000)
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
        visitor.looks_right()
        assert page.title() == "CiteLoom"
    assert page.locator("main script, main img, main a[href^=javascript]").count() == 0
    page.close()


def test_each_caller_has_a_key_and_sees_no_other(
    chromium: Browser, tmp_path: Path, built: Path
) -> None:
    folder = prepared(tmp_path / "secured", built)
    keys = {name: ApiKeys(folder / "home").add(name, ApiKeyLimits()) for name in ("anna", "ben")}
    with serving(folder, CITELOOM_SHARED_LIBRARIES=json.dumps([SMALL])) as secured:
        visitors = {}
        for name, key in keys.items():
            context = chromium.new_context()
            visitors[name] = Visitor(context.new_page(), secured.url)
            page = visitors[name].at()
            page.get_by_label("Key").fill(key)
            page.get_by_role("button", name="Use this key").click()
            page.get_by_label("Abstract, idea or question").wait_for()
        anna, ben = visitors["anna"], visitors["ben"]
        anna.at("ask")
        anna.page.get_by_label("Question").fill("What is RAG?")
        anna.page.get_by_role("button", name="Ask", exact=True).click()
        anna.page.wait_for_selector(".turn .sentence, .turn p:not(.dim)", timeout=60_000)
        anna.at("history")
        link = anna.page.locator(".history li a").first
        link.wait_for()
        ben.at("history")
        ben.page.get_by_text("No runs yet").wait_for()
        ben.page.goto(f"{secured.url}/app/{link.get_attribute('href')}")
        ben.page.wait_for_selector(".problem")
        assert "What is RAG?" not in ben.page.locator("main").inner_text()
        assert anna.wrong == ben.wrong == []


def test_page_is_small_and_its_first_paint_quick_to_come(visitor: Visitor) -> None:
    sizes = []
    visitor.page.on("response", lambda answer: sizes.append(len(answer.body())))
    visitor.at()
    painted = visitor.page.evaluate(
        "performance.getEntriesByType('paint').some(entry => entry.name === 'first-contentful-paint')"
    )
    assert painted
    assert sum(sizes) < 250_000


def test_plan_is_edited_as_the_server_has_it(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL)
    page = visitor.page
    page.wait_for_selector(SENTENCE, timeout=90_000)
    gone = page.locator(".references li").first.inner_text().split("“")[-1][:40]
    page.get_by_role("button", name="Edit the plan").click()
    before = lines_of(page)
    themes = [line for line in before if line.startswith("# ")]
    named = [line for line in before if "[" in line]
    assert themes
    assert all(re.fullmatch(r"\d+\. \[\d+\].* \(\w+\)", line) for line in named)
    listed = page.locator("ol.cards li").all_inner_texts()
    assert len(listed) >= len(named)
    assert any(gone[:20] in title for title in listed)
    visitor.looks_right()
    boxes = page.locator(".lines textarea")
    boxes.nth(before.index(themes[0])).fill("# owls at night")
    at = next(number for number, line in enumerate(before) if "[1]" in line)
    boxes.nth(at).fill("1. [2] (contrast): say it of [2] first")
    page.get_by_role("button", name="Write from this plan").click()
    page.wait_for_url(lambda url: thread not in url, timeout=30_000)
    page.wait_for_selector(SENTENCE, timeout=90_000)
    assert gone not in page.locator(".references").inner_text()
    page.get_by_role("button", name="Edit the plan").click()
    after = lines_of(page)
    assert "# owls at night" in after
    assert any(line.endswith("(contrast): say it of [1] first") for line in after), after
    assert after.count("") == before.count("")  # its paragraphs


def lines_of(page: Page) -> list[str]:
    page.locator(".lines textarea").first.wait_for()
    return [box.input_value() for box in page.locator(".lines textarea").all()]


def test_change_that_needs_a_model_is_refused_before_a_run_is_made(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL)
    page = visitor.page
    page.wait_for_selector(SENTENCE, timeout=90_000)
    runs = len(threads_of(visitor))
    page.get_by_label("Ask for a change").fill("contrast [1] and [2]")
    page.get_by_role("button", name="Change it").click()
    expect(page.locator(".problem")).to_contain_text("Only a model can follow this instruction")
    assert f"/run/{thread}/text" in page.url
    assert len(threads_of(visitor)) == runs
    page.locator(SENTENCE).first.click()
    assert page.get_by_role("button", name="Shorten").count() == 0
    visitor.looks_right()


def threads_of(visitor: Visitor) -> list[Any]:
    return list(Caller(visitor.url).post("/threads/search", {"limit": 100}).json())
