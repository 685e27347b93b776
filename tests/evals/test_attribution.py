"""evals/attribution.py: the ablation of the check of quotes, on a citation graph made up here."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from evals.attribution import Gain, Row, compare, main, run
from evals.attribution_data import read_cases
from tests.library.words import WordEmbedder

_WORDS = "pear quince apple plum drought soil root leaf bloom graft frost pest prune ripen".split()  # noqa: SIM905


def row(number: int, year: int, references: list[str]) -> dict[str, Any]:
    """A paper of words drawn by its number."""
    draw = random.Random(number)
    first, second = (" ".join(draw.sample(_WORDS, 6)) for _ in range(2))
    return {
        "id": f"10.1000/{number}", "title": f"Paper {number} on {draw.choice(_WORDS)}", "year": year,
        "abstract": f"We study {first} in the field. It is shown that {second} matter here.",
        "references": references,
    }  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two query papers that cite 20 of 80 older ones each, one with too few references, a later one."""
    old = [row(number, 2000 + number % 10, []) for number in range(80)]
    cited = [paper["id"] for paper in old]
    queries = [row(100, 2015, cited[:20]), row(101, 2016, cited[40:60]), row(102, 2016, cited[:2])]
    silent = {**row(103, 2001, []), "abstract": None}
    late = row(104, 2020, [])
    folder = tmp_path / "graph"
    folder.mkdir()
    with gzip.open(folder / "papers.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(paper) + "\n" for paper in [*old, *queries, silent, late])
    names = [json.dumps({"id": f"10.1000/{number}"}) for number in (102, 100, 999, 101)]
    (folder / "queries.jsonl").write_text("\n".join(names), encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _embedder_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.embed.open._opened", {("minilm", "", ""): WordEmbedder()})


def test_cases_hold_references_and_other_earlier_papers_with_an_abstract(data: Path) -> None:
    cases = read_cases(data, data / "queries.jsonl", count=5, candidates=60)
    assert [case.id for case in cases] == ["doi:10.1000/100", "doi:10.1000/101"]
    for case in cases:
        ids = {paper.id for paper in case.papers}
        assert len(ids) == len(case.papers) == 60
        assert case.relevant < ids
        assert len(case.relevant) == len(case.relevant_titles) == 20
        assert ids.isdisjoint(
            {"doi:10.1000/100", "doi:10.1000/101", "doi:10.1000/103", "doi:10.1000/104"}
        )


async def test_no_invented_argument_survives_the_check_and_all_do_without_it(
    data: Path, tmp_path: Path
) -> None:
    cases = read_cases(data, data / "queries.jsonl", count=1, candidates=42)
    rows, gains = await run(cases, 0.2, 0, tmp_path, k=20)
    by_arm = {(entry.manner, entry.arm): entry for entry in rows}
    for manner in ("afresh", "stubbornly"):
        checked: Row = by_arm[manner, "with the check"]
        unchecked: Row = by_arm[manner, "without it"]
        assert checked.invented > 0
        assert checked.survived == 0
        assert unchecked.survived == unchecked.invented > 0
        assert checked.calls > unchecked.calls
    assert (
        by_arm["afresh", "with the check"].invented
        < by_arm["stubbornly", "with the check"].invented
    )
    gain: Gain = next(one for one in gains if one.manner == "afresh" and "recall" in one.measure)
    assert gain.difference > 0


def test_difference_that_all_pairs_share_is_significant_and_none_is_not() -> None:
    mean, low, high, p = compare([0.5, 0.6, 0.7, 0.8] * 5, [0.3, 0.4, 0.5, 0.6] * 5, seed=1)
    assert (mean, low, high) == pytest.approx((0.2, 0.2, 0.2))
    assert p < 0.001
    *_, p = compare([0.5, 0.3] * 10, [0.3, 0.5] * 10, seed=1)
    assert p > 0.5


def test_command_prints_both_tables_and_writes_the_figures(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures.json"
    given = ["--data", str(data), "--queries", str(data / "queries.jsonl"), "--n", "1"]
    options = [*given, "--candidates", "12", "--json", str(figures)]
    monkeypatch.setattr("sys.argv", ["attribution", *options])
    main()
    told = json.loads(figures.read_text(encoding="utf-8"))
    assert len(told["rows"]) == len(told["gains"]) == 4
    assert "counted as supported 0" in capsys.readouterr().out
