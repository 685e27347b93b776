"""BibTeX, CSL JSON, RIS and one line: what is written is read back as it was. What is written is read back."""

import json
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from state.merging import merge_papers
from state.paper import Author, Paper, Record, identify
from tests.bibliography.made import paper, read, references
from tests.bibliography.test_bibtex_kinds import NBIB, RIS
from tools.bibliography.keys import citation_keys, numbered
from tools.bibliography.names import csl_name
from tools.bibliography.publication_kinds import kind_of_work
from tools.bibliography.read_bibtex import read_bibtex
from tools.bibliography.read_record import BadRecord
from tools.bibliography.text_runs import escape, split_maths
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_records import address, reference_line, to_csl, to_ris

FULL = paper(
    "BERT & co.: 50% of $O(n^2)$ in a naïve_world {of} Über-models",
    "José Ñandú",
    "van der Maaten, Laurens",
    "OpenAI",
    "Barnes and Noble",
    authors_complete=False,
    year=2020,
    venue="Journal of Words & Things",
    doi="10.1000/a_b(1)",
    arxiv="2005.11401",
    url="https://example.org/a_b%20c?d=1&e=2#f",
)
PAPER = paper(
    "On citations\n& more",
    "Ann Lee",
    "Martin King Jr.",
    "van der Maaten, Laurens",
    "Google Research Team",
    published=date(2020, 3, 4),
    venue="EMNLP",
    doi="10.1000/a",
    arxiv="2005.11401",
    retracted=True,
    authors_complete=False,
)
BARE = paper("T", year=None)


def bibtex(*papers: Paper) -> str:
    return to_bibtex(references(*papers))


def item(made: Paper) -> dict[str, Any]:
    return to_csl(references(made))[0]


def read_back(*papers: Paper) -> list[Paper]:
    records = list(read_bibtex(bibtex(*papers)))
    assert not any(isinstance(record, BadRecord) for record in records)
    return [record for record in records if isinstance(record, Paper)]


@pytest.mark.parametrize(
    ("text", "latex", "why"),
    [
        ("A & B: 50% #1", r"A {\&} B: 50{\%} {\#}1", "what would mean something"),
        (
            "{braces",
            r"{\textbraceleft}braces",
            "a brace would group, for BibTeX behind a backslash too",
        ),
        ("naïve Łukasz ß", r"na{\"\i}ve {\L}ukasz {\ss}", "special letters"),
        ("in $O(n^2)$ & more", r"in $O(n^2)$ {\&} more", "a formula stays as it is"),
        ("$5 and $10", r"{\$}5 and {\$}10", "prices are no formula"),
        (
            "open $x_{$ end",
            r"open {\$}x{\_}{\textbraceleft}{\$} end",
            "nor is what would open a group",
        ),
        ("中文", "中文", "a script that LaTeX has no commands for"),
    ],
)
def test_special_characters_are_escaped(text: str, latex: str, why: str) -> None:
    assert escape(text) == latex, why


@pytest.mark.parametrize(
    ("title", "latex"),
    [
        ("SciBERT and GPT-4 for NLP", "{SciBERT} and {GPT-4} for {NLP}"),
        ("A simple title of Words", "A simple title of Words"),
        ("The $ABC$ of BLEU, in $n$ steps", "The {$ABC$} of {BLEU}, in $n$ steps"),
        ("AT&T in ÅNGSTRÖM", r"{AT{\&}T} in {\r{A}}{NGSTR}{\"O}M"),
    ],
)
def test_acronyms_keep_their_case(title: str, latex: str) -> None:
    assert f"title = {{{latex}}}" in bibtex(paper(title))


@pytest.mark.parametrize(
    "formula", [r"$O(n \log n)$", r"$\mathcal{O}(\frac{1}{n})$", r"$\left( a \right)$", r"$50\%$"]
)
def test_formula_that_only_prints_is_kept(formula: str) -> None:
    text = f"in {formula} steps"
    assert split_maths(text) == [("in ", False), (formula, True), (" steps", False)]
    assert escape(text) == text


