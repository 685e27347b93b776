"""Callers of a server that asks for keys: each has what is its own, and what is shared."""

import time
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser

from tests.server.browser import Visitor
from tests.server.conftest import Server
from tests.server.hostile import IDEA, Caller
from tests.server.test_mcp_wire import Wire
from tests.support import SMALL, small_records
from tools.callers import ApiKeyLimits, ApiKeys

# --- Getting in ---------------------------------------------------------------------------------


FORGED = [
    {},
    {"authorization": "Bearer"},
    {"authorization": "Bearer citeloom_" + "A" * 43},
    {"authorization": "Basic YWxpY2U6"},
    {"authorization": "Bearer " + "x" * 5000},
    {"x-api-key": "alice"},
    {"x-auth-scheme": "langsmith"},  # Studio's, which the development server trusts by itself
    {"x-auth-scheme": "langsmith", "x-api-key": "lsv2_pt_x"},
    {"x-user-id": "alice", "x-forwarded-user": "alice", "remote-user": "alice"},
    {"x-forwarded-for": "127.0.0.1", "host": "localhost"},
    {"x-original-url": "/ok", "x-rewrite-url": "/ok", "x-http-method-override": "GET"},
]


@pytest.mark.parametrize("headers", FORGED, ids=lambda headers: "-".join(headers) or "none")
def test_nothing_but_a_key_opens_a_route(secured: Server, headers: dict[str, str]) -> None:
    for path in (
        "/threads/search",
        "/assistants/search",
        "/runs/wait",
        "/mcp",
        "/store/namespaces",
    ):
        answer = httpx.post(secured.url + path, json={}, headers=headers)
        assert answer.status_code in {401, 429}, (path, answer.text)
        assert "key" in answer.json()["detail"] or answer.status_code == 429


def test_only_health_is_told_to_anybody(callers: dict[str, Caller]) -> None:
    nobody = callers["nobody"]
    assert nobody.get("/ok").status_code == 200
    for path in (
        "/",
        "/info",
        "/docs",
        "/openapi.json",
        "/metrics",
        "/ok/../docs",
        "//docs",
        "/OK",
    ):
        assert nobody.get(path).status_code in {401, 429}, path


def test_card_at_the_root_tells_anybody_that_a_key_is_needed(callers: dict[str, Caller]) -> None:
    nobody, alice = callers["nobody"], callers["alice"]
    card = nobody.get("/.well-known/agent-card.json")
    assert card.status_code == 200
    assert card.json()["securityRequirements"] == [{"schemes": {"bearer": {}}}]
    assert nobody.post("/citeloom/a2a").status_code in {401, 429}
    place = "/citeloom/a2a/.well-known/agent-card.json"
    assert nobody.get(place).status_code in {401, 429}
    assert alice.get(place).json() == card.json()


def test_key_is_taken_from_either_header_and_no_longer_when_it_is_revoked(
    secured: Server, callers: dict[str, Caller]
) -> None:
    keys = ApiKeys(secured.log.parent / "home")
    secret = keys.add("passing", ApiKeyLimits())
    for headers in ({"authorization": f"bearer {secret}"}, {"x-api-key": secret}):
        assert Caller(secured.url, headers=headers).post("/threads").status_code == 200
    keys.revoke("passing")
    assert Caller(secured.url, secret).post("/threads").status_code == 401
    assert secret not in secured.account


def test_each_caller_has_a_key_on_the_page_and_sees_no_other(
    chromium: Browser, secured: Server
) -> None:
    keys = ApiKeys(secured.log.parent / "home")
    visitors = {}
    for name in ("anna", "ben"):
        visitors[name] = Visitor(chromium.new_context().new_page(), secured.url)
        page = visitors[name].at()
        page.get_by_label("Key").fill(keys.add(name, ApiKeyLimits()))
        page.get_by_role("button", name="Use this key").click()
        page.get_by_label("Abstract, idea or question").wait_for()
    anna, ben = visitors["anna"], visitors["ben"]
    anna.at("ask")
    anna.page.get_by_label("Question").fill("What is RAG?")
    anna.page.get_by_role("button", name="Ask", exact=True).click()
    anna.page.wait_for_selector(".turn .s, .turn p:not(.dim)", timeout=60_000)
    anna.at("history")
    link = anna.page.locator(".history li a").first
    link.wait_for()
    ben.at("history")
    ben.page.get_by_text("No runs yet").wait_for()
    ben.page.goto(f"{secured.url}/app/{link.get_attribute('href')}")
    ben.page.wait_for_selector(".problem")
    assert "What is RAG?" not in ben.page.locator("main").inner_text()
    assert anna.wrong == ben.wrong == []


