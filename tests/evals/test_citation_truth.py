"""evals/citation_truth: sentences made false in nine ways, and what the paths call them."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from evals.citation_truth.command import GROUPS, figures, judged
from evals.citation_truth.falsify import KINDS, falsified
from evals.citation_truth.pairs import load
from tests.evals.calls import evaluated

OTHERS = ["Our tool is of OWLNET."] * 300


@pytest.mark.parametrize(
    ("kind", "sentence", "lie"),
    [
        ("negation", "The lamps are bright.", "The lamps are not bright."),
        ("negation", "The lamps do not glow.", "The lamps glow."),
        ("direction", "It reduces noise.", "It raises noise."),
        ("number", "We saw 12 owls.", "We saw 31 owls."),
        ("unit", "It takes 12 seconds.", "It takes 12 hours."),
        ("scope", "In some cases owls sleep.", "In all cases owls sleep."),
        ("hedge", "It may rain.", "It will certainly rain."),
        ("comparison", "The new lamp is brighter than old ones.", "Old ones is brighter than the new lamp."),
        ("entity", "We use LAMPS here.", "We use OWLNET here."),
        ("subject", "The new owl is awake.", "Our tool is awake."),
        ("number", "Owls sleep.", None), ("comparison", "Owls sleep.", None),
    ],
)  # fmt: skip
def test_one_thing_is_made_false(kind: str, sentence: str, lie: str | None) -> None:
    assert falsified(sentence, kind, OTHERS, Random(1)) == lie


def test_cases_are_balanced_and_each_path_tells_what_it_called_them(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"10.1234/{number}", "title": f"On owls {number}", "year": 2000, "authors": ["Ann Lee"],
            "abstract": f"We propose {number} lamps for owls in the dark old barns of some farms. "
            f"The lamps are brighter than {number} stars, and may help many owls.",
        }
        for number in range(11, 411)
    ]  # fmt: skip
    gold = {
        "cited": [{**rows[0], "key": "7"}],
        "gold_sentences": [{"text": "Lamps light barns [7].", "cites": ["7"]}],
    }
    for name, items in (("citation_graph/papers", rows), ("related_work/related_work", [gold])):
        path = tmp_path / f"{name}.jsonl.gz"
        path.parent.mkdir()
        path.write_bytes(gzip.compress("\n".join(map(json.dumps, items)).encode()))
    cases = load(tmp_path, 4)
    own = sum(case.kind == "own" for case in cases)
    assert own == sum(case.kind in KINDS for case in cases)
    assert own == sum(case.kind == "elsewhere" for case in cases)
    assert {case.kind for case in cases} <= set(GROUPS)
    for arm in ("write", "ask", "synthesize"):
        found = judged(cases, arm)
        called = {verdict for case, verdict in found if case.kind == "own"}
        assert called == {"supported"}
        others = {verdict for case, verdict in found if case.kind != "own"}
        assert not others & {"supported", "partly"}
    told = evaluated("citation_truth", "--data", tmp_path, "--each", "1", "--arms", "write_liar")
    assert told.exit_code == 0
    assert "write_liar (tuning)" in told.stdout
    lies = figures("liar", [(case, "supported") for case in cases])
    assert lies["accepted"] == lies["supported"] == lies["false"] == own
