"""tools/references/read_entry.py: one entry of a list, in each style, and what is wrong with it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.references.names import read_names
from tools.references.read_entry import read_entry
from tools.text.identifiers import find_identifiers

STYLES = [
    ("acm", "[7] Ann Lee, Bo-Ra Kim, and Cy van der Roe. 2021. Weaving Graphs for Looms: A Study. In Proc. "
     "LOOM '21. 3–9. https://doi.org/10.1145/1234567.7654321",
     "7", ["Lee", "Kim", "van der Roe"], "Weaving Graphs for Looms: A Study", 2021, "10.1145/1234567.7654321"),
    ("acm et al.", "[11] A. Lee et al. Weaving with Gaps. Nord. J. Looms 9, 1 (2002), 1954–1965.",
     "11", ["Lee"], "Weaving with Gaps", 2002, None),
    ("acl", "Ann B. Lee and Bo Kim. 2019. Is weaving more than knitting? Loom Letters, 3(1):61–74.",
     "", ["Lee", "Kim"], "Is weaving more than knitting?", 2019, None),
    ("old acl", "Lee, Ann, Kim, Bo and Roe, Cy. 2004. Finding looms in print, In Proc. 42nd Loom Meeting, pp 5-9",
     "", ["Lee", "Kim", "Roe"], "Finding looms in print", 2004, None),
    ("computational linguistics", "Lee, Ann B., Bo Kim, and Cy Roe. 1997a. Loom games. Loom Science, 1(4):395-420.",
     "", ["Lee", "Kim", "Roe"], "Loom games", 1997, None),
    ("ieee", "[3] P. Lee, J. K. Roe, and E. Kim, “Weaving graphs for tasks,” in Proc. X, vol. 3, 2020, pp. 4–9, "
     "doi: 10.1109/TW.2020.1.", "3", ["Lee", "Roe", "Kim"], "Weaving graphs for tasks", 2020, "10.1109/tw.2020.1"),
    ("apa", "Lee, P. J., van der Berg, A.-M., & O'Neil, E. (2020, March 3). Weaving graphs. Journal of X, 33(2), 9–94.",
     "", ["Lee", "van der Berg", "O'Neil"], "Weaving graphs", 2020, None),
    ("chicago", "Lee, Ann, Bo Wu, and Cy Moe. 2021. “Weaving Graphs for the ‘Masses’.” J. of Weaving 3 (2): 12–34.",
     "", ["Lee", "Wu", "Moe"], "Weaving Graphs for the ‘Masses’", 2021, None),
    ("mla", 'Lee, Ann, and Bo Wu. "Weaving Graphs." Weavers\' Journal 3.2 (2021): 12-34.',
     "", ["Lee", "Wu"], "Weaving Graphs", 2021, None),
    ("vancouver", "4. Lee P, Kim EJ, van den Berg J, et al. Weaving graphs. Loom Lett. 2020;12:3-9.",
     "4", ["Lee", "Kim", "van den Berg"], "Weaving graphs", 2020, None),
    ("nature", "12. Lee, P., Kim, E. & Müller-Lüdenscheidt, J. Weaving graphs at scale. Nat. Looms 12, 3–9 (2020).",
     "12", ["Lee", "Kim", "Müller-Lüdenscheidt"], "Weaving graphs at scale", 2020, None),
    ("lncs", "3. Lee, P., Kim, E.J.: Weaving graphs at scale. In: Roe, R. (ed.) LOOM 2019. LNCS, vol. 12, pp. 3–9. "
     "Springer, Cham (2020). https://doi.org/10.1007/978-3-319- 12345-6_7",
     "3", ["Lee", "Kim"], "Weaving graphs at scale", 2020, "10.1007/978-3-319-12345-6_7"),
    ("siam", "[7] P. Lee and E. Kim, Weaving graphs for all, SIAM J. Weaving, 33 (2004), pp. 9–94.",
     "7", ["Lee", "Kim"], "Weaving graphs for all", 2004, None),
    ("alpha", "[LWM20] Ann Lee, Bo Wu, and Cy Moe. Weaving Graphs for the Masses. In NeurIPS, 2020.",
     "LWM20", ["Lee", "Wu", "Moe"], "Weaving Graphs for the Masses", 2020, None),
    ("chemistry", "Lee, A.; Kim, B. K.; Roe, C. Weaving graphs. J. Loom. Chem. Soc. 2020, 142, 1234–1240.",
     "", ["Lee", "Kim", "Roe"], "Weaving graphs", 2020, None),
    ("capitals", "[15] LEE, P., AND KIM, E. Weaving graphs. In Proc. LOOM (2010), ACM, pp. 1–9.",
     "15", ["Lee", "Kim"], "Weaving graphs", 2010, None),
    ("neurips", "[1] Ann Abel, Jian Chen, et al. Loomflow: A system for weaving. In 12th LOOM, pages 265–283, 2016.",
     "1", ["Abel", "Chen"], "Loomflow: A system for weaving", 2016, None),
    ("harvard", "Lee, A. & Kim, B., 2019. Weaving deep looms. Journal of Looms, 3(1), pp.1-9.",
     "", ["Lee", "Kim"], "Weaving deep looms", 2019, None),
    ("springer", "Lee A, Kim B (2019) Weaving deep looms. J Loom Sci 3:1–9. doi:10.1007/s00000-019-0001-2",
     "", ["Lee", "Kim"], "Weaving deep looms", 2019, "10.1007/s00000-019-0001-2"),
    ("elsevier", "[1] A. Lee, B. Kim, Weaving deep looms for fun, J. Loom Sci. 3 (2019) 1–9.",
     "1", ["Lee", "Kim"], "Weaving deep looms for fun", 2019, None),
    ("gost", "Lee P., Kim E. Weaving graphs of looms // Loom Bulletin. 2012. No. 3. P. 4–9.",
     "", ["Lee", "Kim"], "Weaving graphs of looms", 2012, None),
    ("german", "Müller, Jürgen / Schäfer, Ute (2011): Der Webstuhl. Berlin: Springer.",
     "", ["Müller", "Schäfer"], "Der Webstuhl", 2011, None),
    ("french", "Dupont, Jean-Pierre et Lefèvre, Anne. 2008. Le métier à tisser : étude. Revue du textile, 3.",
     "", ["Dupont", "Lefèvre"], "Le métier à tisser : étude", 2008, None),
    ("book", "[14] D. E. Knitt, The Art of Looms, vol. 3, 2nd ed. Reading, MA: Weaver-Wesley, 1998.",
     "14", ["Knitt"], "The Art of Looms", 1998, None),
    ("manual", "Loomsoft. Loom 3.0 user manual. https://looms.example.org/manual.pdf, 2019. Accessed 3 May 2020.",
     "", ["Loomsoft"], "Loom 3.0 user manual", 2019, None),
    ("without title", "A. B. Lee, C. D. Kim and E. Roe, Phys. Loom Lett. 12, 345 (2020).",
     "", ["Lee", "Kim", "Roe"], None, 2020, None),
    ("without authors", "[2] The Loom Corpus. https://looms.example.org/corpus",
     "2", [], "The Loom Corpus", None, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "label", "families", "title", "year", "doi"),
    [row[1:] for row in STYLES],
    ids=[row[0] for row in STYLES],
)
def test_entry_of_each_style_is_read(
    text: str, label: str, families: list[str], title: str | None, year: int | None, doi: str | None
) -> None:
    entry = read_entry(text, 6, 3)
    assert (entry.label, entry.title, entry.year, entry.doi) == (label, title, year, doi)
    assert [author.family for author in entry.authors] == families
    assert (entry.authors_complete, entry.place, entry.page) == ("et al" not in text, 6, 3)
    assert not entry.text.startswith("[")


FIELDS = [
    ("Gick, B., I. Wilson, and C. Cook. Articulation of warm looms. Journal of Weaving 12 (2004): 45–67.",
     ["Gick", "Wilson", "Cook"], "Articulation of warm looms", "Journal of Weaving", "12", None, "45–67"),
    ("Gick, Bryan, Ian Wilson, and Cy van der Cook. 2004. Articulation of warm looms. Journal of Weaving 12 (3): "
     "45–67.",
     ["Gick", "Wilson", "van der Cook"], "Articulation of warm looms", "Journal of Weaving", "12", "3", "45–67"),
    ("GICK, Bryan, WILSON, Ian and COOK, Cy. Articulation of warm looms. Journal of Weaving. 2004, vol. 12, no. 3, "
     "p. 45–67.",
     ["Gick", "Wilson", "Cook"], "Articulation of warm looms", "Journal of Weaving", "12", "3", "45–67"),
    ("Gick B, Wilson IJ, Cook C. Articulation of warm looms. J Weav. 2004;12(3):45-67.",
     ["Gick", "Wilson", "Cook"], "Articulation of warm looms", "J Weav", "12", "3", "45-67"),
    ("Gu\u0308nther, A., & Garci\u0301a, B. (2004). Wa\u0308rme am Loom. Journal of Weaving, 12(3), 45–67.",
     ["Günther", "García"], "Wärme am Loom", "Journal of Weaving", "12", "3", "45–67"),
    ("Lee, A. and Kim, B., 1998, ApJ, 475, 163", ["Lee", "Kim"], None, "ApJ", "475", None, "163"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "families", "title", "venue", "volume", "issue", "pages"),
    FIELDS,
    ids=["initials before", "chicago", "iso 690", "vancouver", "decomposed", "no title"],
)
def test_every_field_of_an_entry_is_read(
    text: str,
    families: list[str],
    title: str | None,
    venue: str,
    volume: str,
    issue: str | None,
    pages: str,
) -> None:
    entry = read_entry(text, 0)
    assert [author.family for author in entry.authors] == families
    assert (entry.title, entry.venue) == (title, venue)
    assert (entry.volume, entry.issue, entry.pages) == (volume, issue, pages)


def test_book_has_its_publisher_and_a_chapter_its_editors() -> None:
    book = read_entry("Moe, C. (1998). The art of looms (2nd ed.). Oxford University Press.", 0)
    assert (book.title, book.publisher) == ("The art of looms", "Oxford University Press")
    chapter = read_entry(
        "Lee, A. (2001). Weaving with wool. In C. Moe & D. Roe (Eds.), Handbook of weaving (pp. 3–9). Springer.",
        0,
    )
    assert (chapter.title, chapter.venue) == ("Weaving with wool", "Handbook of weaving")
    assert [editor.family for editor in chapter.editors] == ["Moe", "Roe"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Weber, P. (2009), Réinventer la toile, Paris, Tisserand.", "Réinventer la toile"),
        ("Hogg, Richard. 1957. Uses of Looms.", "Uses of Looms"),
        (
            "Lind, Anna. Homo Textor, trans. Peter Kohl (London: Weaver and Blake, 1938).",
            "Homo Textor",
        ),
        (
            "Miller, Eva. ‘Looms on the Beat: “Weaving Gotham” as Urban Craft’. Loom Studies 2, no. 7 (1987): 14–16.",
            "Looms on the Beat: “Weaving Gotham” as Urban Craft",
        ),
    ],
)
def test_title_of_a_book_and_quotes_within_quotes_are_read(text: str, title: str) -> None:
    assert read_entry(text, 0).title == title


def test_confidence_tells_a_plain_reference_from_words_that_are_none() -> None:
    plain = read_entry(
        "Lee, A., & Kim, B. (2004). The weaving of graphs. Journal of Graph Theory, 12(3), 45–67.",
        0,
    )
    none = read_entry("see above, and what Lee said of it, weaving, 12, looms; personal notes", 0)
    assert plain.confidence > 0.9
    assert none.confidence < 0.5


@pytest.mark.parametrize("names", ["Lee et al.", "Lee and van der Moe, et al,"])
def test_families_alone_are_authors_where_others_are_told_of(names: str) -> None:
    entry = read_entry(f"[3] {names} Weaving with looms of wood. 2018.", 2)
    assert (entry.title, entry.year) == ("Weaving with looms of wood", 2018)
    assert not entry.authors_complete


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Lee, A. 2018. To weave or not to weave? a question of looms. In Proceedings of LOOM, pages 1998–2010.",
            "To weave or not to weave? a question of looms",
        ),
        (
            "Lee, A. 2018. Who weaves? A study of looms. Loom Letters.",
            "Who weaves? A study of looms",
        ),
        (
            "Lee, A. 2018. To weave?: Towards a loom optimizer. In LOOM 2006.",
            "To weave?: Towards a loom optimizer",
        ),
        (
            "Lee, A. 2018. Some uses of ‘uh huh’ and other things between looms. In B. Moe, editor, Looms.",
            "Some uses of ‘uh huh’ and other things between looms",
        ),
        (
            'Lee, A. 2018. Signs of "new" and "old" looms. Loom Letters.',
            'Signs of "new" and "old" looms',
        ),
        (
            "Lee, A. 2018. 3.5 million looms vs. hands in the U.S. textile trade. Loom Letters.",
            "3.5 million looms vs. hands in the U.S. textile trade",
        ),
        (
            "Lee, A., & Kim, B. (2018). How do weavers learn? Looms! Threads. And wool. Journal of Weaving, 3(1), 4–9.",
            "How do weavers learn? Looms! Threads. And wool",
        ),
        (
            "Lee, A. (2018). “Why?”: What a weaver asks. Journal of Weaving, 3(1), 4–9.",
            "“Why?”: What a weaver asks",
        ),
        (
            "A. Lee. 2018. Weaving with looms. arXiv preprint arXiv:1801.00001.",
            "Weaving with looms",
        ),
        (
            "Lee, A. 1999. Loom sense: Of threads, yarns, and looms. Ph.D. thesis, Loom University.",
            "Loom sense: Of threads, yarns, and looms",
        ),
    ],
)
def test_marks_within_a_title_do_not_end_it(text: str, title: str) -> None:
    assert read_entry(text, 0).title == title


@pytest.mark.parametrize(
    ("text", "names", "complete"),
    [
        ("García Márquez, Gabriel and Bo Kim", ["García Márquez", "Kim"], True),
        ("Nguyễn, T. T., Ó Súilleabháin, P. and Wu, B.", ["Nguyễn", "Ó Súilleabháin", "Wu"], True),
        ("Wei Zhang, Bo Wu, and Yŏng-su Kim", ["Zhang", "Wu", "Kim"], True),
        ("Smith, J., Jr., and Doe, J. K., III", ["Smith", "Doe"], True),
        (
            "Stephen A. Della Pietra and Vincent Della Pietra",
            ["Della Pietra", "Della Pietra"],
            True,
        ),
        ("R. Kuhn and Renato de Mori", ["Kuhn", "de Mori"], True),
        ("A. Budan. G. Hirsch", ["Budan", "Hirsch"], True),
        ("Lee, A. and others", ["Lee"], False),
        ("Ann Lee, Bo Kim, et al.", ["Lee", "Kim"], False),
        ("Fell, Christiane, editor", ["Fell"], True),
        ("Roe, R. (Eds.)", ["Roe"], True),
        ("Simone M üller, Ra Beh ůrek and Ro P érez", ["Müller", "Behůrek", "Pérez"], True),
        ("LoomNet", ["LoomNet"], True),
        ("Lee AC, Kim CGM, Wu JWC.", ["Lee", "Kim", "Wu"], True),
        ("IBM.", ["IBM"], True),
        ("Riel E.", ["Riel"], True),
    ],
)
def test_names_of_each_kind_are_told_apart(text: str, names: list[str], complete: bool) -> None:
    authors, whole = read_names(text)
    assert ([author.family for author in authors], whole) == (names, complete)


@pytest.mark.parametrize(
    ("text", "doi", "arxiv", "url"),
    [
        ("x. doi:10.1145/3331184. 3331303.", "10.1145/3331184.3331303", None, None),
        ("x. https://doi. org/10.1145/ABC-12 and on", "10.1145/abc-12", None, None),
        ("x. 10.1016/S0001-8791(02)00012-3).", "10.1016/s0001-8791(02)00012-3", None, None),
        ("x. DOI 10.1145/1.2. 2019.", "10.1145/1.2", None, None),
        ("x. ArXiv abs/1503.02531 (2015).", None, "1503.02531", None),
        ("x. CoRR, abs/1412.6980, 2014.", None, "1412.6980", None),
        ("x. arXiv e-prints, page arXiv:2101.00001v3.", None, "2101.00001", None),
        ("x. arXiv:cs/0112017.", None, "cs/0112017", None),
        ("x. https://doi.org/10.48550/arXiv.2005.11401", None, "2005.11401", None),
        ("x. http://www. looms.example.org/net/.", None, None, "http://www.looms.example.org/net/"),
        (
            "x. https://looms.example.org/a- b_c.html (2014).",
            None,
            None,
            "https://looms.example.org/a-b_c.html",
        ),
        ("x. www.looms.example.org. Accessed 2020.", None, None, "www.looms.example.org"),
        ("10 looms of 2019, 20.1 and 10.5", None, None, None),
    ],
)
def test_identifiers_are_read_and_mended(
    text: str, doi: str | None, arxiv: str | None, url: str | None
) -> None:
    found = find_identifiers(text)
    assert (found.doi, found.arxiv, found.url) == (doi, arxiv, url)


def test_label_is_taken_off_but_no_year_or_title_is_taken_for_one() -> None:
    assert read_entry("12 Lee, A. 2019. Looms.", 11).label == "12"
    assert read_entry("12 Angry Looms. 2019.", 3).label == ""
    assert read_entry("1984. Looms of steel. Loom Press.", 3).label == ""
    assert read_entry("[Lee et al., 2021] Lee, A. (2021). Looms.", 3).label == "Lee et al., 2021"
    assert read_entry("(3) Lee, A. 2019. Looms.", 2).label == "3"


def test_year_is_not_taken_from_pages_titles_or_arxiv_numbers() -> None:
    assert read_entry("A. Lee, “Looms of 1984,” Loom J., pp. 1998–2004, 2014.", 0).year == 2014
    assert read_entry("Lee, A. 1999. Looms. In Papers from the 1998 Symposium.", 0).year == 1999
    assert read_entry("Lee A. Looms. arXiv:2005.11401.", 0).year is None
    assert read_entry("Lee, A. (in press). Weaving looms. Loom Journal.", 0).year is None
    suffixed = read_entry("Lee, A. 2019b. Looms. Loom Letters.", 0)
    assert (suffixed.year, suffixed.suffix) == (2019, "b")


PIECES = st.sampled_from(
    [
        "Lee",
        ", ",
        "A. ",
        "and ",
        "et al. ",
        "2019",
        "(",
        ")",
        ". ",
        "“",
        "”",
        "? ",
        "[1] ",
        "In ",
        "doi:10.1/",
        "10.1145/a-",
        "arXiv:",
        "http://",
        "van ",
        "é",
        "—",
        "Proc. ",
        "pp. 3–4",
        ";",
        "&",
        "'",
        "-",
        "\n",
        ": ",
    ]
)


@given(st.lists(PIECES, min_size=1, max_size=30).map("".join) | st.text(max_size=120))
def test_any_text_is_read_the_same_way_twice(text: str) -> None:
    entry = read_entry(text, 0)
    assert entry == read_entry(text, 0)
    assert all(author.name.strip() for author in entry.authors)


@pytest.mark.parametrize(
    "piece",
    ["Lee, A., ", "A. ", "“", "10.1145/a- ", "2019. ", "http://a. ", "arxiv ", "Aa-", "et al. "],
)
def test_hostile_entry_is_read(piece: str) -> None:
    assert read_entry(piece * (20_000 // len(piece)), 0).text
