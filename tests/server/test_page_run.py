"""Start and Progress on the page: what one can choose, and a run told as a story."""

import re

from playwright.sync_api import expect

from tests.graphs.stacks import first
from tests.server.browser import IDEA, SENTENCE, Visitor
from tests.support import SMALL, small_records
from tools.documented_methods import METHODS

HEADS = """globalThis.heads = []; new MutationObserver(() => {
  const head = document.querySelector(".run .state");
  if (head) heads.push(head.textContent);
}).observe(document.body, {subtree: true, childList: true, characterData: true})"""
"""Keeps every word that a run's head says of its state."""


def test_start_says_what_goes_in_what_comes_out_and_what_leaves_the_server(
    visitor: Visitor,
) -> None:
    page = visitor.at("start")
    for way, what in (("Review", "annotated list"), ("Ask", "answer"), ("Check", "citation")):
        expect(page.locator(".way", has_text=way).first).to_contain_text(what)
    page.get_by_role("button", name="Try an example").click()
    assert len(page.get_by_label("Abstract, idea or question").input_value().split()) > 50
    expect(page.locator("aside")).to_contain_text("Nothing leaves this server.")
    page.route("**/citeloom/draft?**", lambda route: None)  # a reader that takes its time
    page.set_input_files(
        ".paste input[type=file]",
        {"name": "owls.pdf", "mimeType": "application/pdf", "buffer": first()},
    )
    expect(page.locator(".paste [role=status]")).to_have_text(re.compile("Reading owls.pdf"))
    page.get_by_label("OpenAlex").check()
    expect(page.locator("aside")).to_contain_text("OpenAlex receives the queries.")
    expect(page.get_by_label("Google Scholar")).to_be_disabled()

    page.get_by_text("Depth and methods").click()
    told = page.locator(".methods").inner_text()
    for method in METHODS:
        if method.step not in {"ask", "synthesize"}:
            assert method.name in told
            assert method.when in told
    page.get_by_label(re.compile("^One round")).check()
    expect(page.get_by_label(re.compile("^Permutation"))).to_be_disabled()  # it needs a model
    page.get_by_text("Sentence plan", exact=True).first.click()
    visitor.looks_right_everywhere()


def test_without_a_model_a_card_says_so_and_tests_whether_there_is_one(visitor: Visitor) -> None:
    page = visitor.at("start/model")
    card = page.locator("aside")
    expect(card).to_contain_text("No model connected")
    expect(card).to_contain_text("annotated list by theme")
    card.get_by_role("button", name="Test the model").click()
    expect(card).to_contain_text("CiteLoom has no model in its settings yet.")
    visitor.looks_right()
    page.get_by_role("button", name="Papers only").click()
    expect(page.locator("button.big")).to_have_text("Start the search")


def test_chosen_method_and_silent_source_are_seen_in_the_run(visitor: Visitor) -> None:
    page = visitor.at("start")
    page.get_by_label("Abstract, idea or question").fill(IDEA)
    page.wait_for_selector(f"option[value={SMALL}]", state="attached")
    page.get_by_label("Library", exact=True).select_option(SMALL)
    page.get_by_label("arXiv").check()
    page.get_by_label("Papers to keep").fill("8")
    page.get_by_role("button", name="Papers only").click()
    page.get_by_text("Depth and methods").click()
    page.get_by_label(re.compile("^One round")).check()
    page.locator("button.big").click()
    page.wait_for_url("**/papers", timeout=90_000)  # it ends on what one waits for
    page.locator(".tabs").get_by_role("link", name="Progress").click()
    gave = page.locator(".gave")
    expect(gave.locator("li", has_text="arXiv")).to_contain_text("Not answering")
    expect(gave.locator("li", has_text=SMALL)).to_contain_text("records")
    expect(gave).not_to_contain_text("Citation links")  # one round follows none
    expect(page.locator(".story")).to_contain_text("The run continues without it")
    visitor.looks_right_everywhere()


def test_run_is_a_story_whose_question_stands_where_it_is_asked(visitor: Visitor) -> None:
    thread = visitor.review(IDEA, SMALL, "the papers")
    page = visitor.page
    step = page.locator(".story > li.on")
    step.locator(".question").wait_for(timeout=60_000)
    expect(step.locator("h3").first).to_contain_text("Ranking papers")
    expect(page.locator(".run .meta")).to_contain_text("Step 3 of 6")
    expect(page.locator(".run h1")).to_have_text(  # it ends where a phrase does
        "We study how well large language models recommend citations for a sentence of a paper …"
    )
    # Nothing but the run's own events has told of these papers by now.
    expect(page.locator(".rising li").first).to_be_visible()
    assert page.locator(".rising blockquote").count() >= 1
    # Without a model nothing is judged or written, and no step says so.
    names = page.locator(".steps li").all_inner_texts()
    assert names == ["Read", "Search", "Rank", "Estimate coverage", "List", "Check"]
    titles = page.locator(".story h3").all_inner_texts()
    assert "Make the annotated list by theme" in titles
    assert not re.search("judg|writ|section", " ".join(titles), re.IGNORECASE)
    expect(page.locator(".funnel dd").nth(2)).to_have_text(re.compile(r"^\d+$"))
    assert page.locator(".story > li.ok").count() == 2
    visitor.looks_right_everywhere()
    page.evaluate(HEADS)
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/text", timeout=90_000)
    page.wait_for_selector(SENTENCE)
    assert {"Making the annotated list", "Checking every citation"} & set(page.evaluate("heads"))

    visitor.at(f"run/{thread}/live")
    expect(page.locator(".story > li.ok")).to_have_count(6)
    told = page.locator(".story h3").all_inner_texts()
    assert any(re.search(r"\d+ (s|min)$", text) for text in told)
    page.reload()
    expect(page.locator(".story h3")).to_have_text(told)  # how long each step took stays
    page.get_by_text(re.compile(r"\d quer(y|ies), each from your text")).click()
    assert page.locator(".queries li").count() >= 1
    page.get_by_text("Your text", exact=True).click()
    expect(page.locator(".given")).to_have_text(IDEA)
    page.get_by_role("link", name="Open the list").click()
    page.wait_for_selector(SENTENCE)


def test_history_names_state_and_finds_a_run(visitor: Visitor) -> None:
    thread = visitor.review(f"Owls at night. {IDEA}", SMALL, "the queries")
    page = visitor.page
    page.wait_for_selector(".question", timeout=60_000)
    visitor.at("history")
    page.get_by_label("Find a run").fill(IDEA[-30:])  # words that its title leaves out
    expect(page.locator(".history")).to_contain_text("Owls at night")
    page.get_by_label("Find a run").fill("owls at night")
    row = page.locator(".history li")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Waits for you")
    expect(row).to_contain_text("Review")
    visitor.looks_right_everywhere()
    row.get_by_role("link").click()
    page.wait_for_url(f"**/run/{thread}**")
    visitor.at("start")
    expect(page.locator(".recent")).to_contain_text("Owls at night")

    # One that began from an id has its paper's title; one without a result is not done.
    known = next(paper for paper in small_records() if paper.arxiv and paper.abstract)
    for given, named, state in (
        (str(known.arxiv), known.title, "Done"),
        ("10.5555/nowhere", "10.5555/nowhere", "Failed"),
    ):
        visitor.review(given, SMALL)
        page.locator(".status.completed, .status.failed").wait_for(timeout=90_000)
        visitor.at("history")
        expect(row.filter(has_text=named)).to_contain_text(state)
