"""Tests of `citeloom eval screening`: a citation graph screened as if references were the papers to include."""

import gzip
import json
from pathlib import Path

from typer.testing import CliRunner

from evals.__main__ import app


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