# --- What is whose ------------------------------------------------------------------------------


def test_thread_of_another_caller_is_a_thread_that_there_is_not(callers: dict[str, Caller]) -> None:
    alice, bob = callers["alice"], callers["bob"]
    answer = alice.post("/threads", {"metadata": {"owner": "bob"}}).json()
    thread = answer["thread_id"]
    assert answer["metadata"]["owner"] == "alice"
    refused = {
        bob.get(f"/threads/{thread}").status_code,
        bob.get(f"/threads/{thread}/state").status_code,
        bob.get(f"/threads/{thread}/history").status_code,
        bob.get(f"/threads/{thread}/runs").status_code,
        bob.post(f"/threads/{thread}/state", {"values": {}}).status_code,
        bob.post(f"/threads/{thread}/runs", {"assistant_id": "ask", "input": {}}).status_code,
        bob.post("/threads/prune", {"thread_ids": [thread]}).status_code,
        bob.send("PATCH", f"/threads/{thread}", json={"metadata": {"a": 1}}).status_code,
        bob.send("DELETE", f"/threads/{thread}").status_code,
    }
    assert refused == {404}
    assert bob.post(f"/threads/{thread}/copy").status_code in {404, 409}
    assert "Thread not found" in bob.get(f"/threads/{thread}/stream").text
    # Neither can one be foisted on another caller, nor found by a filter.
    moved = alice.send("PATCH", f"/threads/{thread}", json={"metadata": {"owner": "bob"}})
    assert moved.json()["metadata"]["owner"] == "alice"
    for asked in ({}, {"metadata": {"owner": "alice"}}, {"ids": [thread]}):
        assert thread not in bob.post("/threads/search", asked).text
    assert alice.get(f"/threads/{thread}").status_code == 200


def test_run_and_stream_of_another_caller_cannot_be_read_or_ended(
    callers: dict[str, Caller],
) -> None:
    alice, bob = callers["alice"], callers["bob"]
    thread = alice.thread()
    body = {"assistant_id": "ask", "input": {"question": "What is RAG?", "library": SMALL}}
    run = alice.post(f"/threads/{thread}/runs", body).json()["run_id"]
    place = f"/threads/{thread}/runs/{run}"
    assert bob.get(place).status_code == 404
    assert bob.post(f"{place}/cancel").status_code == 404
    assert bob.send("DELETE", place).status_code == 404
    assert "answer" not in bob.get(f"{place}/join").text
    assert "answer" not in bob.get(f"{place}/stream").text
    assert "answer" in alice.get(f"{place}/join").json()


def test_task_of_another_caller_is_not_read_or_ended_over_a2a(callers: dict[str, Caller]) -> None:
    alice, bob = callers["alice"], callers["bob"]
    task = alice.messaged("What is RAG?")["result"]["task"]["id"]
    no_run = alice.messaged("What is RAG?", {"colour": "red"})["result"]["task"]["id"]
    for each in (task, no_run):
        assert alice.asked("GetTask", id=each)["result"]["id"] == each
        for answer in (
            bob.asked("GetTask", id=each),
            bob.asked("CancelTask", id=each),
            bob.messaged("And who wrote it?", taskId=each),
        ):
            assert "error" in answer, answer
    listed = {
        name: callers[name].asked("ListTasks")["result"]["tasks"] for name in ("alice", "bob")
    }
    assert {task, no_run} <= {item["id"] for item in listed["alice"]}
    assert not {task, no_run} & {item["id"] for item in listed["bob"]}


