"""Quotes and passages are found where they stand."""

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from state.document import Block, Document
from state.paper import Paper
from state.passage import Passage
from tests.library.words import WordEmbedder
from tools.documents.body import body_of, on_pages
from tools.documents.cut_passages import cut_passages
from tools.evidence.own_sentences import verbatim
from tools.evidence.passage_search import Searcher
from tools.evidence.quotes import MIN_LENGTH, find_quote, quote_paper

SOURCE = (
    "Citation counts grow. We propose CiteRank, a state-of-the-art ranker of scientific papers. "
    "It “beats” keyword search by 3–5 points — on all corpora. It works. Art starts here."
)


@pytest.mark.parametrize(
    ("claimed", "source", "found", "why"),
    [
        ("ranker of scientific papers", SOURCE, "ranker of scientific papers", "plain words"),
        ("STATE-OF-THE-ART RANKER", SOURCE, "state-of-the-art ranker", "case"),
        ("the ﬁnal eﬀect of citation", "The final effect of citation", "final effect", "ligatures"),
        (
            "the final effect of citation",
            "The ﬁnal eﬀect of citation",
            "ﬁnal eﬀect",
            "in the source",
        ),
        ('it "beats" keyword search', SOURCE, "It “beats” keyword search", "straight quotes"),
        ("by 3-5 points - on all corpora", SOURCE, "3–5 points — on", "dashes"),
        ("authors' own words and 'more'", "Authors’ own words and ‘more’", "‘more", "apostrophes"),
        ("an example of hyphens", "An exam\u00adple of hyphens", "exam\u00adple", "soft hyphen"),
        (
            "an example of hyphens",
            "An exam\u00ad\nple of hyphens",
            "exam\u00ad\nple",
            "at a line's end",
        ),
        ("an example of hyphens", "An exam-\n  ple of hyphens", "exam-\n  ple", "line hyphen"),
        ("an example of hyphens", "An exam‐\nple of hyphens", "exam‐\nple", "a real hyphen sign"),
        ("an example of hyphens", "An exam- ple of hyphens", "exam- ple", "its line end folded"),
        (
            "state-of-the-art methods",
            "A state-\nof-the-art methods",
            "state-\nof",
            "its own hyphen",
        ),
        (
            "pre- and post-training runs",
            "All pre- and post-training runs",
            "pre- and",
            "no line end",
        ),
        (
            "and post-training of rankers",
            "The pre- and post-training of rankers",
            "and post",
            "as well",
        ),
        (
            "words \n with\tother   space",
            "words with other space",
            "words with other",
            "white space",
        ),
        ("words with other space", "words\nwith\u00a0other \u2009space", "other", "strange spaces"),
        ("zero width in the words", "zero wid\u200bth in the words", "wid\u200bth", "zero width"),
        ("the café of naïve authors", "the cafe\u0301 of nai\u0308ve authors", "café", "composed"),
        (
            "the cafe\u0301 of nai\u0308ve authors",
            "the café of naïve authors",
            "café",
            "decomposed",
        ),
        (
            "ｆｕｌｌ width of the letters",
            "full width of the letters",
            "full width",
            "compatibility",
        ),
        ("the straße of the authors", "The STRASSE of the authors", "STRASSE", "case folding"),
        ("“ranker of scientific papers”", SOURCE, "ranker of scientific papers", "quoted"),
        ("...ranker of scientific papers...", SOURCE, "ranker of scientific papers", "ellipses"),
        (
            "[…] ranker of scientific papers [...]",
            SOURCE,
            "ranker of scientific papers",
            "in brackets",
        ),
        ("It works.", SOURCE, "It works.", "short, but a whole sentence"),
        ("it works", SOURCE, "It works", "and without its stop"),
    ],
)
def test_quote_is_found_whatever_its_typography(
    claimed: str, source: str, found: str, why: str
) -> None:
    span = find_quote(claimed, source)
    assert span is not None, why
    assert source[span.start : span.end] == span.text
    assert unicodedata.normalize("NFC", found) in unicodedata.normalize("NFC", span.text), why


