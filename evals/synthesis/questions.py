"""The questions that are asked of the papers of a folder; they hold no text of these."""

import json
from dataclasses import dataclass
from pathlib import Path

from tools.errors import InputError

QUESTIONS = Path(__file__).with_name("questions.jsonl")


@dataclass(frozen=True)
class Question:
    """A question, and the files that it is asked of."""

    question: str
    files: tuple[str, ...]


def read_questions(path: Path = QUESTIONS) -> list[Question]:
    """Return the questions, one a line.

    Raises:
        InputError: It cannot be read, or a line is no question with files.
    """
    found: list[Question] = []
    try:
        for line in filter(str.strip, path.read_text("utf-8").splitlines()):
            row = json.loads(line)
            found.append(Question(row["question"], tuple(row["files"])))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"the questions '{path}' cannot be read: {error}") from error
    return found


def files_of(folder: Path, asked: Question) -> list[Path]:
    """Return the files that a question is asked of.

    Raises:
        InputError: One is missing.
    """
    paths = [folder / file for file in asked.files]
    if missing := [path for path in paths if not path.is_file()]:
        raise InputError(f"there is no '{missing[0].name}' in '{missing[0].parent}'")
    return paths
