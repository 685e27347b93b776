"""What every suite refuses, the tables of a run's figures, and screening as if references were to be included."""

import gzip
import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.__main__ import SUITES, app
from tests.evals.calls import evaluated
from tests.evals.made import topics, write


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write(tmp_path_factory.mktemp("data"), topics())
    (folder / "unknown").write_text('{"id": "10.5555/unknown"}')
    (folder / "first").write_text('{"id": "10.5555/0.0"}')
    (folder / "broken").write_text("{broken")
    return folder


RETRIEVAL = ("retrieval", "--data", "{}", "--queries", "{}/first")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ("retrieval", "--data", "{}", "--queries", "{}/unknown"),
            "1 of 1 queries are not in the data: 10.5555/unknown",
        ),
        (("retrieval", "--data", "{}", "--queries", "{}/broken"), "line 1 of .* is no JSON"),
        (("retrieval", "--data", "{}/no", "--queries", "{}/first"), "there is no file"),
        (("retrieval", "--queries", "{}/first"), "name either --data"),
        ((*RETRIEVAL, "--sources", "arxiv"), "name either --data"),
        (
            ("retrieval", "--queries", "{}/first", "--sources", "library"),
            "name sources on the network",
        ),
        (
            ("retrieval", "--queries", "{}/first", "--sources", "arxiv"),
            "'10.5555/0.0' is a query paper",
        ),
        (
            RETRIEVAL,
            "no query can be measured, the first because no reference of it has an abstract",
        ),
        ((*RETRIEVAL, "--n", "2"), "--n 2 is not possible: the file has 1 queries"),
        ((*RETRIEVAL, "--arms", "bfs,best"), "there is no arm 'best'; there are: single"),
        ((*RETRIEVAL, "--keep", "0"), "should be greater than or equal to 1"),
        (("writing", "--data", "{}/none"), "cannot be read"),
        (
            ("writing", "--data", "{}/first"),
            "holds no row that can be used .10.5555/0.0: its target",
        ),
        (
            ("writing", "--data", "p", "--writers", "best"),
            "there is no writer 'best'; there are: beam",
        ),
        (("asking", "--data", "{}/first"), "holds no question that can be asked"),
        (("asking", "--n", "0"), "should be greater than or equal to 1"),
        (("asking", "--workers", "0"), "should be greater than or equal to 1"),
        (("asking", "--mind", "oracle"), "'oracle' is not one of"),
        (("asking", "--mind", "llm"), "--mind llm needs an LLM"),
        (("asking", "--json", "no/such/folder/x.json"), "cannot be written"),
        (("asking", "--arms", "hybrid-9"), "there is no arm 'hybrid-9'; there are: hybrid-2"),
        (("asking", "--groups", "typos,cats"), "there is no group 'cats'; there are: two_papers"),
        (("synthesis", "--folder", "{}"), "there is no truth.jsonl"),
        (("synthesis",), "papers with questions with --papers"),
        (("synthesis", "--questions", "{}/first", "--papers", "p"), "have no question or files"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_any_run(
    data: Path, given: tuple[str, ...], said: str
) -> None:
    result = evaluated(*(one.format(data) for one in given))
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.search(said, " ".join(result.stderr.replace("│", "").split()))


def test_installation_without_benchmarks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evals.__main__", None)
    result = evaluated("asking")
    assert result.exit_code == 2
    assert "the benchmarks need a checkout" in result.stderr


def test_nothing_of_the_tests_is_imported() -> None:
    folder = Path(sys.modules["evals"].__path__[0])
    assert SUITES
    for path in folder.rglob("*.py"):
        assert not re.search(r"^\s*(?:from|import) tests\b", path.read_text("utf-8"), re.M), path


def of(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.1, "high": mean + 0.1, "n": 2}


def written(path: Path, *, ours: float, cases: dict[str, float]) -> Path:
    figures = {
        "settings": {"data": "<b>rows</b>", "judge": "a model"},
        "group": {
            "arms": {
                "ours": {"recall_at_k": of(ours)},
                "theirs": {"recall_at_k": of(0.5), "runs": 3},
            }
        },
        "cases": [
            {
                "id": name,
                "arms": {"ours": {"recall_at_k": value}},
                "texts": {"ours": "<script>x</script>"},
            }
            for name, value in cases.items()
        ],
        "tasks": {"ours": {"extract_claims": {"calls": 4, "usd": 0.25, "seconds": 6.0}}},
        "complete": True,
    }
    path.write_text(json.dumps(figures), encoding="utf-8")
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return written(tmp_path / "run.json", ours=0.75, cases={"a": 1.0, "b": 0.5, "c": 0.9})


def test_tables_of_a_run_are_printed(run: Path) -> None:
    done = evaluated("report", run)
    assert done.exit_code == 0, done.output
    heads = [line for line in done.stdout.splitlines() if line.startswith("## ")]
    assert heads == ["## group: arms", "## Cost and latency by task"]
    assert "| recall at k | 0.750 [0.650, 0.850] | 0.500 [0.400, 0.600] |" in done.stdout
    assert "| ours | extract_claims | 4 | 0 | 0 | 0 | 0 | 0 | 0.25 | 1.5 |" in done.stdout


def test_two_runs_are_compared_case_by_case(tmp_path: Path, run: Path) -> None:
    before = written(tmp_path / "before.json", ours=0.6, cases={"a": 0.8, "b": 0.5, "other": 0.0})
    told = evaluated("report", run, "--against", before).stdout
    # Of the cases that both have, a gained 0.2 and b nothing.
    assert "Minus before.json, paired by case" in told
    assert "| recall at k | 0.100 [0.000, 0.200] |" in told


def test_learnt_order_saves_work_that_random_order_does_not(tmp_path: Path) -> None:
    bees = [
        {
            "id": f"b{at}",
            "title": f"Honey bees and their hive {at}",
            "abstract": "Bees dance for honey and fly home.",
        }
        for at in range(12)
    ]
    other = [
        {
            "id": f"s{at}",
            "title": f"Soil carbon {at}",
            "abstract": f"We measure carbon in review plot {at} of farms.",
        }
        for at in range(300)
    ]
    review = {
        "id": "r",
        "title": "A review of honey bees",
        "abstract": "We review bees.",
        "references": [one["id"] for one in bees],
    }
    graph = tmp_path / "papers.jsonl.gz"
    with gzip.open(graph, "wt", encoding="utf-8") as lines:
        lines.write("\n".join(map(json.dumps, [review, *bees, *other])))
    done = CliRunner().invoke(
        app, ["screening", str(graph), "--reviews", "1", "--candidates", "300"]
    )
    assert done.exit_code == 0, done.output
    told = {
        words[1]: dict(zip(words[2::2], map(float, words[3::2]), strict=True))
        for line in (done.output + done.stderr).splitlines()
        if (words := line.replace("holds at stop", "held").split())[0] == "all"
    }
    assert told["learnt"]["relevant"] == 12
    assert told["learnt"]["wss95"] > 0.8 > told["random"]["wss95"]
    assert told["learnt"]["recall"] == 1.0
