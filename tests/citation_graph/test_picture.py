"""tools/citation_graph/picture.py and page.py: the picture of what was found, for any papers there may be."""

import random
import shutil
import subprocess
from collections.abc import Sequence
from itertools import combinations
from math import hypot
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from state.paper import Author, Paper
from state.query import Hit
from state.results import Link, RankedPaper
from tools.citation_graph.discovery_channels import BY_INPUT
from tools.citation_graph.layout import PLOT, lane_of, lay_out
from tools.citation_graph.page import citation_graph_page
from tools.citation_graph.picture import LABELLED, citation_graph_svg

Via = Literal["query", "reference", "citation", "recommendation", "must_include"]
SVG = "{http://www.w3.org/2000/svg}"
VIAS: Sequence[Via] = ("query", "reference", "citation", "recommendation", "must_include")


def hit(via: Via, by: str = "pears", hop: int = 1) -> Hit:
    return Hit(paper="x", via=via, by=by, source="test", hop=hop)


def ranked(rank: int, *hits: Hit, year: int | None = 2020, **fields: Any) -> RankedPaper:
    values: dict[str, Any] = {
        "id": f"doi:10.1/{rank}", "doi": f"10.1/{rank}", "title": f"Pears, part {rank}",
        "year": year, "authors": (Author(name=f"Ann Pear{rank}"),),
    }  # fmt: skip
    return RankedPaper(
        rank=rank, score=fields.pop("score", 60.0), selected=fields.pop("selected", True),
        paper=Paper(**(values | fields)), found_by=hits or (hit("query"),),
    )  # fmt: skip


def drawn(papers: Sequence[RankedPaper], links: Sequence[Link] = ()) -> Any:
    """The picture, parsed: a failure to do so is a failure of the test."""
    return etree.fromstring(citation_graph_svg(papers, links).encode())


def titles(root: Any) -> list[str]:
    """What is shown on hovering, by rank."""
    found = [group.findtext(f".//{SVG}title") for group in root.iter(f"{SVG}g") if is_paper(group)]
    return sorted(found, key=lambda text: int(text.split(".")[0]))


def is_paper(group: Any) -> bool:
    return bool(group.get("class") == "paper")


def words(root: Any) -> str:
    return "\n".join("".join(node.itertext()) for node in root.iter(f"{SVG}text"))


def bee_line(count: int) -> list[RankedPaper]:
    """Papers of forty years, found in all ways."""
    rng = random.Random(7)
    return [
        ranked(
            rank, hit(rng.choice(VIAS)), year=2024 - int(rng.expovariate(0.15)) % 40,
            score=max(1.0, 99 - rank / 3), selected=rank <= 40,
        )
        for rank in range(1, count + 1)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("hits", "lane"),
    [
        ([hit("query")], "keywords"),
        ([hit("query", BY_INPUT)], "meaning"),
        ([hit("reference"), hit("query", hop=2)], "references"),
        ([hit("citation"), hit("reference"), hit("query", BY_INPUT)], "meaning"),
        ([hit("must_include"), hit("citation")], "citations"),
        ([hit("must_include")], "named"),
    ],
)
def test_lane_is_the_way_in_which_a_paper_was_found_first(hits: list[Hit], lane: str) -> None:
    assert lane_of(ranked(1, *hits)) == lane


