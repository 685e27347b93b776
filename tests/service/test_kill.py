"""The kill-and-resume matrix: a run is killed at each node, its work done and nothing of it kept.

A run is killed with SIGKILL at one node after another, each time in a new process that went on from the
last checkpoint: the next to last process is killed at the last node, and the last one ends the run.
Rows are made from the compiled graphs, so that a node that no run comes through fails here.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.fakes.openai_server import OpenAIServer, task_of
from tests.graphs.conftest import bee_papers
from tests.library.words import WordEmbedder
from tests.service.kill_runs import ASKING, NOT_REACHED, RUNS, script
from tests.support import ROOT, clean_environment
from tools.library.open_library import close_libraries, create_library
from tools.settings import Settings

GRAPHS = list(json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"])
_SLOW = {"find", "novelty", "write", "revise", "ingest", "synthesize"}
ROWS = [
    # A review is made of the first two, and is killed at each of their nodes.
    pytest.param(graph, marks=pytest.mark.slow if graph in _SLOW else ())
    for graph in GRAPHS
]
_OWN = frozenset({"usage", "source_usage", "times", "seconds", "spent"})
"""Times and spending, which differ from run to run."""


def nodes_of(graph: Any, inside: str = "") -> Iterator[str]:
    """Name the nodes of a graph, with those of its inner graphs."""
    inner = dict(graph.get_subgraphs())
    for name in graph.nodes:
        if name != "__start__":
            yield inside + name
            yield from nodes_of(inner[name], f"{inside}{name}|") if name in inner else ()


@dataclass
class Outcome:
    """What became of a run, killed ever so often."""

    home: Path
    own: frozenset[str]
    result: dict[str, Any] = field(default_factory=dict)
    entered: list[list[tuple[str, int]]] = field(default_factory=list)
    """For each process: the nodes that it entered, and in which steps of their graphs."""
    asked: list[list[str]] = field(default_factory=list)
    """For each process: the questions that the LLM was asked."""

    @property
    def plain(self) -> Any:
        """The result without the run's id, times and spending, and what messages are called."""
        told = {key: value for key, value in self.result.items() if key != "messages"}
        said = [message["content"] for message in self.result.get("messages", ())]
        plain = json.dumps(_without(_OWN | self.own, {**told, "said": said}))
        return json.loads(plain.replace(self.result["run"], "RUN"))


def _without(keys: frozenset[str], value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(keys, item) for key, item in value.items() if key not in keys}
    return [_without(keys, item) for item in value] if isinstance(value, list) else value


