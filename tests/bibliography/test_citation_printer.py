"""Citations: styles are found, entries and citations are as readers of each style expect them."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.paper import Paper
from tests.bibliography.made import paper
from tools.bibliography.citation_printer import StyledList, style_papers
from tools.bibliography.citation_style import (
    VENDORED,
    is_path,
    named_style,
    open_style,
    read_style,
)
from tools.bibliography.text_runs import TextRun, characters_of
from tools.errors import InputError

STYLES = ("ieee", "apa", "acl")


def styled(style: str, *papers: Paper) -> StyledList:
    return style_papers(named_style(style), papers)


def entry(style: str, item: Paper) -> str:
    return characters_of(styled(style, item).papers[0].entry)


LEWIS = paper(
    "Retrieval for NLP",
    "Patrick Lewis",
    "Ethan Perez",
    "Laurens van der Maaten",
    year=2020,
    venue="EMNLP",
    doi="10.1/x_y",
)


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (
            "ieee",
            "P. Lewis, E. Perez, and L. van der Maaten, “Retrieval for NLP,” in EMNLP, 2020. "
            "doi: 10.1/x_y.",
        ),
        (
            "apa",
            "Lewis, P., Perez, E., & van der Maaten, L. (2020). Retrieval for NLP. EMNLP. "
            "https://doi.org/10.1/x_y",
        ),
        (
            "acl",
            "Patrick Lewis, Ethan Perez, and Laurens van der Maaten. 2020. Retrieval for NLP. "
            "In EMNLP.",
        ),
    ],
)
def test_entry_is_what_the_style_asks_for(style: str, expected: str) -> None:
    assert entry(style, LEWIS) == expected
    italics = TextRun("EMNLP", frozenset({"italic"}))
    assert style != "apa" or italics in styled("apa", LEWIS).papers[0].entry


OWLS = paper(
    "On owls",
    "Ada Owl",
    venue="Journal of Owls",
    volume="12",
    issue="3",
    pages="101-119",
)


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("ieee", "A. Owl, “On owls,” Journal of Owls, vol. 12, no. 3, pp. 101–119, 2020."),
        ("apa", "Owl, A. (2020). On owls. Journal of Owls, 12(3), 101–119."),
        ("acl", "Ada Owl. 2020. On owls. Journal of Owls, 12(3):101–119."),
    ],
)
def test_volume_issue_and_pages_stand_where_the_style_asks_for_them(
    style: str, expected: str
) -> None:
    assert entry(style, OWLS) == expected
    preprint = OWLS.model_copy(update={"venue": "arXiv", "arxiv": "2001.00001"})
    assert "101" not in entry(style, preprint)


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ("101-119", "101–19"),
        ("7-15", "7–15"),
        ("1-19", "1–19"),
        ("998-1004", "998–1004"),
        ("e12", "e12"),
    ],
)
@pytest.mark.parametrize("form", ["minimal-two", "chicago"])
def test_last_pages_lose_only_what_they_share(
    tmp_path: Path, form: str, pages: str, expected: str
) -> None:
    path = tmp_path / "short.csl"
    number = '<number variable="page"/>'
    path.write_text(
        f'<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0" page-range-format="{form}">'
        "<info><title>Short</title><id>http://example.org/short</id></info>"
        f"<citation><layout>{number}</layout></citation>"
        f"<bibliography><layout>{number}</layout></bibliography></style>",
        encoding="utf-8",
    )
    one = OWLS.model_copy(update={"pages": pages})
    assert characters_of(style_papers(read_style(path), [one]).papers[0].entry) == expected


@pytest.mark.parametrize(
    ("item", "ieee", "apa"),
    [
        (
            paper("Why cite?", "Ann Kim", venue="Journal of X"),
            "A. Kim, “Why cite?” Journal of X, 2020.",
            "Kim, A. (2020). Why cite? Journal of X.",
        ),
        (
            paper("It works.", "Ann-marie de Boer"),
            "A.-M. de Boer, “It works,” 2020.",
            "de Boer, A.-M. (2020). It works.",
        ),
        (
            paper("On “words”", "OpenAI"),
            "OpenAI, “On ‘words’,” 2020.",
            "OpenAI. (2020). On “words”.",
        ),
        (
            paper("T", "Martin King Jr.", "Google Research Team", year=None),
            "M. King Jr. and Google Research Team, “T.”",
            "King, M., Jr., & Google Research Team. (n.d.). T.",
        ),
        (paper("T", "王 伟"), "王 伟, “T,” 2020.", "王 伟. (2020). T."),
        (
            paper("T", "Bo Li", authors_complete=False),
            "B. Li et al., “T,” 2020.",
            "Li, B., et al. (2020). T.",
        ),
        (
            paper("T", "Bo Li", "C. D. Wu", authors_complete=False),
            "B. Li, C. D. Wu, et al., “T,” 2020.",
            "Li, B., Wu, C. D., et al. (2020). T.",
        ),
        (paper("Only a title", year=None), "“Only a title.”", "Only a title. (n.d.)."),
        (
            paper("P", "A. B", arxiv="2303.08774"),
            "A. B, “P,” 2020, arXiv: 2303.08774. [Online]. Available: https://arxiv.org/abs/2303.08774",
            "B, A. (2020). P (arXiv:2303.08774). arXiv. https://arxiv.org/abs/2303.08774",
        ),
    ],
)
def test_gaps_of_the_processor_are_mended(item: Paper, ieee: str, apa: str) -> None:
    assert (entry("ieee", item), entry("apa", item)) == (ieee, apa)


def test_style_without_a_place_for_preprints_prints_their_number() -> None:
    item = paper("P", "A. B", arxiv="2303.08774", venue="arXiv")
    assert entry("acl", item) == "A. B. 2020. P. arXiv preprint arXiv:2303.08774."


def test_hundred_authors_are_shortened() -> None:
    item = paper("T", *(f"Giv{number} Fam{number}" for number in range(100)))
    assert entry("ieee", item) == "G. Fam0 et al., “T,” 2020."
    assert "Fam18, G., … Fam99, G. (2020)" in entry("apa", item)
    assert "Giv18 Fam18, et al. 2020" in entry("acl", item)


@pytest.mark.parametrize("style", ["apa", "acl"])
def test_works_of_one_author_and_year_get_letters_in_text_and_list(style: str) -> None:
    items = [paper(title, "Ann Kim", year=2020) for title in ("Zebra", "Aardvark")]
    made = styled(style, *items, paper("Other", "Bo Li", year=2020)).papers
    assert [item.place for item in made] == [1, 0, 2]
    assert [item.cite.year for item in made] == ["2020a", "2020b", "2020"]
    assert all(re.search(rf"\b{item.cite.year}\b", characters_of(item.entry)) for item in made)
    undated = styled(
        style, paper("A", "Ann Kim", year=None), paper("B", "Ann Kim", year=None)
    ).papers
    assert [item.cite.year for item in undated] == ["n.d.-a", "n.d.-b"]


@pytest.mark.parametrize(
    ("names", "complete", "cited"),
    [
        (["Ann Kim"], True, "Kim"),
        (["Ann Kim", "Bo Li"], True, "Kim & Li"),
        (["Ann Kim"], False, "Kim et al."),
        (["Ann Kim", "Bo Li", "C. Wu"], True, "Kim et al."),
        (["Laurens van der Maaten"], True, "van der Maaten"),
    ],
)
def test_text_names_the_authors(names: list[str], complete: bool, cited: str) -> None:
    (made,) = styled("apa", paper("T", *names, year=2020, authors_complete=complete)).papers
    assert (made.cite.author, made.cite.year) == (cited, "2020")


def test_long_title_stands_for_missing_authors_in_short() -> None:
    (made,) = styled("acl", paper("A very long title " * 20)).papers
    assert made.cite.text.startswith("“A very long title")
    assert len(made.cite.text) < 75
    assert styled("apa").papers == styled("ieee").papers == ()


def test_style_that_the_processor_cannot_work_with_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "broken.csl"
    path.write_text(
        '<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">'
        '<citation><layout><text macro="not-there"/></layout></citation>'
        '<bibliography><layout><text macro="not-there"/></layout></bibliography></style>'
    )
    with pytest.raises(InputError, match="take another style"):
        style_papers(read_style(path), [LEWIS])


ANY = st.text(
    alphabet=st.one_of(
        st.sampled_from("aB éß&%$#_{}\\<>“”\"'?!.,:;()[]中😀\ue001\ue022"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


@settings(max_examples=15)
@given(
    st.lists(
        st.builds(
            lambda title, names, year, complete, venue: paper(
                f"T {title}",
                *(f"N{name}" for name in names),
                year=year,
                authors_complete=complete,
                venue=venue,
            ),
            ANY,
            st.lists(ANY, max_size=4),
            st.sampled_from([None, 999 + 1, 2020]),
            st.booleans(),
            st.one_of(st.none(), ANY),
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from(STYLES),
)
def test_no_record_breaks_a_style(papers: list[Paper], style: str) -> None:
    made = styled(style, *papers).papers
    assert sorted(item.place for item in made) == list(range(len(papers)))
    for item in made:
        text = characters_of(item.entry)
        assert text.strip()
        assert not re.search("[\ue000-\uf8ff\n]", text + item.cite.text)
        assert style == "ieee" or item.cite.text


STYLE = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>A  small
  style</title><id>http://example.org/small</id>{category}</info>
  <citation><layout prefix="(" suffix=")">{cite}</layout></citation>
  <bibliography><layout suffix="."><text variable="title"/></layout></bibliography>
</style>
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "small.csl"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [*VENDORED, "", " IEEE "])
def test_styles_that_come_with_citeloom_are_there_with_their_licence(name: str) -> None:
    style = named_style(name)
    assert style.by_author == (style.name != "ieee")
    assert b"creativecommons.org/licenses/by-sa/3.0" in style.source
    assert style.title


@pytest.mark.parametrize("name", ["../apa", "/etc/passwd", "apa.csl", "a b", "x\\y", "été"])
def test_node_can_name_a_style_and_no_file(name: str) -> None:
    with pytest.raises(InputError, match="on the command line only"):
        named_style(name)


def test_style_that_is_not_here_says_how_to_get_it() -> None:
    with pytest.raises(InputError, match=r"citeloom\[styles\]|no citation style is named"):
        named_style("journal-of-nothing-at-all")


def test_file_is_read_where_a_path_is_given(tmp_path: Path) -> None:
    path = written(tmp_path, STYLE.format(category="", cite='<text variable="title"/>'))
    assert open_style(str(path)).title == "A small style"
    assert open_style("apa") == named_style("apa")
    assert [is_path(text) for text in ("apa", "x.csl", "a/b", "B.CSL")] == [False, True, True, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<style", "not well-formed"),
        ("", "not well-formed"),
        ("<html/>", "no CSL style"),
        (STYLE.replace("citation>", "quotation>"), "does not say how to cite"),
        ('<!DOCTYPE style [<!ENTITY a "b">]>' + STYLE.partition("?>")[2], "entities"),
    ],
)
def test_what_is_no_style_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_style(written(tmp_path, text))


def test_file_that_is_missing_or_huge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_style(tmp_path / "none.csl")
    (tmp_path / "huge.csl").write_bytes(b" " * 2_000_001)
    with pytest.raises(InputError, match="too large"):
        read_style(tmp_path / "huge.csl")


@pytest.mark.parametrize(
    ("category", "cite", "by_author"),
    [
        ("author-date", '<text variable="title"/>', True),
        ("author-date", '<text variable="citation-number"/>', False),
        ("note", '<text variable="title"/>', False),
        ("label", '<text variable="citation-label"/>', False),
        ("", '<text variable="title"/>', True),
    ],
)
def test_style_cites_by_author_where_it_says_so_and_prints_no_numbers(
    tmp_path: Path, category: str, cite: str, by_author: bool
) -> None:
    tag = f'<category citation-format="{category}"/>' if category else ""
    path = written(tmp_path, STYLE.format(category=tag, cite=cite))
    assert read_style(path).by_author == by_author


DEPENDENT = """<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" default-locale="de-DE">
<info><title>Child</title><link href="http://www.zotero.org/styles/{parent}" rel="independent-parent"/>
</info></style>"""


def test_dependent_style_is_its_parent_in_its_own_language(tmp_path: Path) -> None:
    style = read_style(written(tmp_path, DEPENDENT.format(parent="apa")))
    assert (style.title, style.by_author) == ("Child", True)
    assert b'default-locale="de-DE"' in style.xml
    with pytest.raises(InputError, match="only points to the style 'not-here-at-all'"):
        read_style(written(tmp_path, DEPENDENT.format(parent="not-here-at-all")))
