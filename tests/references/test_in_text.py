"""tools/references/in_text.py, reference_list.py, manuscript.py: reading a text by someone else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.references.in_text import find_mentions
from tools.references.manuscript import read_manuscript
from tools.references.reference_list import read_reference, split_references


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Ranking [1] and [2-4], then [1, 3; 7].", ["1", "2", "3", "4", "1", "3", "7"]),
        ("As shown [1]–[3].", ["1", "2", "3"]),
        ("A link [2](#ref2) cites, [this](http://x) does not.", ["2"]),
        ("In the interval [0, 1] and [900-1].", []),
        (r"\citep[see][p. 3]{a1, b2}, \citet{c} and \cite{d}", ["a1", "b2", "c", "d"]),
        ("[@lee2020; see @kim21, p. 3] and @doe99, not a@b.com", ["lee2020", "kim21", "doe99"]),
        ("(Lee et al., 2020; Kim 2021)", ["Lee et al., 2020", "Kim, 2021"]),
        ("(see e.g. Smith & Jones, 2001, p. 3)", ["Smith & Jones, 2001"]),
        ("Lee et al. (2020) agree.", ["Lee et al., 2020"]),
        (
            "van den Berg and Müller (2019a, b)",
            ["van den Berg and Müller, 2019a", "van den Berg and Müller, 2019b"],
        ),
        ("García-Márquez's (2018) is older.", ["García-Márquez, 2018"]),
        ("(May 2020), (in 2020), (n = 20; 2020), (2019)", []),
        ("We saw [1] in Paris (2019).", ["1"]),
        (
            "(Lee, Kim 2020), Lee, Kim, and Roe [2021]",
            ["Lee, Kim, 2020", "Lee, Kim, and Roe, 2021"],
        ),
        (
            "For English, Lee (2020) and (e.g., (Kim, 2019; Roe, 2018))",
            ["Lee, 2020", "Kim, 2019", "Roe, 2018"],
        ),
        ("[12, p. 4], [see 3] and [2019]", ["12", "3"]),
        ("Hubbs' (1978) loom", ["Hubbs, 1978"]),
        ("(Lee 98) at 10 (98), Lee and Kim 2020", []),
    ],
)
def test_citations_of_each_form_are_found(text: str, labels: list[str]) -> None:
    assert [label.text for item in find_mentions(text) for label in item.labels] == labels


def test_known_families_make_citations_of_what_is_doubtful() -> None:
    text = "As Recently Kim (2019); [Kim 98], Kim's first loom (1978), Kim and Lee 2020 and Kim in 2020."
    found = [label for item in find_mentions(text, ["Kim"]) for label in item.labels]
    assert [(label.names[0], label.year) for label in found] == [
        ("Kim", 2019),
        ("Kim", 1998),
        ("Kim", 1978),
        ("Kim", 2020),
    ]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Smith (1998) (as cited in Devlin, 2019) says so.", "(as cited in Devlin, 2019)"),
        ("Smith (1998), as cited in Devlin (2019), says so.", "(2019)"),
        ("So says Smith (1998; quoted in Devlin, 2019).", "(1998; quoted in Devlin, 2019)"),
        (
            "It is so (Smith, 1998, as cited in Devlin, 2019).",
            "(Smith, 1998, as cited in Devlin, 2019)",
        ),
    ],
)
@pytest.mark.parametrize("known", [[], ["Devlin"]])
def test_work_cited_in_another_is_named_and_not_cited(
    text: str, printed: str, known: list[str]
) -> None:
    (one,) = find_mentions(text, known)
    assert text[one.start : one.end] == printed
    assert [label.text for label in one.labels] == ["Devlin, 2019"]
    assert [label.text for label in one.secondary] == ["Smith, 1998"]


def test_two_citations_side_by_side_stay_two() -> None:
    for between in (" (see ", ". Cited in "):
        found = find_mentions(f"Smith (1998){between}Devlin (2019)).", ["Devlin"])
        assert [label.text for one in found for label in one.labels] == [
            "Smith, 1998",
            "Devlin, 2019",
        ]


def test_mention_says_where_the_names_before_it_begin() -> None:
    text = "As Lee et al. (2020) weave (Kim, 2019)."
    first, second = find_mentions(text)
    assert (text[first.start : first.end], text[first.named : first.end]) == (
        "(2020)",
        "Lee et al. (2020)",
    )
    assert second.named == second.start


PIECES = st.sampled_from(
    [
        "[1",
        "]",
        "[2-4]",
        "(",
        ")",
        "Lee",
        " et al.",
        ", 2020",
        ";",
        "@k1",
        "\\cite{",
        "}",
        " and ",
        "van de ",
        "[@",
        "é",
        "\n",
        "# References\n",
        "“",
        "\\bibitem{a}",
        "1. ",
        "{P1}",
        "%",
        "10.1/x",
    ]
)


@settings(deadline=None)  # the first text waits for the parsers
@given(st.lists(PIECES, max_size=25).map("".join) | st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    last = 0
    for item in find_mentions(text):
        assert last <= item.start < item.end <= len(text)
        assert item.labels
        last = item.end
    body, listed = split_references(text)
    assert len(body) <= len(text)
    assert all(item.title or not item.text.strip(" .,") for item in listed) or listed
    assert all("\n" not in block for block in read_manuscript(text).body)


@pytest.mark.parametrize(
    "piece",
    [
        "(Aa, ",
        "Aa et al. ",
        "[1",
        "van de ",
        "\\cite[",
        "P. ",
        "“",
        "{",
        "^1",
        "<sup>1",
        "[^a",
        "`a",
        "\n[^a]: x",
        "\n\\begin{comment}",
        "(1) ",
        "$^{1",
        "(Aa Bb [AB], 2020",
        "&amp",
    ],
)
def test_hostile_text_is_read_in_no_time(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    find_mentions(text)
    split_references(f"# References\n{text}")
    read_reference(text)
    read_manuscript(text)


@pytest.mark.parametrize(
    ("raw", "title", "family", "year"),
    [
        (
            "P. Lee and E. Kim, “Weaving graphs for tasks,” in Proc. X, vol. 3, 2020, pp. 4–9.",
            "Weaving graphs for tasks",
            "Lee",
            2020,
        ),
        (
            "Lee, P., & Kim, E. (2020). Weaving graphs for tasks. X, 33, 9–94. https://doi.org/10.1145/1.2",
            "Weaving graphs for tasks",
            "Lee",
            2020,
        ),
        (
            "Ann Lee, Bo Kim. 2020. Weaving graphs: A study. In Proceedings of X.",
            "Weaving graphs: A study",
            "Lee",
            2020,
        ),
        ("Lee P, Kim E. Weaving graphs. Nature. 2020;12:3-9.", "Weaving graphs", "Lee", 2020),
        (
            "Lee, P. and Kim, E. Weaving graphs. arXiv preprint arXiv:2005.11401, 2020.",
            "Weaving graphs",
            "Lee",
            2020,
        ),
        (
            r"P.~Lee and E.~Kim. \newblock {\em Weaving graphs} for tasks. \newblock X, 2020.",
            "Weaving graphs for tasks",
            "Lee",
            2020,
        ),
        ("van den Berg, J. (2018). Old graphs anew. X.", "Old graphs anew", "van den Berg", 2018),
    ],
)
def test_entry_of_each_style_is_read(raw: str, title: str, family: str, year: int) -> None:
    read = read_reference(raw)
    assert (read.title, read.authors[0].family, read.year) == (title, family, year)


def test_lists_of_markdown_latex_and_without_numbers_are_taken_apart() -> None:
    markdown = "Text [1].\n\n## References\n[1] A. Lee, “One title here,” 2020.\n   and on\n[2] Two. Of it. 2021.\n"
    body, listed = split_references(markdown)
    assert body.strip() == "Text [1]."
    assert [item.label for item in listed] == ["1", "2"]
    latex = (
        r"Text.\begin{thebibliography}{9}\bibitem{x} A. \bibitem[Y]{y} B b.\end{thebibliography}"
    )
    assert [item.label for item in read_manuscript(latex).entries] == ["x", "y"]
    bare = "Text.\n\nReferences\n\nLee, P. (2020). One title here. X.\n\nKim, E. (2021). Another title. Y."
    assert [item.authors[0].family for item in split_references(bare)[1]] == ["Lee", "Kim"]


def test_paragraphs_are_bare_of_headings_and_commands() -> None:
    text = "# Head\n\n**Bold** [1].\nOn.\n\n- an item\n\n"
    assert read_manuscript(text).body == ("Bold [1]. On.", "an item")
    latex = "\\section{S}\\emph{a}~\\cite{b} 5\\% % note\n\\begin{itemize}\\item c\\end{itemize}"
    assert read_manuscript(latex).body == ("a \\cite{b} 5% c",)
