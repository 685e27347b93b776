"""Tests of reading real papers with questions."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.asking.cases import read_papers

TEXT = "Introduction\nBees find home by landmarks.\nMethods\nWe tracked 40 bees with radar."


def row(key: str | None = "bees", text: str = TEXT, **changes: Any) -> dict[str, Any]:
    asked = [
        {"question": "How do bees find home?", "answer": "By landmarks. They remember them."},
        {"question": "How do bees find home?", "answer": "landmarks"},
        {"question": "Were the bees tracked?", "answer": "Yes"},
        {"question": "What did it cost?", "answer": "Unanswerable"},
        {"question": "", "answer": "nothing"},
    ]
    return {"doc_id": key, "full_text": text, "qa": asked, **changes}


def write(path: Path, rows: Sequence[object], *, pack: bool = False) -> Path:
    lines = (one if isinstance(one, str) else json.dumps(one) for one in rows)
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if pack else content)
    return path


@pytest.mark.parametrize("pack", [False, True])
def test_questions_with_their_answers_are_read(tmp_path: Path, pack: bool) -> None:
    found = read_papers(write(tmp_path / "papers", [row()], pack=pack))
    home, tracked, cost = found.cases
    (source,) = found.sources
    assert source.text == TEXT
    assert home.within == home.papers == (source.paper.id,)
    assert [answer.text for answer in home.answers] == [
        "By landmarks. They remember them.",
        "landmarks",
    ]
    assert [point.fact for point in home.answers[0].points] == [
        "By landmarks.",
        "They remember them.",
    ]
    assert (home.group, home.kind, tracked.kind) == ("papers", "open", "yes_no")
    assert tracked.in_scope
    assert not tracked.checkable, "a yes has no content words"
    assert (cost.group, cost.in_scope) == ("unanswerable", False)
    assert not found.left_out
