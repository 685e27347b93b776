"""Take the protocol and the papers to screen, given as ids or as records.

Reads the input of `screen`. Writes `run`, `request`, `protocol`, `stage_now`, `doubled`, `selected`, `stop`, and resets
what an earlier run on the same thread may have left; the papers go to the run store.
"""

from collections.abc import Mapping
from typing import cast, get_args
from uuid import uuid4

from nodes.common.check_input import parse_input, refusing
from nodes.write.take_papers import given_papers
from state.channels import ScreenState
from state.inputs import CheckedRequest, ScreenInput
from state.paper import Paper
from state.reducers import begin_run
from state.run import Failure
from state.screening import Protocol, Stage
from tools.errors import InputError, counted, did_you_mean
from tools.run_settings import check_settings
from tools.screening.screening import refusing_protocol
from tools.services import NodeRuntime, open_services

STAGE = "take_screening"
MOST = 500
"""Papers of one run."""


async def take_screening(state: Mapping[str, object], runtime: NodeRuntime) -> ScreenState:
    """Check the protocol and put the papers in the run store; what cannot be had is a failure."""
    run = uuid4().hex
    services = open_services(runtime, run)
    sent, request, protocol = ScreenInput(), CheckedRequest(text=""), None
    papers: list[Paper] = []
    failures: list[Failure] = []
    with refusing(STAGE) as stopped:
        check_settings(services.context)
        sent = parse_input(ScreenInput, state)
        if sent.stage not in get_args(Stage):
            meant = did_you_mean(sent.stage, get_args(Stage))
            raise InputError(
                f"there is no stage '{sent.stage}'{meant}; there are {', '.join(get_args(Stage))}"
            )
        with refusing_protocol("the protocol"):
            protocol = Protocol(
                question=sent.question, include=tuple(sent.include), exclude=tuple(sent.exclude)
            )
        if len(sent.papers) > MOST:
            raise InputError(
                f"{counted(len(sent.papers), 'paper')} were sent; one run screens at most {MOST}: send them in parts"
            )
        request = CheckedRequest(
            text=protocol.question,
            kind="question",
            library=sent.library,
            sources=tuple(dict.fromkeys(sent.sources)) or ("library",),
        )
        papers, failures = await given_papers(sent.papers, request, services, STAGE)
        if not papers:
            whys = "; ".join(dict.fromkeys(item.cause for item in failures))
            raise InputError(
                f"no paper to screen: {whys or 'give ids from the library, or records with title and abstract'}"
            )
    await services.run_store.papers.put(papers)
    return begin_run(
        ScreenState,
        run=run,
        request=request,
        protocol=protocol,
        stage_now=cast(Stage, sent.stage),
        doubled=sent.twice,
        selected=list(dict.fromkeys(paper.id for paper in papers)),
        failures=[*failures, *stopped],
        stop=next(iter(stopped), None),
    )