class Bench:
    """A worker, an LLM and a home for each run."""

    def __init__(self, built: Path, worker: "subprocess.Popen[str]", server: OpenAIServer) -> None:
        self.built, self.worker, self.server = built, worker, server
        self.homes = 0

    def carry_out(self, name: str, kills: list[str]) -> Outcome:
        """Run to the end in as many processes as there are nodes to be killed in, and one more."""
        scenario = RUNS[name]
        inputs, start = json.dumps(scenario.inputs), self.built
        if scenario.after:
            before = self.carry_out(scenario.after, [])
            inputs, start = inputs.replace("RUN", before.result["run"]), before.home
        self.homes += 1
        outcome = Outcome(self.built.with_name(f"home-{self.homes}"), scenario.own)
        copytree(start, outcome.home)
        for name in ("entered", "left", "result"):
            (outcome.home / name).unlink(missing_ok=True)
        run = {
            "name": "killed",
            "graph": scenario.graph,
            "inputs": json.loads(inputs),
            "context": scenario.context,
            "started": "",
        }
        (outcome.home / "runs").mkdir(exist_ok=True)
        (outcome.home / "runs" / "killed.json").write_text(json.dumps(run), encoding="utf-8")
        for turn, kill in enumerate([*kills, None], start=1):
            self._work(outcome, scenario.graph, kill, kills[turn:])
        outcome.result = json.loads((outcome.home / "result").read_text(encoding="utf-8"))
        return outcome

    def _work(self, outcome: Outcome, graph: str, kill: str | None, later: list[str]) -> None:
        before = len(self.server.requests)
        variables = {
            **clean_environment(outcome.home),
            "CITELOOM_LLM_BASE_URL": self.server.url,
            "CITELOOM_LLM_API_KEY": "sk-test",
            "CITELOOM_STRONG_MODEL": "scripted",
            "CITELOOM_LLM_CONCURRENCY": "1",
            "CITELOOM_QDRANT_URL": "",
            "CITELOOM_INGEST_WORKERS": "1",
        }
        order = {
            "run": "killed",
            "graph": graph,
            "fresh": not outcome.entered,
            "kill": kill,
            "later": later,
            "variables": variables,
        }
        assert self.worker.stdin
        assert self.worker.stdout
        self.worker.stdin.write(json.dumps(order) + "\n")
        self.worker.stdin.flush()
        code = int(self.worker.stdout.readline())
        assert code == (-9 if kill else 0), f"killed at {kill}: {code}"
        self.server.wait_for_silence()
        lines = (outcome.home / "entered").read_text(encoding="utf-8").splitlines()
        known = sum(map(len, outcome.entered))
        outcome.entered.append([tuple(json.loads(line)) for line in lines[known:]])
        asked = self.server.requests[before:]
        outcome.asked.append([json.dumps(item, sort_keys=True) for item in asked])


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("killed")
    built = folder / "built"
    here = Settings(_env_file=None, home=built, qdrant_url=None)  # type: ignore[call-arg]
    create_library("bees", here, WordEmbedder()).add(bee_papers())
    close_libraries()
    command = [sys.executable, "-m", "tests.service.kill_worker"]
    # Libraries that compute in parallel would make threads, which a fork does not have.
    alone = {**clean_environment(folder), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with (
        OpenAIServer(script) as server,
        subprocess.Popen(
            command, cwd=ROOT, env=alone, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as worker,
    ):
        yield Bench(built, worker, server)
        worker.kill()


def killed_at_each_node(bench: Bench, name: str) -> set[str]:
    """Kill a run at each node that it comes through, and compare it with one that was not; return the nodes."""
    whole = bench.carry_out(name, [])
    left = (whole.home / "left").read_text(encoding="utf-8").splitlines()
    nodes = [node for (node,) in map(json.loads, dict.fromkeys(left)) if "__start__" not in node]
    killed = bench.carry_out(name, nodes)
    assert whole.result["outcome"] == "complete", whole.result["failures"]
    assert whole.result["mind"] == "scripted"
    assert killed.plain == whole.plain
    assert_nothing_asked_again(whole, killed)
    assert_no_finished_step_done_again(killed)
    return set(nodes)


def assert_nothing_asked_again(whole: Outcome, killed: Outcome) -> None:
    (expected,) = map(Counter, whole.asked)
    # Questions go out one at a time here: when a process dies the last one may be under way, while the
    # answer to the one before it is being written down.
    under_way = Counter(question for asked in killed.asked[:-1] for question in asked[-2:])
    all_asked = Counter(question for questions in killed.asked for question in questions)
    assert set(all_asked) == set(expected)
    assert not {task_of(json.loads(key)) for key in all_asked - under_way - expected}


def assert_no_finished_step_done_again(killed: Outcome) -> None:
    """In each graph a process goes on in the step in which the one before was killed, or behind it."""
    for before, after in pairwise(killed.entered):
        reached: dict[str, int] = {}
        for node, step in before:
            reached[node.rpartition("|")[0]] = step
        first = dict(reversed([(node.rpartition("|")[0], (node, step)) for node, step in after]))
        for graph, (node, step) in first.items():
            assert step >= reached.get(graph, step), f"{node} was done again"


@pytest.mark.parametrize("graph", ROWS)
def test_run_killed_at_each_node_ends_as_one_that_was_not(bench: Bench, graph: str) -> None:
    names = [name for name, scenario in RUNS.items() if scenario.graph == graph]
    reached = {node for name in names for node in killed_at_each_node(bench, name)}
    nodes = set(nodes_of(import_module(f"graphs.{graph}").graph))
    nodes = {node for node in nodes if node.rpartition("|")[2] not in ASKING}
    assert nodes - reached == {node for of, node in NOT_REACHED if of == graph}
