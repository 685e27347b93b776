"""evals/citation_truth: sentences made false in nine ways, and what the paths call them."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from evals.citation_truth.command import GROUPS, figures
from evals.citation_truth.pairs import KINDS, Case, falsified, load
from state.paper import Paper
from state.writing import SupportVerdict
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
        (
            "comparison",
            "The new lamp is brighter than old ones.",
            "Old ones is brighter than the new lamp.",
        ),
        ("entity", "We use LAMPS here.", "We use OWLNET here."),
        ("subject", "The new owl is awake.", "Our tool is awake."),
        ("number", "Owls sleep.", None),
        ("comparison", "Owls sleep.", None),
    ],
)
def test_one_thing_is_made_false(kind: str, sentence: str, lie: str | None) -> None:
    assert falsified(sentence, kind, OTHERS, Random(1)) == lie


def test_cases_are_balanced_and_each_path_tells_what_it_called_them(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"10.1234/{number}",
            "title": f"On owls {number}",
            "year": 2000,
            "authors": ["Ann Lee"],
            "abstract": f"We propose {number} lamps for owls in the dark old barns of some farms. "
            f"The lamps are brighter than {number} stars, and may help many owls.",
        }
        for number in range(11, 411)
    ]
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
    told = evaluated("citation_truth", "--data", tmp_path, "--each", "1", "--arms", "write_liar")
    assert told.exit_code == 0
    assert "## verdicts: write liar" in told.stdout
    assert "## calibration" in told.stdout
    lies = figures("liar", [(case, "supported") for case in cases])["falsehoods"]
    assert lies == {"all": own, "accepted": own, "supported": own}


def test_verdicts_are_calibrated_by_the_truth_of_what_they_were_given_to() -> None:
    paper = Paper(id="doi:10.1234/1", title="On owls")
    told: list[tuple[bool, SupportVerdict]] = [
        (True, "supported"),
        (True, "supported"),
        (False, "supported"),
        (False, "contradicted"),
    ]
    found = [(Case(paper, "", true, "own" if true else "number", ""), said) for true, said in told]
    shares = {
        name: (share["mean"], share["n"])
        for name, share in figures("a", found)["calibration"].items()
    }
    assert shares == {"supported": (pytest.approx(2 / 3), 3), "contradicted": (0, 1)}
