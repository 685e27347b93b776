"""Citations checked on the page: findings in their place, fixes by one click, the mended file."""

import re
from io import BytesIO
from pathlib import Path

import httpx
import pytest
from docx import Document
from docx.document import Document as DocumentType
from playwright.sync_api import Locator, Page, expect

from tests.server.browser import SENTENCE, Visitor
from tests.server.conftest import Server
from tests.support import SMALL, small_records, starter_records


def test_findings_open_in_place_and_the_mended_text_is_saved(visitor: Visitor) -> None:
    known, other = small_records()[:2]
    own = str(known.abstract).split(". ")[0] + "."
    text = (
        f"Moths steer by the moon [1]. {own.removesuffix('.')} [1]. Owls hear voles [2].\n\n"
        f"# References\n\n[1] {known.title}. {known.year}.\n\n[2] {other.title}. {other.year}.\n"
    )
    page = visitor.at("check")
    visitor.looks_right()
    page.get_by_label("Your text, with").fill(text)
    page.wait_for_selector(f"option[value={SMALL}]", state="attached")
    page.get_by_label("Library").select_option(SMALL)
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_url("**/checked", timeout=60_000)
    peek = page.locator(".peek")
    expect(peek).to_have_count(1)  # the first finding is open
    expect(peek).to_contain_text(known.title)  # a name, not only [1]
    assert 1 <= peek.locator(".passage").count() <= 2
    assert "Closest passages" in peek.inner_text()
    expect(peek.locator(".verdict").first).to_contain_text("Not checked")
    visitor.looks_right_everywhere()
    assert page.locator("header a[aria-current]").inner_text() == "Check"

    page.keyboard.press("n")
    expect(page.locator(f"{SENTENCE}[aria-expanded=true]")).to_contain_text("Owls hear voles")
    expect(page.locator(f"{SENTENCE}[aria-expanded=true]")).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator(f"{SENTENCE}[aria-expanded=true]")).to_contain_text("Moths steer")
    peek.get_by_role("button", name="Quote this instead").first.click()
    expect(peek).to_contain_text("It becomes:")
    page.keyboard.press("n")
    peek.get_by_role("button", name="Remove the sentence").click()
    page.reload()  # what was decided is kept
    page.get_by_role("button", name="Export the corrected text (2 fixes)").wait_for()
    saved = mended(page)
    assert "Moths" not in saved
    assert "Owls" not in saved
    assert own.removesuffix(".") in saved
    assert saved.count("[1]") == text.count("[1]")
    assert saved.endswith(text.partition("# References")[2])
    page.get_by_role("button", name=re.compile("^Owls hear")).last.click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Export the corrected text (1 fix)").wait_for()
    assert "Owls hear voles [2]." in mended(page)


