"""`citeloom app`: the page's own calls over real HTTP, on runs that the command line has, too."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.server.browser import IDEA, Visitor
from tests.server.conftest import await_answer, free_port
from tests.support import ROOT, SMALL, clean_environment, link_libraries, small_records

QUICK = {"pool": 16, "results": 36, "debate_batch": 4}
REVIEW = {"text": IDEA, "library": SMALL, "keep": 6, "cite": 4}


@contextmanager
def opened(home: Path, **more: str) -> Iterator[httpx.Client]:
    """Start `citeloom app`; at the end it is stopped as Ctrl-C does, and has said one line."""
    port, log = free_port(), home / "said.log"
    env = {**clean_environment(home), "PYTHONPATH": str(ROOT), "BROWSER": "true", **more}
    command = [sys.executable, "-m", "citeloom", "app", "--port", str(port)]
    with log.open("wb") as sink:
        process = subprocess.Popen(command, cwd=home, env=env, stdout=sink, stderr=sink)
        try:
            await_answer(f"http://127.0.0.1:{port}/citeloom/health", process, log)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as http:
                yield http
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
    assert process.returncode == 0
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert f"http://127.0.0.1:{port}/app/" in line
    logged = (home / "server" / f"app-{port}.log").read_text(encoding="utf-8")
    assert "Traceback" not in logged


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, built: Path) -> Path:
    folder = tmp_path_factory.mktemp("app") / "home"
    link_libraries(built, folder)
    return folder


def given(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json()


def begun(
    http: httpx.Client, graph: str, inputs: Mapping[str, Any], thread: str = "", **settings: Any
) -> str:
    """Begin a run as the page does and return its thread."""
    if not thread:
        about = {"title": f"About {graph}", "parent": "", "citeloom_graph": graph}
        made = given(http.post("/threads", json={"metadata": about, "graph_id": graph}))
        thread = made["thread_id"]
    asked = {"assistant_id": graph, "input": inputs, "context": {**QUICK, **settings}}
    given(http.post(f"/threads/{thread}/runs", json=asked))
    return thread


def told(
    http: httpx.Client, thread: str, stream: str, last: str = "-1"
) -> list[tuple[int, str, Any]]:
    """Follow a stretch of a run to its end and return its events."""
    events = []
    address = f"/threads/{thread}/runs/{stream}/stream"
    with http.stream("GET", address, headers={"Last-Event-ID": last}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for part in answer.read().decode().split("\n\n")[:-1]:
            fields = dict(line.split(": ", 1) for line in part.split("\n"))
            events.append((int(fields["id"]), fields["event"], json.loads(fields["data"])))
    return events


def rested(http: httpx.Client, thread: str) -> dict[str, Any]:
    """Wait until a run rests and return it as the page reads it."""
    while (run := given(http.get(f"/citeloom/runs/{thread}")))["status"] == "working":
        told(http, thread, run["stream"])
    assert isinstance(run, dict)
    return run


def listed(http: httpx.Client, thread: str) -> Any:
    rows = given(http.post("/threads/search", json={"limit": 200}))
    return next((row for row in rows if row["thread_id"] == thread), None)


@pytest.fixture(scope="module")
def paused(home: Path) -> str:
    """A run that was under way when `citeloom app` was stopped."""
    with opened(home) as http:
        thread = begun(http, "review", REVIEW)
        stream = given(http.get(f"/citeloom/runs/{thread}"))["stream"]
        with http.stream("GET", f"/threads/{thread}/runs/{stream}/stream") as events:
            next(events.iter_lines())
    return thread


@pytest.fixture(scope="module")
def http(home: Path, paused: str) -> Iterator[httpx.Client]:
    with opened(home) as client:
        yield client


def test_run_is_paused_by_ctrl_c_and_resumed_at_the_next_start(
    http: httpx.Client, paused: str
) -> None:
    run = given(http.get(f"/citeloom/runs/{paused}"))
    assert (run["status"], run["can_resume"]) == ("cancelled", True)
    assert listed(http, paused)["interrupts"] == {}
    given(http.post(f"/citeloom/runs/{paused}/resume", json={}))
    assert rested(http, paused)["status"] == "completed"


def test_run_is_followed_from_its_first_event_and_read_with_its_files(
    http: httpx.Client, home: Path
) -> None:
    thread = begun(http, "review", REVIEW)
    stream = given(http.get(f"/citeloom/runs/{thread}"))["stream"]
    assert listed(http, thread)["status"] == "busy"
    assert http.delete(f"/threads/{thread}").status_code == 409
    events = told(http, thread, stream)
    assert [number for number, _, _ in events] == list(range(len(events)))
    kinds = {kind for _, kind, _ in events}
    assert kinds == {"custom", "updates"}
    progress = [data for _, kind, data in events if kind == "custom"]
    assert all(event["title"] for event in progress)
    steps = [update for _, kind, data in events if kind == "updates" for update in data.values()]
    assert any(update.get("queries") for update in steps)
    assert any(update.get("search_log") for update in steps)
    run = rested(http, thread)
    assert (run["status"], run["title"], run["searched"]) == ("completed", "About review", REVIEW)
    assert run["values"]["related_work"]
    assert told(http, thread, stream) == []  # it rests
    row = listed(http, thread)
    assert (row["status"], row["metadata"]["title"]) == ("idle", "About review")
    files = given(http.get(f"/citeloom/runs/{thread}/files"))["files"]
    page = http.get(f"/citeloom/runs/{thread}/files/review.html")
    assert "review.html" in files
    assert page.is_success
    kept = subprocess.run(
        [sys.executable, "-m", "citeloom", "runs", "list", "--json"],
        env={**clean_environment(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert thread in {json.loads(line)["run"] for line in kept.stdout.splitlines()}


def test_stream_goes_on_after_the_event_that_was_heard_last(http: httpx.Client) -> None:
    thread = begun(http, "find", {"text": IDEA, "library": SMALL, "keep": 4})
    stream = given(http.get(f"/citeloom/runs/{thread}"))["stream"]
    with http.stream("GET", f"/threads/{thread}/runs/{stream}/stream") as broken:
        first = next(broken.iter_lines())
    assert first == "id: 0"
    assert told(http, thread, stream, last="1")[0][0] == 2
    assert told(http, thread, "another", last="1") == []


def test_conversation_goes_on_in_its_thread(http: httpx.Client) -> None:
    thread = begun(http, "ask", {"question": "How does LitLLM rank papers?", "library": "starter"})
    assert rested(http, thread)["values"]["answer"]
    begun(http, "ask", {"question": "What is PaperQA?", "library": "starter"}, thread)
    run = rested(http, thread)
    spoken = [message["type"] for message in run["values"]["messages"]]
    assert spoken == ["human", "ai", "human", "ai"]
    assert run["title"] == "About ask"
    wrong = {"assistant_id": "find", "input": {}, "context": {}}
    refused = http.post(f"/threads/{thread}/runs", json=wrong)
    assert refused.status_code == 422
    assert "one of ask, not of find" in refused.json()["detail"]


def test_question_is_put_answered_and_the_run_ends(http: httpx.Client) -> None:
    thread = begun(http, "review", REVIEW, review_plan="on")
    run = rested(http, thread)
    assert run["status"] == "input_required"
    row = listed(http, thread)
    assert (row["status"], len(row["interrupts"])) == ("interrupted", 1)
    answer = {"asked": run["asked"], "answer": "On the first [1]."}
    given(http.post(f"/citeloom/runs/{thread}/answer", json=answer))
    run = rested(http, thread)
    assert run["status"] == "completed"
    assert run["values"]["related_work"]
    assert http.delete(f"/threads/{thread}").status_code == 204
    assert listed(http, thread) is None
    assert http.get(f"/citeloom/runs/{thread}").status_code == 404


def test_run_that_is_only_waited_for_leaves_nothing(http: httpx.Client) -> None:
    before = given(http.post("/threads/search", json={}))
    asked = {"question": "How does LitLLM rank papers?", "library": "starter"}
    answer = given(http.post("/runs/wait", json={"assistant_id": "ask", "input": asked}))
    assert answer["answer"]
    assert given(http.post("/threads/search", json={})) == before


def test_run_of_the_command_line_is_on_the_page(http: httpx.Client, home: Path) -> None:
    subprocess.run(
        [
            sys.executable,
            "-m",
            "citeloom",
            "find",
            IDEA,
            "--library",
            SMALL,
            "--keep",
            "3",
            "--json",
        ],
        cwd=home,
        env={**clean_environment(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    row = given(http.post("/threads/search", json={"limit": 1}))[0]
    assert row["metadata"]["citeloom_graph"] == "find"
    assert IDEA.startswith(row["metadata"]["title"])
    run = rested(http, row["thread_id"])
    assert run["searched"]["text"] == IDEA
    assert run["values"]["papers"]


def test_what_the_page_keeps_of_a_run_is_kept_and_nothing_of_others(http: httpx.Client) -> None:
    place = {"namespace": ["citeloom-page", "some-run"], "key": "papers"}
    where = {"namespace": "citeloom-page.some-run", "key": "papers"}
    assert http.get("/store/items", params=where).status_code == 404
    value = {"kept": {"leave": ["doi:10.1/ü"], "notes": {"a": "b"}}}
    assert http.put("/store/items", json={**place, "value": value}).is_success
    assert given(http.get("/store/items", params=where))["value"] == value
    assert http.request("DELETE", "/store/items", json=place).is_success
    assert http.get("/store/items", params=where).status_code == 404
    for namespace in (
        ["citeloom", "run"],
        [],
        "citeloom-page",
        ["citeloom-page", "a.b"],
        [1],
        None,
    ):
        wrong: Any = {"namespace": namespace, "key": "papers", "value": {}}
        assert http.put("/store/items", json=wrong).status_code == 422, namespace
        assert http.request("DELETE", "/store/items", json=wrong).status_code == 422, namespace
    assert (
        http.get("/store/items", params={"namespace": "citeloom.run", "key": "x"}).status_code
        == 422
    )


@pytest.mark.parametrize(
    ("path", "sent", "status", "said"),
    [
        ("/threads", {"graph_id": "nothing"}, 422, "choose one of find, review"),
        ("/threads", {"graph_id": "find", "metadata": "x"}, 422, "metadata as a JSON object"),
        ("/threads", [], 422, "send a JSON object"),
        ("/threads/search", {"limit": "all"}, 422, "a whole number"),
        (
            "/threads/none/runs",
            {"assistant_id": "find", "input": {}},
            422,
            "there is no run 'none'",
        ),
        ("/runs/wait", {"assistant_id": "ask", "input": []}, 422, "input as a JSON object"),
        ("/runs/wait", {"assistant_id": "ask", "input": {"questoin": "?"}}, 422, "question"),
        (
            "/runs/wait",
            {"assistant_id": "ask", "context": {"depht": 1}},
            422,
            "there is no setting 'depht'",
        ),
    ],
)
def test_wrong_call_is_refused_with_a_sentence(
    http: httpx.Client, path: str, sent: Any, status: int, said: str
) -> None:
    refused = http.post(path, json=sent)
    assert refused.status_code == status, refused.text
    assert said in refused.json()["detail"]


def test_papers_and_passages_are_looked_up_beside_a_run(http: httpx.Client) -> None:
    (paper, *_) = given(http.get(f"/citeloom/libraries/{SMALL}/papers"))["papers"]
    asked = {"paper": paper["id"], "like": paper["abstract"]}
    (nearest, *_) = given(http.get(f"/citeloom/libraries/{SMALL}/passages", params=asked))[
        "passages"
    ]
    assert nearest["text"] in paper["abstract"]
    refused = http.get("/citeloom/papers", params={"title": "Moths", "source": "nowhere"})
    assert refused.status_code == 422
    assert "source=NAME" in refused.json()["detail"]


def test_stream_of_a_run_that_is_not_there_is_not_found(http: httpx.Client) -> None:
    assert http.get("/threads/none/runs/x/stream").status_code == 404
    assert http.delete("/threads/none").status_code == 404
    assert http.get("/threads/..%2f..%2fetc/runs/x/stream").status_code == 404


def test_thread_on_which_nothing_began_can_be_deleted(http: httpx.Client) -> None:
    thread = given(http.post("/threads", json={"graph_id": "find", "metadata": {}}))["thread_id"]
    wrong = {"assistant_id": "find", "input": {"txet": IDEA}}
    assert http.post(f"/threads/{thread}/runs", json=wrong).status_code == 422
    assert http.delete(f"/threads/{thread}").status_code == 204
    assert http.delete(f"/threads/{thread}").status_code == 404


def test_page_of_another_origin_or_a_name_that_is_made_to_lead_here_gets_nothing(
    http: httpx.Client,
) -> None:
    other = http.post("/threads/search", json={}, headers={"Origin": "http://evil.example"})
    assert other.status_code == 403
    led = http.post("/threads/search", json={}, headers={"Host": "evil.example"})
    assert led.status_code == 401
    assert http.get("/app/").headers["content-security-policy"].startswith("default-src 'none'")


def test_browser_reviews_and_shows_the_text_with_its_evidence(
    tab: Page, http: httpx.Client
) -> None:
    page, visitor = tab, Visitor(tab, str(http.base_url).rstrip("/"))
    thread = begun(http, "review", REVIEW)
    visitor.at(f"run/{thread}/live")
    page.wait_for_url("**/text", timeout=60_000)
    page.get_by_role("button", name="[1]").first.click()
    expect(page.locator("aside blockquote").first).to_be_visible()
    visitor.at("history")
    expect(page.get_by_role("link", name="About review").first).to_be_visible()
    assert visitor.wrong == []


def test_run_is_watched_checked_and_its_digest_tells_what_the_library_got_since(
    tab: Page, http: httpx.Client
) -> None:
    records = [one.model_dump_json(exclude_defaults=True) for one in small_records()]
    page = tab

    def add(first: int, last: int) -> None:
        sent = {
            "name": "p.jsonl",
            "content": "\n".join(records[first:last]),
            "encoding": "text",
        }
        rested(http, begun(http, "ingest", {"library": "own", "uploads": [sent]}))

    add(0, 20)
    run = begun(http, "find", {"text": IDEA, "library": "own"}, bar=1)
    assert rested(http, run)["status"] == "completed"
    visitor = Visitor(page, str(http.base_url).rstrip("/"))
    visitor.at(f"run/{run}/papers")
    page.get_by_role("link", name="Watch this").click()
    form = page.get_by_role("form", name="Watch this")
    form.get_by_label("Name of the watch").fill("mine")
    form.get_by_label("How often").select_option("1")
    form.get_by_label("Stop each check at").fill("0.2")
    visitor.looks_right_everywhere()
    form.get_by_role("button", name="Start watching").click()
    watch = page.get_by_role("listitem").filter(has_text="mine")
    expect(watch.get_by_text("at most 0.20 USD a check")).to_be_visible()
    expect(watch.get_by_text("not checked yet")).to_be_visible()
    expect(page.get_by_text("CiteLoom does not check by itself")).to_be_visible()
    add(20, 40)
    watch.get_by_role("button", name="Check now").click()
    expect(watch.get_by_role("heading", name="New papers")).to_be_visible(timeout=120_000)
    (found,) = http.get("/citeloom/watches").json()["watches"]
    told = [item["paper"]["title"] for item in found["digests"][0]["items"]]
    assert told
    assert {*told} <= {one.title for one in small_records()[20:40]}
    expect(watch.get_by_text("Nothing new at the last check")).to_have_count(0)
    for title in told:
        expect(watch.get_by_text(title)).to_be_visible()
    visitor.looks_right_everywhere()
    page.reload()
    expect(watch.get_by_text(told[0])).to_be_visible()
    watch.get_by_role("button", name="Stop watching").click()
    expect(page.get_by_text("Nothing is watched yet")).to_be_visible()
    assert http.post("/citeloom/watches/mine/check", json={}).status_code == 422
