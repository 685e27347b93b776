"""citeloom/report/citation_graph: the picture of what was found, for any papers there may be."""

import json
import random
import shutil
import subprocess
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import pytest
from lxml import html

from citeloom.report.citation_graph import Picture, citation_picture
from citeloom.report.web_page import page
from state.paper import Author, Paper
from state.results import Link, RankedPaper
from state.search import Completeness, Hit, MissingWork
from tests.support import ROOT
from tools.ranking.discovery_channels import BY_INPUT

Via = Literal["query", "reference", "citation", "recommendation", "must_include"]
VIAS: Sequence[Via] = ("query", "reference", "citation", "recommendation", "must_include")


def hit(via: Via, by: str = "pears", hop: int = 1) -> Hit:
    return Hit(paper="x", via=via, by=by, source="test", hop=hop)


def ranked(rank: int, *hits: Hit, year: int | None = 2020, **fields: Any) -> RankedPaper:
    values: dict[str, Any] = {
        "id": f"doi:10.1/{rank}",
        "doi": f"10.1/{rank}",
        "title": f"Pears, part {rank}",
        "year": year,
        "authors": (Author(name=f"Ann Pear{rank}"),),
    }
    return RankedPaper(
        rank=rank,
        score=fields.pop("score", 60.0),
        selected=fields.pop("selected", True),
        paper=Paper(**(values | fields)),
        found_by=hits or (hit("query"),),
    )


def many(count: int) -> list[RankedPaper]:
    """Papers of forty years, some without one, found in all ways, some in none that is recorded."""
    rng = random.Random(7)
    papers = [
        ranked(
            rank,
            hit(rng.choice(VIAS)),
            score=max(1.0, 99 - rank / 3),
            selected=rank <= 40,
            year=None if rank % 19 == 0 else 2024 - int(rng.expovariate(0.15)) % 40,
        )
        for rank in range(1, count + 1)
    ]
    first = [one.model_copy(update={"found_by": ()}) for one in papers[:1]]
    return [*first, *papers[1:]]


def graph_of(
    papers: Sequence[RankedPaper],
    links: Sequence[tuple[str, str]] = (),
    numbers: Mapping[str, int] = MappingProxyType({}),
    missing: Sequence[MissingWork] = (),
) -> Picture:
    joined = [Link(citing=f"doi:10.1/{one}", cited=f"doi:10.1/{two}") for one, two in links]
    found = Completeness(missing=tuple(missing))
    return citation_picture({"papers": papers, "links": joined, "completeness": found}, numbers)


def page_of(picture: Picture) -> str:
    return page("Pears", picture.body, style=picture.style, script=picture.digest)


def data_of(page: str) -> dict[str, Any]:
    """What the page's script is given to draw."""
    (text,) = html.fromstring(page).xpath("//script[@id='data']/text()")
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.parametrize(
    ("hits", "told"),
    [
        ([hit("query")], "keyword queries"),
        ([hit("query", hop=2), hit("reference")], "cited by papers found, keyword queries"),
        ([hit("citation"), hit("query", BY_INPUT)], "meaning of the input, citing papers found"),
        ([hit("must_include"), hit("must_include")], "named by you"),
    ],
)
def test_channels_are_told_in_the_order_in_which_they_found_a_paper(
    hits: list[Hit], told: str
) -> None:
    (row,) = data_of(page_of(graph_of([ranked(1, *hits)])))["papers"]
    assert row["paper"]["found_by"] == told


def test_row_tells_what_the_reader_sees() -> None:
    named = ranked(3, hit("must_include"))
    papers = [ranked(1, retracted=True), ranked(2, selected=False, year=None), named]
    papers[0] = papers[0].model_copy(update={"theme": "orchards"})
    data = data_of(page_of(graph_of(papers, [("1", "2")], {"doi:10.1/1": 7})))
    assert data["links"] == [{"citing": "doi:10.1/1", "cited": "doi:10.1/2"}]
    assert data["references"] == [{"paper": {"id": "doi:10.1/1"}, "number": 7}]
    first, second, _ = data["papers"]
    assert first == {
        "paper": {
            "id": "doi:10.1/1",
            "rank": 1,
            "title": "Pears, part 1 (retracted)",
            "who": "Pear1",
            "year": 2020,
            "score": 60,
            "found_by": "keyword queries",
            "address": "https://doi.org/10.1/1",
        },
        "score": 60.0,
        "selected": True,
        "theme": "orchards",
    }
    assert data["request"] == {"must_include": ["doi:10.1/3"]}
    assert (second["selected"], second["paper"]["year"]) == (False, None)


