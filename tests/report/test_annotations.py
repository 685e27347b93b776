"""Words of an annotation are told as such in every form of every result, and never as their paper's own."""

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import docx
import pytest
from pydantic_core import to_jsonable_python

from citeloom.report.for_agents import chat_summary, citations_of, papers_of
from citeloom.report.markdown import markdown, terminal_text
from citeloom.report.result_files import result_files
from citeloom.report.result_report import ResultReport
from citeloom.report.web_page import web_page
from citeloom.runs.local_executor import local_runs
from citeloom.runs.runs import RunReport, outputs_in, snapshot_of, wait_until_resting
from citeloom.service.tool_answers import to_tool_result
from state.run import GraphName
from tests.server.test_whose_words import INPUTS, WORDS, quotes_in, untold


async def result_of(graph: GraphName) -> RunReport:
    async with local_runs() as runs:
        run = await runs.start(graph, INPUTS[graph], {})
        await wait_until_resting(runs, run)
        return await runs.report(run)


def texts_of(done: RunReport) -> Iterator[tuple[str, str]]:
    """Yield each form of a result that is read: its name, its text."""
    told = ResultReport.of(done.graph, done.values, question="How?")
    yield "Markdown", markdown(told)
    yield "terminal", terminal_text(told, details=True)
    yield "page", web_page(told)
    view = snapshot_of(done)
    yield "chat", chat_summary(view)
    for part in ("text", *to_tool_result(view).parts):
        if part == "hops":  # there are claims that were not used
            continue
        page, pages = 1, 1
        while page <= pages:
            answer = to_tool_result(view, part, page)
            page, pages = page + 1, answer.pages
            items = (str(item) for item in answer.items)
            yield f"tool, {part}", "\n".join([answer.text, *items])
    for name, content in result_files(told, ("tex", "docx")).items():
        if isinstance(content, bytes):
            word = docx.Document(BytesIO(content))
            comments = [comment.text for comment in word.comments]
            yield name, "\n".join([*comments, *(one.text for one in word.paragraphs)])
        elif not name.endswith(".json"):
            yield name, content


@pytest.mark.parametrize("graph", INPUTS)
async def test_no_form_tells_an_annotation_as_the_papers_words(
    home: Path, graph: GraphName
) -> None:
    done = await result_of(graph)
    shown = set()
    for name, text in texts_of(done):
        assert untold(text) == [], name
        if any(words in text for words in WORDS):
            shown.add(name)
    assert shown >= {"Markdown", "page"}
    values = to_jsonable_python(outputs_in(graph, done.values))
    quotes = [one for one in quotes_in(values) if any(words in one["text"] for words in WORDS)]
    assert {one["words_of"] for one in quotes} == {"an annotation, not the paper's own words"}
    view = snapshot_of(done)
    for item in (*citations_of(view), *papers_of(view)):
        for part in (item, *item.get("further", ()), item.get("for", {}), item.get("against", {})):
            if any(words in part.get("quote", "") for words in WORDS):
                assert re.match("an annotation", part["whose"])
