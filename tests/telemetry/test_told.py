"""Tests of tools/telemetry: log lines, traces and metrics of a run of the command line."""

from collections import Counter

from tests.fakes.otlp import attributes
from tests.telemetry.conftest import CANARY, Told


def test_no_line_trace_or_metric_holds_a_text_or_a_key(told: Told) -> None:
    assert told.code == 0, told.stderr[-2000:]
    asked = str(told.model.requests)
    assert CANARY in asked, "the canary must have been in the prompts"
    sent = b"".join(body for _, _, body in told.collector.requests)
    assert len(told.lines) > 50
    assert len(sent) > 10_000
    telling = {line.split(":")[1] for line in told.stderr.splitlines() if CANARY in line}
    assert telling == set(), "loggers that told it"
    assert CANARY.encode() not in sent
    assert "landmark" not in told.stderr
    assert b"landmark" not in sent


def test_each_line_of_log_names_its_run(told: Told) -> None:
    assert {line["graph"] for line in told.lines if "run" in line} == {"review"}
    (run,) = {line["run"] for line in told.lines if "run" in line}
    assert run.startswith("20")  # as `citeloom runs list` has it
    calls = [line for line in told.lines if line["message"] == "call" and "task" in line]
    assert len(calls) == len(told.model.requests)
    for line in calls:
        assert line["run"] == run
        assert line["stage"]
        assert line["mind"] == "m"
        assert line["seconds"] >= 0
    failed = [line for line in calls if "error" in line]
    assert {line["error"] for line in failed} >= {"TransientError (HTTP 503)"}
    assert {line["source"] for line in told.lines if "source" in line} == {"openalex"}
    ends = [line for line in told.lines if line["message"] == "run ends"]
    assert [line["outcome"] for line in ends] == ["complete"]


def test_trace_leads_from_the_run_over_its_steps_to_its_calls(told: Told) -> None:
    spans = {span.span_id: span for span in told.collector.spans}
    assert len({span.trace_id for span in spans.values()}) == 1
    (root,) = [span for span in spans.values() if not span.parent_span_id]
    assert root.name == "invoke_workflow review"
    assert attributes(root)["gen_ai.workflow.name"] == "review"
    chats = [span for span in spans.values() if span.name == "chat m"]
    assert len(chats) == len(told.model.requests)
    for span in chats:
        given = attributes(span)
        assert given["gen_ai.operation.name"] == "chat"
        assert given["gen_ai.request.model"] == "m"
        step = spans[span.parent_span_id]
        assert attributes(step)["citeloom.stage"] == step.name
        above = [step.name]
        while step.parent_span_id:
            step = spans[step.parent_span_id]
            above.append(step.name)
        assert above[-1] == root.name
    names = Counter(span.name for span in spans.values())
    assert names["find"] == names["writing"] == 1
    assert names["request openalex"] > 0
    tokens = sum(attributes(span)["gen_ai.usage.output_tokens"] for span in chats)
    assert tokens > 0


def test_metrics_count_calls_tokens_and_money_by_task_model_and_source(told: Told) -> None:
    metrics = told.collector.metrics
    points = metrics["gen_ai.client.operation.duration"].histogram.data_points
    assert sum(point.count for point in points) == len(told.model.requests)
    by_task: Counter[str] = Counter()
    for point in points:
        given = attributes(point)
        assert given["gen_ai.request.model"] == "m"
        by_task[given["citeloom.task"]] += point.count
    assert by_task == Counter(told.model.tasks)
    assert any("error.type" in attributes(point) for point in points)
    usage = metrics["gen_ai.client.token.usage"].histogram.data_points
    assert {attributes(point)["gen_ai.token.type"] for point in usage} == {"input", "output"}
    cost = metrics["citeloom.cost"].sum.data_points
    assert sum(point.as_double for point in cost) > 0
    sources = metrics["citeloom.source.duration"].histogram.data_points
    assert {attributes(point)["citeloom.source"] for point in sources} == {"openalex"}
    runs = metrics["citeloom.run.duration"].histogram.data_points
    assert [attributes(point)["citeloom.outcome"] for point in runs] == ["complete"]
    (active,) = metrics["citeloom.run.active"].sum.data_points
    assert active.as_int == 0


def test_collector_below_a_path_gets_the_headers_that_langfuse_asks_for(told: Told) -> None:
    paths = {path for path, _, _ in told.collector.requests}
    assert paths == {"/api/public/otel/v1/traces", "/api/public/otel/v1/metrics"}
    assert {names["authorization"] for _, names, _ in told.collector.requests} == {"Basic cGs6c2s="}
