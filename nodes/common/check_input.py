"""Check what a caller sent; shared by the first nodes of all graphs."""

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from state.inputs import Kind
from state.paper import Paper
from state.quote import Criterion
from state.run import Failure
from tools.errors import PROGRAM, CiteLoomError, InputError, counted, plain_fault
from tools.references.in_text import CITED
from tools.references.latex_prose import read_latex
from tools.scholar.open_source import ONLINE
from tools.text.words import language, language_name, tokens

MOST_INPUT_CHARACTERS = 20_000
MIN_WORDS = 3
_FEW_WORDS = 12
MOST_CRITERIA = 5
_SHORT = 120
"""Words up to which a question, or a text with a list, is read as conditions without a model."""
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$")
_TITLE_LINE = re.compile(r"^\s*(?:title\s*:)\s*(.+)$", re.IGNORECASE)
_LINE_MARK = re.compile(r"^\s{0,3}(?:#{1,6}\s+|[-*+]\s+|>\s?|```\w*$)", re.MULTILINE)
# In pairs and, for underscores, at the ends of words only: 'A* search' and 'snake_case' are words.
_EMPHASIS = re.compile(
    r"([*`]{1,3})(?=\S)([^*`\n]+)(?<=\S)\1|(?<!\w)(_{1,3})(?=\S)([^_\n]+)(?<=\S)\3(?!\w)"
)
# 'Abstract' begins sentences, too: 'Abstract meaning representation', 'Abstract-level screening'.
_LABEL = re.compile(
    r"^\s*(?i:abstract)(?:\s*[:.—–]\s*|\s*-\s+|-(?=[A-Z])|\s*\n\s*"
    r"|\s+(?=(?:We|In|This|The|Our|An?|Recent|Existing|Large)\s))"
)


@contextmanager
def refusing(stage: str, home: Path | None = None) -> Iterator[list[Failure]]:
    """Collect the error that refuses an input as the failure that stops the run, for a person to read.

    Args:
        stage: The step that takes the input.
        home: Where it writes: an error of the disk is told of this folder; without one it passes.
    """
    stopped: list[Failure] = []
    try:
        yield stopped
    except CiteLoomError as error:
        stopped.append(Failure(stage=stage, subject="input", cause=str(error), fatal=True))
    except OSError as error:
        if home is None:
            raise
        cause = f"CiteLoom cannot write to {home}: {error.strerror}"
        stopped.append(Failure(stage=stage, subject="run", cause=cause, fatal=True))


def clean_text(raw: str) -> tuple[str | None, str]:
    """Return the heading, if there is one, and the text below it without marks of Markdown or LaTeX.

    Raises:
        InputError: The text is empty, too short, too long, or not text at all.
    """
    odd = sum(not (char.isprintable() or char.isspace()) for char in raw)
    if "\x00" in raw or odd > max(len(raw) / 50, 3):  # a stray zero-width space is no binary file
        raise InputError(
            "the input is not text (it looks like a binary file): give an abstract as plain text or "
            "Markdown; for a PDF, copy its abstract into a text file"
        )
    if len(raw) > MOST_INPUT_CHARACTERS:
        raise InputError(
            f"the input has {len(raw):,} characters; the maximum is {MOST_INPUT_CHARACTERS:,}: give "
            "the abstract (and at most the introduction), not the whole paper"
        )
    if any(part[:1].isalpha() for part in raw.split("\\")[1:]):
        raw = CITED.sub("", read_latex(raw)[0])
    title: str | None = None
    lines = raw.removeprefix("\ufeff").strip().splitlines()
    if lines and (found := _HEADING.match(lines[0]) or _TITLE_LINE.match(lines[0])):
        title = _unmarked(found[1])
        lines = lines[1:]
        if title.casefold().rstrip(" :.") == "abstract":
            title = None
    text = " ".join(_LABEL.sub("", _unmarked("\n".join(lines))).split())
    if not text and title:
        text, title = title, None
    count = len(tokens(text))
    if count < MIN_WORDS:
        raise InputError(
            f"the input has {counted(count, 'word')}: give an abstract, or at least a "
            "question or idea of one sentence"
        )
    return title, text


def _unmarked(text: str) -> str:
    plain = _LINE_MARK.sub("", text)
    for _ in range(2):  # '**bold with *italics* inside**'
        plain = _EMPHASIS.sub(r"\2\4", plain)
    return plain.strip()


def input_kind(text: str) -> Kind:
    """Tell an abstract from an idea or a question by its end and length."""
    if text.rstrip().endswith("?"):
        return "question"
    return "abstract" if len(tokens(text)) >= 40 else "idea"


def plain_criteria(raw: str) -> tuple[Criterion, ...]:
    """Return what a short question or list asks for, as it stands there: the list's items, else the question.

    Args:
        raw: As it was sent: a text that was cleaned has no lists.
    """
    if len(tokens(raw)) > _SHORT:
        return ()
    asked = " ".join(_unmarked(raw).split())
    items = list(filter(None, map(_unmarked, _list_items(raw))))
    if len(items) < 2:
        items = [asked] if input_kind(asked) == "question" else []
    return tuple(Criterion(criterion=item) for item in items)