def test_word_file_comes_back_as_it_was_but_for_the_fixes(visitor: Visitor) -> None:
    known = next(paper for paper in starter_records() if paper.year and paper.authors)
    wrong = int(known.year or 0) - 9
    document, file = Document(), BytesIO()
    paragraph = document.add_paragraph("Moths steer by the ")
    paragraph.add_run("moon").bold = True
    paragraph.add_run(" [1]. Owls hear voles [1].")
    document.add_heading("References")
    document.add_paragraph(f"[1] {known.authors[0].name}. {known.title}. {wrong}.")
    document.save(file)
    page = visitor.at("check")
    page.set_input_files(
        "input[type=file]", {"name": "x.pdf", "mimeType": "", "buffer": b"%PDF-1.4 nothing"}
    )
    page.wait_for_selector(".problem", timeout=60_000)
    visitor.looks_right()
    page.set_input_files(
        "input[type=file]", {"name": "draft.docx", "mimeType": "", "buffer": file.getvalue()}
    )
    box = page.get_by_label("Your text, with")
    expect(box).to_have_value(re.compile(r"Owls hear voles \[1\]\.\n\n# References\n\n\[1\]"))
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_url("**/checked", timeout=60_000)
    page.get_by_role("button", name="Fix year").click()
    page.get_by_role("navigation", name="Findings").get_by_role(
        "button", name=re.compile("^Owls hear")
    ).click()
    page.locator(".peek").get_by_role("button", name="Remove the sentence").click()
    page.reload()
    export = page.get_by_role("button", name="Export the corrected text (2 fixes)")
    saved = corrected_word(page, export)
    assert [one.text for one in saved.paragraphs] == [
        "Moths steer by the moon [1]. ",
        "References",
        f"[1] {known.authors[0].name}. {known.title}. {known.year}.",
    ]
    assert [run.text for run in saved.paragraphs[0].runs if run.bold] == ["moon"]
    thread = page.url.split("/run/")[1].split("/")[0]
    place = {"namespace": ["citeloom-page", thread], "key": "file"}
    httpx.request("DELETE", f"{visitor.url}/store/items", json=place).raise_for_status()
    export.click()  # the server has it no longer
    ask = page.get_by_label("Choose it again")
    other = BytesIO()
    document.paragraphs[0].text = "Gulls glide."
    document.save(other)
    with page.expect_download():
        ask.set_input_files({"name": "draft.docx", "mimeType": "", "buffer": other.getvalue()})
    expect(page.locator(".note.warn")).to_contain_text("saved the file without 1 fix")
    expect(page.locator(".note.warn")).to_contain_text("Owls hear voles [1].")
    visitor.looks_right()


def corrected_word(page: Page, export: Locator) -> DocumentType:
    with page.expect_download() as waited:
        export.click()
    assert waited.value.suggested_filename == "corrected-draft.docx"
    return Document(str(waited.value.path()))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"content": "!", "fixes": []}, "base64"),
        ({"content": "", "fixes": 1}, "fixes"),
        ({"content": "", "fixes": [{"from": "a"}]}, "fixes"),
        ({"content": "", "fixes": [{"from": 1, "to": "a"}]}, "texts"),
        ({"content": "AAAA", "fixes": [], "name": "a.docx"}, "a.docx is a damaged"),
    ],
)
def test_mending_refuses_what_is_no_word_file_or_no_fixes(
    server: Server, given: dict[str, object], told: str
) -> None:
    answer = httpx.post(f"{server.url}/citeloom/draft/mended", json=given, timeout=60)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]


def mended(page: Page) -> str:
    with page.expect_download() as waited:
        page.get_by_role("button", name=re.compile("^Export the corrected text")).click()
    assert waited.value.suggested_filename == "corrected-text.md"
    return Path(waited.value.path()).read_text(encoding="utf-8")


def test_reference_is_fixed_by_one_click_and_an_annotation_is_never_quoted(
    visitor: Visitor,
) -> None:
    known = next(paper for paper in starter_records() if paper.authors and paper.venue)
    first = known.authors[0].name
    printed = f"{first}. {known.title}. {int(known.year or 0) - 9}."
    page = visitor.at("check")
    page.get_by_label("Your text, with").fill(
        f"Moths steer by the moon [1]. Owls hear voles [2].\n\n# References\n\n[1] {printed}"
    )
    page.get_by_role("button", name="Check", exact=True).click()
    page.wait_for_url("**/checked", timeout=60_000)
    expect(page.locator(".peek blockquote.noted").first).to_be_visible()
    assert page.get_by_role("button", name="Quote this instead").count() == 0
    rail = page.get_by_role("navigation", name="Findings")
    expect(rail.get_by_role("button", name="[1] wrong in year")).to_be_visible()
    expect(page.locator(".references.checked")).to_contain_text(f"{known.year} · {known.venue}")
    visitor.looks_right_everywhere()
    rail.get_by_role("button", name=re.compile("^Owls hear voles")).click()
    expect(page.locator(".peek .verdict").first).to_contain_text("Not in the source")
    page.get_by_role("button", name="Fix year").click()
    expect(rail.get_by_role("button", name="[1] wrong in year")).to_have_count(0)
    assert mended(page).endswith(printed.replace(str(int(known.year or 0) - 9), str(known.year)))
