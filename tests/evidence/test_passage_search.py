"""tools/evidence/passage_search.py: what of a paper is nearest to a claim, and where its words stand."""

from state.document import Block, Document
from state.passage import Passage
from tests.library.words import WordEmbedder
from tools.documents.body import body_of, on_pages
from tools.documents.cut_passages import cut_passages
from tools.evidence.own_sentences import verbatim
from tools.evidence.passage_search import Searcher

FILL = (
    "The valley is wide and green in the early part of the year. Sheep walk there from the first days "
    "of spring. Nobody counts them with any care. Their owners live behind the hills in houses of stone. "
)
SILT = "Silt was weighed on a kitchen scale after each flood."
RIVER = "The scale had been tared against a bottle of river water."
BEECH = "All rulers were cut from beech, which neither bends nor swells."
BROKEN = (
    "A sentence that a figure parts goes on after it with the rest of what",
    "it had to say about beech.",
)


def paper() -> list[Passage]:
    """Passages of a paper of three pages, one sentence running from the first to the second."""
    turned = f"{FILL}{SILT} {RIVER}"
    blocks = [
        Block(text=FILL * 2, section=("1 Introduction",), page=1),
        Block(text=turned, section=("2 Methods",), page=1, turns=((turned.index("kitchen"), 2),)),
        Block(text=f"{FILL}{BROKEN[0]}", section=("2 Methods",), page=2),
        Block(text=BROKEN[1], section=("2 Methods",), page=3),
        Block(text=f"{FILL}{BEECH}", section=("3 Tools",), page=3),
        Block(text="Lind, A. 2015. Silt.", section=("References",), page=3, kind="reference"),
    ]
    document = Document(blocks=tuple(blocks), pages=3)
    passages = cut_passages(document, paper="doi:10.1/x", title="Silt", sha256="0" * 64)
    return on_pages(body_of(passages), document)


def test_each_passage_is_on_the_page_where_its_sentences_begin_and_its_place_in_the_text_is_kept() -> (
    None
):
    found = {
        sentence: [item.page for item in paper() if sentence in item.text]
        for sentence in (SILT, RIVER, BEECH)
    }
    assert found == {SILT: [1], RIVER: [2], BEECH: [3]}
    for item in paper():
        assert item.end - item.start == len(item.text)
    assert not any("Lind" in item.text for item in paper())


def test_sentence_is_found_with_the_section_and_page_of_its_beginning() -> None:
    searcher = Searcher(paper(), WordEmbedder())
    found = {
        sentence: next(item for item in searcher.whole(sentence) if verbatim(sentence, item.text))
        for sentence in (SILT, RIVER, BEECH)
    }
    assert [item.place for item in found.values()] == [
        "2 Methods, p. 1",
        "2 Methods, p. 2",
        "3 Tools, p. 3",
    ]


def test_levels_find_a_paraphrase_the_best_first_and_people_see_single_sentences() -> None:
    searcher = Searcher(paper(), WordEmbedder(256))
    claim = "they weighed silt with a scale of a kitchen after floods"
    assert searcher.nearest(claim, 1)[0].text == SILT
    assert searcher.nearest(claim, 1)[0].page == 1
    best = searcher.sentences(claim)[0]
    assert SILT in best.text
    assert RIVER in best.text, "a sentence comes with its neighbours"
    assert (best.section, best.page) == (("2 Methods",), 1)
    assert len(searcher.sentences(claim, most=2)) == 2
    assert SILT in searcher.paragraphs(claim)[0].text
    (section,) = searcher.sections(claim, most=1)
    assert SILT in section.text
    assert BEECH not in section.text
    assert Searcher([], WordEmbedder()).sentences(claim) == []


def test_sentence_of_which_a_reader_made_two_paragraphs_is_found_whole() -> None:
    searcher = Searcher(paper(), WordEmbedder())
    whole = " ".join(BROKEN)
    assert any(verbatim(whole, item.text) for item in searcher.whole(whole))


def test_each_sentence_is_embedded_once_however_often_is_searched() -> None:
    embedder = WordEmbedder()
    searcher = Searcher(paper(), embedder)
    searcher.sentences("silt on a scale")
    before = embedder.texts
    searcher.paragraphs("silt on a scale")
    searcher.nearest("silt on a scale")
    searcher.sections("silt on a scale")
    assert embedder.texts == before
    searcher.nearest("rulers of beech")
    assert embedder.texts == before + 1


def test_hyphen_that_a_reader_had_to_guess_hides_no_sentence() -> None:
    read = "We used tenfold crossvalidation with stateof-the-art methods throughout."
    written = "We used tenfold cross-validation with state-of-the-art methods throughout."
    assert verbatim(written, read)
    assert not verbatim(written.replace("tenfold", "twofold"), read)