def test_link_is_told_with_what_the_one_paper_says_of_the_other() -> None:
    said = "Unlike [1], pears </script> grow."
    link = Link(
        citing="doi:10.1/1", cited="doi:10.1/2", stance="contrasts", by="cue words", sentence=said
    )
    picture = citation_picture({"papers": [ranked(1), ranked(2)], "links": [link]}, {})
    (told,) = data_of(page_of(picture))["links"]
    assert told == {
        "citing": "doi:10.1/1",
        "cited": "doi:10.1/2",
        "stance": "contrasts",
        "by": "cue words",
        "sentence": said,
    }


def test_address_is_one_of_the_web_or_none() -> None:
    papers = [
        ranked(1, doi='10.1/a"b<c>#d'),
        ranked(2, doi=None, url="https://example.org/?a=1&b=2"),
        ranked(3, doi=None, url="file:///etc/passwd"),
        ranked(4, doi=None, url="javascript:alert(1)"),
    ]
    rows = data_of(page_of(graph_of(papers)))["papers"]
    assert [row["paper"]["address"] for row in rows] == [
        "https://doi.org/10.1/a%22b%3Cc%3E%23d",
        "https://example.org/?a=1&b=2",
        None,
        None,
    ]


HOSTILE = [
    "A <b>bold</b> & \"quoted\" 'title' </text></script><script>alert(1)</script>",
    "x" * 5000,
    "turned \u202e around \u2066 and \x00\x08\x1f broken",
    "]]> <!-- --> <![CDATA[ <!--<script>",
    "GRAPH-LAYOUT GRAPH-DATA",
]


