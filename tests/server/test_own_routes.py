"""Our own routes, beside those of the LangGraph server."""

import httpx

from tests.server.conftest import Server


async def test_metrics_stand_beside_the_servers_own_routes(server: Server) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        scraped = await http.get("/citeloom/metrics")
        assert (await http.get("/ok")).json()["ok"] is True
        assert (await http.post("/assistants/search", json={})).is_success
    assert scraped.is_success
    assert scraped.headers["content-type"].startswith("text/plain")
