"""Screening on the page: ten records by keys, blind to the model, an undo, a conflict, and the files."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.fakes.openai_server import OpenAIServer
from tests.fakes.reviewer import reviewer
from tests.server.browser import IDEA, Visitor, saved
from tests.server.test_local_app import begun, opened, rested
from tests.server.test_page_text import changes_a_sentence
from tests.support import SMALL, link_libraries, small_records

PATIENCE = 60_000
"""What reads files, and a model's run, begin processes first."""
BEES, COMPUTERS = range(6), range(6, 10)
ABSTRACTS = [
    *(
        f"We displaced {n + 20} honey bees. Most of them flew home within {n + 1} hours."
        for n in BEES
    ),
    *(f"We simulate {n * 100} agents in a computer. No animals were used." for n in COMPUTERS),
]
TABLE = "title,abstract,doi,year\n" + "".join(
    f'Study {n} of homing,"{text}",10.1234/study{n},{2010 + n}\n'
    for n, text in enumerate(ABSTRACTS)
)


def decided(page: Page, number: int) -> None:
    expect(page.get_by_text(f"{number} of 10 decided by you")).to_be_visible()


def test_person_screens_ten_records_blind_and_takes_the_files(
    tab: Page, tmp_path: Path, built: Path
) -> None:
    link_libraries(built, tmp_path / "home")
    (tmp_path / "found.csv").write_text(TABLE, "utf-8")
    with OpenAIServer(reviewer()) as model:
        known = {"LLM_BASE_URL": model.url, "LLM_API_KEY": "k", "STRONG_MODEL": "gpt"}
        more = {f"CITELOOM_{name}": value for name, value in known.items()}
        with opened(tmp_path / "home", **more) as http:
            page, visitor = tab, Visitor(tab, str(http.base_url).rstrip("/"))
            begins(visitor, tmp_path / "found.csv")
            page.get_by_role("link", name="Progress").click()
            expect(page.get_by_text("10 records to screen, gpt")).to_be_visible()
            expect(page.get_by_text("Tokens:")).to_be_visible()
            page.get_by_role("button", name="Start the model").click()
            told = page.get_by_text("The model has decided on every record")
            expect(told).to_be_visible(timeout=PATIENCE)
            screens(visitor)
            settles(visitor)
            shows_and_saves(visitor)
            inputs = {"text": IDEA, "library": SMALL, "keep": 3}
            assert rested(http, begun(http, "find", inputs, bar=0))["status"] == "completed"
            adds_more_and_deletes(visitor)
            changes_a_sentence(visitor)  # by the same model


def begins(visitor: Visitor, file: Path) -> None:
    page = visitor.at("screen")
    page.get_by_label("Name", exact=True).fill("homing")
    page.get_by_label("Question of the review").fill("Do bees find home?")
    page.get_by_label("Inclusion criteria").fill("Studies honey bees\n")
    page.get_by_label("Exclusion criteria").fill("Only computer models")
    page.get_by_label("Titles and abstracts only").check()
    visitor.looks_right_everywhere()
    page.get_by_role("button", name="Begin").click()
    copy = file.with_name("copy.csv")
    copy.write_bytes(file.read_bytes())
    for given, told in (
        (file, "found.csv: 10 records new, 0 duplicates"),
        (
            copy,
            "copy.csv (the same file as found.csv): 0 records new, 0 duplicates, 10 records added before",
        ),
    ):
        page.get_by_label("File of records").set_input_files(given)
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text(f"{told}.", exact=True)).to_be_visible(timeout=PATIENCE)
    visitor.looks_right_everywhere()


def screens(visitor: Visitor) -> None:
    """Decide on all, on one of them against the model."""
    page = visitor.page
    page.get_by_role("link", name="Decide").click()
    page.get_by_label("Your name as a screener").fill("Ann")
    page.get_by_role("button", name="Start").click()
    record = page.get_by_role("region", name="The record to decide on")
    seen: list[str] = []
    for number in range(10):
        decided(page, number)
        seen.append(record.get_by_role("heading").inner_text())
        at = int(seen[-1].split()[1])
        if not number:
            expect(page.get_by_text("The model:")).to_have_count(0)  # blind until one has decided
            visitor.looks_right_everywhere()
        choose(page, at)
        if number == 4:
            decided(page, 5)
            page.keyboard.press("u")
            decided(page, 4)
            expect(record.get_by_role("heading")).to_have_text(seen[-1])
            choose(page, at)
    expect(page.get_by_text("You have decided on every record")).to_be_visible()
    assert len(set(seen)) == 10
    expect(page.get_by_text("The model:")).to_be_visible()
    expect(page.get_by_text("You may stop.")).to_have_count(0)  # it is looked at after 25 decisions


def choose(page: Page, at: int) -> None:
    """Decide by keys: include what studies bees, but for one of them."""
    expect(page.get_by_role("button", name="Include")).to_be_enabled()
    if at in BEES and at != 3:
        page.keyboard.press("i")
    else:
        page.keyboard.press("e")
        expect(page.get_by_role("group", name="Why exclude it?")).to_be_visible()
        page.keyboard.press("2")


def settles(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Conflicts").click()
    conflict = page.get_by_role("listitem").filter(has_text="Study 3 of homing")
    expect(conflict.get_by_text("The model: Include")).to_be_visible()
    expect(conflict.get_by_text("Ann: Exclude E1")).to_be_visible()
    conflict.get_by_text("The model: Include").click()
    expect(conflict.locator("blockquote").get_by_text("We displaced 23 honey bees")).to_be_visible()
    visitor.looks_right_everywhere()
    conflict.get_by_role("button", name="Include").click()
    expect(page.get_by_text("Study 3 of homing")).to_have_count(0)


def shows_and_saves(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Progress").click()
    expect(page.get_by_role("region", name="PRISMA")).to_be_visible()
    expect(page.get_by_text("Cohen’s kappa")).to_be_visible()
    expect(page.get_by_role("definition").filter(has_text="6")).not_to_have_count(0)
    visitor.looks_right_everywhere()
    page.get_by_role("link", name="Export").click()
    ris = saved(page, "Save decisions.ris").decode()
    assert (ris.count("TY  - "), ris.count("CiteLoom: include")) == (10, 6)
    assert ris.count("CiteLoom reason: E1 Only computer models") == 4


def adds_more_and_deletes(visitor: Visitor) -> None:
    """Add the papers that a run kept, then the library in which it found them; the question names all that goes."""
    page = visitor.page
    page.get_by_role("link", name="Records and protocol").click()
    page.get_by_role("button", name="A run").click()
    page.get_by_label("Finished run").select_option("About find")
    expect(page.get_by_label("Only the papers it kept")).to_be_checked()
    visitor.looks_right_everywhere()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_text(": 3 records new, 0 duplicates.")).to_be_visible(timeout=PATIENCE)
    page.get_by_role("button", name="A library").click()
    page.get_by_label("Library").select_option(SMALL)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(
        page.get_by_text(f"library {SMALL}: {len(small_records()) - 3} records new, 3 duplicates.")
    ).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("term").filter(has_text=f"library {SMALL}")).to_be_visible()
    goes = f"its protocol, {10 + len(small_records())} papers and 21 decisions of all screeners?"
    page.once("dialog", lambda asked: asked.accept() if goes in asked.message else asked.dismiss())
    page.get_by_role("button", name="Delete this screening").click()
    expect(page.get_by_text("No screening yet")).to_be_visible()
    assert visitor.wrong == []
