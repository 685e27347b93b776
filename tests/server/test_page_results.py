"""What a run gives on the page: comparison, files by purpose, a synthesis, two runs side by side."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.server.browser import IDEA, SENTENCE, Visitor, box_of, saved
from tests.server.conftest import Server
from tests.server.hostile import Caller
from tests.support import small_records

FACETS = ("Problem", "Method", "Data", "Findings", "Limitations")


@pytest.fixture(scope="module")
def review(server: Server) -> str:
    return Caller(server.url).made("review", text=IDEA, keep=8, cite=6)


def columns(page: Page) -> list[str]:
    return [text.split("\n")[0].strip() for text in page.locator("thead th").all_inner_texts()]


def test_comparison_leaves_out_columns_that_are_empty_for_most(
    visitor: Visitor, server: Server, review: str
) -> None:
    rows = Caller(server.url).values(review)["table"]["rows"]
    filled = {name: sum(name.lower() in row["cells"] for row in rows) for name in FACETS}
    few = [name for name in FACETS if filled[name] < len(rows) / 2]
    page = visitor.at(f"run/{review}/table")
    page.locator("table").wait_for()
    assert columns(page) == ["Paper", *(name for name in FACETS if name not in few)]
    for name in FACETS:
        chip = page.get_by_role("button", name=f"{name} {filled[name]} of {len(rows)}")
        expect(chip).to_have_attribute("aria-pressed", str(name not in few).lower())
    expect(page.locator(".compare-how")).to_contain_text(
        f"most papers state nothing there: {', '.join(few)}."
    )
    page.get_by_role("button", name=few[0]).click()
    assert few[0] in columns(page)
    expect(page.get_by_text("Not stated").first).to_be_visible()
    visitor.is_well()


def test_quote_of_a_cell_opens_beside_it_and_gives_the_focus_back(
    visitor: Visitor, review: str
) -> None:
    page = visitor.at(f"run/{review}/table")
    cell = page.locator("td .cell").first
    cell.wait_for()
    assert page.locator("aside").count() == 0  # quotes come on demand
    words = cell.inner_text()
    assert re.fullmatch("“.+”", words)
    cell.focus()
    page.keyboard.press("Enter")
    expect(page.locator("aside blockquote:not(.noted)")).to_have_text(words)
    place = page.locator(".wide")  # beside the table, not over it
    assert box_of(page.locator("aside"))["x"] >= box_of(place)["x"] + box_of(place)["width"]
    page.locator("aside summary").click()
    expect(page.locator("aside mark")).to_have_text(words.strip("“”"))
    visitor.looks_right_everywhere()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("aside")).to_have_count(0)
    expect(cell).to_be_focused()

    # On a phone each paper is a card: a label, below it the cell, nothing beyond the edge.
    page.set_viewport_size({"width": 390, "height": 844})
    label, whole = box_of(page.locator("td .c-label").first), box_of(page.locator("table"))
    assert label["y"] + label["height"] <= box_of(cell)["y"] + 1
    assert whole["x"] >= 0
    assert whole["x"] + whole["width"] <= 390


def test_annotation_in_a_cell_is_not_told_as_its_papers_words(
    visitor: Visitor, server: Server
) -> None:
    thread = Caller(server.url).made(
        "review", "Annotated", text=IDEA, library="starter", keep=5, cite=3
    )
    page = visitor.at(f"run/{thread}/table")
    page.locator("td .cell").first.wait_for()
    kinds = [
        cell["quote"]["part"]
        for row in Caller(server.url).values(thread)["table"]["rows"]
        for cell in row["cells"].values()
    ]
    assert set(kinds) == {"annotation"}
    assert page.locator("td .cell:not(.noted)").count() == 0
    assert not [text for text in page.locator("td .cell").all_inner_texts() if "“" in text]
    page.locator("td .cell").first.click()
    expect(page.locator("aside blockquote.noted")).to_be_visible()
    expect(page.locator("aside summary")).to_have_text("Whole annotation")


def test_own_column_asks_each_paper_and_is_kept(visitor: Visitor, review: str) -> None:
    page = visitor.at(f"run/{review}/table")
    page.get_by_role("button", name="Add a column").click()
    expect(page.get_by_text("Without a model this is free.")).to_be_visible()
    page.get_by_label("Add your own column").fill("What is introduced?")
    page.get_by_role("button", name="Ask each paper").click()
    own = page.get_by_role("columnheader", name="What is introduced?")
    own.wait_for(timeout=60_000)
    told = page.locator("tbody td:nth-child(2)").all_inner_texts()
    assert len(told) == page.locator("tbody tr").count()
    assert any(text != "Not stated" for text in told)
    page.get_by_label("Add your own column").fill("What is introduced?")
    page.get_by_role("button", name="Ask each paper").click()
    expect(page.get_by_role("alert")).to_contain_text("This column is already there.")
    page.reload()  # what was asked is kept
    own.wait_for()
    page.get_by_role("button", name="Remove the column: What is introduced?").click()
    expect(own).to_have_count(0)


def test_export_says_what_each_file_is_for(visitor: Visitor, review: str) -> None:
    page = visitor.at(f"run/{review}/take")
    cards = page.locator(".purposes h3")
    expect(cards).to_have_text(
        [
            "Word",
            "LaTeX, with your keys",
            "Quarto and Pandoc",
            "Obsidian",
            "Zotero",
            "Share as one HTML file",
        ]
    )
    expect(page.get_by_text("the list of these files")).to_be_hidden()  # folded
    cited = re.findall(r"\\cite\w*\{([^}]+)\}", saved(page, "Save section.tex").decode())
    keys = {key for group in cited for key in group.split(",")}
    assert keys
    listed = saved(page, "Save references.bib").decode()
    assert all(f"{{{key}," in listed for key in keys)
    assert set(re.findall(r"@\{([^}]+)\}", saved(page, "Save section.qmd").decode())) == keys
    assert saved(page, "Save notes.zip").startswith(b"PK")
    assert b"<html" in saved(page, "Save review.html")
    page.get_by_role("button", name="Send to Zotero").click()
    expect(page.get_by_role("alert")).to_contain_text("start it on this machine", timeout=30_000)
    page.get_by_text("All files").click()
    files = page.locator(".files li")
    expect(files).to_have_count(17)
    assert all(len(text.split("\n")) > 1 or " " in text for text in files.all_inner_texts())
    visitor.looks_right_everywhere()


def test_search_alone_exports_a_list_and_no_text(visitor: Visitor, server: Server) -> None:
    thread = Caller(server.url).made("find", text=IDEA, keep=5)
    page = visitor.at(f"run/{thread}/take")
    expect(page.locator(".purposes h3")).to_have_text(
        ["LaTeX, with your keys", "Obsidian", "Zotero", "Share as one HTML file"]
    )
    expect(page.locator(".purposes")).to_contain_text("The references as BibTeX.")
    assert saved(page, "Save references.bib").count(b"\n@") + 1 == 5


def test_synthesis_stands_beside_its_sources_and_is_shared_as_one_file(
    visitor: Visitor, server: Server
) -> None:
    papers = [paper.id for paper in small_records()[:3]]
    question = "How are citations recommended by language models?"
    thread = Caller(server.url).made("synthesize", question=question, papers=papers)
    lines = Caller(server.url).values(thread)["lines"]
    page = visitor.at(f"run/{thread}/synthesis")
    page.locator(SENTENCE).first.wait_for()
    title = page.locator("aside h2")
    expect(title).to_have_text(f"Sentence 1 of {len(lines)}")
    page.locator(SENTENCE).first.click()
    page.keyboard.press("j")
    expect(title).to_have_text(f"Sentence 2 of {len(lines)}")
    expect(page.locator("aside .verdict")).to_have_text("Supported")
    expect(page.locator("aside blockquote").first).to_contain_text(
        lines[1]["origins"][0]["quote"]["text"]
    )
    visitor.looks_right_everywhere()
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(SENTENCE).first.click()
    page.keyboard.press("Escape")
    expect(page.locator("aside")).to_be_hidden()
    expect(page.locator(SENTENCE).first).to_be_focused()

    visitor.at(f"run/{thread}/take")
    told = saved(page, "Save synthesis.html").decode()
    assert "Content-Security-Policy" in told
    assert lines[0]["origins"][0]["quote"]["text"][:30] in told


def test_a_section_and_its_review_are_compared_by_what_they_cite(
    visitor: Visitor, server: Server, review: str
) -> None:
    cited = [item["paper"] for item in Caller(server.url).values(review)["references"]]
    section = Caller(server.url).made(
        "write", text=IDEA, papers=[paper["id"] for paper in cited[1:]], cite=len(cited)
    )
    written = {item["paper"]["id"] for item in Caller(server.url).values(section)["references"]}
    assert 0 < len(written) < len(cited)
    page = visitor.at("history")
    for name in ("About review", "About write"):
        page.get_by_label(f"Select to compare: {name}").first.check()
    page.get_by_role("button", name="Compare the two selected").click()
    shown = page.get_by_role("region", name="Compare the two selected")
    shown.wait_for()
    expect(shown).to_contain_text("compares the papers that they cite")
    gone = [paper["title"] for paper in cited if paper["id"] not in written]
    heads = shown.get_by_role("heading").all_inner_texts()
    assert [text for text in heads if "review" in text and text.endswith(f"({len(gone)})")]
    assert [text for text in heads if "write" in text and text.endswith("(0)")]
    assert shown.locator("ul").first.locator("li").all_inner_texts() == gone
    shown.get_by_text(f"In both ({len(written)})").click()
    visitor.looks_right_everywhere()
