"""Bodies of documents, their paragraphs, and the passages that they are cut into."""

from hypothesis import given
from hypothesis import strategies as st

from state.bibliography import Bibliography, InTextCitation
from state.document import JOINT, Block, BlockKind, Document, DocumentEntry
from state.passage import LARGEST, OF_ANNOTATION, OF_RECORD, SMALLEST, Passage
from tests.pdf.papers import REFERENCES, RUNNING
from tests.pdf.papers import paper as rivers
from tools.documents.body import body_of, on_pages
from tools.documents.cut_passages import TARGET, cut_passages
from tools.documents.open_document import read_document
from tools.documents.paragraphs import paragraphs_of, rebuilt
from tools.references.read_bibliography import entries_at_end, read_bibliography


def words(count: int, stem: str = "w") -> str:
    """A text of so many words, in sentences of at most 12, none like another."""
    parts = [f"{stem}{number}" for number in range(count)]
    groups = [" ".join(parts[start : start + 12]).capitalize() for start in range(0, count, 12)]
    return ". ".join(groups) + "."


def block(text: str, *section: str, kind: BlockKind = "text", page: int | None = None) -> Block:
    return Block(text=text, section=section, kind=kind, page=page)


def passages(*blocks: Block, target: int = TARGET) -> list[Passage]:
    document = Document(blocks=blocks, reader="made 1")
    found = cut_passages(document, paper="doi:10.1/x", title="Made", sha256="ab", target=target)
    assert all(one.text == document.text[one.start : one.end] for one in found)
    return found


def sizes(found: list[Passage]) -> list[int]:
    return [one.words for one in found]


def test_short_paragraphs_of_a_section_are_joined_and_sections_kept_apart() -> None:
    found = passages(
        block(words(50, "a"), "1 A", page=1),
        block(words(60, "b"), "1 A", page=2),
        block(words(70, "c"), "1 A", page=3),
        block(words(40, "d"), "2 B", page=4),
    )
    assert sizes(found) == [110, 70, 40]
    assert [one.section for one in found] == [("1 A",), ("1 A",), ("2 B",)]
    assert [one.page for one in found] == [1, 3, 4]
    assert {(one.paper, one.title, one.document) for one in found} == {("doi:10.1/x", "Made", "ab")}


def test_long_paragraph_is_cut_between_sentences_into_even_parts() -> None:
    found = passages(block(words(600), "1 A"))
    assert sizes(found) == [156, 156, 156, 132]
    assert all(one.text.endswith(".") for one in found)
    assert " ".join(one.text for one in found) == words(600)


def test_long_abstract_is_cut_at_ends_of_sentences() -> None:
    sentences = [
        f"{words(size - 1, f's{at}x')[:-1]} end." for at, size in enumerate((150, 200, 290, 30))
    ]
    text = " ".join(one.replace(". ", " ") for one in sentences)
    found = passages(block(text, kind="abstract"))
    assert max(sizes(found)) <= LARGEST
    assert all(one.text.endswith(" end.") for one in found)
    assert " ".join(one.text for one in found) == text


def test_text_without_sentences_or_spaces_is_cut_between_words() -> None:
    text = " ".join(f"w{number}" for number in range(1000))
    found = passages(block(text))
    assert all(SMALLEST <= size <= LARGEST for size in sizes(found))
    assert " ".join(one.text for one in found) == text
    assert max(len(one.text) for one in passages(block("模型学习表示" * 500))) <= 2 * LARGEST
    assert max(len(one.text) for one in passages(block("x" * 100_000))) <= 40 * LARGEST


def test_short_section_joins_its_sibling_and_the_last_what_stands_before() -> None:
    found = passages(
        block(words(60, "a"), "1 A", "1.1 X"),
        block("A few words only.", "2 B", "2.1 Y"),
        block(words(60, "c"), "2 B", "2.2 Z"),
        block("Thanks to all.", "Acknowledgements"),
    )
    assert [one.section for one in found] == [("1 A", "1.1 X"), ("2 B", "2.2 Z")]
    assert found[1].text.startswith("A few words only.\n\n")
    assert found[1].text.endswith("Thanks to all.")
    assert sizes(passages(block("Only four words here.", "1 A"))) == [4]
    assert passages() == []


def test_captions_small_tables_abstracts_and_what_stands_between_references_are_kept_once() -> None:
    found = passages(
        block(words(30), "Summary of it all", kind="abstract"),
        block(words(40, "a"), "1 A"),
        block("Table 1: sizes of things", "1 A", kind="caption"),
        block("thing | size ; hive | 3", "1 A", kind="table"),
        block(words(30), "2 B"),
        block("[1] Somebody.", "References", kind="reference"),
        block(" | ".join(f"{n}.5" for n in range(400)), "References", kind="table"),
        block("Data are at example.org.", "Data"),
    )
    assert [one.section for one in found] == [("Abstract",), ("1 A",), ("Data",)]
    assert "hive | 3" in found[1].text