@pytest.mark.parametrize("title", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_title_stays_text_and_only_our_script_may_run(title: str) -> None:
    item = ranked(1, title=title, authors=(Author(name=title[:900]),))
    made = page_of(graph_of([item]))
    document = html.fromstring(made)
    assert not document.xpath("//b|//link|//img|//iframe|//@src|//@onclick|//@onload")
    data, script = document.xpath("//script")
    assert data.get("type") == "application/json"
    (row,) = data_of(made)["papers"]
    assert row["paper"]["title"].startswith(title[:1])
    assert len(row["paper"]["title"]) <= 401
    assert "\u202e" not in made
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    digest = b64encode(sha256(script.text.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'")
    assert f"script-src 'sha256-{digest}'" in policy


NODE = shutil.which("node")
# As much of a browser as the script asks for; what was put in is told when all is drawn.
BROWSER = """
const made = [];
class Element {
  constructor(space, name) { Object.assign(this, {namespaceURI: space, name, attributes: {}}); made.push(this); }
  setAttribute(key, value) { this.attributes[key] = value; }
  appendChild(child) { return child; }
  addEventListener() {}
}
const held = {data: {textContent: DATA}};
const document = {
  getElementById: id => held[id] ??= new Element("http://www.w3.org/1999/xhtml", id),
  createElementNS: (space, name) => new Element(space, name),
  createElement: () => ({getContext: () => ({measureText: text => ({width: 7 * text.length})})}),
};
"""


@pytest.mark.skipif(NODE is None, reason="no Node.js is installed to run the page's script with")
@pytest.mark.parametrize("count", [0, 1, 200])
def test_script_draws_every_kept_paper_once_and_lists_all(count: int, tmp_path: Path) -> None:
    assert NODE is not None
    gone = MissingWork(id="doi:10.1/x", cited_by=("doi:10.1/1",))
    missing = [gone][:count]
    made = page_of(graph_of(many(count), [("1", "2"), ("1", "9999")], {"doi:10.1/2": 1}, missing))
    (script,) = html.fromstring(made).xpath("//script[not(@type)]/text()")
    told = "console.log(JSON.stringify(made.map(({name, attributes}) => [name, attributes])))"
    file = tmp_path / "page.js"
    stub = BROWSER.replace("DATA", json.dumps(json.dumps(data_of(made))))
    file.write_text(f"{script.replace(chr(34) + 'use strict' + chr(34) + ';', stub, 1)}\n{told}")
    done = subprocess.run([NODE, file], capture_output=True, check=True, text=True, timeout=60)
    drawn = json.loads(done.stdout)
    assert sum(name == "tr" for name, _ in drawn) == count
    discs = [one for name, one in drawn if name == "g"]
    kept = min(count, 40)
    assert len(discs) == kept + len(missing)
    # Of the paper that is missing one line, and one of each link between two papers that are there.
    assert sum(name == "path" for name, _ in drawn) == len(missing) + (count > 1)
    kinds = Counter(one["class"].split()[1] for one in discs)
    assert (kinds["kept"], kinds["missing"]) == (kept, len(missing))
    assert len({one["transform"] for one in discs}) == len(discs)


LAYOUT = ROOT / "citeloom" / "page" / "graph_layout.js"
PLACED = """
import {cut, drawn, labels, laid} from LAYOUT;
const {values, lenses, widths} = DATA;
const wide = (text) => 7 * text.length;
const told = [];
for (const width of widths) for (const opened of [false, true]) {
  const {dots, themes} = drawn(values);
  const lanes = [...themes, ""].map((key) => ({key, name: key, tone: ""}));
  const compact = width < 600;
  const box = {width, height: compact ? 0 : 600, compact};
  const whole = new Set(opened ? lanes.map(({key}) => key) : []);
  const plan = laid(dots, lanes, (dot) => dot.theme, box, (dot) => wide(dot.short), whole);
  const texts = labels(plan, width, 1, compact, wide);
  const folded = plan.bands.reduce((sum, band) => sum + band.folded, 0);
  const spots = plan.spots.map(({dot: {id, year, r}, x, y, flip}) =>
    ({year, x, y, r, flip, text: wide(texts.get(id))}));
  told.push({width, opened, tall: plan.tall, folded, spots});
}
console.log(JSON.stringify(told));
"""


def placed(papers: Sequence[RankedPaper], widths: Sequence[int], tmp_path: Path) -> list[Any]:
    """Lay papers out as the page does, at these widths, with lanes folded and whole."""
    assert NODE is not None
    values = data_of(page_of(graph_of(papers, [("2", "1"), ("3", "1")], {"doi:10.1/2": 1})))
    file = tmp_path / "layout.mjs"
    script = PLACED.replace("LAYOUT", json.dumps(LAYOUT.as_uri()))
    file.write_text(script.replace("DATA", json.dumps({"values": values, "widths": widths})))
    done = subprocess.run([NODE, file], capture_output=True, check=True, text=True, timeout=60)
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(NODE is None, reason="no Node.js is installed to run the page's script with")
@pytest.mark.parametrize("count", [1, 10, 40, 200])
def test_no_title_touches_another_or_leaves_the_map(count: int, tmp_path: Path) -> None:
    names = ("orchards", "pear wine", "grafting", "")
    papers = [
        one.model_copy(update={"theme": names[at % 4], "selected": at < 150})
        for at, one in enumerate(many(count))
    ]
    for plan in placed(papers, (390, 820, 1280, 1600), tmp_path):
        shown = plan["spots"]
        assert len(shown) + plan["folded"] == count
        assert plan["folded"] == 0 or (count > 80 and not plan["opened"])
        spans = []
        for one in shown:
            ends = [one["x"] - one["r"], one["x"] + one["r"]]
            side = one["r"] + 6 + one["text"] if one["text"] else 0
            ends = (
                [one["x"] - side, ends[1]]
                if one["flip"] and side
                else [ends[0], one["x"] + max(side, one["r"])]
            )
            assert ends[0] >= 0, (plan["width"], one)
            assert ends[1] <= plan["width"], (plan["width"], one)
            assert 31 < one["y"] < plan["tall"]
            spans.append((one["y"], *ends))
        for (y1, left1, right1), (y2, left2, right2) in combinations(spans, 2):
            assert abs(y1 - y2) >= 12 or right1 <= left2 or right2 <= left1, plan["width"]
        # Later years stand further to the right, whatever their lane.
        by_year = sorted({(one["year"] or 0, one["x"]) for one in shown})
        assert [x for _, x in by_year] == sorted({x for _, x in by_year})
