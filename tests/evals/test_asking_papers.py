"""Tests of reading real papers with questions."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals.asking.cases import read_papers
from tests.graphs.stacks import first

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


def test_lines_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    rows = [
        row(),
        row("again"),
        row(None, text="Other words.", qa=[]),
        row("empty", text=""),
        row("wasps", text="Wasps find home, too."),
    ]
    found = read_papers(write(tmp_path / "papers", rows))
    assert [source.paper.title for source in found.sources] == ["Paper bees", "Paper wasps"]
    assert found.left_out["again"] == "bees is the same text"
    assert found.left_out["line 3"] == "it has no qa"
    assert found.left_out["empty"] == "it has no full_text and no file"


def test_documents_stand_beside_the_lines(tmp_path: Path) -> None:
    (tmp_path / "pdf").mkdir()
    (tmp_path / "pdf" / "owls.pdf").write_bytes(first())
    asked = [{"question": "How do owls hear?", "answer": "Unanswerable"}]
    rows = [
        {"doc_id": "owls", "file": "pdf/owls.pdf", "year": 2019, "qa": asked},
        {"doc_id": "gone", "file": "pdf/gone.pdf", "qa": asked},
    ]
    found = read_papers(write(tmp_path / "papers.jsonl", rows))
    (source,) = found.sources
    kind, document = source.read
    assert (kind, source.name, source.paper.year) == ("pdf", "owls.pdf", 2019)
    assert source.text == document.text
    assert source.paper.title == document.title
    assert found.cases[0].group == "unanswerable"
    assert "'pdf/gone.pdf' cannot be read: " in found.left_out["gone"]