@pytest.mark.parametrize(
    "formula",
    [
        r"$\input{/etc/passwd}$",
        r"$\write18{ls}$",
        r"$\def\x{y}$",
        r"$^^5cinput{a}$",
        r"$\csname input\endcsname$",
        r"${$",
        r"$}{$",
        r"$\left( a$",
        r"$a & b$",
        r"$a % b$",
        r"$\\x$",
        r"$\newcommand{\a}{b}$",
    ],
)
def test_formula_that_could_do_more_is_printed_as_text(formula: str) -> None:
    written = escape(f"in {formula} steps")
    assert formula not in written
    assert not re.search(r"\\(input|write|def|csname|newcommand|left)", written)


@given(st.text(alphabet="ab $\\{}%&#_^~<>é中😀“-'`", max_size=60))
def test_braces_are_balanced_and_nothing_special_is_bare(text: str) -> None:
    written = re.sub(r"\\[{}]", "", escape(text))
    heads = (written[:at] for at in range(len(written) + 1))
    assert all(head.count("{") >= head.count("}") for head in heads)
    assert written.count("{") == written.count("}")
    outside = "".join(escape(part) for part, formula in split_maths(text) if not formula)
    assert not re.search(r"(?<!\\)[%&#_$]", outside)


def test_bibtex_is_read_back_the_same_in_the_order_of_the_list() -> None:
    back, *more = read_back(FULL, paper("Second", "Plato"), paper("Third"))
    assert bibtex(FULL).startswith("@article{nandu2020bert,")
    assert "booktitle = {EMNLP}" in bibtex(PAPER)
    same = {"title", "year", "venue", "doi", "arxiv", "url", "authors_complete"}
    assert back.model_dump(include=same) == FULL.model_dump(include=same)
    names = ["Ñandú, José", "van der Maaten, Laurens", "OpenAI", "Barnes and Noble"]
    assert [author.name for author in back.authors] == names
    assert [one.title for one in more] == ["Second", "Third"]
    assert more[0].authors == (Author(name="Plato"),)
    assert bibtex().strip() == ""


def test_unknown_fields_are_left_out() -> None:
    written = bibtex(BARE)
    assert written.startswith("@misc{anonndt,")
    found = re.findall(r"(\w+) = {(.*)}", written)
    assert found == [("key", "T"), ("title", "T"), ("year", "n.d.")]
    assert item(BARE) == {
        "id": "anonndt",
        "citation-key": "anonndt",
        "type": "article",
        "title": "T",
    }
    assert ris(BARE) == [[("TY", "UNPB"), ("ID", "anonndt"), ("TI", "T")]]
    assert "author" not in bibtex(paper(authors_complete=False))


def test_address_with_braces_costs_no_entry() -> None:
    odd = paper("First", doi="10.1000/a{b", url="https://example.org/}\\")
    first, second = read_back(odd, paper("Second"))
    assert (first.url, second.title) == ("https://example.org/%7D%5C", "Second")


# Not ^, ", ', ` and two hyphens: LaTeX has the typographic forms of these, and they are read so.
# Not <: '<b>' is markup, and is left out.
TITLES = st.text(
    alphabet=st.sampled_from("abcXYZ áÉüßøłñ &%#_{}\\~$-+=.,:;!?()[]/@*|>0123中β“”‘’—–"),
    min_size=1,
).filter(lambda text: text.strip(" ") and "--" not in text and "?`" not in text)


@given(st.lists(TITLES, min_size=1, max_size=3))
def test_titles_of_any_characters_are_read_back_and_break_no_other_entry(titles: list[str]) -> None:
    made = [paper(f"A {title} Z", f"{title}x", venue=title.strip()) for title in titles]
    assert [one.title for one in read_back(*made)] == [one.title for one in made]


