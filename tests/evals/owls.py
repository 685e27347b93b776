"""A folder as the benchmarks of `synthesize` take it: the made-up paper on owls, and what is known of it."""

import json
from pathlib import Path

from tests.graphs.stacks import QUESTION, first


def owls(folder: Path) -> Path:
    """Put a PDF, its truth and a question into a folder, and return that."""
    (folder / "owls").mkdir()
    (folder / "owls" / "heights.pdf").write_bytes(first())
    works = [
        {"label": "1", "id": None, "title": "Asymmetric ears of owls and what they are for"},
        {"label": "2", "id": "10.5555/voles.2018", "title": None},
        {"label": "3", "id": None, "title": "Two listeners are better than one"},
    ]
    row = {
        "file": "owls/heights.pdf",
        "title": "Owls",
        "abstract": "",
        "citation_style": "numbered",
        "n_references": 3,
        "references": works,
        "contexts": [],
    }
    (folder / "truth.jsonl").write_text(json.dumps(row), encoding="utf-8")
    asked = {"question": QUESTION, "files": ["owls/heights.pdf"]}
    (folder / "questions.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    return folder
