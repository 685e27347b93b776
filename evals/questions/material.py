"""The documents that questions are made on, and what code holds against a question."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.questions.tasks import Asked
from evals.runner import say
from state.document import JOINT, Document
from tools.documents.file_types import suffix
from tools.documents.grobid import grobid_of
from tools.errors import DocumentError, InputError
from tools.evidence.quotes import find_quote, quote_fault
from tools.ingest.discover_files import RECORDS, is_read
from tools.ingest.reader_processes import read_file
from tools.llm.task import count_tokens
from tools.settings import Settings
from tools.text.words import distinct_content_stems

_SAME = 0.8
"""Share of content stems (Jaccard) from which two questions are one."""


@dataclass(frozen=True)
class Material:
    """A document with its headings, and without its list of references."""

    id: str
    title: str
    blocks: tuple[str, ...]

    @property
    def text(self) -> str:
        """Its words."""
        return JOINT.join(self.blocks)

    def parts(self, tokens: float) -> list[str]:
        """Return its text in parts of at most so many tokens; a paragraph is never cut."""
        parts: list[list[str]] = [[]]
        left = tokens
        for block in self.blocks:
            size = count_tokens(block)
            if parts[-1] and size > left:
                parts.append([])
                left = tokens
            parts[-1].append(block)
            left -= size
        return [JOINT.join(part) for part in parts]


def read_folder(folder: Path, at: Settings) -> list[Material]:
    """Read the documents below a folder as the product does, by name; what cannot be read is told.

    Raises:
        InputError: There is none.
    """
    paths = [
        path
        for path in sorted(folder.rglob("*"))
        if is_read(path)
        and suffix(path.name) not in RECORDS
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    found: list[Material] = []
    for path in paths:
        try:
            read = read_file(str(path), path.name, grobid_of(at)).document
        except DocumentError as error:
            say(f"{path.name} is left aside: {error}")
            continue
        key = path.relative_to(folder).with_suffix("").as_posix()
        title = read.title or path.stem
        title = f"{title} ({key})" if title in (one.title for one in found) else title
        found.append(Material(key, title, (title, *_headed(read))))
    if not found:
        raise InputError(f"'{folder}' holds no document: give a folder of PDF, HTML or text files")
    return found


def _headed(document: Document) -> Iterator[str]:
    above: tuple[str, ...] = ()
    for block in document.blocks:
        if block.kind != "reference":
            if block.section and block.section != above:
                yield block.section[-1]
            above = block.section
            yield block.text


def fault_of(
    item: Asked, answer: str, texts: Mapping[str, str], least: int, earlier: Sequence[str]
) -> str:
    """Say why a question cannot be used; empty where it can.

    Args:
        item: The question.
        answer: Its answer.
        texts: The documents by the names under which they were shown.
        least: Of how many of them its passages must be.
        earlier: The questions that there are already.
    """
    if not item.question.strip() or not answer.strip():
        return "the question or its answer is empty"
    for passage in item.passages:
        if fault := quote_fault(passage, texts.values()):
            return f"a passage is {fault[1]}"
    if (used := len({place_of(passage, texts)[0] for passage in item.passages})) < least:
        return f"its passages are of {used} of the texts, not of {least}"
    if named := [name for name in texts if name in f"{item.question} {answer}"]:
        return f"it says {named[0]}, which its readers do not see"
    if same := [one for one in earlier if _same(one, item.question)]:
        return f"it asks what was asked before: “{same[0]}”"
    return ""


def place_of(passage: str, texts: Mapping[str, str]) -> tuple[str, str]:
    """Return the first of the texts that has a passage, and its words there; the passage must be in one."""
    return next(
        (name, span.text) for name, text in texts.items() if (span := find_quote(passage, text))
    )


def _same(one: str, other: str) -> bool:
    these, those = distinct_content_stems(one), distinct_content_stems(other)
    return len(these & those) >= _SAME * len(these | those)
