"""nodes/find/judge_papers.py: one group of papers through the run's ranker."""

from pathlib import Path
from typing import Any, get_args

import pytest

from nodes.find.judge_papers import Branch, judge_papers
from nodes.find.rankers.choose import RANKERS, judge_batches
from state.channels import FindState
from state.search import RankerName
from tests.fakes.openai_server import Reply
from tests.fakes.reviewer import reviewer
from tests.library.words import WordEmbedder
from tests.nodes.rankers.support import PAPERS, REQUEST, Served, served

NAMES: tuple[RankerName, ...] = get_args(RankerName)
IDS = [paper.id for paper in PAPERS]


@pytest.fixture(autouse=True)
def _embedder_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): WordEmbedder()})


async def ranked(bench: Served, papers: list[str], hop: int = 1) -> FindState:
    await bench.services.run_store.papers.put(PAPERS)
    branch: Branch = {
        "run": "run",
        "request": REQUEST,
        "papers": papers,
        "hop": hop,
        "depth": 0,
        "of": len(papers),
    }
    return await judge_papers(branch, bench.runtime)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_a_ranker_that_is_given_every_paper_once(name: RankerName) -> None:
    assert name in RANKERS
    parts = judge_batches(name, IDS, 2)
    assert [key for part in parts for key in part] == IDS
    assert len(parts) == (1 if name not in {"debate", "cascade"} else (len(IDS) + 1) // 2)
    assert judge_batches(name, [], 2) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mind", ["llm", "extractive"])
async def test_every_ranker_scores_every_paper_with_either_mind(
    name: RankerName, mind: str, tmp_path: Path
) -> None:
    home = tmp_path
    with served(reviewer(), home, mind=mind, ranker=name) as bench:
        if name == "specter2":
            local = {"semantic_scholar_url": "http://127.0.0.1:9", "source_patience": 0.2}
            bench.services.clients.settings = bench.services.clients.settings.model_copy(
                update=local
            )
        update = await ranked(bench, IDS)
        debates = await bench.services.run_store.debates.get(IDS)
        asked = set(bench.server.tasks)
    assert update["judged"].keys() == set(IDS)
    assert all(0 <= score <= 100 for score in update["judged"].values())
    tasks = {"debate": "debate_papers", "cascade": "debate_papers", "permutation": "order_papers"}
    assert asked == ({tasks[name]} if mind == "llm" and name in tasks else set())
    assert debates.keys() == (set(IDS) if name in {"debate", "cascade"} else set())
    assert bool(update["failures"]) == (name == "specter2")


async def test_listing_bears_the_number_of_its_hop(tmp_path: Path) -> None:
    with served(reviewer(), tmp_path, ranker="permutation") as bench:
        update = await ranked(bench, IDS, hop=2)
    assert [listing.hop for listing in update["listings"]] == [2]


async def test_debates_are_on_the_shelf_and_their_scores_in_the_state(tmp_path: Path) -> None:
    def lower(answer: Any, inputs: dict[str, Any]) -> Reply:
        answer["debates"][0]["arguments_for"] = []
        return dict(answer)

    with served(reviewer({"debate_papers": lower}), tmp_path, ranker="debate") as bench:
        update = await ranked(bench, IDS[:2])
        debates = await bench.services.run_store.debates.get(IDS)
    assert {key: debate.score for key, debate in debates.items()} == update["judged"]
    assert debates[IDS[0]].reductions
    assert update["listings"] == []


async def test_paper_that_is_not_on_the_shelf_costs_the_others_nothing(tmp_path: Path) -> None:
    with served(reviewer(), tmp_path) as bench:
        update = await ranked(bench, [IDS[0], "doi:10.1/unknown", IDS[1]])
    assert update["judged"].keys() == {IDS[0], IDS[1]}