KINDS: list[BlockKind] = [
    "text",
    "text",
    "text",
    "abstract",
    "list",
    "caption",
    "table",
    "equation",
    "code",
    "footnote",
    "reference",
]
SECTIONS = st.lists(st.sampled_from(["A", "B", "C"]), max_size=3).map(tuple)
TEXTS = st.one_of(
    st.integers(1, 450).flatmap(
        lambda count: st.text("abc", min_size=2).map(lambda stem: words(count, stem))
    ),
    st.lists(st.text("abcdefg.?", min_size=1, max_size=9), min_size=1, max_size=400).map(" ".join),
    st.text(min_size=1),
)
BLOCKS = st.lists(
    st.builds(
        Block, text=TEXTS, section=SECTIONS, kind=st.sampled_from(KINDS), page=st.integers(1, 9)
    ),
    max_size=12,
)


@given(BLOCKS, st.integers(20, 240))
def test_every_passage_is_a_stretch_of_the_text_and_none_is_too_long(
    blocks: list[Block], target: int
) -> None:
    found = passages(*blocks, target=target)
    assert all(1 <= size <= LARGEST for size in sizes(found))
    ends = [0, *(one.end for one in found)]
    assert all(end <= one.start for end, one in zip(ends, found, strict=False))
    assert len({one.id for one in found}) == len(found)


@given(
    st.lists(st.tuples(st.integers(1, 450), SECTIONS), min_size=1, max_size=30),
    st.integers(20, 240),
)
def test_all_words_come_back_and_no_passage_is_short(
    parts: list[tuple[int, tuple[str, ...]]], target: int
) -> None:
    blocks = [block(words(count, f"s{at}x"), *section) for at, (count, section) in enumerate(parts)]
    found = passages(*blocks, target=target)
    text = " ".join(one.text for one in blocks)
    assert " ".join(" ".join(one.text.split()) for one in found) == text
    assert max(sizes(found)) <= LARGEST
    assert min(sizes(found)) >= min(SMALLEST, len(text.split()))


PROSE = "Smith (2010) weighed silt in winter. It was cold, and few went with him to the valley."
ENTRIES = (
    "Lind, A. and Reyes, O. 2015. Counting silt by hand in small valleys. Silt 4, 1-12.",
    "Holm, B. 2018. Charcoal as a clock for those without ash. Journal of Embers 7, 33-41.",
    "[3] Anna Brook, Tom Ford. Rivers and their memory. In Proceedings of Rivers, 2019.",
    "Valley Office",
    "Moss, C. and Orr, D. (2020). Two people dig better than one. Spades, 3(1), 5-9.",
)


def passage(text: str, *section: str, document: str = "f", start: int = 0) -> Passage:
    return Passage(
        id=str(start),
        paper="doi:10.1/x",
        title="Silt",
        section=section,
        start=start,
        end=start + len(text),
        text=text,
        document=document,
    )


def test_records_annotations_and_lists_under_a_heading_are_no_text() -> None:
    kept = passage(PROSE, "1 Results")
    others = [
        passage("Rivers keep traces.", "Abstract", document=""),
        passage("On rivers.", *OF_ANNOTATION, document=""),
        passage("A record.", *OF_RECORD, document=""),
        passage(ENTRIES[0], "References"),
        passage(ENTRIES[1], "A Further Things", "Literaturverzeichnis"),
    ]
    assert body_of([*others, kept]) == [kept]


def test_entries_are_cut_out_of_the_passage_that_they_share_with_prose() -> None:
    text = JOINT.join([PROSE, ENTRIES[0], ENTRIES[1], "The end of it all."])
    parts = body_of([passage(text, "5 End", start=100)], ENTRIES)
    assert [part.text for part in parts] == [PROSE, "The end of it all."]
    assert [text[part.start - 100 : part.end - 100] for part in parts] == [
        PROSE,
        "The end of it all.",
    ]


def test_list_without_a_heading_is_known_by_its_entries_at_the_end_of_the_text() -> None:
    assert set(ENTRIES) - {*entries_at_end([PROSE, "It rained.", *ENTRIES])} == {"Valley Office"}
    assert entries_at_end([*ENTRIES, "It rained.", "It snowed."]) == []
    assert entries_at_end([PROSE, "It rained.", ENTRIES[0], ENTRIES[1]]) == []


