"""`citeloom verify`: a text and its sources in, a report, audit.json and an exit code out."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cite
from tests.fakes.made_papers import made_papers

GOOD = (
    "Abel and Corvin [1] write that in tiled chapels the copper roofs of lichens bleach under sulphur "
    "rain. In brackish harbours the estuary weirs of otters cross under tidal locks [2]."
)
BAD = (
    "In brackish harbours the estuary weirs of otters cross under tidal locks [1]. Chess agrees [9]. "
    "The estuary weirs of otters never cross under tidal locks [2]."
)


@pytest.fixture
def records(home: Path) -> Path:
    path = home.parent / "refs.jsonl"
    rows = [
        json.dumps({**item, "id": f"10.1234/{place}"}) for place, item in enumerate(made_papers(3))
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_text_whose_citations_hold_passes(cite: Cite, records: Path) -> None:
    done = cite("verify", GOOD, "--papers", records)
    assert done.code == 0
    assert "Passed." in done.stdout
    assert done.files == {"audit.json", "run.json"}
    audit = done.json("audit.json")
    assert (audit["passed"], audit["supported"], audit["citations"]) == (True, 2, 2)
    again = cite("verify", "--resume", done.run["run"], out="again")
    assert again.code == 0
    assert again.json("audit.json")["verdicts"] == audit["verdicts"]


def test_text_with_false_citations_fails_and_each_is_named(cite: Cite, records: Path) -> None:
    done = cite("verify", BAD, "--papers", records)
    assert done.code == 3
    told = json.loads(cite("verify", "--resume", done.run["run"], "--json").stdout)
    assert told["audit"]["passed"] is False
    assert told["labels"] == {"P1": "[1]", "P2": "[9]", "P3": "[2]"}
    assert "[1]: the paper does not say it" in done.stdout
    assert "it is said by doi:10.1234/1" in done.stdout
    assert "[9]: leads to no paper" in done.stdout
    assert "Not passed." in done.stdout
    assert [item["cause"] for item in done.json("audit.json")["verdicts"]] == [
        "mis_cited",
        "fabricated",
        "not_verbatim",
    ]
    assert "[2]: not checked" in done.stdout
    assert "never" in done.stdout.split("[2]: not checked")[1], "what speaks against it is told"


def test_bibtex_keys_are_resolved(cite: Cite, home: Path) -> None:
    bib = home.parent / "refs.bib"
    record = made_papers(1)[0]
    bib.write_text(
        f"@article{{abel1990, title={{{record['title']}}}, author={{Abel, Ann and Corvin, Bo}}, "
        f"year={{1990}}, abstract={{{record['abstract']}}}}}",
        encoding="utf-8",
    )
    text = "In tiled chapels the copper roofs of lichens bleach under sulphur rain [@abel1990]."
    done = cite("verify", text, "--papers", bib)
    assert done.code == 0, done.stdout


@pytest.mark.parametrize("text", ["", "[1]"])
def test_text_with_nothing_to_check_is_bad_input(cite: Cite, text: str) -> None:
    done = cite("verify", text)
    assert done.code == 2
    assert "citeloom:" in done.stderr