async def test_run_of_another_caller_is_not_read_answered_or_ended_over_mcp(
    secured: Server, callers: dict[str, Caller]
) -> None:
    alice, bob = (Wire(secured.url, key=callers[name].key) for name in ("alice", "bob"))
    plain = Wire(secured.url, key=callers["bob"].key, tasks=False)
    task = (await alice.call("ask_library", question="What is RAG?", library=SMALL))["result"][
        "taskId"
    ]
    assert (await alice.rested(task))["result"]["structuredContent"]["status"] == "completed"
    uri = f"citeloom://runs/{task}/answer.md"
    assert (await alice("resources/read", uri, uri=uri))["result"]["contents"]
    unknown = str(uuid4())
    for method in ("get", "cancel", "update"):
        more: dict[str, Any] = {"inputResponses": {}} if method == "update" else {}
        of_alice, of_nobody = [await bob.task(method, run, **more) for run in (task, unknown)]
        assert of_alice["error"]["message"].replace(task, unknown) == of_nobody["error"]["message"]
    for run in ({"action": "cancel"}, {"answer": "yes"}, {"action": "resume"}, {}):
        told = (await plain.call("get_run", run=task, **run))["result"]
        assert told["isError"], told
        assert "RAG" not in str(told)
    assert "error" in await bob("resources/read", uri, uri=uri)
    assert task not in str(await bob("resources/list"))
    assert task in str(await alice("resources/list"))


def test_caller_cannot_be_another_one_by_the_config_of_a_run(callers: dict[str, Caller]) -> None:
    user = {"identity": "bob", "usd_a_day": None}
    for config in (
        {"langgraph_auth_user": user},
        {"langgraph_auth_user": ""},
        {"langgraph_auth_user_id": "bob"},
    ):
        body: Any = {"assistant_id": "ask", "input": {"question": "What?"}, "config": config}
        assert callers["alice"].post("/runs/wait", body).status_code == 422, config
    body["config"] = {
        "configurable": {"langgraph_auth_user": user}
    }  # the server puts its own there
    body["input"] = {"question": "What do larvae choose?", "library": "yours"}
    done = callers["alice"].post("/runs/wait", body).json()
    assert "there is no library 'yours'" in done["stop"]["cause"]


def test_section_of_another_caller_is_a_run_that_there_is_not(callers: dict[str, Caller]) -> None:
    alice, bob = callers["alice"], callers["bob"]
    papers = [paper.id for paper in small_records() if paper.abstract][:2]
    written = alice.run("write", text=IDEA, library=SMALL, papers=papers, cite=2)
    for section in (written["run"], "0" * 32):
        refused = bob.run("revise", section=section, instruction="without [1]")
        assert (
            refused["stop"]["cause"]
            .replace(section, "RUN")
            .startswith("run 'RUN' has no section here")
        )
    revised = alice.run("revise", section=written["run"], instruction="without [1]")
    assert revised["stop"] is None
    assert len(revised["references"]) == 1
    for forged in ("../" + written["run"], "a.b", "x\x00y", "é" * 30, "a" * 500):
        stop = bob.run("revise", section=forged.replace("\x00", "%00"), instruction="shorter")[
            "stop"
        ]
        assert "cannot be the name of a run" in stop["cause"]


def test_reference_list_belongs_to_the_caller_whose_key_sent_it(callers: dict[str, Caller]) -> None:
    about = {"metadata": {"citeloom_graph": "references"}, "graph_id": "references"}
    thread = callers["alice"].post("/threads", about).json()["thread_id"]
    text = (
        "Abel, A. (1990). How sulphur rain reaches the lichens. Journal of Lichens, 12(3), 45–67."
    )
    assert len(callers["alice"].run("references", thread, text=text)["references"]) == 1
    place = f"/citeloom/runs/{thread}/files/references.bib"
    assert "sulphur rain" in callers["alice"].get(place).text
    assert callers["bob"].get(place).status_code == 404
    assert callers["nobody"].get(place).status_code in {401, 429}


