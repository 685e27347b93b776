"""A review brought up to date: the same search again, what it finds anew, and the section with it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import uuid4

from langgraph.runtime import Runtime

from citeloom.runs.run_record import RunRecord
from nodes.common.publisher_notices import noticed_now
from state.inputs import FindInput
from state.paper import Paper, index_by_ids
from state.results import RankedPaper, Reference
from state.run import Failure
from tools.errors import InputError
from tools.run_settings import RunSettings
from tools.services import open_services


def repeat_search_input(run: RunRecord, after: str | None) -> dict[str, Any]:
    """Return the input of `find` that searches as a run did, only papers from a day on where one is given.

    Raises:
        InputError: The run searched for nothing.
    """
    if run.graph not in {"find", "review"}:
        raise InputError(
            f"'{run.name}' is a run of `{run.graph}`, which does not search: name the run of "
            "`review` or `find` that it came from"
        )
    inputs = {name: run.inputs[name] for name in FindInput.model_fields if name in run.inputs}
    # Papers that had to be in are in; those from before the day could not be.
    return {**inputs, "after": after or inputs.get("after"), "must_include": []}


async def noticed_since(
    run: RunRecord, values: Mapping[str, Any]
) -> tuple[list[Paper], list[Failure]]:
    """Return the papers that a run cited, or kept where it wrote nothing, of which something was said since.

    Beside them, who could not be asked.

    The run's sources are asked anew, each as the run would ask it.
    """
    papers = [item.paper for item in values.get("references") or ()]
    papers = papers or [item.paper for item in values.get("papers") or () if item.selected]
    if not papers:
        return [], []
    services = open_services(Runtime(context=RunSettings(**run.context)), uuid4().hex)
    marked, failures = await noticed_now(
        services, values["request"], papers, "update", records=True
    )
    return list(marked.values()), failures


def paper_ids_seen(values: Mapping[str, Any]) -> frozenset[str]:
    """Return every id of every paper that a run has seen, kept or not."""
    return frozenset(index_by_ids(item.paper for item in values.get("papers") or ()))


def papers_not_seen(values: Mapping[str, Any], known: frozenset[str]) -> list[RankedPaper]:
    """Return the papers that a search kept and an earlier run, which knows these ids, has not seen."""
    return [
        item
        for item in values.get("papers") or ()
        if item.selected and known.isdisjoint((item.paper.id, *item.paper.aliases))
    ]


def input_with_new_papers(
    run: RunRecord,
    before: Mapping[str, Any],
    new: Sequence[RankedPaper],
    gone: Collection[str] = (),
) -> dict[str, Any] | None:
    """Return the input of `write` for a run's section with new papers, or None where it can stand as it is.

    Those belong in that rank at least as high as the last one that the run cited, or kept where it wrote
    nothing; they are cited beside as many as before. What is `gone`, by id, is cited no more.
    """
    references: Sequence[Reference] = before.get("references") or ()
    cited = {item.paper.id for item in references} - {*gone}
    kept: list[RankedPaper] = [
        item for item in before.get("papers") or () if item.selected and item.paper.id not in gone
    ]
    bar = min((item.score for item in kept if not cited or item.paper.id in cited), default=0.0)
    taken = [item for item in new if item.score >= bar]
    if not (taken or (references and gone)) or not (taken or kept):
        return None
    papers = [item.paper.model_dump(mode="json") for item in (*taken, *kept)]
    given = {name: value for name, value in run.inputs.items() if name in {"library", "style"}}
    cite = (len(cited) or min(len(kept), _CITED)) + len(taken)
    return {"text": run.inputs["text"], **given, "papers": papers, "cite": min(cite, _MOST)}


_CITED, _MOST = 10, 200
