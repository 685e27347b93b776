"""Our own routes, beside those of the LangGraph server."""

import httpx

from tests.server.conftest import Server
from tests.support import SMALL, small_records
from tools.documented_methods import methods_by_step


async def test_metrics_stand_beside_the_servers_own_routes(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        scraped = await http.get("/citeloom/metrics")
        assert (await http.get("/ok")).json()["ok"] is True
        assert (await http.post("/assistants/search", json={})).is_success
    assert scraped.is_success
    assert scraped.headers["content-type"].startswith("text/plain")


async def test_methods_and_sources_are_told_and_a_model_that_is_not_there_is_said_to_be_missing(
    server: Server,
) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        assert (await http.get("/citeloom/methods")).json()["steps"] == methods_by_step()
        assert (await http.get("/citeloom/sources")).json()["keys"] == {
            "semantic_scholar": False,
            "google": False,
        }
        tested = (await http.post("/citeloom/model-test")).json()
    assert tested["works"] is False
    assert "CITELOOM_STRONG_MODEL" in tested["text"]


async def test_passages_of_one_paper_near_a_sentence_are_told_as_quotes(server: Server) -> None:
    paper = next(record for record in small_records() if record.abstract)
    place = f"/citeloom/libraries/{SMALL}/passages"
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
        asked = {"paper": paper.id, "like": str(paper.abstract)[:80]}
        told = (await http.get(place, params=asked)).json()["passages"]
        nobody = (await http.get(place, params={**asked, "paper": "doi:10.1/nobody"})).json()
        refused = await http.get(place, params={"paper": paper.id})
    assert told
    for quote in told:
        assert quote["paper"] == paper.id
        assert quote["text"] in f"{paper.title} {paper.abstract}"
        assert quote["verified"] is True
        assert quote["words_of"]
    assert nobody == {"passages": []}
    assert refused.status_code == 422
