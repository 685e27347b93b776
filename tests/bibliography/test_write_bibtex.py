"""tools/bibliography/write_bibtex.py: what is written for LaTeX is read back as it was."""

import re
from typing import Any

import pytest
from bibtexparser.entrypoint import parse_string
from bibtexparser.middlewares.enclosing import RemoveEnclosingMiddleware
from bibtexparser.middlewares.latex_encoding import LatexDecodingMiddleware
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.keys import citation_keys
from tools.bibliography.latex import escape
from tools.bibliography.read_bibtex import read_bibtex
from tools.bibliography.read_record import BadRecord
from tools.bibliography.write_bibtex import to_bibtex


def references(*papers: Paper) -> list[Reference]:
    keys = citation_keys(papers)
    return [
        Reference(number=number, key=key, paper=paper)
        for number, (key, paper) in enumerate(zip(keys, papers, strict=True), start=1)
    ]


def paper(title: str = "The title", *, authors: tuple[str, ...] = (), **fields: Any) -> Paper:
    names = tuple(Author(name=name) for name in authors)
    return Paper(id="local:x", title=title, authors=names, **fields)


def read_back(*papers: Paper) -> list[Paper]:
    records = list(read_bibtex(to_bibtex(references(*papers)).encode()))
    assert not any(isinstance(record, BadRecord) for record in records)
    return [record for record in records if isinstance(record, Paper)]


@pytest.mark.parametrize(
    ("text", "latex", "why"),
    [
        ("A & B", r"A {\&} B", "an ampersand would end a table's cell"),
        ("50%", r"50{\%}", "a percent sign would start a comment"),
        ("snake_case #1", r"snake{\_}case {\#}1", "an underscore and a hash"),
        ("{braces}", r"{\{}braces{\}}", "braces would group"),
        ("Müller", r"M{\"u}ller", "an accent"),
        ("naïve Łukasz ß", r"na{\"\i}ve {\L}ukasz {\ss}", "special letters"),
        ("in $O(n^2)$ & more", r"in $O(n^2)$ {\&} more", "a formula stays as it is"),
        ("$5 and $10", r"{\$}5 and {\$}10", "prices are no formula"),
        ("open $x_{$ end", r"open {\$}x{\_}{\{}{\$} end", "nor is what would open a group"),
        ("中文", "中文", "a script that LaTeX has no commands for"),
    ],
)
def test_special_characters_are_escaped(text: str, latex: str, why: str) -> None:
    assert escape(text) == latex, why


@pytest.mark.parametrize(
    ("title", "latex"),
    [
        ("BERT and GPT-4 for NLP", "{BERT} and {GPT-4} for {NLP}"),
        ("SciBERT reads PubMed", "{SciBERT} reads {PubMed}"),
        ("A simple title of Words", "A simple title of Words"),
        ("The $ABC$ of BLEU, in $n$ steps", "The {$ABC$} of {BLEU}, in $n$ steps"),
        ("AT&T in ÅNGSTRÖM", r"{AT{\&}T} in {\r{A}}{NGSTR}{\"O}M"),
    ],
)
def test_acronyms_keep_their_case(title: str, latex: str) -> None:
    written = to_bibtex(references(paper(title)))
    assert f"title = {{{latex}}}" in written


FULL = paper(
    "BERT & co.: 50% of $O(n^2)$ in a naïve_world {of} Über-models",
    authors=("José Ñandú", "van der Maaten, Laurens", "OpenAI", "Barnes and Noble"),
    authors_complete=False, year=2020, venue="Journal of Words & Things",
    doi="10.1000/a_b(1)", arxiv="2005.11401", url="https://example.org/a_b%20c?d=1&e=2#f",
)  # fmt: skip


def test_what_is_written_is_read_back_the_same() -> None:
    (back,) = read_back(FULL)
    same = ("title", "year", "venue", "doi", "arxiv", "url", "authors_complete")
    assert {name: getattr(back, name) for name in same} == {
        name: getattr(FULL, name) for name in same
    }
    assert [author.name for author in back.authors] == [
        "Ñandú, José", "van der Maaten, Laurens", "OpenAI", "Barnes and Noble",
    ]  # fmt: skip