PLACES = st.lists(
    st.tuples(
        st.sampled_from(VIAS), st.none() | st.integers(1950, 2026), st.floats(0, 100)
    ),
    max_size=200,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(PLACES)
def test_no_two_circles_overlap_and_all_stand_in_the_plot(
    places: list[tuple[Via, int | None, float]],
) -> None:
    papers = [
        ranked(rank, hit(via), year=year, score=score)
        for rank, (via, year, score) in enumerate(places, start=1)
    ]
    layout = lay_out(papers)
    assert len(layout.spots) == len(papers)
    assert layout.width <= PLOT * 1.01
    for first, second in combinations(layout.spots, 2):
        apart = hypot(first.x - second.x, first.y - second.y)
        assert apart >= first.radius + second.radius
    for spot in layout.spots:
        assert spot.radius <= spot.x <= layout.width - spot.radius
        assert spot.radius <= spot.y <= layout.height - spot.radius


def test_later_years_stand_to_the_right_and_undated_papers_to_the_left() -> None:
    years = [2019, None, 2001, 2020, 1987]
    layout = lay_out([ranked(rank, year=year) for rank, year in enumerate(years, start=1)])
    order = [spot.item.paper.year for spot in sorted(layout.spots, key=lambda spot: spot.x)]
    assert order == [None, 1987, 2001, 2019, 2020]
    assert [column.skips for column in layout.columns] == [False, False, True, True, False]


def test_better_score_is_a_larger_circle_and_kept_papers_are_filled() -> None:
    root = drawn([ranked(1, score=90.0), ranked(2, score=40.0, selected=False)])
    by_rank = {
        group.findtext(f".//{SVG}title")[0]: group.find(f".//{SVG}circle")
        for group in root.iter(f"{SVG}g")
        if is_paper(group)
    }
    assert float(by_rank["1"].get("r")) > float(by_rank["2"].get("r"))
    assert by_rank["1"].get("fill") != "#fff"
    assert by_rank["2"].get("fill") == "#fff"


def test_every_paper_has_a_title_to_hover_over_and_the_best_kept_ones_are_named() -> None:
    papers = bee_line(200)
    root = drawn(papers)
    assert len(titles(root)) == 200
    assert titles(root)[199].startswith("200. Pear200, ")
    assert "not kept" in titles(root)[199]
    named = [node for node in root.iter(f"{SVG}svg") if (node.get("class") or "").startswith("key")]
    assert len(named) == LABELLED
    assert "Pears, part 25" in words(root)
    assert "Pears, part 26" not in words(root)


def test_links_join_papers_that_are_there_and_no_others() -> None:
    papers = [ranked(1), ranked(2), ranked(3)]
    links = [
        Link(citing="doi:10.1/1", cited="doi:10.1/2"),
        Link(citing="doi:10.1/2", cited="doi:10.1/1"),
        Link(citing="doi:10.1/1", cited="doi:10.1/9"),
        Link(citing="doi:10.1/3", cited="doi:10.1/3"),
    ]
    root = drawn(papers, links)
    lines = [path.get("class") for path in root.iter(f"{SVG}path") if path.get("class")]
    assert lines == ["link c0 c1", "link c1 c0"]
    assert "2 citations among them" in words(root)


HOSTILE = [
    "A <b>bold</b> & \"quoted\" 'title' </text></svg><script>alert(1)</script>",
    "סקירת ספרות אוטומטית עם מודלי שפה (2024)",
    "x" * 5000,
    "文献综述的自动生成方法" * 40,
    "turned \u202e around \u2066 and \x00\x08\x1f broken",
    "]]> <!-- --> <![CDATA[",
    "\u0301\u0301\u0301 💥 & &amp; &#x27;",
]


@pytest.mark.parametrize("title", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_title_stays_text(title: str) -> None:
    item = ranked(1, title=title, authors=(Author(name=title[:900]),), doi=None, url="javascript:x")
    svg, page = citation_graph_svg([item], []), citation_graph_page([item], [], about=title)
    root = etree.fromstring(svg.encode())
    assert not [*root.iter(f"{SVG}script")]
    assert not [*root.iter(f"{SVG}a")]
    assert len(max(words(root).split("\n"), key=len)) < 120
    document = html.fromstring(page)
    assert not document.xpath("//script|//b")
    assert not document.xpath("//@*[starts-with(., 'javascript:')]")
    assert "\u202e" not in page
    assert len(document.xpath("//tbody/tr")) == 1


def test_circle_leads_to_the_paper_where_it_has_an_address_of_the_web() -> None:
    papers = [
        ranked(1, doi='10.1/a"b<c>#d'),
        ranked(2, doi=None, url="https://example.org/?a=1&b=2"),
        ranked(3, doi=None, url="file:///etc/passwd"),
        ranked(4, doi=None),
    ]
    links = [node.get("href") for node in drawn(papers).iter(f"{SVG}a")]
    assert sorted(links) == [
        "https://doi.org/10.1/a%22b%3Cc%3E%23d", "https://example.org/?a=1&b=2"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "papers",
    [
        [],
        [ranked(1)],
        [ranked(1, year=None)],
        [ranked(rank, selected=False) for rank in range(1, 4)],
        [ranked(rank) for rank in range(1, 201)],
        [ranked(rank, year=1700 + rank) for rank in range(1, 201)],
        [ranked(1).model_copy(update={"found_by": ()})],
        [ranked(1, authors=(), retracted=True)],
    ],
    ids=[
        "none", "one", "undated", "none kept", "one year", "200 years", "way unknown", "no authors"
    ],
)  # fmt: skip
def test_picture_is_drawn_whatever_the_papers_are_like(papers: list[RankedPaper]) -> None:
    root = drawn(papers)
    assert len(titles(root)) == len(papers)
    assert float(root.get("width")) == 1200
    document = html.fromstring(citation_graph_page(papers, []))
    assert len(document.xpath("//tbody/tr")) == len(papers)


def test_retraction_shows_by_hovering_and_in_the_table() -> None:
    item = ranked(1, retracted=True)
    assert "retracted" in titles(drawn([item]))[0]
    assert "(retracted)" in citation_graph_page([item], [])


def test_picture_is_the_same_each_time() -> None:
    papers = bee_line(60)
    links = [Link(citing="doi:10.1/1", cited=f"doi:10.1/{rank}") for rank in range(2, 30)]
    assert citation_graph_page(papers, links) == citation_graph_page(papers, links)


def test_page_loads_nothing_from_elsewhere_and_runs_nothing() -> None:
    document = html.fromstring(citation_graph_page(bee_line(30), [], about="pears"))
    assert not document.xpath("//script|//link|//img|//iframe|//@src|//@onclick|//@onload")
    (policy,) = document.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'")


BROWSER = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed to draw the page with")
def test_browser_draws_the_page(tmp_path: Path) -> None:
    assert BROWSER is not None
    page, shot = tmp_path / "graph.html", tmp_path / "shot.png"
    page.write_text(citation_graph_page(bee_line(200), [], about="pears"), encoding="utf-8")
    subprocess.run(
        [
            BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000",
            f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={shot}", page.as_uri(),
        ],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    # A blank page of this size packs into less than 10 kB.
    assert shot.stat().st_size > 50_000
