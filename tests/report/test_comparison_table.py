"""citeloom/report/comparison_table.py: whatever a record holds, the table stays a table and its text stays text."""

import csv
import io
from html.parser import HTMLParser

import pytest

from citeloom.report.comparison_table import table_csv, table_html, table_markdown
from state.quote import Quote
from state.results import TABLE_FACETS, Cell, ComparisonTable, TableRow

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
