"""tools/text/themes.py: groups and their names, with the real embedder."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.embed.minilm import MiniLm
from tools.embed.port import Vectors
from tools.text.themes import cluster, group_texts

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
    assert len(groups) <= (1 if count < 4 else 2 if count < 7 else 3)
    assert len({group.label for group in groups}) == len(groups)


def test_groups_without_a_telling_phrase_still_have_names_of_their_own() -> None:
    groups = group_texts(EMBEDDER, "", ["A"] * 14, ["It is so."] * 14)
    assert len({group.label for group in groups}) == len(groups) > 1


def test_no_texts_have_no_themes() -> None:
    assert group_texts(EMBEDDER, ABOUT, [], []) == []


def unit(rows: list[list[float]]) -> Vectors:
    vectors = np.asarray(rows, dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


ROWS = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(
        lambda row: sum(map(abs, row)) > 0.1
    ),
    min_size=1,
    max_size=16,
)


@given(ROWS, st.integers(1, 4))
def test_clusters_part_the_rows_and_leave_none_alone(rows: list[list[float]], wanted: int) -> None:
    groups = cluster(unit(rows), wanted)
    assert sorted(row for group in groups for row in group) == list(range(len(rows)))
    assert len(groups) <= max(wanted, 1)
    assert len(rows) <= 3 or min(map(len, groups)) >= 2
