"""nodes/find/rankers/criteria.py: what papers must meet, judged in the question that debates them."""

from pathlib import Path
from typing import Any

import pytest

from nodes.find.rankers.criteria import CAPS, MOST_WORDS
from nodes.find.rankers.debate import CRITERIA_PROMPT, rank_by_debate
from state.inputs import CheckedRequest
from state.quote import Criterion, CriterionVerdict
from tests.library.words import WordEmbedder
from tests.nodes.rankers.support import INVENTED, PAPERS, Served, by_paper, honest, served

DRY = Criterion(criterion="grows in dry soil")
WEIGHED = Criterion(criterion="fruit is weighed", required=False)
REQUEST = CheckedRequest(text="Which pears grow in dry soil?", criteria=(DRY, WEIGHED))
PAPER = PAPERS[0]
QUOTE = "In dry soil their roots grow deeper"


def answer(*criteria: tuple[int, str, str], key: str = "C1", score: float = 90) -> dict[str, Any]:
    judged = [{"number": number, "met": met, "quote": quote} for number, met, quote in criteria]
    paper = PAPERS[int(key[1:]) - 1]
    return {"debates": [{**honest(key, paper, score), "criteria": judged}]}


async def criteria_of(bench: Served) -> tuple[float, tuple[CriterionVerdict, ...], list[str]]:
    ranking = await rank_by_debate(bench.services, REQUEST, [PAPER])
    debate = by_paper(ranking.debates)[PAPER.id]
    return debate.score, debate.criteria, list(debate.reductions)


async def test_criteria_are_judged_beside_the_score_in_one_question(tmp_path: Path) -> None:
    reply = answer((1, "yes", QUOTE), (2, "unknown", ""))
    with served([reply], tmp_path) as bench:
        score, (dry, weighed), reductions = await criteria_of(bench)
        (request,), (asked,) = bench.server.requests, bench.asked
    assert (score, reductions) == (90, [])
    assert dry.model_dump(exclude_none=True) == {
        "criterion": DRY.criterion,
        "required": True,
        "met": "yes",
        "quote": QUOTE,
        "part": "abstract",
    }
    assert (weighed.met, weighed.quote, weighed.required) == ("unknown", "", False)
    assert request["messages"][0]["content"].startswith(CRITERIA_PROMPT.strip()[:60])
    assert list(asked) == ["text", "criteria", "candidates"]
    assert [(one["number"], one["required"]) for one in asked["criteria"]] == [
        (1, True),
        (2, False),
    ]


@pytest.mark.parametrize(
    ("first", "second", "score"),
    [
        ((1, "no", QUOTE), (2, "yes", QUOTE), CAPS["no"]),
        ((1, "unknown", ""), (2, "yes", QUOTE), CAPS["unknown"]),
        ((1, "partly", QUOTE), (2, "no", QUOTE), 90),
    ],
    ids=["required and not met", "required and not said", "only preferred"],
)
async def test_required_criterion_that_is_not_met_caps_the_score(
    first: Any, second: Any, score: float, tmp_path: Path
) -> None:
    with served([answer(first, second)], tmp_path) as bench:
        found, _, reductions = await criteria_of(bench)
    assert found == score
    assert [DRY.criterion in told for told in reductions] == [True] * (score < 90)


async def test_condition_on_years_is_decided_by_the_record_and_asked_of_no_model(
    tmp_path: Path,
) -> None:
    late = Criterion(criterion="appeared in 2005 or later", from_year=2005)
    request = REQUEST.model_copy(update={"criteria": (late, DRY)})
    years = (2004, 2005, None)
    papers = [
        one.model_copy(update={"year": year}) for one, year in zip(PAPERS, years, strict=False)
    ]
    said = [{**answer((2, "yes", QUOTE), key=f"C{n}")["debates"][0]} for n in (1, 2, 3)]
    for one in said[1:]:
        one["criteria"] = [{"number": 2, "met": "unknown", "quote": ""}]
    with served([{"debates": said}], tmp_path) as bench:
        debates = by_paper((await rank_by_debate(bench.services, request, papers)).debates)
        (asked,) = bench.asked
    assert [one["number"] for one in asked["criteria"]] == [2]
    found = [debates[one.id].criteria[0] for one in papers]
    assert [(one.met, one.quote) for one in found] == [
        ("no", "2004"),
        ("yes", "2005"),
        ("unknown", ""),
    ]
    assert debates[papers[0].id].score == CAPS["no"]


async def test_low_score_is_not_raised_by_a_cap(tmp_path: Path) -> None:
    with served([answer((1, "no", QUOTE), (2, "yes", QUOTE), score=5)], tmp_path) as bench:
        assert (await criteria_of(bench))[0] == 5


async def test_invented_missing_and_left_out_quotes_are_asked_for_once_and_then_unknown(
    tmp_path: Path,
) -> None:
    bad = answer((1, "yes", INVENTED), (7, "yes", QUOTE))
    worse = answer((1, "yes", ""), (2, "no", INVENTED))
    with served([bad, worse], tmp_path) as bench:
        score, found, _ = await criteria_of(bench)
        faults = bench.asked[1]["faults"]
    assert [one.met for one in found] == ["unknown", "unknown"]
    assert score == CAPS["unknown"]
    assert any("criterion 2 was left out" in fault for fault in faults)
    assert any(INVENTED in fault for fault in faults)


async def test_long_quote_is_cut_and_stays_verbatim(tmp_path: Path) -> None:
    long = PAPER.model_copy(update={"abstract": f"{PAPER.abstract} {'Roots of pears grow. ' * 9}"})
    reply = answer((1, "yes", "Roots of pears grow. " * 9), (2, "unknown", ""))
    with served([reply], tmp_path) as bench:
        ranking = await rank_by_debate(bench.services, REQUEST, [long])
    quote = ranking.debates[0].criteria[0].quote
    assert len(quote.split()) == MOST_WORDS
    assert quote in (long.abstract or "")


async def test_embedded_engine_shows_the_closest_sentence_and_judges_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.embed.open_embedder._opened", {("minilm", "", ""): WordEmbedder()})
    with served([], tmp_path, mind="extractive") as bench:
        plain = await rank_by_debate(
            bench.services, REQUEST.model_copy(update={"criteria": ()}), PAPERS
        )
        ranking = await rank_by_debate(bench.services, REQUEST, PAPERS)
    assert ranking.scores == plain.scores
    dry, _ = by_paper(ranking.debates)[PAPER.id].criteria
    assert (dry.met, dry.quote) == ("unknown", "In dry soil their roots grow deeper than before.")
    assert not any(one.criteria for one in plain.debates)
