"""What the check of quotes is worth: debates with it and without it (LitLLM, Figure 3).

    python -m evals.attribution --data DIR --queries FILE [--n 20] [--json FILE]

DIR holds papers.jsonl.gz, a citation graph; FILE names query papers by id. For each of them its
references in the set are mixed with the papers nearest to it by BM25 that it does not cite, and the
debate ranker of `find` orders them. A scripted mind behind a real HTTP endpoint debates: its
scores tell references from the others with some noise. Each of its quotes is invented by a chance of
20 %, and a paper that it invents for gets an inflated score. Asked again for quotes that failed, it

afresh     debates again, and invents by the same chance;
stubbornly insists on what it invented.

The check is switched off by a subclass that stands only here.
"""

import argparse
import asyncio
import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, get_args

import numpy as np
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from pydantic import SecretStr

from citeloom.settings import Settings
from evals.attribution_data import Case, read_cases
from nodes.find.rankers.debate import DebateRanker
from nodes.find.rankers.port import Ranking
from state.paper import Paper
from state.quote import Quote
from state.request import Request
from tests.fakes.openai_server import OpenAIServer, Reply, inputs_of
from tools.clients import Clients
from tools.context import RunContext
from tools.services import open_services

Manner = Literal["afresh", "stubbornly"]
Arm = Literal["with the check", "without it"]
K = 40
HONEST, INVENTED = "It is on the topic.", "It is of great importance."
"""Claims by which arguments are known afterwards."""
_RELEVANT, _OTHER, _NOISE = 62.0, 42.0, 15.0
"""Means and deviation of the mind's honest scores: such a judge prefers a reference in 83 % of pairs."""
_INFLATED = (88.0, 100.0)
_ROUNDS = 10_000


@dataclass(frozen=True)
class Row:
    """One way of answering again, one arm."""

    manner: Manner
    arm: Arm
    precision: float
    normalised_recall: float
    invented: int
    """Invented arguments in the debates that were kept."""
    survived: int
    """Of these, the ones that count as supported."""
    calls: int


@dataclass(frozen=True)
class Gain:
    """What the check adds, over the same queries."""

    manner: Manner
    measure: str
    difference: float
    low: float
    high: float
    p: float
    """Two-sided, by the paired bootstrap."""


class Unchecked(DebateRanker):
    """The debate ranker that believes every quote."""

    def check(self, claimed: str, paper: Paper) -> Quote:
        """Call the words verified, whatever they are."""
        return Quote(text=claimed, paper=paper.id, start=0, end=len(claimed), verified=True)


RANKERS: Mapping[Arm, DebateRanker] = {"with the check": DebateRanker(), "without it": Unchecked()}


class Inventor:
    """The mind's script; the same paper of the same query gets the same answer each time."""

    def __init__(self, cases: Iterable[Case], manner: Manner, share: float, seed: int) -> None:
        self._gold = {case.text: case.relevant_titles for case in cases}
        self._manner, self._share, self._seed = manner, share, seed

    def __call__(self, request: dict[str, Any]) -> Reply:
        """Debate each candidate that the request shows."""
        inputs: Any = inputs_of(request)
        afresh = self._manner == "afresh" and "quotes_that_failed" in inputs
        turn = "second" if afresh else "first"
        return {
            "debates": [self._debate(inputs["text"], item, turn) for item in inputs["candidates"]]
        }

    def _debate(self, text: str, item: Mapping[str, str], turn: str) -> dict[str, Any]:
        opinion = random.Random(f"{self._seed} {text} {item['title']}")
        mean = _RELEVANT if item["title"] in self._gold[text] else _OTHER
        score = min(max(opinion.gauss(mean, _NOISE), 0.0), 100.0)
        luck = random.Random(f"{self._seed} {text} {item['title']} {turn}")
        parts = [part for part in re.split(r"(?<=[.!?]) ", item["abstract"]) if len(part) > 20]
        parts = parts or [item["title"]]
        sides = [_argument(part, luck, self._share) for part in (parts[0], parts[-1])]
        if any(side["claim"] == INVENTED for side in sides):
            score = luck.uniform(*_INFLATED)
        return {
            "id": item["id"], "arguments_for": sides[:1], "arguments_against": sides[1:],
            "score": round(score, 1),
        }  # fmt: skip


def _argument(part: str, luck: random.Random, share: float) -> dict[str, str]:
    if luck.random() >= share:
        return {"claim": HONEST, "quote": part}
    invented = f"{part.rstrip('.')}, which {luck.randrange(2, 90)} later works confirm"
    return {"claim": INVENTED, "quote": invented}