def test_pdf_gives_neither_its_list_nor_its_running_head_and_each_passage_its_page() -> None:
    _, document = read_document(rivers(), name="rivers.pdf")
    passages = body_of(cut_passages(document, paper="doi:10.1/x", title="Rivers", sha256="0" * 64))
    found = on_pages(passages, document)
    text = "\n".join(item.text for item in found)
    assert not any(entry[4:30] in text for entry in (*REFERENCES, RUNNING))
    assert len(found) > len(passages) > 0
    for item in found:
        assert document.text[item.start : item.end] == item.text
    said = {f"In year {number} the floods": number for number in (2, 3, 4)}
    pages = {words: {item.page for item in found if item.text.startswith(words)} for words in said}
    assert pages == {words: {page} for words, page in said.items()}
    assert on_pages(passages, None) == passages


PAPER = "doi:10.5555/owls"
LONG = (
    "Barn owls find voles in the dark by ear alone, as was shown in barns without any light [1]. Their "
    "ears stand at different heights, which tells them the height of a sound in the meadow below [2]."
)
PARAGRAPH_BLOCKS = (
    Block(text="We tell how owls hear.", kind="abstract", page=1),
    Block(text=LONG, section=("1 Hearing",), page=1),
    Block(text="See [1].", section=("1 Hearing",), page=1),
    Block(text="12 31 44 57 68 71 93 17 20 10 8", section=("1 Hearing",), page=2),
    Block(
        text="Table 1: Owls and voles by month of the year.", section=("1 Hearing",), kind="caption"
    ),
    Block(text=LONG.replace("Barn owls", "Long-eared owls"), section=("2 More",), page=2),
    Block(text=LONG, section=("2 More",), page=3),
    Block(text="[1] A. Lind. 2015. Barns without light. Birds 4.", kind="reference", page=3),
    Block(text="[2] B. Holm. 2018. The height of a sound. Birds 7.", kind="reference", page=3),
    Block(text="[3] C. Moss. 2020. Two listeners. Birds 9.", kind="reference", page=3),
)
DOCUMENT = Document(blocks=PARAGRAPH_BLOCKS, pages=3, reader="test 1")
ENTRY = DocumentEntry(sha256="0" * 64, paper=PAPER, name="owls.pdf", kind="pdf", reader="test 1")


def test_paragraphs_are_whole_numbered_placed_and_have_their_citations() -> None:
    place = LONG.index("[1]")
    cited = InTextCitation(
        block=1, start=place, end=place + 3, text="[1]", style="number", entries=(0,), unlinked=()
    )
    found = paragraphs_of(DOCUMENT, Bibliography(citations=(cited,)), PAPER)
    assert [item.text for item in found] == [
        PARAGRAPH_BLOCKS[0].text,
        LONG,
        PARAGRAPH_BLOCKS[5].text,
    ]
    assert [item.number for item in found] == [1, 2, 3]
    assert (found[0].section, found[1].place) == (("Abstract",), "1 Hearing, p. 1, paragraph 2")
    (citation,) = found[1].citations
    assert found[1].text[citation.start : citation.end] == "[1]"
    assert found[0].citations == found[2].citations == ()
    other = paragraphs_of(DOCUMENT, Bibliography(), "doi:10.5/x")
    assert not {item.id for item in found} & {item.id for item in other}


def test_document_of_a_library_gets_its_blocks_and_references_back() -> None:
    passages = cut_passages(DOCUMENT, paper=PAPER, title="Owls", sha256="0" * 64)
    again = rebuilt(ENTRY, DOCUMENT.text, passages)
    assert [block.text for block in again.blocks] == [block.text for block in PARAGRAPH_BLOCKS]
    assert [block.kind for block in again.blocks[-3:]] == ["reference"] * 3
    assert (again.blocks[1].section, again.blocks[5].page) == (("1 Hearing",), 2)
    bibliography = read_bibliography(again)
    assert [item.label for item in bibliography.entries] == ["1", "2", "3"]
    paragraphs = paragraphs_of(again, bibliography, PAPER)
    (long,) = [item for item in paragraphs if item.text == LONG]
    assert [item.entries for item in long.citations] == [(0,), (1,)]
    numbers = Document(
        blocks=(PARAGRAPH_BLOCKS[1], Block(text="1993 1994 " * 40, kind="table")), reader="test 1"
    )
    kept = cut_passages(numbers, paper=PAPER, title="Owls", sha256="0" * 64)
    assert rebuilt(ENTRY, numbers.text, kept).blocks[1].kind == "table"
