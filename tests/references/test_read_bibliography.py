"""A document's list of references: read, its entries parted, and matched with records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.bibliography import Bibliography
from state.document import Block, Document
from state.paper import Author, Paper
from tools.errors import DocumentError
from tools.references.matching import find_paper
from tools.references.read_bibliography import read_bibliography
from tools.references.read_list import read_list
from tools.references.reference_list import read_reference

NAMED = [
    "Lee, Ann, Bo Kim, and Cy Roe. 2021a. Weaving graphs for looms. Loom Letters.",
    "Lee, Ann, Dee Moe, and Cy Roe. 2021b. Weaving other graphs for looms. Loom Letters.",
    "Lee, Ann. 2020. Looms alone. Loom Press.",
    "Jia, Xu and Wei Bo. 2019. Threads of looms. Loom Letters.",
    "Jia, Xu and Wei Bo. 2021. More threads of looms. Loom Letters.",
    "Foo, Cy, Dee Moe, and Ed Roe. 2018b. Knots in looms. Loom Letters.",
    "Reitz, Di and Ed Stade. 2003. Steps of looms. Loom Letters.",
    "Hubbs, Jo. 1978. Resolving looms. Loom Letters.",
    "Grossz, Barb, Al Joshy, and Sue Wein. 1995. Centering looms. Loom Letters.",
    "Grossz, Barb and Candy Sydner. 1998. Lost looms. Loom Letters.",
    "Müller-Lüdenscheidt, Jürgen. 2011. Badende Webstühle. Loom Letters.",
    "van den Berg, Piet. 2012. Old looms anew. Loom Letters.",
    "Park, Al and Bo Stone. 2015. Looms of stone. Loom Letters.",
    "Park, Al and Cy Wood. 2015. Looms of wood. Loom Letters.",
    "de la Cruz, Ma. Forthcoming. Loom of the cross. Loom Letters.",
    "World Loom Organization. 2020. Loom report. Geneva.",
    "García Márquez, Gabriel. 2001. Looms of solitude. Loom Letters.",
    "———. 2002. Looms of autumn. Loom Letters.",
]
NUMBERED = [
    f"[{i}] A. Lee{chr(96 + i)}. 20{i:02}. Loom number {i} of many. Loom Letters."
    for i in range(1, 13)
]
KEYED = [
    f"[{key}] A. Lee. Loom {key} of many. Loom Letters, 2020."
    for key in ("LWM20", "Bro+20", "Lee99a")
]


def read(text: str, references: list[str]) -> Bibliography:
    blocks = [Block(text=text), *(Block(text=one, kind="reference") for one in references)]
    return read_bibliography(Document(blocks=tuple(blocks), reader="test"))


def test_label_of_several_entries_is_told_from_several_labels() -> None:
    found = read("(Park et al., 2015; Lee, 2020) and (Park and Wood, 2015; Lee, 2020)", NAMED)
    assert [(item.entries, item.unsure) for item in found.citations] == [
        ((12, 13, 2), (12, 13)),
        ((13, 2), ()),
    ]


def linked(text: str, references: list[str]) -> list[tuple[int, ...]]:
    return [item.entries for item in read(text, references).citations]


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("(Lee et al., 2021a)", [(0,)]),
        ("Lee et al. (2021b) weave", [(1,)]),
        ("(Lee, 2020; Jia and Bo, 2019, 2021; see also Foo et al. 2018b)", [(2, 3, 4, 5)]),
        ("Jia and Bo [2021] weave", [(4,)]),
        ("(Reitz, Stade 2003)", [(6,)]),
        ("Hubbs's (1978) and Hubbs’ (1978) loom, of Hubbs'(1978)", [(7,), (7,), (7,)]),
        ("(Hubbs 1978), [Hubbs, 1978], Hubbs ( 1978 )", [(7,), (7,), (7,)]),
        ("Following Hubbs' loom (1978) and Hubbs's old loom (1978)", [(7,), (7,)]),
        ("(e.g., (Hubbs, 1978; Grossz et al., 1995; Grossz and Sydner, 1998))", [(7, 8, 9)]),
        (
            "Lee et al. (2021a,b), (Lee et al., 2021a, b), Lee et al.’s (2021a)",
            [(0, 1), (0, 1), (0,)],
        ),
        ("Lee (2020, 2021a)", [(2, 0)]),
        ("Muller-Ludenscheidt (2011), Mueller-Luedenscheidt (2011)", [(10,), (10,)]),
        ("Müller- Lüdenscheidt (2011)", [(10,)]),
        ("Van den Berg (2012), (Berg, 2012), as van den Berg (2012)", [(11,), (11,), (11,)]),
        (
            "(Park and Stone, 2015) and (Park and Wood 2015, p. 12; cf. Foo et al., 2018b, ch. 3)",
            [(12,), (13, 5)],
        ),
        ("(Park et al., 2015)", [(12, 13)]),
        ("(Lee et al. 2021)", [(0, 1)]),
        ("(de la Cruz, forthcoming)", [(14,)]),
        ("(World Loom Organization, 2020), (WLO 2020)", [(15,), (15,)]),
        ("García Márquez (2001, 2002), Marquez (2001)", [(16, 17), (16,)]),
        ("(Jia and Bo, 2019–2021)", [(3, 4)]),
        ("However, Lee (2020) and, in Paris, Jia & Bo (2019)", [(2,), (3,)]),
        (
            "(Lee et al.2021a), (Lee et al , 2021a), (Jia\u00a0and Bo,\u00a02019)",
            [(0,), (0,), (3,)],
        ),
        ("Jia and Bo 2019 showed", [(3,)]),
        ("(Jla and Bo, 2019), (Grosz and Sidner, 1998)", [(3,), (9,)]),
        ("[Jia and Bo 19; Hubbs 78]", [(3, 7)]),
        ("(Foo and colleagues, 2018b)", [(5,)]),
        ("(Jia and Bo, 2020)", []),
        ("In 2020, in the year (2019), [2019], [3], [0, 1], (May 2020), pages 2019", []),
    ],
)
def test_names_and_years_lead_to_their_entries(text: str, entries: list[tuple[int, ...]]) -> None:
    assert [places for places in linked(text, NAMED) if places] == entries


def test_citation_says_where_it_stands_and_how_it_is_printed() -> None:
    text = "As Lee et al. (2021b) weave, and others do (see Jia and Bo, 2019; Nemo, 1870)."
    first, second = read(text, NAMED).citations
    assert (first.text, first.style) == ("Lee et al. (2021b)", "author_year")
    assert text[first.start : first.end] == first.text
    assert second.text == "(see Jia and Bo, 2019; Nemo, 1870)"
    assert (second.entries, second.unlinked) == ((3,), ("Nemo, 1870",))


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("see [1] and [2-5], [3,9]", [(0,), (1, 2, 3, 4), (2, 8)]),
        ("[1]-[3] and [1]–[3], [4–6,8]", [(0, 1, 2), (0, 1, 2), (3, 4, 5, 7)]),
        ("[12, p. 4], [5, pp. 3–4], [4, Theorem 2], [see 3]", [(11,), (4,), (3,), (2,)]),
        ("[1][2], [ 7 ], [3, 5; 9], [11,\n12]", [(0,), (1,), (6,), (2, 4, 8), (10, 11)]),
        ("Lee et al. [4] and BERT[4], as in [3](see below)", [(3,), (3,), (2,)]),
        ("on a large scale [8]", [(7,)]),
        ("[0, 1], in the range [1, 5], values between [1, 3], x ∈ [1, 3]", []),
        ("A[1], x_i[2], Eq. [3], [2019], [99], [a link](u), [2](https://x.example.org)", []),
        ("(Leea, 2001) but not (Nemo, 1870)", [(0,)]),
    ],
)
def test_numbers_lead_to_the_entries_of_a_numbered_list(
    text: str, entries: list[tuple[int, ...]]
) -> None:
    assert linked(text, NUMBERED) == entries


def test_number_that_the_list_has_lost_is_reported() -> None:
    found = read("Looms [2] and more looms [5, 13].", [one for one in NUMBERED if "[5]" not in one])
    assert [item.unlinked for item in found.citations] == [(), ("5", "13")]
    assert found.confidence == pytest.approx(1 / 3, abs=1e-3)


def test_raised_and_round_numbers_count_where_no_square_ones_do() -> None:
    assert linked("as shown before.¹,² and so³⁻⁵", NUMBERED) == [(0, 1), (2, 3, 4)]
    assert linked("as shown in¹ over 5 m² of roof", NUMBERED) == [(0,)]
    assert linked("in looms^{3,4} (1, 2) of 5 m² and 7 (99)", NUMBERED) == [(2, 3), (0, 1)]
    assert linked("in looms [3] of size (1, 2)", NUMBERED) == [(2,)]


def test_keys_lead_to_the_entries_of_a_keyed_list() -> None:
    found = read("see [LWM20] and [Bro+20; see Lee99a], [Bro+ 20], [ABC12], [word]", KEYED)
    assert [item.entries for item in found.citations] == [(0,), (1, 2), (1,), ()]
    assert found.citations[3].unlinked == ("ABC12",)
    assert {item.style for item in found.citations} == {"key"}


def test_list_that_lost_its_numbers_is_still_cited_by_number() -> None:
    bare = [one.partition("] ")[2] for one in NUMBERED]
    assert linked("[1], [2-6], [7,8], [9], [10], [12]", bare) == [
        (0,),
        (1, 2, 3, 4, 5),
        (6, 7),
        (8,),
        (9,),
        (11,),
    ]
    assert linked("Equation [1] and (Leea, 2001)", bare) == [(0,)]


def test_dash_stands_for_the_authors_before() -> None:
    entries = read("Looms.", NAMED).entries
    assert [author.family for author in entries[-1].authors] == ["García Márquez"]
    assert (entries[-1].title, entries[-1].year) == ("Looms of autumn", 2002)


def test_tables_code_and_references_are_not_read_for_citations() -> None:
    kinds = ("table", "equation", "code", "caption", "footnote", "list", "abstract")
    blocks = [Block(text="Lee (2020)", kind=kind) for kind in kinds]  # type: ignore[arg-type]
    blocks += [Block(text=one, kind="reference") for one in NAMED]
    found = read_bibliography(Document(blocks=tuple(blocks), reader="test"))
    assert [item.block for item in found.citations] == [3, 4, 5, 6]


def test_document_without_references_cites_nothing() -> None:
    assert read_bibliography(Document(reader="test")) == Bibliography()
    found = read("Nothing here.", NAMED)
    assert (found.citations, found.confidence) == ((), 0.0)


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
        "2021a",
        ";",
        " and ",
        "van de ",
        "é",
        "\n",
        " ",
        "’s",
        "[",
        "Jia",
        "19",
        "²",
        "^{3}",
        "—",
        "[LWM20]",
        "in press",
        "1999–2003",
        ", b",
        "the loom",
    ]
)


@given(
    st.lists(PIECES, min_size=1, max_size=30).map("".join) | st.text(min_size=1, max_size=80),
    st.sampled_from([NAMED, NUMBERED, KEYED, []]),
)
def test_any_text_can_be_read(text: str, references: list[str]) -> None:
    found = read(text, references)
    last = 0
    for item in found.citations:
        assert last <= item.start < item.end <= len(text)
        assert item.text == text[item.start : item.end]
        assert item.entries or item.unlinked
        assert all(0 <= place < len(references) for place in item.entries)
        last = item.end
    assert 0 <= found.confidence <= 1


@pytest.mark.parametrize(
    "piece", ["(Aa, ", "Aa et al. ", "[1", "[1,", "van de ", "2019, ", "((((", "Lee 2019, ", "¹"]
)
def test_hostile_text_is_read(piece: str) -> None:
    read(piece * (20_000 // len(piece)), NUMBERED)
    read(piece * (20_000 // len(piece)), NAMED)


def test_many_citations_of_many_entries_are_read() -> None:
    names = [f"{a}{b}{c}ow" for a in "BCDFGHKLMN" for b in "aeiouyäöüé" for c in "bcdf"]
    references = [
        f"{name}, Al and Bo Moe. {1990 + at % 30}. Looms of {name}. Loom Letters."
        for at, name in enumerate(names)
    ]
    text = " ".join(
        f"weave the loom of {name} and Moe ({1990 + at % 30}) again ({name} and Moe, {1990 + at % 30})."
        for at, name in enumerate(names)
    )
    blocks = [
        *(Block(text=text) for _ in range(5)),
        *(Block(text=one, kind="reference") for one in references),
    ]
    found = read_bibliography(Document(blocks=tuple(blocks), reader="test"))
    assert (len(found.citations), found.confidence) == (10 * len(names), 1.0)


MOTH = "Moth, D. Moths steer by the moon. Journal of Moths, 3(2), 4-9, 2019."
WRAPPED = MOTH.replace("moon. ", "moon.\n    ")
OWL = "Lind, A. Owls that hear voles. Annals of Owls, 5, 1-2, 2015."


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("", f"{MOTH}\n{OWL}\n", ["", ""]),
        ("", f"{MOTH}\n\n{OWL}", ["", ""]),
        ("", f"[7] {WRAPPED}\n[8] {OWL}", ["7", "8"]),
        ("list.md", f"Moths steer [1].\n\n## References\n\n1. {MOTH}\n2. {OWL}\n", ["1", "2"]),
        (
            "paper.bbl",
            f"\\begin{{thebibliography}}{{9}}\n\\bibitem{{m}} {MOTH}\n\\bibitem{{o}} {OWL}\n\\end{{thebibliography}}",
            ["m", "o"],
        ),
    ],
)
def test_each_reference_is_one_entry(name: str, text: str, labels: list[str]) -> None:
    found = read_list(text.encode(), name)
    assert [entry.title for entry in found] == ["Moths steer by the moon", "Owls that hear voles"]
    assert [entry.label for entry in found] == labels
    assert [entry.year for entry in found] == [2019, 2015]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("", b"To buy: milk and bread.\nAnd butter for the guests.", "no reference"),
        ("", b"Moth, D.\x00 Moths steer by the moon. 2019.", "binary"),
        ("a.txt", bytes(range(256)) * 8, "a.txt"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "a picture"),
        ("a.pdf", b"%PDF-1.4 nothing", "a.pdf"),
    ],
)
def test_what_is_no_list_is_refused_with_what_to_do(name: str, content: bytes, told: str) -> None:
    with pytest.raises(DocumentError, match=told) as caught:
        read_list(content, name)
    assert caught.value.remedy


def paper(title: str, year: int, *authors: str, doi: str | None = None) -> Paper:
    return Paper(
        id=f"title:{title}",
        title=title,
        year=year,
        doi=doi,
        authors=tuple(Author(name=name) for name in authors),
    )


OWLS = paper("Night hearing: how barn owls find mice under snow", 2020, "Ann Lee", "Bo Müller-Voss")
RATS = paper("Night hearing: how barn owls find rats under snow", 2020, "Ann Lee")
DEEP = paper("Deep roots", 2015, "Carla Diaz", doi="10.1234/roots")
MAPS = paper("Deep roots of maps", 2016, "Dee Ek")
PAPERS = [RATS, DEEP, OWLS, MAPS]
FORMS = (
    "Lee, Ann, Müller-Voss, Bo. Night hearing: How barn owls find mice under snow. 2020.",
    "Lee, A., & Müller-Voss, B. (2020). Night hearing: How barn owls find mice under snow. J. Owls, 4, 1–9.",
    "A. Lee and B. Müller-Voss, “Night hearing: how barn owls find mice under snow,” J. Owls, 2020.",
    "Ann Lee and Bo Müller-Voss. 2020. Night Hearing: How Barn Owls Find Mice under Snow. In Proc. of OWL.",
    "LEE A, MULLER-VOSS B. Night hearing: how barn owls find mice under snow. J Owls. 2020;4(1):1-9.",
    r"Lee, A. and M\"uller-Voss, B. \newblock Night hearing: {H}ow barn owls find mice under snow. \newblock 2020.",
    "Ann Lee, Bo Müller-Voss: Night hearing - how barn owls find mice under snow. OWL 2020: 1-9",
    "[Lee20] Lee et al. *Night hearing: how barn owls find mice under the snow*, 2020.",
    "Night hearing: how barn owls find mice under snow",
)


@pytest.mark.parametrize("raw", FORMS)
def test_entry_finds_its_paper_in_any_common_form(raw: str) -> None:
    assert find_paper(read_reference(raw), PAPERS) == OWLS


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("Diaz, Carla. Deep roots. Nature, 2015.", DEEP),
        ("Ek, Dee. Deep roots of maps. Nature, 2016.", MAPS),
        ("Diaz, Carla. Deep roots in clay. Nature, 2015.", None),
        ("Somebody, Else. Deep roots. Nature, 2015.", None),
        ("Diaz, Carla. Deep roots. Nature, 1915.", None),
        ("Some title that is quite another. https://doi.org/10.1234/roots", DEEP),
        ("Diaz, Carla. Deep roots. 2015. doi:10.1234/other", None),
        ("Lee, Ann. Night hearing: how barn owls find voles under snow. 2020.", None),
        ("", None),
    ],
)
def test_entry_of_another_paper_finds_none(raw: str, found: Paper | None) -> None:
    assert find_paper(read_reference(raw), PAPERS) == found
