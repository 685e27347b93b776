"""Take the columns: check the questions, and list the papers of the library that are asked.

Reads the input of `table`. Writes `run`, `request`, `columns`, `row_ids`, `stop`.
"""

import asyncio
from collections.abc import Mapping
from uuid import uuid4

from nodes.ask.take_question import check_conditions, question_text
from nodes.common.check_input import check_language, parse_input, refusing
from state.ask import PassageConditions
from state.inputs import CheckedRequest
from state.paper import published_before
from state.reducers import begin_run
from state.table import TableInput, TableState
from tools.errors import InputError, counted
from tools.library.library import Library
from tools.run_settings import check_settings, route_options_of
from tools.services import NodeRuntime, open_services
from tools.text.words import question_language

STAGE = "take_columns"
MOST_COLUMNS, MOST_ROWS = 20, 5000


async def take_columns(state: Mapping[str, object], runtime: NodeRuntime) -> TableState:
    """Check the columns and the library; an error becomes `stop`, for a person to read."""
    run = uuid4().hex
    services = open_services(runtime, run)
    request, columns, rows = CheckedRequest(text="", kind="question"), list[str](), list[str]()
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        sent = parse_input(TableInput, state)
        columns = await _columns(sent, composes=services.mind.composes)
        request = CheckedRequest(text="\n".join(columns), kind="question", library=sent.library)
        wanted = await check_conditions(sent, services)
        rows = await asyncio.to_thread(_rows, await services.library(sent.library), wanted)
    return begin_run(
        TableState,
        settings=route_options_of(services.context),
        run=run,
        request=request,
        columns=columns,
        row_ids=rows,
        stop=next(iter(stopped), None),
        failures=stopped,
    )


async def _columns(sent: TableInput, *, composes: bool) -> list[str]:
    if not 0 < len(sent.questions) <= MOST_COLUMNS:
        raise InputError(
            f"{len(sent.questions)} questions: ask at least one and at most {MOST_COLUMNS}"
        )
    columns = [question_text(one) for one in sent.questions]
    folded = [one.casefold().rstrip("?. ") for one in columns]
    for place, one in enumerate(folded):
        if one in folded[:place]:
            raise InputError(f"the question “{columns[place]}” is there twice: ask it once")
        await check_language(columns[place], composes=composes, told_by=question_language)
    return columns


def _rows(library: Library, wanted: PassageConditions) -> list[str]:
    """Return the papers that meet the conditions, in the order of their coming.

    Raises:
        InputError: There are none, or too many.
    """
    ids = [key for key in library.ids() if not wanted.papers or key in wanted.papers]
    papers = library.get(ids)
    found = [
        key
        for key in ids
        if (paper := papers.get(key)) is not None
        and (wanted.first_year is None or (paper.year or 0) >= wanted.first_year)
        and (wanted.last_year is None or (paper.year or wanted.last_year + 1) <= wanted.last_year)
        and published_before(paper, wanted.before)
        and (not wanted.tags or set(wanted.tags) & set(library.texts.tags_of(key)))
    ]
    if not found:
        raise InputError(
            f"no paper of library '{library.name}' meets these conditions: give fewer"
            if ids
            else f"library '{library.name}' has no papers: add some first"
        )
    if len(found) > MOST_ROWS:
        raise InputError(
            f"{counted(len(found), 'paper')}: a table has at most {MOST_ROWS:,}; choose them by papers, tags or years"
        )
    return found
