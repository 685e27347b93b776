"""Documents cut into passages."""

from hypothesis import given, settings
from hypothesis import strategies as st

from state.document import Block, BlockKind, Document
from state.passage import LARGEST, SMALLEST, Passage
from tools.documents.cut_passages import TARGET, cut_passages


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


@settings(max_examples=80)
@given(BLOCKS, st.integers(20, 240))
def test_every_passage_is_a_stretch_of_the_text_and_none_is_too_long(
    blocks: list[Block], target: int
) -> None:
    found = passages(*blocks, target=target)
    assert all(1 <= size <= LARGEST for size in sizes(found))
    ends = [0, *(one.end for one in found)]
    assert all(end <= one.start for end, one in zip(ends, found, strict=False))
    assert len({one.id for one in found}) == len(found)


@settings(max_examples=80)
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
