"""The measures of LLM-Ref's Table 1 by words and an embedder, on answers that deserve them and on others."""

from collections.abc import Sequence
from typing import Any

import pytest

from evals.synthesis.measures import (
    COMPOSITES,
    Told,
    average_precision,
    composite,
    measures,
)
from tests.support import RememberingEmbedder

QUESTION = "How were the displaced bees tracked?"
RADAR = "We tracked 40 displaced bees with harmonic radar near the hive."
BREAD = "Sourdough bread rises by wild yeast. A starter is fed with flour each day."
GOLD = [["They were tracked with harmonic radar."]]


def told(**changes: Any) -> Told:
    good: dict[str, Any] = {
        "question": QUESTION,
        "lines": ["40 displaced bees were tracked with harmonic radar."],
        "contexts": [RADAR, BREAD],
        "golds": GOLD,
    }
    return Told(**(good | changes))


def test_good_answer_from_the_right_context(embedder_with_memory: RememberingEmbedder) -> None:
    found = measures(embedder_with_memory, told())
    assert found["faithfulness"] == found["context_recall"] == found["context_precision"] == 1.0
    assert found["context_relevancy"] == pytest.approx(1 / 3)
    assert found["answer_relevancy"] > 0.6
    assert found["answer_similarity"] > 0.6
    assert found["lines"] == 1


def test_invented_line_and_invented_number_are_not_faithful(
    embedder_with_memory: RememberingEmbedder,
) -> None:
    lines = ["60 displaced bees were tracked with harmonic radar.", "Whales sing in winter."]
    assert measures(embedder_with_memory, told(lines=lines))["faithfulness"] == 0.0


@pytest.mark.parametrize(
    ("hits", "value"),
    [([], 0.0), ([False], 0.0), ([True, False], 1.0), ([False, True, True], (1 / 2 + 2 / 3) / 2)],
)
def test_average_precision(hits: Sequence[bool], value: float) -> None:
    assert average_precision(hits) == pytest.approx(value)


def test_composite_is_what_the_table_of_the_paper_has() -> None:
    """LLM-Ref's own row: FF .629, AR .948, context relevancy .268 and recall .705 give .513."""
    row = {
        "faithfulness": 0.629,
        "answer_relevancy": 0.948,
        "context_relevancy": 0.268,
        "context_precision": 0.976,
        "context_recall": 0.705,
    }
    found = composite([row], COMPOSITES["composite"], seed=0)
    assert found["mean"] == pytest.approx(0.513, abs=0.001)
    assert found["low"] == pytest.approx(found["high"])
    with_precision = composite([row], COMPOSITES["with_precision"], seed=0)
    assert with_precision["mean"] == pytest.approx(0.786, abs=0.001)
