"""tools/text/themes.py: groups and their names, with the real embedder."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tools.embed.embedder import Vectors
from tools.embed.minilm import MiniLm
from tools.text.themes import BALANCED_FROM, cluster, group_texts, largest_group, theme_count

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


def test_texts_are_grouped_by_what_they_are_about() -> None:
    groups = group_texts(EMBEDDER, ABOUT, TITLES, BODIES)
    assert sorted(group.members for group in groups) == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    assert groups[0].members == (0, 1, 2, 3), "the theme nearest to the text comes first"
    labels = [group.label for group in groups]
    assert len(set(labels)) == len(labels)
    assert all(2 <= len(label.split()) <= 3 for label in labels)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 12])
def test_every_text_is_in_one_group_and_none_is_alone(count: int) -> None:
    groups = group_texts(EMBEDDER, ABOUT, TITLES[-count:], BODIES[-count:])
    assert sorted(row for group in groups for row in group.members) == list(range(count))
    assert count <= 3 or min(len(group.members) for group in groups) >= 2
    assert 1 <= len(groups) <= theme_count(count)
    assert len({group.label for group in groups}) == len(groups)


def test_number_of_themes_can_be_asked_for() -> None:
    assert len(group_texts(EMBEDDER, ABOUT, TITLES, BODIES, groups=2)) == 2
    many = group_texts(EMBEDDER, ABOUT, TITLES, BODIES, groups=50)
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
