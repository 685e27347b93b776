"""nodes/find/rankers/by_similarity.py: rankers that ask no mind."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore

from nodes.find.rankers.by_similarity import (
    by_embedding,
    by_specter2,
    closeness,
)
from state.inputs import CheckedRequest
from state.paper import Paper, canonical_id
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, make_world
from tests.graphs.conftest import context_for
from tests.nodes.rankers.support import PAPERS, REQUEST
from tests.support import RememberingEmbedder
from tools.errors import InputError, PermanentError, TransientError
from tools.scholar.semantic_scholar import SemanticScholarSource
from tools.services import Services, open_services
from tools.settings import Settings


async def test_embedding_ranks_by_meaning_alone(services: Services) -> None:
    scores = (await by_embedding(services, REQUEST, PAPERS)).scores
    assert scores == await closeness(services, REQUEST, PAPERS)
    assert max(scores, key=lambda key: scores[key]) == "doi:10.1/quince"


@pytest.fixture
def server() -> Iterator[ScholarServer]:
    with ScholarServer(make_world(size=120, seed=3)) as running:
        yield running


def desk_at(server: ScholarServer | None, home: Path) -> Services:
    """Services of a run that searches a library only."""
    values: dict[str, Any] = {
        "_env_file": None,
        "home": home,
        "semantic_scholar_rate": 500.0,
        "source_patience": 0.2,
        "semantic_scholar_url": server.semantic_scholar_url if server else "http://127.0.0.1:9",
    }
    return open_services(
        Runtime(context=context_for(Settings(**values)), store=InMemoryStore()), "run"
    )


def known_works(server: ScholarServer) -> list[Work]:
    """Works that can be asked for."""
    return [work for work in server.world.works if work.doi and work.title]


def paper_of(work: Work) -> Paper:
    key = canonical_id(work.doi or "")
    return Paper(id=key, title=work.title, doi=key.removeprefix("doi:"), abstract=work.abstract)


async def vectors_of(services: Services, papers: list[Paper]) -> dict[str, Any]:
    source: Any = await services.source("semantic_scholar", REQUEST)
    found: dict[str, Any] = await source.specter2(papers)
    return {key: vector / np.linalg.norm(vector) for key, vector in found.items()}


async def test_specter2_orders_by_the_vector_of_the_inputs_own_paper(
    server: ScholarServer, tmp_path: Path
) -> None:
    services = desk_at(server, tmp_path)
    own, *papers = [paper_of(work) for work in known_works(server)[:30]]
    vectors = await vectors_of(services, [own, *papers])
    assert own.id in vectors
    papers = [paper for paper in papers if paper.id in vectors]
    request = CheckedRequest(text=own.abstract or own.title, own=own.id)
    ranking = await by_specter2(services, request, papers)
    near = {paper.id: float(vectors[paper.id] @ vectors[own.id]) for paper in papers}
    scores = ranking.scores
    assert sorted(near, key=lambda key: -near[key]) == sorted(scores, key=lambda key: -scores[key])
    assert ranking.failures == []


async def test_specter2_scores_papers_without_a_vector_by_similarity_and_says_so(
    server: ScholarServer, tmp_path: Path
) -> None:
    services = desk_at(server, tmp_path)
    papers = [*(paper_of(work) for work in known_works(server)[:20]), *PAPERS]
    vectors = await vectors_of(services, papers)
    missing = [paper.id for paper in papers if paper.id not in vectors]
    assert set(missing) >= {paper.id for paper in PAPERS}
    ranking = await by_specter2(services, REQUEST, papers)
    near = await closeness(services, REQUEST, papers)
    assert ranking.scores.keys() == {paper.id for paper in papers}
    assert {key: ranking.scores[key] for key in missing} == {key: near[key] for key in missing}
    (failure,) = ranking.failures
    assert str(len(missing)) in failure.subject
    assert failure.remedy


def vectors_are(monkeypatch: pytest.MonkeyPatch, found: dict[str, list[float]] | Exception) -> None:
    """Let Semantic Scholar answer with these vectors."""

    async def specter2(self: SemanticScholarSource, papers: list[Paper]) -> dict[str, Any]:
        if isinstance(found, Exception):
            raise found
        return {key: np.array(vector, dtype=np.float32) for key, vector in found.items()}

    monkeypatch.setattr(SemanticScholarSource, "specter2", specter2)


@pytest.mark.parametrize(
    "error", [TransientError("busy"), PermanentError("refused"), InputError("not so")]
)
async def test_specter2_falls_back_to_similarity_whatever_the_source_says(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors_are(monkeypatch, error)
    services = desk_at(None, tmp_path)
    ranking = await by_specter2(services, REQUEST, PAPERS)
    assert ranking.scores == await closeness(services, REQUEST, PAPERS)
    assert [failure.cause for failure in ranking.failures] == [str(error)]


class InstalledSpecter2(RememberingEmbedder):
    """Vectors as ever, under the name of an installed model."""

    name = "allenai/specter2_base@12345678"


async def test_specter2_that_is_installed_reads_the_input_and_asks_no_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, installed = desk_at(None, tmp_path), InstalledSpecter2()
    monkeypatch.setattr("tools.clients.embedder", lambda settings: installed)
    ranking = await by_specter2(services, REQUEST, PAPERS)
    assert ranking.scores == await closeness(services, REQUEST, PAPERS)
    assert not ranking.failures