@pytest.mark.parametrize(
    ("claimed", "source", "why"),
    [
        ("CiteRank is a ranker of patents", SOURCE, "invented words"),
        (
            "We propose CiteRank ... ranker of scientific papers",
            SOURCE,
            "an ellipsis is no licence",
        ),
        ("We propose CiteRank […] ranker of scientific papers", SOURCE, "nor is one in brackets"),
        ("ranker of scientific papers on all corpora", SOURCE, "words from two places"),
        ("scientific papers of ranker a", SOURCE, "words in another order"),
        ("keyword search", SOURCE, "too short"),
        ("on all corpora", SOURCE, "the end of a sentence is not all of it"),
        ("art starts", SOURCE, "too short, and no whole sentence"),
        ("art of the deal in full", "The start of the deal in full", "'art' in 'start'"),
        ("the deal is a good star", "the deal is a good start", "'star' in 'start'"),
        (
            "in the society of the cafe",
            "in the society of the café",
            "an accent is part of a letter",
        ),
        ("in the society of the cafe", "in the society of the cafe\u0301", "also a combining one"),
        ("", SOURCE, "nothing"),
        ("   \n", SOURCE, "white space"),
        ("“”…", SOURCE, "quotation marks around nothing"),
        ("-" * 30, "a " + "-" * 30 + " b", "only punctuation, though it is there"),
        (". " * 30, ". " * 40, "only full stops"),
        ("a ranker of scientific papers", "", "an empty source"),
        (SOURCE + " And more.", SOURCE, "longer than the source"),
        ("a\0ranker of scientific papers", SOURCE, "a NUL is no white space"),
    ],
)
def test_quote_that_is_not_there_is_not_found(claimed: str, source: str, why: str) -> None:
    assert find_quote(claimed, source) is None, why


WORD = st.text(
    alphabet=st.sampled_from("abcdefghijxyzABCéüßŁñ中文0123ﬁ’'“”-–—\u00ad\u0301"),
    min_size=5,
    max_size=9,
)
SPACE = st.sampled_from([" ", "  ", "\n", "\t", ". ", ", ", " (", ") ", "-\n", "\u00a0"])


@given(st.lists(st.tuples(WORD, SPACE), min_size=8, max_size=30), st.data())
def test_slice_between_white_space_is_found(
    pieces: list[tuple[str, str]], data: st.DataObject
) -> None:
    source = "".join(word + space for word, space in pieces)
    borders = [found.span() for found in re.finditer(r"\S+", source)]
    first = data.draw(st.integers(0, len(borders) - 6))
    last = data.draw(st.integers(first + 5, len(borders) - 1))
    claimed = source[borders[first][0] : borders[last][1]]
    # White space behind a hyphen joins two halves of a word: neither half is a quote of its own.
    assume(not re.search(r"[-‐\u00ad]\s+$", source[: borders[first][0]]))
    assume(not claimed.endswith(("-", "\u00ad")) or last == len(borders) - 1)
    bare = re.sub(r"[^\w ]|\u0301", "", claimed).strip()
    assume(len(bare) >= MIN_LENGTH and source[borders[first][0]] != "\u0301")
    span = find_quote(claimed, source)
    assert span is not None
    assert source[span.start : span.end] == span.text
    assert find_quote(span.text, claimed) is not None, "and it says what was claimed"


@given(st.text(), st.text())
def test_wild_input_never_raises_and_offsets_hold(claimed: str, source: str) -> None:
    span = find_quote(claimed, source)
    assert span is None or source[span.start : span.end] == span.text


PAPER = Paper(id="local:a", title="Ranking papers", abstract=SOURCE)
OTHER = Paper(id="local:b", title="Screening", abstract="We screen papers for systematic reviews.")


@pytest.mark.parametrize(
    ("claimed", "part", "why"),
    [
        ("a ranker of scientific papers", "abstract", ""),
        ("Ranking papers", "title", "a whole title may be short"),
    ],
)
def test_quote_of_a_paper_knows_where_it_stands(claimed: str, part: str, why: str) -> None:
    paper = PAPER.model_copy(update={"abstract": f"We build {SOURCE}"})
    quote = quote_paper(claimed.replace("a ranker", "ranker"), paper)
    text = {"abstract": paper.abstract or "", "title": paper.title}[part]
    assert quote.verified, why
    assert (quote.part, quote.paper) == (part, "local:a")
    assert text[quote.start : quote.end] == quote.text


