"""A mind that invents citations, misplaces them and makes up quotes: none of it reaches the text."""

import re
from typing import Any

import pytest

from graphs.write import graph
from state.audit import Audit
from state.paper import Paper
from tests.fakes.dishonest import DishonestMind, Lie
from tests.fakes.made_papers import made_papers, subject_of
from tests.fakes.openai_server import inputs_of, task_of
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import Scripted
from tools.settings import Settings

TEXT = (
    "We study how small causes change large things in many places. We compare thirty reports of "
    "such causes and propose a shared vocabulary for them. The results show that places matter."
)
_LIMIT: Any = {"recursion_limit": 1000}
_MADE_UP = re.compile(r"\{P\d+\}|\((?:Smith|Jones|Garcia), \d{4}\)|trials agree|cases were found")


async def written_by(
    liar: DishonestMind, settings: Settings, papers: list[dict[str, Any]], **options: Any
) -> dict[str, Any]:
    given: Any = {"text": TEXT, "papers": papers, "cite": len(papers)}
    with Scripted(reviewer(liar.spoilers()), settings, **options) as llm:
        result = dict(await graph.ainvoke(given, _LIMIT, context=llm.context))
    assert result["stop"] is None
    liar.seen = [
        str(item["text"])
        for request in llm.server.requests
        if task_of(request) == "judge_claims"
        for item in dict[str, Any](inputs_of(request))["sentences"]
    ]
    return result


def strangers_cited(result: dict[str, Any], records: list[dict[str, Any]]) -> list[str]:
    """Return the claims of the text that are not the cited paper's."""
    papers = {item.marker or "": item.paper for item in result["references"]}
    by_key = {key.strip("{}"): paper for key, paper in papers.items()}
    subjects = {f"doi:{record['id']}": subject_of(record) for record in records}
    wrong: list[str] = []
    for item in result["sentences"]:
        for key, claim in _clauses(item.marked):
            own = subjects[by_key[key].id]
            others = [word for word in subjects.values() if word != own and word in claim.lower()]
            if own not in claim.lower() or others:
                wrong.append(f"{by_key[key].citation}: {claim}")
    return wrong


def _clauses(marked: str) -> list[tuple[str, str]]:
    """Return the clause of each citation, as the scripted writer joins them."""
    clauses = re.split(r", whereas |; ", marked)
    return [(key, clause) for clause in clauses for key in re.findall(r"\{(P\d+)\}", clause)]


def quotes_that_fail(result: dict[str, Any]) -> list[str]:
    """Return the quotes behind the text that are not in the cited paper, or not in the input."""
    papers: dict[str, Paper] = {item.paper.id: item.paper for item in result["references"]}
    failing: list[str] = []
    for item in result["sentences"]:
        for verdict in item.citations:
            for quote in filter(None, (verdict.quote, *verdict.further)):
                assert quote.paper == verdict.paper or not verdict.key
                source = TEXT
                if record := papers.get(quote.paper):
                    source = record.title if quote.part == "title" else record.abstract or ""
                if source[quote.start : quote.end] != quote.text:
                    failing.append(quote.text)
    return failing


_CAUSES = {"invented": "fabricated", "misplaced": "mis_cited", "false_quote": "fabricated_quote"}


def unnamed(liar: DishonestMind, audit: Audit) -> list[Lie]:
    """Return the lies that the audit does not name with their cause.

    A misplaced citation that an answer sent back had, or a draft that lost its vote, was never
    checked, and never in the text.
    """
    missing: list[Lie] = []
    for lie in liar.lies:
        if lie.kind == "misplaced" and not any(lie.sentence in text for text in liar.seen):
            continue
        mine = [
            item
            for item in audit.rejections
            if item.cause == _CAUSES[lie.kind] and " ".join(item.sentence.split()) == lie.sentence
        ]
        if lie.kind == "false_quote":
            mine = [item for item in mine if item.key == lie.key and lie.said[:40] in item.detail]
        if lie.kind == "invented":
            mine = [item for item in mine if lie.said.strip("{}") in f"{item.key} {item.detail}"]
        if not mine:
            missing.append(lie)
    return missing


ONE_DRAFT = {"samples": 1, "votes": 1, "beam": 1}


USUAL, OFTEN, ALWAYS = (0.1, 0.1, 0.2), (0.2, 0.3, 0.4), (0.5, 0.5, 1.0)
"""How often it invents, misplaces and misquotes."""


@pytest.mark.parametrize(
    ("writer", "seed", "papers", "rates", "options"),
    [
        ("beam", 1, 30, USUAL, ONE_DRAFT | {"schedule": "themed"}),
        ("beam", 2, 12, OFTEN, ONE_DRAFT | {"schedule": "incremental"}),
        ("beam", 7, 8, OFTEN, {}),
        ("whole", 3, 30, USUAL, {}),
        ("whole", 8, 6, ALWAYS, {}),
        ("per_cite", 4, 12, OFTEN, {}),
        ("sentence_by_sentence", 5, 12, OFTEN, {}),
        ("plan", 6, 12, OFTEN, {}),
    ],
)
async def test_no_lie_reaches_the_text_and_the_audit_names_each_with_its_cause(
    llm_settings: Settings,
    writer: str,
    seed: int,
    papers: int,
    rates: tuple[float, float, float],
    options: dict[str, Any],
) -> None:
    records = made_papers(papers)
    liar = DishonestMind(records, seed, *rates)
    result = await written_by(liar, llm_settings, records, writer=writer, **options)
    assert all(liar.of(kind) for kind in ("invented", "misplaced", "false_quote"))
    assert (strangers_cited(result, records), quotes_that_fail(result)) == ([], [])
    assert not _MADE_UP.search(result["related_work"])
    assert unnamed(liar, result["audit"]) == []
    cited = {item.paper.id for item in result["references"]}
    stated = {item.paper for item in result["audit"].omissions}
    assert cited | stated == {f"doi:{record['id']}" for record in records}
    if rates != ALWAYS:
        assert result["audit"].passed, result["audit"].reasons
        assert rates == OFTEN or 3 * len(cited) >= 2 * len(records)


async def test_an_honest_mind_is_believed(llm_settings: Settings) -> None:
    records = made_papers()
    honest = DishonestMind(records, invents=0, misplaces=0, false_quotes=0)
    result = await written_by(honest, llm_settings, records, **ONE_DRAFT)
    assert (result["audit"].rejections, result["audit"].omissions) == ((), ())
    assert result["audit"].supported == result["audit"].citations >= 30
