from hypothesis import given
from hypothesis import strategies as st

from state.document import Block
from tests.pdf import papers
from tools.pdf.front_matter import FrontMatter
from tools.pdf.reader import confidence_of, legibility, read_pdf

_PARTS = {"text", "title", "authors", "abstract", "sections", "paragraphs", "references"}
_FRONT = FrontMatter("Rivers", ("Ilse Brook",), None, None, None, 1.0)


def block(text: str, kind: str = "text", *section: str) -> Block:
    return Block.model_validate({"text": text, "kind": kind, "section": section})


def test_clean_paper_is_relied_on_in_every_part() -> None:
    document = read_pdf(papers.paper(), name="rivers.pdf")
    assert set(document.confidence) == _PARTS
    assert min(document.confidence.values()) >= 0.85


def test_broken_words_lower_what_they_stand_in() -> None:
    clean = [block("The traces of the last flood are plain. " * 6)]
    poor = [block("The tr aces of th e las t fl ood ar e pl ain. " * 6)]
    assert legibility(clean) == 1
    assert legibility(poor) < 0.7
    assert confidence_of(_FRONT, poor, pages=1, unread=0)["title"] < 0.7
    assert (
        legibility([block("See http://a.example/~lind for the traces of the last flood. " * 6)])
        == 1
    )


def test_gaps_in_the_numbers_of_sections_lower_them() -> None:
    def sections(*titles: str) -> float:
        blocks = [block("Words.", "text", title) for title in titles]
        return confidence_of(_FRONT, blocks, pages=1, unread=0)["sections"]

    whole = sections("1 Introduction", "2 Method", "3 Results", "4 Conclusion")
    assert whole == 1
    assert sections("1 Introduction", "3 Results", "4 Conclusion", "7 Thanks") < whole
    assert 0 < sections("Introduction", "Method", "Results", "Thanks") < whole
    assert sections() == 0


def test_pages_that_were_not_read_lower_the_paragraphs_and_the_references() -> None:
    blocks = [block("A whole sentence."), block("Lind, A. 2015. Silt by hand.", "reference")]
    all_read = confidence_of(_FRONT, blocks, pages=4, unread=0)
    half_read = confidence_of(_FRONT, blocks, pages=4, unread=2)
    assert half_read["paragraphs"] == all_read["paragraphs"] / 2
    assert half_read["references"] == all_read["references"] / 2
    assert half_read["title"] == all_read["title"]


def test_labels_that_skip_and_entries_without_a_year_lower_the_references() -> None:
    def references(*texts: str) -> float:
        blocks = [block(text, "reference") for text in texts]
        return confidence_of(_FRONT, blocks, pages=1, unread=0)["references"]

    assert references("[1] Lind. 2015. Silt by hand.", "[2] Holm. 2018. Charcoal, a clock.") == 1
    assert references("[1] Lind. 2015. Silt by hand.", "[4] Holm. 2018. Charcoal, a clock.") == 0.5
    assert references("Lind and Reyes on silt in valleys.", "Holm. 2018. Charcoal, a clock.") == 0.5


_BLOCKS = st.lists(
    st.builds(
        Block,
        text=st.text(min_size=1, max_size=80),
        section=st.lists(st.text(max_size=20), max_size=2).map(tuple),
        kind=st.sampled_from(["text", "list", "abstract", "reference", "equation", "table"]),
    ),
    max_size=8,
)


@given(_BLOCKS, st.integers(0, 5), st.integers(0, 5))
def test_every_value_is_a_share(blocks: list[Block], pages: int, unread: int) -> None:
    found = confidence_of(_FRONT, blocks, pages=pages, unread=unread)
    assert set(found) == _PARTS
    assert all(0 <= value <= 1 for value in found.values())
