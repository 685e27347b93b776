"""review.html: all of a review in one page, whose citations lead to references and evidence."""

import json
import re

import pytest
from lxml import html

from tests.cli.commands import Done, cited


@pytest.fixture
def page(reviewed: Done) -> html.HtmlElement:
    return html.document_fromstring(reviewed.text("review.html"))


def test_citations_of_the_page_lead_to_their_reference_and_their_words(
    reviewed: Done, page: html.HtmlElement
) -> None:
    quotes = {
        (item["sentence"], item["paper"]): item["quote"]["text"]
        for sentence in reviewed.run["sentences"]
        for item in sentence["citations"]
    }
    ids = {item["number"]: item["paper"]["id"] for item in reviewed.run["references"]}
    for sentence in reviewed.run["sentences"]:
        (shown,) = page.xpath(f"//span[@id='sentence-{sentence['number']}']")
        assert shown.text_content() == sentence["text"]
        links = shown.xpath("a[starts-with(@href, '#reference-')]")
        numbers = [int(link.get("href").rpartition("-")[2]) for link in links]
        assert numbers == cited(sentence["text"])
        assert [link.text for link in links] == [str(number) for number in numbers]
        for link, number in zip(links, numbers, strict=True):
            words = quotes[sentence["number"], ids[number]]
            assert words in link.get("title")
            (evidence,) = page.xpath(f"//li[@id='evidence-{sentence['number']}']")
            assert words in evidence.text_content()
    places = {f"#{name}" for name in page.xpath("//@id")}
    inner = [link for link in page.xpath("//a/@href") if link.startswith("#")]
    assert len(inner) > 30
    assert set(inner) <= places


def test_page_needs_nothing_else_and_leads_to_files_that_are_there(
    reviewed: Done, page: html.HtmlElement
) -> None:
    headings = [
        "References",
        "Comparison",
        "Citation graph",
        "Evidence",
        "Papers",
        "Coverage",
        "How this was made",
        "Files",
    ]
    assert [item.text for item in page.xpath("//h2")] == headings
    assert not page.xpath("//link|//img|//iframe|//@src|//form")
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert re.fullmatch(
        r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[^']+'", policy
    )
    listed = set(page.xpath("//section[@id='files']//a/@href"))
    assert listed == reviewed.files - {"review.html", "files/README.md"}
    table = reviewed.text("files/README.md")
    for name in re.findall(r"\]\((.+?)\)", table):
        assert (reviewed.out / "files" / name).is_file(), name


def test_numbers_of_the_citation_graph_are_those_of_the_text(
    reviewed: Done, page: html.HtmlElement
) -> None:
    (data,) = page.xpath("//script[@id='data']/text()")
    drawn = {row["paper"]["id"]: row["number"] for row in json.loads(data)["references"]}
    assert drawn == {item["paper"]["id"]: item["number"] for item in reviewed.run["references"]}


def test_table_has_no_column_that_no_paper_fills(page: html.HtmlElement) -> None:
    rows = page.xpath("//section[@id='comparison']//tr")
    for column in range(1, len(rows[0])):
        assert any(row[column].text_content() for row in rows[1:]), column


def test_last_lines_name_the_page_first_and_no_line_of_progress_is_longer_than_80(
    reviewed: Done,
) -> None:
    *lines, opened, _ = reviewed.stderr.splitlines()
    assert re.fullmatch(r"Open .*/review\.html", opened)
    progress = [line for line in lines if re.match(r"(Searching|Screening|Planning|Reading)", line)]
    assert len(progress) > 4
    assert max(map(len, progress)) <= 80
