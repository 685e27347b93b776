"""tools/bibliography/processor.py: entries and citations as readers of each style expect them."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.paper import Author, Paper
from tools.bibliography.processor import StyledList, style_papers
from tools.bibliography.runs import Run, plain
from tools.bibliography.style import named_style, read_style
from tools.errors import InputError

STYLES = ("ieee", "apa", "acl")


def paper(title: str, *names: str, year: int | None = 2020, **fields: Any) -> Paper:
    authors = tuple(Author(name=name) for name in names)
    return Paper(id=f"local:{title}", title=title, authors=authors, year=year, **fields)


def styled(style: str, *papers: Paper) -> StyledList:
    return style_papers(named_style(style), papers)


def entry(style: str, item: Paper) -> str:
    return plain(styled(style, item).entries[0])


LEWIS = paper(
    "Retrieval for NLP", "Patrick Lewis", "Ethan Perez", "Laurens van der Maaten",
    venue="EMNLP", doi="10.1/x_y",
)  # fmt: skip


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("ieee", "P. Lewis, E. Perez, and L. van der Maaten, “Retrieval for NLP,” in EMNLP, 2020. "
                 "doi: 10.1/x_y."),
        ("apa", "Lewis, P., Perez, E., & van der Maaten, L. (2020). Retrieval for NLP. EMNLP. "
                "https://doi.org/10.1/x_y"),
        ("acl", "Patrick Lewis, Ethan Perez, and Laurens van der Maaten. 2020. Retrieval for NLP. "
                "In EMNLP."),
    ],
)  # fmt: skip
def test_entry_is_what_the_style_asks_for(style: str, expected: str) -> None:
    assert entry(style, LEWIS) == expected


@pytest.mark.parametrize(
    ("item", "ieee", "apa"),
    [
        (paper("Why cite?", "Ann Kim", venue="Journal of X"),
         "A. Kim, “Why cite?” Journal of X, 2020.", "Kim, A. (2020). Why cite? Journal of X."),
        (paper("It works.", "Ann-marie de Boer"), "A.-M. de Boer, “It works,” 2020.",
         "de Boer, A.-M. (2020). It works."),
        (paper("On “words”", "OpenAI"), "OpenAI, “On ‘words’,” 2020.",
         "OpenAI. (2020). On “words”."),
        (paper("T", "Martin King Jr.", "Google Research Team", year=None),
         "M. King Jr. and Google Research Team, “T.”",
         "King, M., Jr., & Google Research Team. (n.d.). T."),
        (paper("T", "王 伟"), "王 伟, “T,” 2020.", "王 伟. (2020). T."),
        (paper("T", "Bo Li", authors_complete=False), "B. Li et al., “T,” 2020.",
         "Li, B., et al. (2020). T."),
        (paper("T", "Bo Li", "C. D. Wu", authors_complete=False),
         "B. Li, C. D. Wu, et al., “T,” 2020.", "Li, B., Wu, C. D., et al. (2020). T."),
        (paper("Only a title", year=None), "“Only a title.”", "Only a title. (n.d.)."),
        (paper("P", "A. B", arxiv="2303.08774"),
         "A. B, “P,” 2020, arXiv: 2303.08774. [Online]. Available: https://arxiv.org/abs/2303.08774",
         "B, A. (2020). P (arXiv:2303.08774). arXiv. https://arxiv.org/abs/2303.08774"),
    ],
)  # fmt: skip
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


def test_letter_forms_are_kept_apart_from_the_text() -> None:
    (runs,) = styled("apa", LEWIS).entries
    assert Run("EMNLP", frozenset({"italic"})) in runs


@pytest.mark.parametrize("style", ["apa", "acl"])
def test_works_of_one_author_and_year_get_letters_in_text_and_list(style: str) -> None:
    items = [paper("Zebra", "Ann Kim"), paper("Aardvark", "Ann Kim"), paper("Other", "Bo Li")]
    made = styled(style, *items)
    years = [cite.year for cite in made.cites]
    assert years == ["2020b", "2020a", "2020"], "in the order of the list"
    assert made.order == (1, 0, 2)
    for cite, runs in zip(made.cites, made.entries, strict=True):
        assert re.search(rf"\b{cite.year}\b", plain(runs))


def test_letters_go_on_behind_z_and_stand_behind_missing_dates() -> None:
    many = styled("apa", *(paper(f"T{number:03}", "Ann Kim") for number in range(28)))
    assert [cite.year for cite in many.cites][-3:] == ["2020z", "2020aa", "2020ab"]
    undated = [paper("A", "Ann Kim", year=None), paper("B", "Ann Kim", year=None)]
    assert [cite.year for cite in styled("acl", *undated).cites] == ["n.d.-a", "n.d.-b"]


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
    (cite,) = styled("apa", paper("T", *names, authors_complete=complete)).cites
    assert (cite.author, cite.year) == (cited, "2020")


def test_long_title_stands_for_missing_authors_in_short() -> None:
    (cite,) = styled("acl", paper("A very long title " * 20)).cites
    assert cite.author.startswith("“A very long title")
    assert len(cite.author) < 70


def test_no_papers_are_an_empty_list() -> None:
    assert styled("apa").entries == styled("ieee").entries == ()


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


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda title, names, year, complete, venue: paper(
                f"T {title}", *(f"N{name}" for name in names), year=year,
                authors_complete=complete, venue=venue,
            ),
            ANY, st.lists(ANY, max_size=4), st.sampled_from([None, 999 + 1, 2020]), st.booleans(),
            st.one_of(st.none(), ANY),
        ),
        min_size=1, max_size=4,
    ),
    st.sampled_from(STYLES),
)  # fmt: skip
def test_no_record_breaks_a_style(papers: list[Paper], style: str) -> None:
    made = styled(style, *papers)
    assert sorted(made.order) == list(range(len(papers)))
    for runs in made.entries:
        text = plain(runs)
        assert text.strip()
        assert not re.search("[\ue000-\uf8ff\n]", text)
    if style != "ieee":
        assert all(cite.text and not re.search("[\ue000-\uf8ff]", cite.text) for cite in made.cites)
