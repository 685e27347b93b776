"""What of a text is printed: its salient sentences, key phrases and themes."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.library.words import WordEmbedder
from tools.embed.embedder import Vectors
from tools.embed.minilm import MiniLm
from tools.embed.open_embedder import embedder
from tools.text.keyphrases import (
    candidate_phrases,
    keyphrases,
    own_names,
    phrase_stems,
    salient_phrases,
    search_words,
)
from tools.text.quotable import is_balanced, is_quotable
from tools.text.salience import (
    REDUNDANT,
    choose_sentences,
    most_telling_passages,
    passages,
    rank_sentences,
)
from tools.text.themes import BALANCED_FROM, ThemeGroup, cluster, group_vectors, largest_group

FIRST = "This year bees were lost on cloudy days."
SECOND = "They were late for supper every evening."
THIRD = "Such losses worry keepers of bees a lot."
FOURTH = "We propose a compass for bees in clouds."
TEXT = f"{FIRST} {SECOND} {THIRD} {FOURTH}"


def test_a_leaning_sentence_comes_with_the_one_that_it_leans_on() -> None:
    assert [(item.text, item.alone) for item in passages(TEXT)] == [
        (FIRST, True),
        (f"{FIRST} {SECOND}", False),
        (FOURTH, True),
    ]


def test_what_was_done_comes_before_what_is_announced() -> None:
    aim = "The aim of the work is to help bees in clouds."
    order = [
        item.text
        for item in most_telling_passages(embedder(), "A compass for bees.", f"{TEXT} {aim}")
    ]
    assert order[0] == FOURTH
    assert order.index(aim) > 1


@pytest.mark.parametrize(
    "sentence",
    [
        "We use {P3} as a marker in this.",
        "The loss is $\\alpha$ times the gain of it.",
        "As was shown by others [12], bees steer well.",
        "<jats:p>Bees steer by the sun at noon.</jats:p>",
        "The code of it is at https://example.org today.",
        "© 2020 The Authors of it, all of them.",
        "Bees (of the south steer by the sun.",
        "Do bees steer by the sun at noon?",
        "Bees steer.",
        "Bees steer by the sun at noon and",
        "1 2 3 4 5 6 7 8 9.",
        "Robustness to Dark Clouds We also keep bees in the dark.",
        "and bees steer by the sun at noon.",
    ],
)
def test_what_would_break_the_text_around_it_is_not_printed(sentence: str) -> None:
    assert not is_quotable(sentence)


@given(st.text(max_size=300))
def test_what_is_shown_stands_in_the_text(text: str) -> None:
    for item in passages(text):
        assert item.text in text
        assert is_balanced(item.text)


BEES = [
    "Bees find their way home by landmarks and by the sun.",
    "The sun guides bees on long flights.",
    "Landmarks guide bees near their home.",
    "Wasps build nests of paper.",
]


def test_sentence_that_others_resemble_ranks_highest() -> None:
    hub = "Sun, landmarks and odours lead bees home."
    ranks = rank_sentences(["The sun moves.", "Landmarks stay.", hub, "Odours drift.", "Wasps."])
    assert max(range(5), key=ranks.__getitem__) == 2
    assert math.isclose(ranks[0], ranks[1], rel_tol=1e-6)


def test_second_copy_of_a_sentence_is_not_chosen() -> None:
    chosen = choose_sentences([*BEES, BEES[0], BEES[0].upper()], 10)
    assert len({BEES.index(BEES[place]) for place in chosen if place < 4}) == len(chosen) == 4


@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.integers(1, 12))
def test_ranks_are_shares_of_one_whatever_the_texts(texts: list[str], count: int) -> None:
    ranks = rank_sentences(texts)
    assert len(ranks) == len(texts)
    assert math.isclose(sum(ranks), 1.0, rel_tol=1e-6)
    assert min(ranks) > 0
    assert ranks == rank_sentences(texts)
    chosen = choose_sentences(texts, count)
    assert 1 <= len(chosen) <= count
    assert len(set(chosen)) == len(chosen)
    assert 0 < REDUNDANT < 1


PHRASE_TEXT = (
    "Citation recommendation helps researchers. We propose a graph neural network for citation "
    "recommendation. The graph neural network of SciBERT embeddings reads 3 texts."
)


def test_candidates_stop_at_stop_words_verbs_and_marks() -> None:
    assert candidate_phrases(PHRASE_TEXT) == [
        "Citation recommendation",
        "graph neural network",
        "citation recommendation",
        "graph neural network",
        "SciBERT embeddings",
        "texts",
    ]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.integers(0, 5))
def test_no_phrase_is_part_of_a_better_one(text: str, limit: int) -> None:
    found = keyphrases(text, limit=limit)
    assert len(found) <= limit
    assert [phrase.score for phrase in found] == sorted((p.score for p in found), reverse=True)
    for place, phrase in enumerate(found):
        assert not any(set(phrase.stems) <= set(better.stems) for better in found[:place])


@pytest.mark.parametrize(
    "term",
    [
        "intensive care unit",
        "time series",
        "heart rate",
        "immune system",
        "machine learning",
        "random forest",
        "dark matter",
        "working memory",
        "older adults",
        "stem cell family",
        "risk assessment",
        "peer recommendation",
        "magnetic field",
        "labour market",
    ],
)
def test_terms_of_many_fields_stay_whole(term: str) -> None:
    assert candidate_phrases(f"We use the {term}.") == [term]


def test_salient_phrases_are_near_the_sentence_and_come_back_in_the_text() -> None:
    text = (
        "Migration altered labour markets. Dock workers founded mutual aid societies. "
        "Strike records show kinship among dock workers. Kinship shaped bargaining of dock workers."
    )
    first, last = "Migration altered labour markets.", "Kinship shaped bargaining of dock workers."
    near_first, near_last = salient_phrases(WordEmbedder(256), text, [first, last])
    assert near_last[0].text == "dock workers"
    places = [[phrase.text for phrase in found] for found in (near_first, near_last)]
    assert places[0].index("labour markets") < places[1].index("labour markets")
    assert {phrase.stems for phrase in near_first} == {phrase.stems for phrase in near_last}


@pytest.mark.parametrize(
    ("phrase", "words"),
    [
        ("graph-based ranking", ["graph", "ranking"]),
        ("program's resilience", ["program", "resilience"]),
        ("intensive care", ["intensive", "care"]),
        ("state-of-affairs", ["state-of-affairs"]),
        ("patient-reported side-effects", ["patient-reported", "side-effects"]),
    ],
)
def test_search_words_have_no_joints_and_no_possessives(phrase: str, words: list[str]) -> None:
    assert search_words(phrase) == words


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We present TextFlow, a flow of topics.", {"TextFlow"}),
        ("We introduce an interactive tool, Footprints, that helps.", {"Footprints"}),
        ("The approach, named ncNet, is fast.", {"ncNet"}),
        ("We propose the method InkPlanner.", {"InkPlanner"}),
        ("Diffusion tensor magnetic resonance imaging (DT-MRI) shows it.", {"DT-MRI"}),
        ("It follows the sequential organ failure assessment (SOFA) score.", {"SOFA"}),
        ("We propose BERT-based rankers.", set()),
        ("We develop vaccines against COVID-19.", set()),
        ("We fine-tune BERT, a model of others.", set()),
        ("The gene is mutated in mice (BRCA1).", set()),
        ("We call for reform in Hamburg.", set()),
    ],
)
def test_names_that_a_text_introduces_are_told_from_those_it_uses(
    text: str, names: set[str]
) -> None:
    assert own_names(text) == {item for name in names for item in phrase_stems(name)}


@pytest.mark.parametrize(
    "text",
    [
        "We present " + "A" * 20_000,
        "(AAAA) " * 2_800,
        "call " + "aA" * 10_000,
        "present a-" * 2_000,
    ],
    ids=["long word", "brackets", "camel", "hyphens"],
)
def test_names_in_hostile_texts_are_of_a_bounded_length(text: str) -> None:
    assert all(len(name) < 400 for name in own_names(text))


EMBEDDER = MiniLm()
SUBJECTS = {
    "citation recommendation": [
        "ranks candidate papers for a sentence that needs a citation",
        "recommends citations from a graph of papers and authors",
        "uses citation contexts to find the papers to cite",
        "predicts which references a manuscript is missing",
    ],
    "systematic review screening": [
        "screens abstracts of clinical trials with active learning",
        "saves reviewers work by ordering the articles to screen",
        "stops screening when enough trials were included",
        "asks a model whether an article meets the criteria",
    ],
    "image segmentation": [
        "segments organs in medical images with a convolutional network",
        "labels each pixel of a street scene",
        "segments cells in microscope images",
        "draws the outlines of objects in images",
    ],
}
TITLES = [f"A study in {name} {row}" for name, rows in SUBJECTS.items() for row in range(len(rows))]
BODIES = [f"The method {row}." for rows in SUBJECTS.values() for row in rows]
ABOUT = "We recommend citations for a paragraph of a scientific paper."


def grouped(count: int, groups: int) -> list[ThemeGroup]:
    """The last of these texts in groups."""
    wholes = [f"{title}. {body}" for title, body in zip(TITLES, BODIES, strict=True)][-count:]
    about, *rows = EMBEDDER.embed([ABOUT, *wholes])
    vectors, shared = np.stack(rows), np.zeros((count, 1), dtype=np.float32)
    return group_vectors(EMBEDDER, ABOUT, about, wholes, vectors, shared=shared, groups=groups)


def test_texts_are_grouped_by_what_they_are_about() -> None:
    groups = grouped(12, 3)
    assert sorted(group.members for group in groups) == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    assert groups[0].members == (0, 1, 2, 3), "the theme nearest to the text comes first"
    labels = [group.label for group in groups]
    assert len(set(labels)) == len(labels)
    assert all(2 <= len(label.split()) <= 3 for label in labels)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 12])
def test_every_text_is_in_one_group_and_none_is_alone(count: int) -> None:
    groups = grouped(count, 3)
    assert sorted(row for group in groups for row in group.members) == list(range(count))
    assert count <= 3 or min(len(group.members) for group in groups) >= 2
    assert 1 <= len(groups) <= 3
    assert len({group.label for group in groups}) == len(groups)


def test_number_of_themes_can_be_asked_for() -> None:
    assert len(grouped(12, 2)) == 2
    many = grouped(12, 50)
    assert 3 < len(many) <= 6
    assert min(len(group.members) for group in many) >= 2


def unit(rows: list[list[float]]) -> Vectors:
    vectors = np.asarray(rows, dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


ROWS = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(
        lambda row: sum(map(abs, row)) > 0.1
    ),
    min_size=1,
    max_size=40,
)


@given(ROWS, st.integers(1, 12))
@example([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0], [1, 0, 1]], 3)
@example([[0, 0, 1], [0, 0, 1], [0, 1, 0], [0, -1, 0], [1, 0, 0], [-1, 0, 0]], 3)
def test_clusters_part_the_rows_and_are_balanced(rows: list[list[float]], wanted: int) -> None:
    groups = cluster(unit(rows), wanted)
    assert sorted(row for group in groups for row in group) == list(range(len(rows)))
    if len(rows) > 3:
        assert min(map(len, groups)) >= 2
        assert len(groups) <= min(wanted, len(rows) // 2)
    if len(rows) >= BALANCED_FROM:
        assert max(map(len, groups)) <= largest_group(len(rows), len(groups))