def test_csl_item_has_every_known_field_and_is_read_back(tmp_path: Path) -> None:
    assert item(PAPER) == {
        "id": "lee2020citations",
        "citation-key": "lee2020citations",
        "type": "paper-conference",
        "title": "On citations & more",
        "author": [
            {"family": "Lee", "given": "Ann"},
            {"family": "King", "given": "Martin", "suffix": "Jr."},
            {"family": "van der Maaten", "given": "Laurens"},
            {"literal": "Google Research Team"},
            {"literal": "et al."},
        ],
        "container-title": "EMNLP",
        "DOI": "10.1000/a",
        "URL": "https://doi.org/10.1000/a",
        "archive": "arXiv",
        "archive_location": "2005.11401",
        "note": "Retracted",
        "issued": {"date-parts": [[2020, 3, 4]]},
    }
    (back,), _ = read(tmp_path / "refs.json", json.dumps(to_csl(references(PAPER))))
    assert (back.id, back.title, back.venue) == ("doi:10.1000/a", "On citations & more", "EMNLP")
    assert (back.year, back.published) == (2020, date(2020, 3, 4))
    assert (len(back.authors), back.authors_complete) == (4, False)
    preprint = paper(arxiv="2005.11401", venue="arXiv", year=1999)
    assert (item(preprint)["number"], item(preprint)["type"]) == ("arXiv:2005.11401", "article")
    assert item(preprint)["issued"] == {"date-parts": [[1999]]}


def ris(*papers: Paper) -> list[list[tuple[str, str]]]:
    """Parse as the format is described: two letters, two spaces, a hyphen, a space, the value."""
    found: list[list[tuple[str, str]]] = []
    for line in to_ris(references(*papers)).split("\r\n")[:-1]:
        assert line[2:5] == "  -", line
        if line[:2] == "TY":
            found.append([])
        found[-1].append((line[:2], line[5:].strip()))
    assert all(record.pop() == ("ER", "") for record in found)
    return found


def test_ris_has_every_known_field_and_no_title_begins_another() -> None:
    assert ris(PAPER) == [
        [
            ("TY", "CPAPER"),
            ("ID", "lee2020citations"),
            ("AU", "Lee, Ann"),
            ("AU", "King, Martin, Jr."),
            ("AU", "van der Maaten, Laurens"),
            ("AU", "Google Research Team"),
            ("TI", "On citations & more"),
            ("T2", "EMNLP"),
            ("PY", "2020"),
            ("DA", "2020/03/04"),
            ("DO", "10.1000/a"),
            ("AN", "arXiv:2005.11401"),
            ("UR", "https://doi.org/10.1000/a"),
            ("N1", "The list of authors is not complete."),
            ("N1", "Retracted."),
        ]
    ]
    journal, hostile = ris(paper("U", venue="TACL"), paper("A\r\nER  - \r\nTY  - JOUR"))
    assert (journal[0], journal[3]) == (("TY", "JOUR"), ("JO", "TACL"))
    assert [tag for tag, _ in hostile] == ["TY", "ID", "TI", "PY"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"doi": "10.1000/a", "arxiv": "2005.11401"}, "https://doi.org/10.1000/a"),
        ({"arxiv": "2005.11401", "url": "https://e.org"}, "https://arxiv.org/abs/2005.11401"),
        ({"url": "https://e.org"}, "https://e.org"),
        ({"url": "javascript:alert(1)"}, None),
        ({"url": "file:///etc/passwd"}, None),
    ],
)
def test_address_is_the_surest_identifier_that_does_no_harm(
    fields: dict[str, str], expected: str | None
) -> None:
    made = paper(**fields)  # type: ignore[arg-type]  # texts all
    assert (address(made), item(made).get("URL", "").startswith("http")) == (
        expected,
        bool(expected),
    )


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (paper("Why cite?", year=None), "n.d. Why cite?"),
        (
            paper("It works.", "Ann Lee", "Bo Kim", "C. D."),
            "Ann Lee, Bo Kim and C. D. 2020. It works.",
        ),
        (paper("T", "Ann Lee", authors_complete=False), "Ann Lee, et al. 2020. T."),
        (paper("T", "Lee, Ann", "van der Maaten, L."), "Ann Lee and L. van der Maaten. 2020. T."),
        (
            paper("T", *"ABCDEFG", venue="V", doi="10.1/a"),
            "A, B, C, D, E, et al. 2020. T. V. https://doi.org/10.1/a",
        ),
    ],
)
def test_line_names_authors_title_and_address(made: Paper, expected: str) -> None:
    assert reference_line(made) == expected


