"""nodes/find/weighing.py: what is put together of all papers before they are weighed."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
import pytest

from nodes.find.weighing import Field, survey
from state.finding import Trail
from state.paper import Paper
from state.query import Hit
from state.request import Request
from tools.citation_graph.relevance_prior import by_meaning, log_odds

A, B, C = "doi:10.1/a", "doi:10.1/b", "doi:10.1/c"


async def surveyed(
    *papers: Paper, trail: Iterable[Hit] = (), before: date | None = None, **others: Any
) -> Field:
    """Survey these papers, or three without any link, for an input on pears."""
    papers = papers or tuple(Paper(id=key, title="On trees") for key in (A, B, C))
    given: dict[str, Any] = {
        "same": {}, "hidden": [], "similarity": {paper.id: 0.4 for paper in papers}, "judged": {},
        **others,
    }  # fmt: skip
    return await survey(
        Request(text="Grafting pears on quince", before=before),
        {paper.id: paper for paper in papers},
        [Trail(hop=1, depth=1, hits=tuple(trail))],
        **given,
    )


def links(field: Field) -> set[tuple[str, str]]:
    """The links of the graph, from a citing to a cited paper."""
    names = list(field.graph.place)
    ends = zip(field.graph.citing.tolist(), field.graph.cited.tolist(), strict=True)
    return {(names[citing], names[cited]) for citing, cited in ends}


def hit(paper: str, via: Any, by: str) -> Hit:
    return Hit(paper=paper, via=via, by=by, source="openalex")


async def test_reference_leads_from_the_followed_paper_and_citation_leads_to_it() -> None:
    trail = [hit(B, "reference", A), hit(C, "citation", A)]
    assert links(await surveyed(trail=trail)) == {(A, B), (C, A)}


async def test_hit_that_is_no_link_is_none() -> None:
    trail = [hit(B, "recommendation", A), hit(C, "query", A)]
    assert links(await surveyed(trail=trail)) == set()


async def test_links_are_told_by_the_ids_of_the_run_whichever_id_a_source_used() -> None:
    same = {"openalex:W1": A, "openalex:W2": B, "openalex:W3": C}
    papers = [Paper(id=A, title="On trees", references=("openalex:W3",))]
    papers += [Paper(id=key, title="On trees") for key in (B, C)]
    trail = [hit("openalex:W2", "reference", "openalex:W1"), hit("openalex:W3", "citation", B)]
    field = await surveyed(*papers, trail=trail, same=same, new=[(C, "doi:10.1/unknown")])
    assert links(field) == {(A, C), (A, B), (C, B), (C, "doi:10.1/unknown")}
    assert list(field.papers) == list(field.graph.place)[:3] == [A, B, C]


@pytest.mark.parametrize("hidden", ["citing", "cited"])
async def test_link_counts_from_neither_end_of_a_hidden_paper(hidden: str) -> None:
    end = "doi:10.1/hidden"
    one = hit(end, "citation" if hidden == "citing" else "reference", A)
    new = [(end, C) if hidden == "citing" else (C, end)]
    paper = Paper(id=A, title="On trees", references=(end, B))
    field = await surveyed(paper, trail=[one], new=new, hidden=[end])
    assert links(field) == {(A, B)}
    assert end not in field.graph.place


async def test_judged_paper_stands_by_its_judge_alone_and_the_others_by_meaning() -> None:
    field = await surveyed(judged={B: 90.0}, similarity={A: 0.6, B: 0.1, C: 0.2})
    meaning, judge = by_meaning(np.array([0.6, 0.2])), log_odds(np.array([90.0]))
    assert field.standing.text == pytest.approx([meaning[0], judge[0], meaning[1]])


async def test_words_that_the_input_and_a_title_or_abstract_share_count() -> None:
    papers = [
        Paper(id=A, title="Grafting pears"),
        Paper(id=B, title="On trees", abstract="Pears are grafted on quince."),
        Paper(id=C, title="On trees"),
    ]
    title, abstract, none = (await surveyed(*papers)).standing.words
    assert abstract > title > none


async def test_age_is_counted_from_the_cutoff_where_there_is_one() -> None:
    papers = [Paper(id=A, title="On trees", year=1990), Paper(id=B, title="On trees")]
    years = (await surveyed(*papers, before=date(2000, 6, 1))).standing.years
    assert years[0] == 10
    assert np.isnan(years[1])
    assert (await surveyed(*papers)).standing.years[0] > 30
