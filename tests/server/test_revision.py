"""A change that only a model can make: without one no surface makes a run of it."""

from uuid import uuid4

import pytest

from citeloom import arevise
from citeloom.runs.run_record import all_runs
from tests.server.conftest import Server
from tests.server.hostile import IDEA, Caller
from tests.support import SMALL, small_records
from tools.errors import InputError

REFUSED = "only a model can follow this instruction"


def test_no_run_is_made_of_an_instruction_that_needs_a_model(server: Server) -> None:
    caller = Caller(server.url)
    papers = [paper.id for paper in small_records()[:2]]
    section = caller.run("write", text=IDEA, library=SMALL, papers=papers)["run"]
    wanted = {"assistant_id": "revise", "input": {"section": section, "instruction": "sing it"}}
    thread = caller.thread()
    before = threads(caller)
    for place in (
        f"/threads/{thread}/runs",
        f"/threads/{thread}/runs/wait",
        "/runs/wait",
        "/runs/stream",
    ):
        answer = caller.post(place, wanted)
        assert (answer.status_code, REFUSED in answer.text) == (422, True), (place, answer.text)
    parts = [{"text": "sing it"}, {"data": {"section": section}}]
    message = {"role": "ROLE_USER", "messageId": uuid4().hex, "parts": parts}
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    told = caller.post("/citeloom/a2a/revise", call, headers={"A2A-Version": "1.0"})
    assert REFUSED in told.text
    assert not threads(caller) - before, "what earlier tests left may go at any time; nothing comes"
    assert caller.get(f"/threads/{thread}/runs").json() == []
    # What needs no model is done.
    done = caller.run("revise", section=section, instruction="without [2]")
    assert (done["stop"], len(done["references"])) == (None, 1)


def threads(caller: Caller) -> set[str]:
    found = caller.post("/threads/search", {"limit": 100}).json()
    return {thread["thread_id"] for thread in found}


async def test_python_refuses_it_too(home: object) -> None:
    kept = len(all_runs())
    with pytest.raises(InputError, match=REFUSED):
        await arevise("any", "sing it")
    assert len(all_runs()) == kept