@pytest.mark.parametrize(
    ("venue", "kind"),
    [
        (None, "preprint"),
        ("arXiv", "preprint"),
        ("EMNLP", "proceedings"),
        ("Findings of ACL", "proceedings"),
        ("Conference on the Science of Science", "proceedings"),
        ("Advances in Neural Information Processing Systems", "proceedings"),
        ("Proceedings of the National Academy of Sciences", "journal"),
        ("Proceedings of the Annual Meeting of the ACL", "proceedings"),
        ("Nature Machine Intelligence", "journal"),
        ("TACL", "journal"),
        ("ACM Computing Surveys", "journal"),
    ],
)
def test_kind_is_told_by_the_venues_name(venue: str | None, kind: str) -> None:
    assert kind_of_work(paper(venue=venue)) == kind


PRINTED = paper(
    "On owls",
    "Ada Owl",
    venue="Journal of Owls",
    volume="12",
    issue="3",
    pages="101-119",
    doi="10.1000/owls",
)


@pytest.mark.parametrize(
    ("write", "suffix"),
    [(to_bibtex, ".bib"), (to_ris, ".ris"), (lambda made: json.dumps(to_csl(made)), ".json")],
)
def test_place_in_print_comes_back(tmp_path: Path, write: Any, suffix: str) -> None:
    good, bad = read(tmp_path / f"refs{suffix}", write(references(PRINTED)))
    assert bad == []
    assert [(one.volume, one.issue, one.pages) for one in good] == [("12", "3", "101-119")]


def test_entry_takes_from_a_source_the_place_in_print_that_it_lacks(tmp_path: Path) -> None:
    entry = "@article{owls, title={On owls}, author={Owl, Ada}, journal={J. Owls}, volume={XII}}"
    (own,), _ = read(tmp_path / "refs.bib", entry)
    text = bibtex(merge_papers(own, PRINTED))
    assert "volume = {XII}" in text
    assert "number = {3}" in text
    assert "pages = {101--119}" in text
    assert text.count("volume") == 1


@pytest.mark.parametrize(
    "name",
    [
        "Institute of Owls and Voles, Inc.",
        "Ministry of Forests, Lakes and Rivers",
        "Owl Works, GmbH",
        "Owl Society",
    ],
)
def test_body_comes_out_of_ris_as_it_went_in(tmp_path: Path, name: str) -> None:
    entry = f"@book{{owls, author={{{{{name}}} and Owl, Ada}}, title={{On owls}}, year=2001}}"
    ((own,), _), path = read(tmp_path / "refs.bib", entry), tmp_path / "refs.ris"
    (again,), _ = read(path, to_ris(references(own)))
    braced = f"{{{name}}}" if " " in name else name
    assert f"author = {{{braced} and Owl, Ada}}" in bibtex(again)


Write = Callable[[list[Paper]], str]
WRITERS: dict[str, Write] = {
    "bib": lambda papers: to_bibtex(numbered(papers)),
    "json": lambda papers: json.dumps(to_csl(numbered(papers))),
    "ris": lambda papers: to_ris(numbered(papers)),
}
WORDS = st.text(alphabet="abcdeXYZ áÜß%&#_{}$~:,.()0123β“”", min_size=1, max_size=20)
NAMES = st.sampled_from(
    [
        "Ann Lee",
        "van den Berg, Ann",
        "King, Martin, Jr.",
        "José Ñandú",
        "OpenAI",
        "Snow Research Group",
        "Plato",
    ]
)


