"""citeloom/report: a finished section in every form, safe and complete."""

import json
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from citeloom.report.latex import latex
from citeloom.report.markdown import markdown, terminal_text
from citeloom.report.result_files import result_files
from citeloom.report.result_report import ResultReport
from citeloom.report.web_page import web_page
from citeloom.report.word import word
from state.inputs import WriteChoices
from state.paper import Author, Paper
from state.quote import Quote
from state.results import CitedSentence, ComparisonTable, TableRow
from state.writing import CitationVerdict
from tools.bibliography.bibtex_parser import raw_entries
from tools.bibliography.citation_style import named_style, read_style
from tools.bibliography.section_printer import PrintedSection, running_text
from tools.bibliography.write_bibtex import to_bibtex
from tools.disk import write_whole

ALWAYS = ["files/references.bib", "files/references.csl.json", "files/references.ris", "review.md"]
LAST = ["review.html", "files/README.md"]


def paper(title: str, *names: str, **fields: Any) -> Paper:
    authors = tuple(Author(name=name) for name in names)
    return Paper(id=f"local:{title[:40]}", title=title, authors=authors, **fields)


UGLY = {
    "P1": paper(
        "Cost of $x^2$ & A&B at 50%", "Ann Lee", "Bo Kim", "Cy Wu", year=2020, doi="10.1/x_y"
    ),
    "P2": paper(
        "{Braces} <script>alert(1)</script>", "Ann Kim", year=2021, url="https://e.org/?a=1&b=2"
    ),
    "P3": paper("Twins", "Ann Kim", year=2021, arxiv="2303.08774"),
    "P4": paper("Emoji 😀 and 中文 \\input{x}"),
    "P5": paper("Long " * 100, "José Ñandú", year=1999, authors_complete=False),
    "P6": paper("Bad address", "Bo Li", year=2000, url="javascript:alert(1)"),
}
TEXTS = [
    'Lee et al. {P1} say 50% & more of $n^2$ costs $5 in C_3 <b>#1</b> "now" {P2} {P3}, {P4}.',
    "Kim {P3}{P6} differs -- see @foo, *this* [x] and {braces}.",
    "1. Kim’s {P2} work goes on {P5}.",
]


def values(
    style: str = "ieee", texts: list[str] = TEXTS, papers: dict[str, Paper] = UGLY
) -> dict[str, Any]:
    section = PrintedSection(texts, papers, named_style(style))
    sentences = [
        CitedSentence(
            number=number,
            text=section.sentence(text),
            marked=text,
            paragraph=1 + (number > 2),
            citations=tuple(
                CitationVerdict(
                    sentence=number,
                    key=key,
                    paper=papers[key].id,
                    verdict="supported",
                    quote=Quote(text=f'"<i>{key}</i>" & so', paper=papers[key].id),
                )
                for key in re.findall(r"\{(P\d)\}", text)
            ),
        )
        for number, text in enumerate(texts, start=1)
    ]
    return {
        "sentences": sentences,
        "references": section.references,
        "choices": WriteChoices(style=style),
        "related_work": running_text(sentences),
        "mind": "extractive",
        "outcome": "complete",
    }


def report(style: str = "ieee") -> ResultReport:
    return ResultReport.of("write", values(style))


@pytest.mark.parametrize("style", ["ieee", "apa", "acl"])
def test_every_format_is_a_whole_file_with_the_same_references(tmp_path: Path, style: str) -> None:
    files = result_files(report(style), ("tex", "docx", "tex"))
    assert [*files] == [*ALWAYS, "files/section.tex", "files/review.docx", *LAST]
    for name, content in files.items():
        assert content
        write_whole(tmp_path / name, content)
    keys = [item.key for item in values(style)["references"]]
    entries = raw_entries((tmp_path / "files/references.bib").read_text("utf-8"))
    assert [(entry.key, entry.faults) for entry in entries] == [(key, []) for key in keys]
    csl = json.loads((tmp_path / "files/references.csl.json").read_text("utf-8"))
    assert [item["id"] for item in csl] == keys
    ris = (tmp_path / "files/references.ris").read_text("utf-8")
    assert re.findall(r"^ID  - (\w+)", ris, re.MULTILINE) == keys
    tex = (tmp_path / "files/section.tex").read_text("utf-8")
    cited = re.findall(r"\\cite(?:t|p|yearpar)?\{([^}]+)\}", tex)
    assert {key for group in cited for key in group.split(",")} == set(keys)


def test_without_formats_there_are_the_text_and_its_references() -> None:
    assert [*result_files(report())] == [*ALWAYS, *LAST]
    assert not result_files(ResultReport.of("write", {"sentences": []}), ("tex",))


def test_markdown_lists_numbers_or_names_as_the_style_does() -> None:
    numbered, named = markdown(report("ieee")), markdown(report("apa"))
    assert "\n1. A. Lee, B. Kim, and C. Wu, “" in numbered
    assert "- Sentence 1, [1] *supported*: “" in numbered
    assert "\n- Kim, A. (2021a). " in named
    assert "- Sentence 1, (Lee et al., 2020) *supported*: “" in named
    assert "<https://doi.org/10.1/x_y>" in named
    assert "\n1\\. Kim’s" in named, "a paragraph that begins no list"


