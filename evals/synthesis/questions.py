"""The questions that are asked of the papers of a folder; they hold no text of these."""

from dataclasses import dataclass
from pathlib import Path

from evals.json_lines import json_lines
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
    try:
        return [Question(row["question"], tuple(row["files"])) for _, row in json_lines(path)]
    except (KeyError, TypeError) as error:
        raise InputError(f"the questions '{path}' have no question or files: {error}") from error


def files_of(folder: Path, asked: Question) -> list[Path]:
    """Return the files that a question is asked of.

    Raises:
        InputError: One is missing.
    """
    paths = [folder / file for file in asked.files]
    if missing := [path for path in paths if not path.is_file()]:
        raise InputError(f"there is no '{missing[0].name}' in '{missing[0].parent}'")
    return paths