def test_library_belongs_to_its_caller_and_what_is_shared_is_read_by_all(
    secured: Server, callers: dict[str, Caller]
) -> None:
    alice, bob = callers["alice"], callers["bob"]
    note = "# Zebrafish\n\nZebrafish larvae choose the warmer side of a tank in the dark. " * 9
    upload = {"name": "fish.md", "content": note, "encoding": "text"}
    for caller, library in ((alice, "mine"), (bob, "yours")):
        assert caller.run("ingest", library=library, uploads=[upload])["counts"]["added"] == 1
    assert alice.run("ask", question="What do larvae choose?", library="mine")["stop"] is None
    refused = bob.run("ask", question="What do larvae choose?", library="mine")["stop"]["cause"]
    assert "there is no library 'mine': choose one of small, starter, yours" in refused
    for shared in (SMALL, "starter"):
        assert bob.run("ask", question="What is RAG?", library=shared)["stop"] is None
        stop = bob.run("ingest", library=shared, uploads=[upload])["stop"]["cause"]
        assert "choose another name" in stop
    home = secured.log.parent / "home"
    assert sorted(path.name for path in (home / "libraries").iterdir()) == ["small", "starter"]
    kept = {path.name for path in (home / "callers").glob("*/libraries/*")}
    assert kept - {"evil"} == {"mine", "yours"}


async def test_libraries_and_files_of_runs_are_given_to_their_caller_alone(
    callers: dict[str, Caller],
) -> None:
    alice, bob, nobody = callers["alice"], callers["bob"], callers["nobody"]
    upload = {"name": "owl.md", "content": "# Owls\n\nOwls hear voles. " * 9, "encoding": "text"}
    assert alice.run("ingest", library="owls", uploads=[upload])["counts"]["added"] == 1
    seen = {item["name"]: item for item in alice.get("/citeloom/libraries").json()["libraries"]}
    assert (seen["owls"]["yours"], seen[SMALL]["yours"], seen["owls"]["papers"]) == (True, False, 1)
    assert "owls" not in bob.get("/citeloom/libraries").text
    (paper,) = alice.get("/citeloom/libraries/owls/papers").json()["papers"]
    assert bob.get("/citeloom/libraries/owls/papers").status_code == 404
    assert bob.get("/citeloom/libraries/..%2Fowls/papers").status_code in {404, 422}
    removal = {"papers": [paper["id"]]}
    assert bob.post("/citeloom/libraries/owls/remove", removal).status_code == 404
    assert bob.post(f"/citeloom/libraries/{SMALL}/remove", removal).status_code == 422
    assert alice.post("/citeloom/libraries/owls/remove", {"papers": 7}).status_code == 422
    assert alice.get("/citeloom/libraries/owls/papers?offset=-1").status_code == 422
    assert alice.post("/citeloom/libraries/owls/remove", removal).json() == {"removed": 1}
    page = f"page?paper={paper['id']}&quote=owls"
    assert "add the file" in alice.get(f"/citeloom/libraries/owls/{page}").json()["detail"]
    assert bob.get(f"/citeloom/libraries/owls/{page}").status_code == 404
    assert bob.send("DELETE", "/citeloom/libraries/owls").status_code == 404
    assert alice.send("DELETE", f"/citeloom/libraries/{SMALL}").status_code == 422
    assert alice.send("DELETE", "/citeloom/libraries/owls").json() == {"deleted": "owls"}
    assert alice.get("/citeloom/libraries/owls/papers").status_code == 404

    task = alice.messaged("What is RAG?")["result"]["task"]["id"]
    place = f"/citeloom/runs/{task}/files"
    assert "answer.md" in alice.get(place).json()["files"]
    kept = alice.get(f"{place}/answer.md")
    assert kept.headers["content-disposition"].startswith("attachment")
    assert alice.get(f"{place}/..%2Fsecret").status_code == 404
    for name in ("", "/answer.md", "/result.json"):
        assert bob.get(place + name).status_code == 404
        assert nobody.get(place + name).status_code in {401, 429}
    assert nobody.get("/citeloom/libraries").status_code in {401, 429}
    # Whose Zotero it would be is nobody's who calls from elsewhere.
    assert alice.post(f"/citeloom/runs/{task}/zotero", {}).status_code == 403
    for path in ("draft", "estimate", "speech/heard", "speech/spoken", f"runs/{task}/zotero"):
        assert nobody.post(f"/citeloom/{path}").status_code in {401, 429}
    assert alice.get("/citeloom/speech").json().keys() == {"hears", "speaks"}
    wanted: dict[str, Any] = {"graph": "review", "input": {"text": "Owls hear voles."}}
    assert alice.post("/citeloom/estimate", wanted).json()["usd"] == {"low": 0, "high": 0}
    refused: list[Any] = [[], {"graph": "none"}, wanted | {"settings": {"ranker": "vibes"}}]
    for wrong in refused:
        assert alice.post("/citeloom/estimate", wrong).status_code == 422
    assert alice.post("/citeloom/draft?name=../../a.pdf").json()["text"] == "{}"
    assert nobody.get("/app/").status_code == 200
    assert nobody.get("/app/../citeloom/libraries").status_code in {401, 404, 429}


