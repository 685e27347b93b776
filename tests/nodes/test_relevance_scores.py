"""nodes/find/relevance_scores.py: what is put together of all papers before they are weighed."""

from collections.abc import Iterable
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from nodes.find.relevance_scores import known_links, score_all
from state.channels import FindState
from state.inputs import CheckedRequest
from state.paper import Paper
from state.search import Hit, LinkRound
from tools.run_store import RunStore

A, B, C = "doi:10.1/a", "doi:10.1/b", "doi:10.1/c"
THREE = {key: Paper(id=key, title="On trees") for key in (A, B, C)}


def state(papers: Iterable[Paper] = THREE.values(), **others: Any) -> FindState:
    given: Any = {
        "request": CheckedRequest(
            text="Grafting pears on quince", before=others.pop("before", None)
        ),
        "same": {},
        "hidden": [],
        "similarity": {paper.id: 0.4 for paper in papers},
        "judged": {},
        "settled": [],
        "trail": [],
        **others,
    }
    found: FindState = given
    return found


def hit(paper: str, via: Any, by: str) -> Hit:
    return Hit(paper=paper, via=via, by=by, source="openalex")


def test_links_lead_from_citing_to_cited_by_the_ids_of_the_run() -> None:
    same = {"openalex:W1": A, "openalex:W2": B, "openalex:W3": C}
    hits = (
        hit("openalex:W2", "reference", "openalex:W1"),
        hit("openalex:W3", "citation", B),
        hit(B, "recommendation", A),
        hit(C, "query", A),
    )
    papers = [Paper(id=A, title="On trees", references=("openalex:W3",))]
    trail = LinkRound(hop=1, depth=1, hits=hits)
    assert set(known_links(papers, [trail], same)) == {(A, C), (A, B), (C, B)}


@pytest.mark.parametrize("hidden", ["citing", "cited"])
async def test_link_of_a_hidden_paper_leads_nowhere_from_either_end(hidden: str) -> None:
    end = "doi:10.1/hidden"
    store = RunStore(InMemoryStore(), "run")
    via = "citation" if hidden == "citing" else "reference"
    key = await store.trails.put([LinkRound(hop=1, depth=1, hits=(hit(end, via, A),))])
    new = [(end, C) if hidden == "citing" else (C, end), (A, "doi:10.1/unknown")]
    papers = {**THREE, A: Paper(id=A, title="On trees", references=(end, B))}
    given = state(trail=key, hidden=[end])
    found = await score_all(given, store, papers, new=new)
    assert found.visits.keys() == {A, B, C, "doi:10.1/unknown"}
    assert found.visits[B] > found.visits[C] > 0
    assert list(found.prior) == [A, B, C]
