"""`citeloom verify`: a text and its sources in, a report, audit.json and an exit code out."""

import json
from pathlib import Path

import pytest
from lxml import html

from citeloom.report.verdicts import UNCITING
from tests.cli.conftest import Cite
from tests.documents.test_word_manuscript import fielded, manuscript, paragraph, words
from tests.fakes.made_papers import made_papers

OTTERS = "In brackish harbours the estuary weirs of otters cross under tidal locks."
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
    assert done.files == {"audit.html", "audit.json", "audit.md", "run.json"}
    assert "out/audit.html" in done.stderr
    assert f"- Sentence 2, [2] *supported*: “{OTTERS}”" in done.text("audit.md")
    audit = done.json("audit.json")
    assert (audit["passed"], audit["supported"], audit["citations"]) == (True, 2, 2)
    again = cite("verify", "--resume", done.run["run"], out="again")
    assert again.code == 0
    assert again.json("audit.json")["verdicts"] == audit["verdicts"]


def test_text_without_a_citation_is_not_said_to_pass(cite: Cite) -> None:
    done = cite("verify", "Copper roofs of chapels bleach. Lichens grow on them.")
    assert (done.code, done.stdout.splitlines()[0]) == (0, UNCITING)


def test_text_with_false_citations_fails_and_each_is_named(cite: Cite, records: Path) -> None:
    done = cite("verify", BAD, "--papers", records)
    assert done.code == 3
    told = json.loads(cite("verify", "--resume", done.run["run"], "--json").stdout)
    assert told["audit"]["passed"] is False
    assert told["labels"] == {"P1": "[1]", "P2": "[9]", "P3": "[2]"}
    for part in (
        "[1] *the paper does not say it*",
        "doi:10.1234/1 does say it",
        "[9] *no such entry or record*: cited, but not in the reference list",
        "Not passed.",
    ):
        assert part in done.stdout
    assert [item["cause"] for item in done.json("audit.json")["verdicts"]] == [
        "mis_cited",
        "unresolved",
        "not_verbatim",
    ]
    open_ = "[2] *not checked*: no model is configured"
    assert open_ in done.stdout
    assert "never" in done.stdout.split(open_)[1], "what speaks against it is told"
    verdicts = done.json("audit.json")["verdicts"]
    assert verdicts[2]["reason"].startswith("no model is configured")
    report = done.text("audit.md")
    assert report.startswith("# Citations checked\n\nNot passed. ")
    assert done.stdout.strip() in report.replace("\\_", "_"), "the file has all that is printed"
    assert "The rest: not checked (no LLM configured)" in report


def test_report_is_a_page_and_nothing_in_it_is_markup(cite: Cite, records: Path) -> None:
    done = cite("verify", f"{BAD} <b>Bold</b> claims agree [8].", "--papers", records)
    page = html.fromstring(done.text("audit.html"))
    assert page.xpath("//h1/text()") == ["Citations checked"]
    assert "<b>Bold</b> claims agree [8]." in page.text_content()
    assert not page.xpath("//b")


def test_word_manuscript_is_checked_by_what_its_fields_cite(cite: Cite, home: Path) -> None:
    record = made_papers(1)[0]
    item = {
        "title": record["title"],
        "issued": {"date-parts": [[1990]]},
        "abstract": record["abstract"],
        "author": [{"family": "Abel", "given": "Ann"}, {"family": "Corvin", "given": "Bo"}],
    }
    code = f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': [{'itemData': item}]})} "
    claim = "In tiled chapels the copper roofs of lichens bleach under sulphur rain "
    path = home.parent / "draft.docx"
    path.write_bytes(manuscript(paragraph(words(claim), fielded(code, "(Abel, 1990)"), words("."))))
    done = cite("verify", path)
    assert done.code == 0, done.stdout
    assert f"[@abel1990] *supported*: “{claim.strip()}" in done.text("audit.md").replace(
        "abel1990 *", "[@abel1990] *"
    )
    path.write_bytes(b"PK\x03\x04 torn")
    torn = cite("verify", path)
    assert torn.code == 2
    assert "save it anew as .docx" in torn.stderr


def test_references_without_a_recognised_citation_fail(cite: Cite, records: Path) -> None:
    done = cite(
        "verify", "In tiled chapels the copper roofs bleach #1. Otters cross.", "--papers", records
    )
    assert done.code == 3
    assert "Not passed. CiteLoom recognised no citation: it reads [1], [2-4]" in done.stdout
    assert "footnotes [^1]" in done.text("audit.md")


@pytest.mark.parametrize("text", ["", "[1]"])
def test_text_with_nothing_to_check_is_bad_input(cite: Cite, text: str) -> None:
    done = cite("verify", text)
    assert done.code == 2
    assert "citeloom:" in done.stderr