def test_store_of_a_caller_is_apart_from_others_and_from_what_runs_keep(
    callers: dict[str, Caller],
) -> None:
    alice, bob = callers["alice"], callers["bob"]
    item = {"namespace": ["notes"], "key": "k", "value": {"word": "heliotrope"}}
    assert alice.send("PUT", "/store/items", json=item).status_code == 204
    place = alice.get("/store/items?namespace=notes&key=k").json()["namespace"]
    assert alice.get(f"/store/items?namespace={'.'.join(place)}&key=k").json()["value"]
    for namespace in ("notes", ".".join(place), "callers", "citeloom"):
        assert bob.get(f"/store/items?namespace={namespace}&key=k").json() is None
    for prefix in ([], ["callers"], place[:2], ["citeloom"]):
        found = bob.post("/store/items/search", {"namespace_prefix": prefix})
        assert "heliotrope" not in found.text
        assert all(
            space[1] != place[1]
            for space in bob.post("/store/namespaces", {"prefix": prefix}).json()["namespaces"]
        )


def test_callers_use_assistants_and_change_none_and_schedule_nothing(
    callers: dict[str, Caller],
) -> None:
    alice = callers["alice"]
    (ask,) = alice.post("/assistants/search", {"graph_id": "ask"}).json()
    place = f"/assistants/{ask['assistant_id']}"
    cron = {"schedule": "* * * * *", "assistant_id": "ask", "input": {"question": "What?"}}
    refused = [
        alice.post("/assistants", {"graph_id": "ask", "metadata": {"created_by": "system"}}),
        alice.send("PATCH", place, json={"config": {"recursion_limit": 1}}),
        alice.send("DELETE", place),
        alice.post("/runs/crons", cron),
        alice.post(f"/threads/{alice.thread()}/runs/crons", cron),
        alice.post("/runs/crons/search", {}),
    ]
    assert [answer.status_code for answer in refused] == [403] * 6


# --- How much -----------------------------------------------------------------------------------


def test_limits_of_a_key_hold_and_the_server_serves_the_others(callers: dict[str, Caller]) -> None:
    codes = [callers["quick"].post("/threads/search").status_code for _ in range(8)]
    assert codes == [200] * 5 + [429] * 3
    busy = callers["busy"]
    body = {"assistant_id": "review", "input": {"text": IDEA, "library": SMALL}}
    threads = [busy.thread(), busy.thread()]
    answers = [busy.post(f"/threads/{thread}/runs", body) for thread in threads]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert "wait for one, or cancel it" in answers[1].json()["detail"]
    run = answers[0].json()["run_id"]
    busy.post(f"/threads/{threads[0]}/runs/{run}/cancel?wait=true")
    deadline = time.monotonic() + 60
    while (last := busy.post(f"/threads/{threads[1]}/runs", body)).status_code == 429:
        assert time.monotonic() < deadline
        time.sleep(0.5)
    assert last.status_code == 200
    short = {"assistant_id": "ask", "input": {"question": ""}}
    codes = [callers["daily"].post("/runs/wait", short).status_code for _ in range(3)]
    assert codes == [200, 200, 429]
    assert callers["alice"].post("/threads/search").status_code == 200
