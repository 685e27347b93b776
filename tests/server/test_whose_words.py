"""Words of an annotation are told as such by all that shows them: state, files, MCP, A2A, and each view of the page."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from langgraph_sdk import get_client
from playwright.sync_api import Page

from citeloom.runs.runs import wait_until_resting
from citeloom.runs.server_executor import server_runs
from state.run import GraphName
from tests.server.browser import OPTION, Visitor
from tests.server.conftest import Server
from tests.server.hostile import IDEA, Caller
from tests.server.test_mcp_wire import Wire
from tests.support import starter_records

QUESTION = "How are citations in generated text verified?"
ABOUT = [paper for paper in starter_records() if "citation" in (paper.abstract or "")][:4]
PAPERS = [paper.id for paper in ABOUT]
INPUTS: Mapping[GraphName, dict[str, Any]] = {
    "review": {"text": IDEA, "keep": 6, "cite": 3},
    "ask": {"question": QUESTION},
    "synthesize": {"question": QUESTION, "papers": PAPERS},
    "verify": {
        "text": f"{ABOUT[0].title} [1]. {str(ABOUT[0].abstract).split('. ')[0]} [1].",
        "papers": PAPERS,
    },
}
WORDS = [
    sentence[:50]
    for paper in starter_records()
    for sentence in re.split(r"(?<=\.) ", paper.abstract or "")
    if len(sentence) > 60
]
"""How the sentences of the starter's annotations begin: each of its papers has one instead of an abstract."""
SHOWN = re.compile('[“",>](?:' + "|".join(map(re.escape, WORDS)) + ")")
"""Such words as they are shown: in quotation marks, in JSON, CSV and HTML. A sentence may go on otherwise."""
OWN = "paper's abstract"


def untold(text: str) -> list[str]:
    """Return the lines that show words of an annotation and do not say so, in a footnote of theirs at least."""
    lines = [line for line in text.splitlines() if SHOWN.search(line)]
    lines = [line for line in lines if not re.search(r"\[\^q\d+\] \|", line)]
    return [line for line in lines if "nnotation" not in line or OWN in line]


def quotes_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if {"text", "paper", "part", "verified"} <= value.keys():
            yield value
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from quotes_in(item)


async def test_state_files_and_tools_say_whose_words_they_show(server: Server) -> None:
    wire = Wire(server.url, tasks=False)
    assert not OPTION.search(json.dumps(await wire("tools/list")))
    async with get_client(url=server.url) as client:
        runs = server_runs(client)
        for graph, inputs in INPUTS.items():
            run = await runs.start(graph, inputs, {})
            values = (await wait_until_resting(runs, run)).values
            quotes = [one for one in quotes_in(values) if any(w in one["text"] for w in WORDS)]
            assert quotes, graph
            told = {(one["part"], one["words_of"]) for one in quotes}
            assert told == {("annotation", "an annotation, not the paper's own words")}, graph

            first = (await wire.call("get_run", run=run))["result"]["structuredContent"]
            shown = 0
            for part in first["parts"].keys() - {"hops"}:  # there are claims that were not used
                pages, page = 1, 0
                while page < pages:
                    page += 1
                    got = await wire.call("get_run", run=run, part=part, page=page)
                    got = got["result"]["structuredContent"]
                    assert not OPTION.search(json.dumps(got)), (graph, part)
                    pages = got.get("pages", 1)
                    items = (json.dumps(item, ensure_ascii=False) for item in got.get("items", ()))
                    text = "\n".join(items)
                    assert untold(text) == [], (graph, part)
                    shown += any(words in text for words in WORDS)
            assert shown, graph

            place = f"/citeloom/runs/{run}/files"
            for name in (await asyncio.to_thread(Caller(server.url).get, place)).json()["files"]:
                if name.endswith((".md", ".html", ".csv", ".tex")):
                    file = await asyncio.to_thread(Caller(server.url).get, f"{place}/{name}")
                    assert untold(file.text) == [], (graph, name)
    answer = await asyncio.to_thread(Caller(server.url).messaged, QUESTION)
    parts = json.dumps(answer, ensure_ascii=False).replace("\\n", "\n")
    assert any(words in parts for words in WORDS)
    assert untold(parts) == []


def test_each_view_of_the_page_says_whose_words_it_shows(visitor: Visitor, server: Server) -> None:
    page = visitor.page
    thread = Caller(server.url).made("review", text=IDEA, library="starter", keep=8, cite=4)
    for tab in ("live", "papers", "graph", "table", "text", "take"):
        visitor.at(f"run/{thread}/{tab}")
        page.locator(".embedded").wait_for()
        assert page.locator(".embedded").inner_text() == "without a model"
        opened(page, tab)
        visitor.is_well()
    visitor.at("ask")
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".turn .s").first.click(timeout=60_000)
    assert page.locator(".turn .embedded").count() == 1
    told_in(page, "aside .quote")

    visitor.at("libraries/starter")
    page.wait_for_selector(".papers li")
    for box in page.get_by_label("Select for a synthesis").all()[:3]:
        box.check()
    page.get_by_role("textbox", name="Write a synthesis").fill(QUESTION)
    page.get_by_role("button", name="Write", exact=True).click()
    page.wait_for_url("**/synthesis", timeout=90_000)
    page.locator("article .s").first.click()
    told_in(page, "aside .quote")


def opened(page: Page, tab: str) -> None:
    """Open all that a tab has to show, and see what it is called."""
    if tab == "papers":
        for name in page.locator(".paper .name").all():
            name.click()
        told_in(page, ".paper .quote")
        heads = page.locator(".p-more-box h4").all_inner_texts()
        assert "Annotation, not the paper’s own words" in heads
        assert "Abstract" not in heads
    if tab == "graph":
        page.locator(".frame .dot.kept").first.click()
        told_in(page, ".map-card .quote")
    if tab == "table":
        assert page.locator("td .cell").count() == page.locator("td .cell.noted").count() > 0
        page.locator("td .cell").first.click()
        told_in(page, "aside .quote")
    if tab == "text":
        shown = 0
        for sentence in page.locator("article .s").all():
            sentence.click()
            if page.locator("aside blockquote").count():
                told_in(page, "aside .quote")
                shown += 1
            assert "Abstract" not in page.locator("aside summary").all_inner_texts()
        assert shown


def told_in(page: Page, place: str) -> None:
    page.locator(place).first.wait_for()
    texts = page.locator(place).all_inner_texts()
    assert all("not the paper's own words" in text.replace("’", "'") for text in texts), texts
