"""nodes/find/rank_papers.py: one group of papers through the run's ranker."""

from pathlib import Path
from typing import Any, get_args

import pytest

from nodes.find.rank_papers import Branch, rank_papers
from nodes.find.rankers.choose import ranker_of
from nodes.find.rankers.port import Evidence
from state.channels import FindState
from state.finding import RankerName
from tests.fakes.openai_server import Reply
from tests.fakes.reviewer import reviewer
from tests.library.words import WordEmbedder
from tests.nodes.rankers.support import PAPERS, REQUEST, Served, served
from tools.errors import InputError

NAMES: tuple[RankerName, ...] = get_args(RankerName)
IDS = [paper.id for paper in PAPERS]


@pytest.fixture(autouse=True)
def _embedder_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.embed.open._opened", {("minilm", "", ""): WordEmbedder()})


async def ranked(bench: Served, papers: list[str], hop: int = 1) -> FindState:
    await bench.services.run_store.papers.put(PAPERS)
    branch: Branch = {
        "run": "run", "request": REQUEST, "papers": papers, "hop": hop, "depth": 0, "of": len(papers)
    }  # fmt: skip
    return await rank_papers(branch, bench.runtime)


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_a_ranker_of_that_name(name: RankerName) -> None:
    ranker = ranker_of(name)
    assert ranker.name == name
    assert ranker.weighs_links == (name in {"debate", "cascade"})


@pytest.mark.parametrize("name", NAMES)
def test_every_paper_is_settled_or_in_one_group(name: RankerName) -> None:
    ranker = ranker_of(name)
    known = {
        key: Evidence(similarity=0.1 * place, prior=10.0 * place) for place, key in enumerate(IDS)
    }
    settled = ranker.settle(known)
    groups = ranker.split([key for key in IDS if key not in settled], 2)
    assert sorted([*settled, *(key for group in groups for key in group)]) == sorted(IDS)
    assert all(0 <= score <= 100 for score in settled.values())
    assert all(groups)


def test_unknown_ranker_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(InputError, match="debate, cascade"):
        ranker_of("llm")  # type: ignore[arg-type]


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
