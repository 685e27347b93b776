"""Review: let a person edit the queries of a hop, and the criteria of the first, before they are searched for.

Reads `run`, `request`, `queries`, `hop`. Writes `queries` and `request`. The graph stops here as the run's setting
`review_queries` asks; it goes on with the answer.
"""

from collections.abc import Sequence
from typing import cast, get_args

from nodes.common.ask_person import CLOSING, ask_person, should_ask
from nodes.common.check_input import MOST_CRITERIA
from nodes.find.query_terms import MAX_KEYWORDS
from state.channels import FindState
from state.questions import QueriesQuestion
from state.quote import Criterion
from state.search import Facet, SearchQuery
from tools.errors import InputError, counted
from tools.scholar.source import terms
from tools.services import NodeRuntime, open_services
from tools.text.words import tokens

FEW_WORDS = 15
"""Words of an input below which its queries are mostly guesses."""
MOST = 20
"""Queries of a hop."""
_WHOLE = "whole: the input as it is, for sources that search by meaning"
ASKED = (
    "Edit the queries, one per line: the aspect (problem, method, contribution, gap "
    f"or all), a colon, and at most {MAX_KEYWORDS} terms; put terms of several words "
    f"in quotation marks. 'whole:' searches for the input itself. {CLOSING}"
)
ASKED_CRITERIA = (
    f" CiteLoom judges each paper by the lines that begin with 'required:' or 'preferred:', {MOST_CRITERIA} "
    "at most; it keeps no paper that says otherwise than what is required."
)
_SIGNS = {"required": True, "preferred": False}


async def review_queries(state: FindState, runtime: NodeRuntime) -> FindState:
    """Stop for a person, once a hop."""
    services = open_services(runtime, state["run"])
    hop, text = state["hop"], state["request"].text
    mine = [query for query in state["queries"] if query.hop == hop]
    if not mine or not should_ask(services.context.review_queries, why := _why(mine, text, hop)):
        return {"failures": []}
    criteria = state["request"].criteria if hop == 1 else ()
    question = QueriesQuestion(
        instructions=ASKED + ASKED_CRITERIA * bool(criteria),
        proposal="\n".join(
            [
                *map(_line, mine),
                *(
                    f"{'required' if item.required else 'preferred'}: {item.criterion}"
                    for item in criteria
                ),
            ]
        ),
        why=why,
        hop=hop,
        queries=tuple(mine),
        criteria=criteria,
    )
    others = [query for query in state["queries"] if query.hop != hop]

    async def read(edited: str) -> FindState:
        rest, stated = read_criteria(edited) if hop == 1 else (edited, ())
        known = {one.criterion: one for one in criteria}
        kept = [
            known.get(one.criterion, one).model_copy(update={"required": one.required})
            for one in stated
        ]
        request = state["request"].model_copy(update={"criteria": tuple(kept)})
        return {
            "queries": [*others, *read_queries(rest, mine, hop, text)],
            "request": request if hop == 1 else state["request"],
        }

    return await ask_person(question, read) or {"queries": state["queries"]}


def _why(queries: Sequence[SearchQuery], text: str, hop: int) -> str:
    if hop > 1:
        return ""
    if all(query.facet == "whole" for query in queries):
        return "CiteLoom found no keyword query"
    return "the input is very short" if len(tokens(text)) < FEW_WORDS else ""


def _line(query: SearchQuery) -> str:
    if query.facet != "whole":
        return f"{query.facet}: {query.text}"
    return _WHOLE if query.runs[:1] <= (1,) else f"whole: half of the input, search {query.runs[0]}"


def read_criteria(edited: str) -> tuple[str, tuple[Criterion, ...]]:
    """Return an edited proposal without the lines of criteria, and these.

    Raises:
        InputError: One is empty, or there are too many.
    """
    rest: list[str] = []
    found: dict[str, bool] = {}
    for row in edited.splitlines():
        sign, colon, words = row.strip().removeprefix("- ").partition(":")
        if not colon or sign.strip().casefold() not in _SIGNS:
            rest.append(row)
        elif not words.strip():
            raise InputError(f"'{row.strip()}' has no criterion: write it, or delete the line")
        else:
            found[" ".join(words.split())] = _SIGNS[sign.strip().casefold()]
    if len(found) > MOST_CRITERIA:
        raise InputError(
            f"{len(found)} criteria given, but the maximum is {MOST_CRITERIA}: delete some lines"
        )
    stated = tuple(Criterion(criterion=text, required=must) for text, must in found.items())
    return "\n".join(rest), stated


def read_queries(
    edited: str, proposed: Sequence[SearchQuery], hop: int, text: str
) -> list[SearchQuery]:
    """Return the queries of an edited proposal; lines that stayed as they were keep their reasons.

    Raises:
        InputError: A line is no query, or there is none, or there are too many.
    """
    known = {_line(query): query for query in proposed}
    rows = [" ".join(row.split()).removeprefix("- ") for row in edited.splitlines()]
    rows = list(dict.fromkeys(row for row in rows if row and not row.startswith("#")))
    if not rows:
        raise InputError("no query left: leave at least one line, or answer 'stop'")
    if len(rows) > MOST:
        raise InputError(
            f"{counted(len(rows), 'query', 'queries')} given, but the maximum is {MOST}: "
            "delete some lines"
        )
    return [known.get(row) or _query(row, hop, text) for row in rows]


def _query(row: str, hop: int, text: str) -> SearchQuery:
    facet, colon, words = row.partition(":")
    facet = facet.strip().casefold()
    if not colon:
        facet, words = ("gap" if hop > 1 else "all"), row
    elif facet not in get_args(Facet):
        raise InputError(
            f"'{row}' begins with '{facet}': begin with one of {', '.join(get_args(Facet))} and a colon, or "
            "leave both out"
        )
    found = terms(words)
    if facet == "claim" and words.strip():
        return SearchQuery(
            text=words.strip(), facet="claim", reason="A person asked for it.", hop=hop
        )
    if facet == "whole":
        return SearchQuery(
            text=text[:2000], facet="whole", reason="A person asked for it.", hop=hop
        )
    if not 1 <= len(found) <= MAX_KEYWORDS:
        raise InputError(
            f"'{row}' has {len(found)} terms; a query has 1 to {MAX_KEYWORDS}: put terms of "
            "several words in quotation marks, or split the line"
        )
    keywords = " ".join(f'"{term}"' if " " in term else term for term in found)
    return SearchQuery(
        text=keywords, facet=cast(Facet, facet), reason="A person asked for it.", hop=hop
    )