@pytest.mark.parametrize(
    ("claimed", "why"),
    [
        ("We screen papers for systematic reviews.", "the words of another paper"),
        ("Ranking papers Citation counts grow.", "title and abstract are two texts"),
        ("Ranking", "part of a title is too short"),
    ],
)
def test_words_that_are_not_the_papers_stay_unverified(claimed: str, why: str) -> None:
    quote = quote_paper(claimed, PAPER)
    assert not quote.verified, why
    assert (quote.text, quote.start, quote.end) == (claimed, None, None)
    assert quote_paper("We screen papers for systematic reviews.", OTHER).verified


@pytest.mark.parametrize("end", [".", ",", ";", ":", "!"])
def test_one_mark_at_the_end_that_the_source_lacks_is_forgiven(end: str) -> None:
    found = find_quote(f"Large models of language{end}", "Large models of language and speech")
    assert found is not None
    assert found.text == "Large models of language"
    assert find_quote(f"Large models of language.{end}", "Large models of language") is None


def test_quote_of_the_least_length_counts_and_a_shorter_one_does_not() -> None:
    claimed = "p" * (MIN_LENGTH - 4) + " and"
    source = f"They were {claimed} so on."
    assert len(claimed) == MIN_LENGTH
    assert find_quote(claimed, source) is not None
    assert find_quote(claimed[1:], source.replace("pp", "p", 1)) is None


def test_hyphens_within_words_are_a_guess_of_who_read_the_file() -> None:
    source = (
        "Before. We used tenfold crossvalidation with stateof-the-art models of 3-5 layers. After."
    )
    span = find_quote("tenfold cross-validation with state-of-the-art models", source)
    assert span
    assert source[span.start : span.end] == "tenfold crossvalidation with stateof-the-art models"
    assert find_quote("state-of-the-art models of 35 layers", source) is None


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
    spans = [verbatim(sentence, searcher.whole.text) for sentence in (SILT, RIVER, BEECH)]
    assert [span and searcher.whole.part(span.start, span.end).place for span in spans] == [
        "2 Methods, p. 1",
        "2 Methods, p. 2",
        "3 Tools, p. 3",
    ]


def test_levels_find_a_paraphrase_the_best_first_and_people_see_single_sentences() -> None:
    searcher = Searcher(paper(), WordEmbedder(256))
    claim = "they weighed silt with a scale of a kitchen after floods"
    assert (searcher.nearest(claim, 1)[0].text, searcher.nearest(claim, 1)[0].page) == (SILT, 1)
    best = searcher.sentences(claim)[0]
    assert SILT in best.text
    assert RIVER in best.text, "a sentence comes with its neighbours"
    assert (best.section, best.page) == (("2 Methods",), 1)
    assert len(searcher.sentences(claim, most=2)) == 2
    assert SILT in searcher.paragraphs(claim)[0].text
    assert len(searcher.paragraphs(claim, 1)) < len(searcher.more_paragraphs(claim))
    assert Searcher([], WordEmbedder()).sentences(claim) == []


def test_sentence_of_which_a_reader_made_two_paragraphs_is_found_whole() -> None:
    assert verbatim(" ".join(BROKEN), Searcher(paper(), WordEmbedder()).whole.text)


def test_each_sentence_is_embedded_once_however_often_is_searched() -> None:
    embedder = WordEmbedder()
    searcher = Searcher(paper(), embedder)
    searcher.sentences("silt on a scale")
    before = embedder.texts
    searcher.paragraphs("silt on a scale")
    searcher.nearest("silt on a scale")
    searcher.more_paragraphs("silt on a scale")
    assert embedder.texts == before
    searcher.nearest("rulers of beech")
    assert embedder.texts == before + 1


def test_hyphen_that_a_reader_had_to_guess_hides_no_sentence() -> None:
    read = "We used tenfold crossvalidation with stateof-the-art methods throughout."
    written = "We used tenfold cross-validation with state-of-the-art methods throughout."
    assert verbatim(written, read)
    assert not verbatim(written.replace("tenfold", "twofold"), read)