@st.composite
def made_papers(draw: st.DrawFn) -> Paper:
    day = draw(st.none() | st.dates(date(1990, 1, 1), date(2099, 12, 31)))
    year = day.year if day else draw(st.none() | st.integers(1000, 2100))
    doi = draw(st.none() | st.sampled_from(["10.1234/a_b(1)", "10.1234/x&y<z>"]))
    arxiv = draw(st.none() | st.sampled_from(["2005.11401", "cs/9301115"]))
    names = draw(st.lists(NAMES, unique=True, max_size=3))
    title = f"On {draw(WORDS)} snow"
    key, aliases = identify(doi=doi, arxiv=arxiv, title=title, year=year, first_author=None)
    return Paper(
        id=key,
        aliases=aliases,
        title=title,
        year=year,
        published=day,
        doi=doi,
        arxiv=arxiv,
        authors=tuple(Author(name=name) for name in names),
        authors_complete=not names or draw(st.booleans()),
        retracted=draw(st.booleans()),
        venue=draw(st.none() | st.sampled_from(["Journal of Snow & Ice", "EMNLP", "arXiv"])),
    )


def told(paper: Paper) -> dict[str, Any]:
    same = {"title", "year", "published", "doi", "arxiv", "authors_complete", "retracted"}
    people = [csl_name(author) for author in paper.authors]
    venue = paper.venue or ("arXiv" if paper.arxiv else None)
    return paper.model_dump(include=same) | {"people": people, "venue": venue}


