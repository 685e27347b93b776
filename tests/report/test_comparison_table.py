"""Results as tables, annotated bibliographies, estimates of completeness and digests of watches."""

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as Xml

import docx
import pytest
from pydantic_core import to_jsonable_python

from citeloom.report.comparison_table import table_csv, table_html, table_markdown
from citeloom.report.for_agents import chat_summary, citations_of, papers_of
from citeloom.report.markdown import markdown, terminal_text
from citeloom.report.result_files import result_files
from citeloom.report.result_report import ResultReport
from citeloom.report.watch_digest import digest_mail, digest_markdown, feed_xml
from citeloom.report.web_page import web_page
from citeloom.runs.local_executor import local_runs
from citeloom.runs.runs import RunReport, outputs_in, snapshot_of, wait_until_resting
from citeloom.service.tool_answers import to_tool_result
from state.paper import Author, Paper
from state.quote import Quote
from state.results import TABLE_FACETS, Cell, ComparisonTable, TableRow
from state.run import GraphName
from state.search import Completeness, DiscoveryPoint
from state.watch import Placed, Watch, WatchCheck, WatchItem
from tests.server.test_whose_words import INPUTS, WORDS, quotes_in, untold

UGLY = [
    "a | b || c",
    "two\nlines\r\nand\ttabs",
    '=cmd|"/C calc"!A1',
    "+1 and -1 and @sum",
    "she said \"yes\", 'no' and “maybe”",
    "<b>bold</b> <script>alert(1)</script>",
    "&lt;b&gt; &amp; co",
    "$x_1^2 + \\alpha_{ij}$ *stars* `code` ~gone~",
    "pears 🍐 and 梨, naïve",
    "[a link](https://example.org/x) ![i](http://x.y) www.example.org me@x.org",
    "nul\x00 bell\x07 turned \u202eback",
    "# heading",
    "",
]


def row(number: int | None, text: str, facets: tuple[str, ...] = TABLE_FACETS) -> TableRow:
    quote = Quote(text=text, paper=f"p{number}", start=7, end=7 + len(text), verified=True)
    return TableRow.model_validate(
        {
            "number": number,
            "paper": f"p{number}",
            "name": f"Lee (20{number})",
            "title": text or "none",
            "cells": {facet: Cell(text=text, quote=quote) for facet in facets},
        }
    )


def table(*texts: str) -> ComparisonTable:
    return ComparisonTable(rows=tuple(row(place, text) for place, text in enumerate(texts, 1)))


def cells_of(line: str) -> list[str]:
    """Split a row of a Markdown table as GitHub does: at bars that are not escaped."""
    parts, current, escaped = [], "", False
    for char in line:
        if char == "|" and not escaped:
            parts.append(current.strip())
            current = ""
            continue
        escaped = char == "\\" and not escaped
        current += char
    assert not current.strip()
    return parts[1:]


def test_markdown_shows_each_cells_words_and_their_quote_as_a_note() -> None:
    one = row(1, "We graft pears.", ("method",))
    assert table_markdown(ComparisonTable(rows=(one,))) == (
        "| Paper | Method |\n|---|---|\n| \\[1\\] Lee (201): We graft pears. | We graft pears.[^q1] |\n\n"
        "[^q1]: \\[1\\] Lee (201), the paper's abstract: “We graft pears.”\n"
    )


def test_markdown_of_a_record_is_shown_as_text_in_columns_that_stay() -> None:
    for text in UGLY:
        body, *_ = table_markdown(table(text, "plain")).split("\n\n")
        assert {len(cells_of(line)) for line in body.split("\n")} == {6}, text
    text = "a | b\n<b> &lt; $x_1$ [a](https://x.y) www.x.y me@x.y ![i] bell\x07 \u202eback"
    shown = "a \\| b \\<b\\> &amp;lt; \\$x\\_1\\$ \\[a\\](https:\\//x.y) www\\.x.y me\\@x.y \\!\\[i\\] bell back"
    assert f"{shown}[^q1]" in table_markdown(table(text))


