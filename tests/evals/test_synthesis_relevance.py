"""Which paragraphs count as relevant before a mind is asked, on made-up papers and experts."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.synthesis.relevance import Asked, main, of_experts, of_papers, off_topic, row
from tests.evals.test_asking_command import BEES, BREAD
from tests.support import RememberingEmbedder

QUESTION = "How were the displaced bees tracked?"
RADAR = "We tracked 40 displaced bees with harmonic radar near the hive."
PAPERS: list[dict[str, Any]] = [
    {"full_text": BEES, "qa": [
        {"question": QUESTION, "answer": "Tracked with harmonic radar."},
        {"question": "Is it better?", "answer": "Yes"},
    ]},
    {"full_text": BREAD, "qa": [{"question": "How high are loaves?", "answer": "Height with a laser."}]},
]  # fmt: skip
EXPERTS: list[dict[str, Any]] = [
    {"question": "How do bees find home?", "answer": "By landmarks [1].", "contexts": [
        {"text": "Home bees lack."}, {"text": "Bees find home by landmarks."}, {"text": None},
    ]},
    {"question": "Why does bread rise?", "answer": "By yeast [0].", "contexts": [
        {"text": "Bread rises by wild yeast."},
    ]},
]  # fmt: skip


def test_paragraph_with_the_answers_words_is_relevant() -> None:
    alone = of_papers(PAPERS, 1)
    assert [item.question for item in alone] == [QUESTION, "How high are loaves?"]
    (radar,) = [text for text, fits in zip(alone[0].texts, alone[0].relevant, strict=True) if fits]
    assert "harmonic radar" in radar
    stack = of_papers(PAPERS, 3)[0]
    assert len(stack.texts) > len(alone[0].texts)
    assert stack.relevant.count(True) == 1


def test_context_that_was_shown_and_not_cited_is_neither_right_nor_wrong() -> None:
    bees, bread = of_experts(EXPERTS)
    assert bees.texts == (
        "Home bees lack.", "Bees find home by landmarks.", "Bread rises by wild yeast.",
    )  # fmt: skip
    assert bees.relevant == (None, True, False)
    assert bread.relevant == (True, False, False)


def test_questions_of_experts_are_put_to_papers_that_do_not_tell() -> None:
    found = off_topic(of_experts(EXPERTS), of_papers(PAPERS, 1))
    assert [item.question for item in found] == [item["question"] for item in EXPERTS]
    assert not any(any(item.relevant) for item in found)


def test_row_tells_what_is_taken(embedder_with_memory: RememberingEmbedder) -> None:
    other = "A starter is fed with flour and water each day."
    asked = Asked(QUESTION, (RADAR, other), (True, False))
    told = row("own", [asked], embedder_with_memory, 30)
    assert (told["n"], told["paragraphs"]) == (1, "2")
    assert (told["alone: recall"], told["alone: precision"]) == ("1.00", "1.00")
    assert (told["lost"], told["alone: none"]) == ("0.000", "0.00")
    nothing = row("other", [Asked("Who built Rome?", (other,), (False,))], embedder_with_memory, 30)
    assert (nothing["alone: none"], nothing["alone: recall"], nothing["lost"]) == ("1.00", "", "")


def test_run_over_what_a_folder_has(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "has no questions" in capsys.readouterr().err
    lines = "".join(json.dumps(item) + "\n" for item in PAPERS)
    (tmp_path / "papers_with_questions.jsonl").write_text(lines, encoding="utf-8")
    main([str(tmp_path)])
    shown = capsys.readouterr().out
    assert "| own paper | 2 |" in shown
    assert "experts" not in shown
