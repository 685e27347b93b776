"""A process that works on runs until it is killed: `python -m tests.service.kill_worker`.

It reads one order a line and works on each in a fork of its own, which kills itself with SIGKILL where the
order says; then it answers with one line. What a fork had to import the next one finds imported. Only this
script knows of kills: nothing in the product does.
"""

import asyncio
import gc
import json
import os
import signal
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"  # read when LangGraph is imported

import tools.embed.open_embedder
from citeloom.runs.local_executor import open_run, stream_run
from citeloom.runs.run_record import load_run
from tests.library.words import WordEmbedder

runner: Any = import_module("langgraph.pregel._runner")

_PATIENCE = 60.0
"""Seconds that a node whose turn to be killed comes later waits for the death of the process."""


def work(order: dict[str, Any], home: Path) -> None:
    """Go on with a run, and die in the node of the order, if it names any: its work done, none of it kept."""
    os.environ.update(order["variables"])
    os.chdir(home)
    tools.embed.open_embedder._opened[("minilm", "", "")] = WordEmbedder()
    inner = runner.arun_with_retry

    def account(file: str, line: list[Any]) -> None:
        with (home / file).open("a", encoding="utf-8") as told:
            told.write(f"{json.dumps(line)}\n")

    async def watched(task: Any, *rest: Any, **more: Any) -> None:
        place = task.config["configurable"]["checkpoint_ns"].split("|")
        node = "|".join(part.split(":")[0] for part in place)
        account("entered", [node, task.config["metadata"]["langgraph_step"]])
        await inner(task, *rest, **more)
        if (
            node in order["later"]
        ):  # it runs beside the one to die in, and is not to be kept before its turn
            await asyncio.sleep(_PATIENCE)
        account("left", [node])
        if order["kill"] == node:
            os.kill(os.getpid(), signal.SIGKILL)

    runner.arun_with_retry = watched
    values = asyncio.run(_to_the_end(order["run"], order["fresh"], account))
    (home / "result").write_text(json.dumps(values), encoding="utf-8")


async def _to_the_end(name: str, fresh: bool, account: Any) -> Any:
    from pydantic_core import to_jsonable_python

    run = load_run(name)
    async with open_run(run) as (graph, _):
        values, _ = await stream_run(
            graph, run, lambda event: account("told", [dict(event)]), fresh=fresh
        )
        return to_jsonable_python(
            {key: values[key] for key in graph.output_channels if key in values}
        )


def carry_out(order: dict[str, Any]) -> None:
    """Work on an order in this process, and end it."""
    home, code = Path(order["variables"]["CITELOOM_HOME"]), 1
    try:
        work(order, home)
        (home / "imported").write_text("\n".join(sys.modules), encoding="utf-8")
        code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def learn(path: Path) -> None:
    """Import what a fork has imported."""
    for name in path.read_text(encoding="utf-8").splitlines():
        if name not in sys.modules and find_spec(name.partition(".")[0]):  # Cython makes some up
            import_module(name)


if __name__ == "__main__":
    for line in sys.stdin:
        assert len(os.listdir("/proc/self/task")) == 1, "a fork would lose the other threads"
        given = json.loads(line)
        import_module(f"graphs.{given['graph']}")
        gc.freeze()  # else a fork's first collection copies all that was imported
        child = os.fork()
        if not child:
            carry_out(given)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            learn(Path(given["variables"]["CITELOOM_HOME"]) / "imported")
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()