def test_page_has_the_text_with_links_and_records_stay_text() -> None:
    text = web_page(report("apa"))
    assert "default-src 'none'" in text
    page = html.document_fromstring(text)
    places = {f"#{name}" for name in page.xpath("//@id")}
    assert page.xpath("//a[@href='https://doi.org/10.1/x_y']")
    assert all(link.startswith("https://") or link in places for link in page.xpath("//a/@href"))
    assert not page.xpath("//script|//img|//link|//iframe|//*[@onclick]|//ol")
    assert [item.text for item in page.xpath("//h1|//h2")][:3] == [
        "Related work",
        "References",
        "Evidence",
    ]
    for sentence in page.xpath("//span[starts-with(@id, 'sentence-')]"):
        assert sentence.xpath("a[starts-with(@href, '#reference-')]/@title")
    for mark in page.xpath("//sup"):
        mark.drop_tree()
    shown = re.sub(r"\s+", " ", page.text_content())
    for paragraph in values("apa")["related_work"].split("\n\n"):
        assert paragraph in shown
    assert len(page.xpath("//li/em[. = 'supported']")) == 8
    assert '“"<i>P1</i>" & so”' in shown


@pytest.mark.parametrize("style", ["ieee", "apa"])
def test_docx_is_read_back_with_headings_text_comments_and_links(style: str) -> None:
    given_ = values(style)
    document = docx.Document(BytesIO(word(ResultReport.of("write", given_))))
    headings = [
        item.text
        for item in document.paragraphs
        if item.style and str(item.style.name).startswith("Heading")
    ]
    assert headings == ["Related work", "References"]
    texts = [item.text for item in document.paragraphs]
    for block in given_["related_work"].split("\n\n"):
        assert block in texts
    for item in given_["references"]:
        assert (f"[{item.number}]\t{item.entry}" if style == "ieee" else item.entry) in texts
    targets = {
        relation.target_ref
        for relation in document.part.rels.values()
        if relation.reltype == RELATIONSHIP_TYPE.HYPERLINK
    }
    assert {"https://doi.org/10.1/x_y", "https://e.org/?a=1&b=2"} <= targets
    assert all(target.startswith("https://") for target in targets)
    comments = {comment.text for comment in document.comments}
    told = {f'supported: “"<i>P{number}</i>" & so”' for number in (1, 2, 4, 5)}
    assert told <= {comment[comment.index("supported") :] for comment in comments}


def balanced(text: str) -> bool:
    level = 0
    for char in re.sub(r"\\[{}\\]", "", text):
        level += (char == "{") - (char == "}")
        if level < 0:
            return False
    return level == 0


def latex_of(told: ResultReport) -> str:
    return latex(told, to_bibtex(told.references))


def test_latex_cites_and_escapes() -> None:
    numbered, named = latex_of(report("ieee")), latex_of(report("apa"))
    for text in (numbered, named):
        assert balanced(text)
        assert "50{\\%} {\\&} more of $n^2$ costs {\\$}5 in C{\\_}3" in text
        assert "\\input" not in text.replace("\\textbackslash", "")
        assert "\\DeclareUnicodeCharacter{4E2D}" in text
        assert text.count("\\begin{document}") == text.count("\\end{document}") == 1
        assert "\\bibliography{references}" in text
    assert "Lee et al.~\\cite{lee2020cost} say" in numbered
    assert "\\citet{lee2020cost} say" in named
    assert "Kim{\\textquoteright}s~\\citeyearpar{kim2021braces} work" in named
    assert "\\citet{kim2021twins} \\citep{li2000bad} differs" in named


ODD = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab<>&\"'{}\\$%_#[]@😀中\x00\x0b\ufffe"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)


@settings(max_examples=20)
@given(st.lists(ODD, min_size=1, max_size=3), ODD)
def test_no_text_breaks_a_format(texts: list[str], title: str) -> None:
    papers = {"P1": paper(f"T {title}", f"N {title}", year=2020, venue=title)}
    made = values("ieee", [f"A {text} {{P1}}." for text in texts], papers)
    told = ResultReport.of("write", made)
    page = html.document_fromstring(web_page(told))
    assert len(page.xpath("//li/em[. = 'supported']")) == len(texts)
    assert not page.xpath("//script|//body//b|//img")
    assert docx.Document(BytesIO(word(told))).paragraphs
    bibtex = to_bibtex(told.references)
    assert balanced(latex_of(told).partition("\\begin{document}")[2])
    assert [entry.faults for entry in raw_entries(bibtex)] == [[] for _ in told.references]


SORTED = """<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
<info><title>Sorted</title><id>x</id><category citation-format="numeric"/></info>
<citation><layout prefix="(" suffix=")" delimiter=","><text variable="citation-number"/></layout>
</citation><bibliography><sort><key variable="title"/></sort>
<layout suffix="."><text variable="citation-number" suffix=". "/><text variable="title"/></layout>
</bibliography></style>"""


def test_section_is_printed_again_in_a_style_of_the_users_own(tmp_path: Path) -> None:
    (tmp_path / "own.csl").write_text(SORTED, encoding="utf-8")
    style = read_style(tmp_path / "own.csl")
    rows = tuple(
        TableRow(number=None, paper=item.id, name="n", title=item.title) for item in UGLY.values()
    )
    made = values("ieee") | {"table": ComparisonTable(rows=rows)}
    told = ResultReport.of("write", made, style)
    again = told.values
    titles = [item.paper.title for item in again["references"]]
    assert titles == sorted(titles, key=str.casefold)
    numbers = {item.paper.id: item.number for item in again["references"]}
    assert [row.number for row in again["table"].rows] == [numbers[row.paper] for row in rows]
    assert f"Lee et al. ({numbers[UGLY['P1'].id]}) say" in again["related_work"]
    assert again["references"][0].entry.startswith(titles[0][:5])
    printed = re.sub(r"\\(.)", r"\1", str(result_files(told)["review.md"]))
    for text in (printed, terminal_text(told)):
        assert again["related_work"].split("\n\n")[0] in text
        assert f"\n1. {titles[0]}" in text