def _list_items(raw: str) -> Iterator[str]:
    """Yield the first paragraph of each item of the lists of a Markdown text."""
    from markdown_it import MarkdownIt

    begun = False
    for token in MarkdownIt("commonmark", {"html": False}).parse(raw):
        if token.type == "inline" and begun:
            yield " ".join(token.content.split())
        begun = token.type == "list_item_open" or (begun and token.type == "paragraph_open")


async def check_language(
    text: str, *, composes: bool, told_by: Callable[[str], str] = language
) -> tuple[str, tuple[str, ...]]:
    """Return the language's code and notes for the caller.

    The language is told in a thread: what tells it loads a model from disk when it is first needed.

    Args:
        text: What the caller sent.
        composes: Whether a model that writes text of its own will read it.
        told_by: How the language is told; a short question needs its own way.

    Raises:
        InputError: The embedded engine would have to read a language other than English.
    """
    code = await asyncio.to_thread(told_by, text)
    if code == "en":
        return code, ()
    name = language_name(code)
    if not composes:
        raise InputError(
            f"the input seems to be in {name}, but embedded mode reads only English: give an "
            f"English version, or configure an LLM (see `{PROGRAM} doctor`)"
        )
    return code, (f"the input seems to be in {name}; CiteLoom searches and writes in English",)


def notes_on_input(text: str) -> tuple[str, ...]:
    """Return notes where the input is so short that results will be broad, or reads like a Boolean search."""
    notes: list[str] = []
    if len(tokens(text)) < _FEW_WORDS:
        notes.append("the input is very short: a whole abstract gives much better results")
    if not text.isupper() and (used := sorted(_OPERATORS & set(text.split()))):
        notes.append(
            f"CiteLoom reads {', '.join(used)} as words, and not as a Boolean search: they require and exclude "
            "nothing. Say what you look for in a sentence; `exclude` keeps single papers out"
        )
    return tuple(notes)


def by_its_key(paper: Paper, seen: Collection[str], number: int) -> Paper:
    """Return a record that is known by its key in its file as well, and by that alone where its id is taken.

    Two entries of a list may bear one DOI, one of them wrongly: they are two entries all the same.

    Args:
        paper: As it was sent.
        seen: The ids of the records before it.
        number: Its place among all that was sent, from 1.
    """
    named = [key for key in paper.aliases if key.startswith("local:")]
    if paper.record and paper.record.key:
        named.insert(0, f"local:{paper.record.key}")
    others = dict.fromkeys([*paper.aliases, *named])
    if paper.id not in seen:
        return paper.model_copy(update={"aliases": tuple(key for key in others if key != paper.id)})
    own = next((key for key in named if key not in seen), f"local:entry {number}")
    aliases = tuple(key for key in [*others, paper.id] if key != own)
    return paper.model_copy(update={"id": own, "aliases": aliases})


def check_date(value: date | str | None, name: str = "cut-off") -> date | None:
    """Return the cut-off, or another day that the caller named, as a date.

    Raises:
        InputError: It is not YYYY-MM-DD.
    """
    if value is None or isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except ValueError as error:
        raise InputError(f"the {name} '{value}' is not a date: give it as YYYY-MM-DD") from error


def check_sources(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of sources on the network, each once.

    Raises:
        InputError: There is no such source.
    """
    for name in names:
        if name not in ONLINE:
            raise InputError(f"there is no source '{name}'; there are: {', '.join(ONLINE)}")
    return tuple(dict.fromkeys(names))


def why_unknown(names: Sequence[str], failed: Mapping[str, str]) -> str:
    """Say of a paper that was not found which of these sources lack it, and which could not be asked, and why."""
    lacking = " and ".join(name for name in names if name not in failed)
    told = [f"{lacking} {'have' if ' and ' in lacking else 'has'} no such paper"] if lacking else []
    return "; ".join([*told, *(f"{name} did not answer ({why})" for name, why in failed.items())])


_TEXTS = {"papers", "tags", "library", "ids"}
"""Fields that reach a database, which takes no half characters."""
InputT = TypeVar("InputT", bound=BaseModel)


def parse_input(model: type[InputT], sent: Mapping[str, object]) -> InputT:
    """Return what a caller sent as a model; what was left out takes its default.

    Raises:
        InputError: A value is not of its type; all such values are named.
    """
    try:
        found = model.model_validate(dict(sent))
        found.model_dump_json(include=_TEXTS & set(model.model_fields))
    except PydanticSerializationError as error:
        raise InputError(
            "the input has broken characters (lone surrogates): give plain text"
        ) from error
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in item['loc'][:2])}: {plain_fault(item['msg'])}"
            for item in error.errors()
        ]
        raise InputError(f"the input cannot be used: {'; '.join(faults[:5])}") from error
    return found