@pytest.mark.parametrize("ending", WRITERS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(papers=st.lists(made_papers(), min_size=1, max_size=3))
@example(papers=[Paper(id="title:on-0-snow", title="On &#0 snow")])
def test_export_is_read_back(tmp_path: Path, ending: str, papers: list[Paper]) -> None:
    back, bad = read(tmp_path / f"refs.{ending}", WRITERS[ending](papers))
    assert [one for one in bad if one.lost] == []
    assert [told(paper) for paper in back] == [told(paper) for paper in papers]


BIB = r"""@book{ed73, editor = {Lee, Ann and {Snow and Ice, Ltd.}}, title = {The {BIG} Snow}, year = {1973},
  publisher = {Cold Press}, volume = {2}, isbn = {1}, pages = {1--300}, note = {out of print}}
@InProceedings{Über:{1} b, Author = {L{\"o}w, Bo and others}, Title = "On " # {\LaTeX{} \& $x^2$}, month = feb,
  booktitle = {Proc. of Snow}, Year = 1999, abstract = {One.

  Two.}, unique-id = {{A:1}}, keywords = {a}, keywords = {b}}
@thesis{t, author = {family=Berg, given=Ann, prefix=van}, title = {Ice}, date = {2003-05}, doi = {10.1234/ICE\_1}}"""


def test_bibtex_comes_out_with_type_key_and_every_field(tmp_path: Path) -> None:
    before, _ = read(tmp_path / "refs.bib", BIB)
    after, _ = read(tmp_path / "again.bib", WRITERS["bib"](before))
    assert [paper.record for paper in after] == [paper.record for paper in before]
    assert [paper.record and paper.record.key for paper in after] == ["ed73", "Über:{1} b", "t"]
    assert after == before


def test_ris_and_csl_come_out_with_every_field(tmp_path: Path) -> None:
    before, _ = read(tmp_path / "refs.ris", RIS)
    after, _ = read(tmp_path / "again.ris", WRITERS["ris"](before))
    assert after[0].record == before[0].record
    kept = [dict(paper.record.fields) for paper in after if paper.record]
    assert all(
        set(paper.record.fields) <= set(fields.items()) | set(paper.record.fields)
        for paper, fields in zip(before, kept, strict=True)
        if paper.record
    )
    item = {
        "id": "k1",
        "type": "chapter",
        "title": "A <i>snow</i> story",
        "page": "1-9",
        "author": [
            {"family": "Fon", "given": "Jean", "dropping-particle": "de", "suffix": "Jr."},
            {"literal": "Snow and Ice, Ltd."},
        ],
        "editor": [{"family": "Lee", "given": "Ann"}],
        "publisher": "Cold Press",
        "issued": {"date-parts": [[2016]], "season": 1},
        "custom": {"x": [1, None]},
    }
    papers, _ = read(tmp_path / "refs.json", json.dumps([item]))
    assert json.loads(WRITERS["json"](papers)) == [item]


@pytest.mark.parametrize("ending", WRITERS)
def test_every_format_says_in_the_others_what_they_can_say(tmp_path: Path, ending: str) -> None:
    papers = [
        paper
        for name, text in (("a.bib", BIB), ("a.ris", RIS), ("a.nbib", NBIB))
        for paper in read(tmp_path / name, text)[0]
    ]
    text = WRITERS[ending](papers)
    back, bad = read(tmp_path / f"all.{ending}", text)
    assert [one for one in bad if one.lost] == []
    assert [(one.title, one.year, one.doi) for one in back] == [
        (one.title, one.year, one.doi) for one in papers
    ]
    assert [one.retracted for one in back] == [one.retracted for one in papers]
    for said in ("Cold Press", "30000007" if ending != "ris" else "nbib.7", "ed73", "It falls."):
        assert said in text
    assert ("300" in text, "19" in text) == (True, True)


def test_retraction_is_added_to_a_record_that_does_not_say_it(tmp_path: Path) -> None:
    papers = [
        paper.model_copy(update={"retracted": True})
        for name, text in (("a.bib", BIB), ("a.ris", RIS))
        for paper in read(tmp_path / name, text)[0]
    ]
    for ending, write in WRITERS.items():
        back, _ = read(tmp_path / f"r.{ending}", write(papers))
        assert [one.retracted for one in back] == [True] * len(papers), ending
        assert "out of print" in write(papers)


HOSTILE = Record(
    format="bibtex",
    type="misc{x,",
    key="a}\\input{/etc/passwd}",
    fields=(("title", "T}"), ("no te", "x"), ("note", "}@book{evil, title={E}")),
)


def test_record_of_a_stranger_breaks_no_other_entry(tmp_path: Path) -> None:
    odd = Paper(id="local:a", title="Odd", record=HOSTILE)
    taken = odd.model_copy(update={"record": HOSTILE.model_copy(update={"type": "misc"})})
    text = WRITERS["bib"]([odd, taken, Paper(id="local:b", title="Plain")])
    back, bad = read(tmp_path / "refs.bib", text)
    assert (len(back), back[-1].title, [one for one in bad if one.lost]) == (3, "Plain", [])
    assert "input" not in citation_keys([odd])[0]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (r"\textbf{Snow} \& \LaTeX{}", r"\textbf{Snow} \& \LaTeX{}"),
        (r"Snow \input{/etc/passwd}", "Snow"),
        (r"\immediate\write18{ls} Snow", "18ls Snow"),
        (r"^^5cinput{x}", None),
    ],
)
def test_latex_of_a_record_stays_unless_it_does_more_than_print(
    value: str, written: str | None
) -> None:
    record = Record(format="bibtex", type="misc", key="k", fields=(("note", value),))
    text = WRITERS["bib"]([Paper(id="local:a", title="Odd", record=record)])
    assert f"note = {{{written}}}" in text if written else value not in text
    assert not any(f"\\{command}" in text for command in ("input", "write", "immediate"))


def test_command_for_sorting_is_defined_where_it_is_used(tmp_path: Path) -> None:
    (made,), _ = read(tmp_path / "a.bib", r"@misc{a, title={Ice}, year={{\noop{3}}1986}}")
    text = WRITERS["bib"]([made])
    assert text.startswith(r"@preamble{{\providecommand{\noop}[1]{}}}")
    assert read(tmp_path / "b.bib", text) == ([made], [])


def test_key_of_the_owner_is_kept_where_a_text_can_cite_it() -> None:
    def keyed(key: str, title: str) -> Paper:
        return Paper(id=f"local:{title}", title=title, record=Record(format="bibtex", key=key))

    papers = [
        keyed("lee:01", "B"),
        keyed("lee:01", "A"),
        keyed("Lee 2001", "Ice"),
        keyed("", "Snow"),
    ]
    assert citation_keys(papers) == ["lee:01b", "lee:01", "anonndice", "anonndsnow"]
    assert [item.key for item in numbered(papers)][2] == "Lee 2001"
