"""What is asked of a corpus: papers of its own, or questions with the papers that answer them."""

from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from evals.json_lines import json_lines
from state.value import FrozenModel
from tools.errors import InputError

_LAX = ConfigDict(extra="ignore", str_strip_whitespace=True)


def _as_day(given: object) -> object:
    text = str(given)
    return date.fromisoformat(f"{text}-01-01" if text.isdigit() and len(text) == 4 else text)


class Sought(FrozenModel):
    """A paper that a question should find, by its id or its title."""

    model_config = _LAX

    id: str = ""
    title: str = ""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        found = {"id": given} if isinstance(given, str) else given
        if isinstance(found, dict) and not (found.get("id") or found.get("title")):
            raise ValueError("gold has neither 'id' nor 'title'")
        return found


class Query(FrozenModel):
    """A query paper by its id, or a question."""

    model_config = _LAX

    id: str = Field(min_length=1)
    text: str = ""
    """The question; empty for a paper, whose abstract is the text."""
    gold: tuple[Sought, ...] = ()
    before: Annotated[date, BeforeValidator(_as_day)] | None = None

    @model_validator(mode="after")
    def _answered(self) -> "Query":
        if self.text and not self.gold:
            raise ValueError("a 'text' and no 'gold'")
        return self


def read_queries(path: Path) -> list[Query]:
    """Return the queries of a file of JSON lines, each id once.

    A line has `id`, of a paper; or of a question: `id`, `text`, `gold` (ids, or objects with `id` and
    `title`) and perhaps `before` (a day or a year).

    Raises:
        InputError: The file cannot be read, is empty, or a line is no query; the message names it.
    """
    found: dict[str, Query] = {}
    for number, row in json_lines(path):
        try:
            query = Query.model_validate(row if isinstance(row, dict) else {"id": row})
        except ValidationError as error:
            first = error.errors()[0]
            where = f"'{first['loc'][0]}'" if first["loc"] else "it"
            raise InputError(
                f"line {number} of '{path}' is no query, see {where}: {first['msg']}"
            ) from error
        found.setdefault(query.id, query)
    if not found:
        raise InputError(f"'{path}' holds no queries: give JSON lines with 'id'")
    return list(found.values())