def test_bibtexparser_itself_finds_every_field() -> None:
    library = parse_string(
        to_bibtex(references(FULL)),
        parse_stack=[RemoveEnclosingMiddleware(), LatexDecodingMiddleware()],
    )
    assert library.failed_blocks == []
    (entry,) = library.entries
    assert entry.entry_type == "article"
    assert entry.key == "nandu2020bert"
    fields = {field.key: field.value for field in entry.fields}
    assert list(fields) == [
        "author", "title", "journal", "year", "doi", "eprint", "archiveprefix", "url",
    ]  # fmt: skip
    assert fields["journal"] == "Journal of Words & Things"
    assert fields["doi"] == "10.1000/a_b(1)"
    assert fields["archiveprefix"] == "arXiv"


@pytest.mark.parametrize(
    ("fields", "kind", "where"),
    [
        ({"venue": "EMNLP"}, "inproceedings", "booktitle = {EMNLP}"),
        ({"venue": "TACL"}, "article", "journal = {TACL}"),
        ({"venue": "arXiv", "arxiv": "2005.11401"}, "misc", "journal = {arXiv}"),
        ({}, "misc", ""),
    ],
)
def test_kind_of_entry_follows_the_venue(fields: dict[str, Any], kind: str, where: str) -> None:
    written = to_bibtex(references(paper(**fields)))
    assert written.startswith(f"@{kind}{{")
    assert where in written


def test_unknown_fields_are_left_out() -> None:
    written = to_bibtex(references(paper()))
    fields = re.findall(r"(\w+) = {(.*)}", written)
    assert written.startswith("@misc{anonndtitle,")
    assert fields == [("key", "The title"), ("title", "The title"), ("year", "n.d.")]


def test_list_that_goes_on_ends_in_others() -> None:
    written = to_bibtex(references(paper(authors=("Ann Lee",), authors_complete=False)))
    assert "author = {Lee, Ann and others}" in written
    nobody = to_bibtex(references(paper(authors_complete=False)))
    assert "author" not in nobody


def test_entries_stand_in_the_order_of_their_numbers() -> None:
    back = read_back(*(paper(f"Title {number}") for number in range(5)))
    assert [item.title for item in back] == [f"Title {number}" for number in range(5)]


def test_no_references_are_an_empty_file() -> None:
    assert to_bibtex([]).strip() == ""


def test_address_with_braces_costs_no_entry() -> None:
    one = paper("First", doi="10.1000/a{b", url="https://example.org/}\\")
    back = read_back(one, paper("Second"))
    assert [item.title for item in back] == ["First", "Second"]
    assert back[0].url == "https://example.org/%7D%5C"


# Not ^, ", ', ` and two hyphens: LaTeX has the typographic forms of these, and they are read so.
TITLES = st.text(
    alphabet=st.sampled_from("abcXYZ áÉüßøłñ &%#_{}\\~$-+=.,:;!?()[]/@*|<>0123中β“”‘’—–"),
    min_size=1,
).filter(lambda text: text.strip(" ") and "--" not in text and "?`" not in text)


@given(TITLES)
def test_title_of_any_characters_is_read_back(title: str) -> None:
    written = paper(f"A {title} Z")
    assert [item.title for item in read_back(written)] == [written.title]


@given(st.lists(TITLES, min_size=1, max_size=3))
def test_entry_never_breaks_the_one_after_it(titles: list[str]) -> None:
    papers = [paper(f"T{title}", venue=title.strip(), authors=(f"{title}x",)) for title in titles]
    library = parse_string(to_bibtex(references(*papers)))
    assert library.failed_blocks == []
    assert len(library.entries) == len(papers)


def test_author_type_is_kept() -> None:
    (back,) = read_back(paper(authors=("Plato", "Lewis, Patrick S. H.")))
    assert back.authors == (Author(name="Plato"), Author(name="Lewis, Patrick S. H."))
