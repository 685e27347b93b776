"""Our own routes, beside those of the LangGraph server."""

import httpx

from tests.server.conftest import Server
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
