"""What every suite refuses, and where there is none."""

import re
import sys
from pathlib import Path

import pytest

from evals.__main__ import SUITES
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
        (RETRIEVAL, "no query has an abstract, a year and references"),
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
        (("synthesis", "--parts", "speed"), "there is no part 'speed'"),
        (("synthesis", "--parts", "arms"), "give them with --papers"),
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