async def rank(case: Case, arm: Arm, settings: Settings) -> Ranking:
    """Rank the papers of one case in groups, as the graph does."""
    context = RunContext(mind="llm")
    vars(context)["clients"] = Clients(settings)
    services = open_services(Runtime(context=context, store=InMemoryStore()), f"{arm}: {case.id}")
    ranker, papers = RANKERS[arm], {paper.id: paper for paper in case.papers}
    groups = ranker.split(list(papers), context.debate_batch)
    request = Request(text=case.text)
    rankings = await asyncio.gather(
        *(ranker.rank(services, request, [papers[key] for key in group]) for group in groups)
    )
    scores = {key: score for ranking in rankings for key, score in ranking.scores.items()}
    debates = [debate for ranking in rankings for debate in ranking.debates]
    return Ranking(scores=scores, debates=debates)


def measures(case: Case, ranking: Ranking, k: int) -> tuple[float, float]:
    """Return precision@k and normalised recall@k: over the relevant papers that were ranked."""
    order = sorted(ranking.scores, key=lambda key: -ranking.scores[key])
    found = len(case.relevant.intersection(order[:k]))
    return found / k, found / len(case.relevant)


def compare(
    first: Sequence[float], second: Sequence[float], seed: int
) -> tuple[float, float, float, float]:
    """Return the mean of first - second, its 95 % interval and p, by resampling the pairs."""
    differences = np.asarray(first) - np.asarray(second)
    picks = np.random.default_rng(seed).integers(len(differences), size=(_ROUNDS, len(differences)))
    means = differences[picks].mean(axis=1)
    beyond = min((means <= 0).sum(), (means >= 0).sum())
    low, high = np.quantile(means, (0.025, 0.975))
    p = min(2 * (int(beyond) + 1) / (_ROUNDS + 1), 1.0)
    return float(differences.mean()), float(low), float(high), p


async def run(
    cases: Sequence[Case], share: float, seed: int, home: Path, *, k: int = K
) -> tuple[list[Row], list[Gain]]:
    """Rank all cases in both arms, for each way of answering again."""
    rows: list[Row] = []
    gains: list[Gain] = []
    for manner in get_args(Manner):
        told: dict[Arm, list[tuple[float, float]]] = {}
        with OpenAIServer(Inventor(cases, manner, share, seed)) as server:
            for arm in RANKERS:
                settings = Settings(  # a home for each arm: no answer of one is cached for the other
                    home=home / manner / arm, llm_base_url=server.url, strong_model="inventor",
                    llm_api_key=SecretStr("none"), _env_file=None,
                )  # type: ignore[call-arg]  # fmt: skip
                rankings = [await rank(case, arm, settings) for case in cases]
                told[arm] = [
                    measures(case, ranking, k)
                    for case, ranking in zip(cases, rankings, strict=True)
                ]
                rows.append(_row(manner, arm, told[arm], rankings, len(server.requests)))
                server.requests.clear()
        for place, measure in enumerate((f"precision@{k}", f"normalised recall@{k}")):
            pairs = [[values[place] for values in told[arm]] for arm in RANKERS]
            gains.append(Gain(manner, measure, *compare(pairs[0], pairs[1], seed)))
    return rows, gains


def _row(
    manner: Manner, arm: Arm, told: Sequence[tuple[float, float]], rankings: Sequence[Ranking],
    calls: int,
) -> Row:  # fmt: skip
    precision, recall = np.mean(told, axis=0)
    invented = [
        argument
        for ranking in rankings
        for debate in ranking.debates
        for argument in (*debate.arguments_for, *debate.arguments_against)
        if argument.claim == INVENTED
    ]
    survived = sum(argument.supported for argument in invented)
    return Row(manner, arm, float(precision), float(recall), len(invented), survived, calls)


def main() -> None:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with papers.jsonl.gz")
    parser.add_argument("--queries", type=Path, required=True, help="JSON lines with ids")
    parser.add_argument("--n", type=int, default=20, help="query papers")
    parser.add_argument("--candidates", type=int, default=100, help="papers ranked for each")
    parser.add_argument("--share", type=float, default=0.2, help="share of quotes invented")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    cases = read_cases(options.data, options.queries, options.n, options.candidates)
    with TemporaryDirectory() as home:
        rows, gains = asyncio.run(run(cases, options.share, options.seed, Path(home)))
    relevant = sum(len(case.relevant) for case in cases) / len(cases)
    print(
        f"{len(cases)} queries of {options.candidates} papers, {relevant:.1f} relevant in the mean"
    )
    for row in rows:
        print(
            f"{row.manner}, {row.arm:<15} P@{K} {row.precision:.3f}  nR@{K} "
            f"{row.normalised_recall:.3f}  invented arguments {row.invented}, counted as supported "
            f"{row.survived}  calls {row.calls}"
        )
    for gain in gains:
        print(
            f"{gain.manner}: the check adds {gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}] "
            f"to {gain.measure}, p = {gain.p:.4f}"
        )
    if options.json:
        figures = {"rows": [asdict(row) for row in rows], "gains": [asdict(gain) for gain in gains]}
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