@pytest.mark.parametrize("text", UGLY)
def test_csv_can_be_read_back_and_holds_no_formula(text: str) -> None:
    made = table_csv(table(text))
    head, line = csv.reader(io.StringIO(made, newline=""), strict=True)
    assert made.count("\r\n") == made.count("\n") == 2
    assert head[:9] == [
        "number",
        "id",
        "paper",
        "title",
        "problem",
        "problem_quote",
        "problem_part",
        "problem_start",
        "problem_end",
    ]
    assert len(line) == len(head) == 4 + 5 * 5
    assert not [value for value in line if value.startswith(("=", "+", "-", "@", "\t", "\r"))]
    flat = " ".join("".join(" " if c < " " or c == "\u202e" else c for c in text).split())
    assert line[4].removeprefix("'") == flat
    assert line[7:9] == ["7", str(7 + len(text))]


def test_column_that_no_paper_fills_is_left_out() -> None:
    bare = ComparisonTable(rows=(row(None, "=x", ()),))
    _, line = csv.reader(io.StringIO(table_csv(bare), newline=""))
    assert line == ["", "pNone", "Lee (20None)", "'=x"]


class Tags(HTMLParser):
    """Counts tags and gathers text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not [name for name, _ in attrs if name.startswith("on") or name == "href"]
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_has_only_tags_of_ours_and_shows_the_words_as_they_are() -> None:
    read = Tags(table_html(table(*UGLY)))
    assert set(read.tags) == {
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "bdi",
        "br",
        "details",
        "summary",
        "blockquote",
    }
    assert (read.tags.count("tr"), read.tags.count("td")) == (len(UGLY) + 1, 5 * len(UGLY))
    assert read.tags.count("details") == 5 * len(UGLY)
    for words in (
        "<script>alert(1)</script>",
        "&lt;b&gt; &amp; co",
    ):
        assert words in read.text


def test_papers_without_cells_have_their_row_and_an_empty_table_its_head() -> None:
    few = ComparisonTable(
        rows=tuple(row(place, "pears", TABLE_FACETS if place % 2 else ()) for place in range(1, 7))
    )
    body, notes = table_markdown(few).split("\n\n")
    assert (len(body.split("\n")), len(notes.strip().split("\n"))) == (8, 15)
    assert len(table_csv(few).strip().split("\r\n")) == 7
    assert table_html(few).count("<td></td>") == 15
    assert len(table_markdown(ComparisonTable()).strip().split("\n")) == 2
    assert table_csv(ComparisonTable()).count("\r\n") == 1
    assert "<tbody>\n\n</tbody>" in table_html(ComparisonTable())


async def result_of(graph: GraphName) -> RunReport:
    async with local_runs() as runs:
        run = await runs.start(graph, INPUTS[graph], {"pool": 12})
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


ESTIMATED = Completeness(
    told="Of what *this* library holds, about 9 of 16.",
    kept=9.4,
    seen=14.2,
    estimate=16.1,
    low=8,
    high=28,
    share=0.584,
    share_low=0.28,
    share_high=0.89,
    channels=("keywords", "meaning", "references"),
    found_by=(3, 0, 10),
    method="Chao 1989",
    curve=(
        DiscoveryPoint(step="searches", looked_at=120, kept=30),
        DiscoveryPoint(step="links, round 1", looked_at=400, kept=38),
    ),
    stopped="the search ended: every part of the text has papers",
    caveats=("It is too low.", "Judged by model_x *only*."),
)
GRAPHS: tuple[GraphName, ...] = ("find", "review")


@pytest.mark.parametrize("graph", GRAPHS)
def test_section_shows_the_curve_the_end_and_the_caveats_as_they_are(graph: GraphName) -> None:
    values = {"completeness": ESTIMATED, "related_work": "Pears."}
    report = ResultReport.of(graph, values)
    text = "\n\n".join(report.coverage)
    assert text.startswith("Of what \\*this\\* library holds, about 9")
    assert "Why it stopped: the search ended: every part of the text has papers." in text
    assert "| searches | 120 | 30 |\n| links, round 1 | 400 | 38 |" in text
    assert "by how many ways found them: 3 by 1, 10 by 3." in text
    assert r"- Judged by model\_x \*only\*." in text
    whole = markdown(report)
    assert f"## Coverage\n\n{text}\n\n## How this was made" in whole


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("values", [{}, {"completeness": None}, {"completeness": Completeness()}])
def test_run_that_ended_before_it_was_assessed_has_no_such_section(
    values: dict[str, Completeness | None], graph: GraphName
) -> None:
    report = ResultReport.of(graph, values)
    assert report.values["completeness"] is None
    assert not report.coverage
    assert "complete" not in markdown(report)
    assert "\n\n\n" not in markdown(report)


DIGEST_UGLY = 'A <b>bold</b> & "quoted" title \x0b with\ufffe `marks` | [link](http://x)\nBcc: eve@example.org'
NOW = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)
WATCH = Watch(
    name="mine",
    subject=DIGEST_UGLY,
    every=7,
    added=NOW,
    since="2026-11-28",
    inputs={},
    settings={},
    run="r",
)
NEW = WatchItem(
    kind="new",
    paper=Paper(id="local:ugly", title=DIGEST_UGLY, authors=(Author(name="Eve <eve@x>"),)),
    score=72.4,
    judged=True,
    placed=Placed(
        change="contradicts",
        sentence=3,
        sentence_text="Owls | hoot [1].",
        says="reports\nsilence",
        words=Quote(text="Owls are silent.", paper="local:ugly"),
    ),
)
GONE = WatchItem(
    kind="retracted",
    paper=Paper(id="doi:10.1/a", title="Gone", doi="10.1/a"),
    detail="retracted (doi:10.1/b)",
)
CHECK = WatchCheck(
    at=NOW,
    run="r2",
    number=1,
    items=(NEW, GONE),
    after="2026-09-29",
    searched={"openalex": "2026-11-28"},
    failed={"arxiv": "no answer\n> in time"},
    mind="some-model",
    bar=20,
)
ATOM = "{http://www.w3.org/2005/Atom}"


def test_digest_says_what_is_new_by_whom_judged_and_what_failed() -> None:
    text = digest_markdown(WATCH, CHECK)
    assert text.startswith("# mine: 1 new paper, 1 retracted\n")
    assert "searched openalex, papers from 2026-09-29 on" in text
    assert "> Not searched: arxiv (no answer \\> in time)." in text
    assert r"\<b\>bold\</b\>" in text
    assert "Relevance: 72 of 100, judged by some-model (bar: 20)." in text
    assert "   - Contradicts sentence 3 of the section: “Owls \\| hoot [1].”" in text
    assert "   - It reports silence\n   - Its words: “Owls are silent.”" in text
    assert "   - Retracted (doi:10.1/b)." in text
    assert text.index("## Retracted") < text.index("## New papers")
    assert "citeloom update r --write" in text


def test_feed_is_what_atom_asks_for_and_its_ids_never_change() -> None:
    feed = Xml.fromstring(feed_xml(WATCH, [CHECK]).encode())
    later = WatchCheck(
        at=NOW, run="r3", number=2, items=(GONE.model_copy(update={"kind": "notice"}),)
    )
    again = Xml.fromstring(feed_xml(WATCH, [CHECK, later]).encode())
    assert feed.tag == f"{ATOM}feed"
    for node in (feed, *feed.findall(f"{ATOM}entry")):
        assert (node.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
        assert node.findtext(f"{ATOM}title")
        assert datetime.fromisoformat(node.findtext(f"{ATOM}updated") or "") == NOW
    # An entry without a link needs its content.
    assert all(entry.findtext(f"{ATOM}content") for entry in feed.findall(f"{ATOM}entry"))
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "CiteLoom"
    first = [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    second = [entry.findtext(f"{ATOM}id") for entry in again.findall(f"{ATOM}entry")]
    assert second[1:] == first
    assert len({*second}) == 3
    links = [link.get("href") for link in feed.iter(f"{ATOM}link")]
    assert links == ["https://doi.org/10.1/a"]
    titles = [entry.findtext(f"{ATOM}title") for entry in feed.findall(f"{ATOM}entry")]
    assert (titles[0] or "").startswith('A <b>bold</b> & "quoted" title with')
    assert titles[1] == "Retracted: Gone"


def test_mail_takes_no_header_from_a_title_and_keeps_its_id() -> None:
    watch = WATCH.model_copy(update={"name": "mine\nBcc: eve@example.org"})
    mail = digest_mail(watch, CHECK, "ada@example.org", "bo@example.org")
    assert mail["Bcc"] is None
    assert (
        mail["Message-ID"] == digest_mail(watch, CHECK, "ada@example.org", "b@x.org")["Message-ID"]
    )
    assert "Gone" in mail.get_content()
    assert mail.as_bytes().startswith(b"From: ada@example.org")
