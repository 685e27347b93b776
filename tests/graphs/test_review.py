"""Tests of the `review` graph: what it promises, through its public output."""

import re
from datetime import date
from typing import Any

import pytest

from graphs.review import graph
from state.results import RankedPaper, Reference
from tests.fakes.openai_server import Refusal, Status, Text
from tests.fakes.reviewer import drafting, reviewer, revising
from tests.graphs.conftest import ABSTRACT, Scripted, bee_papers, played
from tools.run_settings import RunSettings
from tools.settings import Settings
from tools.text.self_reference import name_authors
from tools.text.words import split_sentences

_NUMBER = re.compile(r"\[(\d+(?:, \d+)*)\]")

_LIMIT: Any = {"recursion_limit": 500}


async def review(context: RunSettings, **inputs: Any) -> dict[str, Any]:
    given: Any = {"text": ABSTRACT, "library": "bees", "cite": 5, **inputs}
    return dict(await graph.ainvoke(given, _LIMIT, context=context))


def check_promises(result: dict[str, Any]) -> None:
    """What holds for every review, whoever thinks."""
    papers: dict[str, RankedPaper] = {item.paper.id: item for item in result["papers"]}
    references: list[Reference] = result["references"]
    numbers = {item.number for item in references}
    used = {
        int(one) for found in _NUMBER.findall(result["related_work"]) for one in found.split(", ")
    }
    assert used == numbers == set(range(1, len(references) + 1))
    assert {item.paper.id for item in references} <= set(papers)
    for sentence in result["sentences"]:
        assert sentence.text in result["related_work"]
        for verdict in sentence.citations:
            assert verdict.verdict in {"supported", "partly"}
            source = papers[verdict.paper].paper
            assert verdict.quote.verified
            text = source.abstract or "" if verdict.quote.part == "abstract" else source.title
            assert text[verdict.quote.start : verdict.quote.end] == verdict.quote.text
    for item in papers.values():
        assert item.debate
        for argument in (*item.debate.arguments_for, *item.debate.arguments_against):
            assert argument.quote is None or argument.quote.verified


def check_verbatim(marked: str, key: str, references: list[Reference]) -> None:
    """Hold a sentence of the embedded engine against its paper's record, word for word."""
    paper = next(item.paper for item in references if item.marker == key)
    subject = f"{paper.citation} {{{key}}}"
    own = [span.text for span in split_sentences(paper.abstract or "")]
    named = [name_authors(text, subject, len(paper.authors) > 1) for text in own]
    quoted = re.fullmatch(rf"{re.escape(subject)} writes?: “(.+)”", marked)
    assert marked in named or (quoted and quoted[1] in (paper.abstract or ""))


async def test_embedded_engine_reviews_with_verified_citations(extractive: RunSettings) -> None:
    result = await review(extractive)
    check_promises(result)
    assert (result["outcome"], result["mind"]) == ("complete", "extractive")
    assert len(result["references"]) == 5
    texts = [sentence.text for sentence in result["sentences"]]
    assert len(set(texts)) == len(texts) >= 4
    for sentence in result["sentences"]:
        for verdict in sentence.citations:
            check_verbatim(sentence.marked, verdict.key, result["references"])
        # What cites nothing names a theme of the plan and counts its papers, and says nothing of what is in them.
        assert sentence.citations or re.fullmatch(
            r"[^.;{}]+ \(\d+ papers?(?:, \d{4}(?: to \d{4})?)?\)\.", sentence.text
        )
    assert "soil carbon" not in result["related_work"].lower()
    counts = result["counts"]
    assert counts.identified == counts.screened + counts.duplicates_removed
    assert counts.screened == (
        counts.assessed
        + counts.not_assessed
        + counts.excluded_by_cutoff
        + counts.excluded_by_request
    )
    assert (
        counts.assessed == counts.included + counts.excluded_by_debate + counts.excluded_by_number
    )
    assert counts.included == sum(item.selected for item in result["papers"])


async def test_llm_reviews_through_the_same_graph(llm_settings: Settings) -> None:
    with Scripted(reviewer(), llm_settings) as llm:
        result = await review(llm.context)
        paid = len(llm.server.requests)
        second = await review(llm.context)
    assert len(llm.server.requests) == paid == sum(item.cached for item in second["usage"])
    assert second["related_work"] == result["related_work"]
    check_promises(result)
    assert (result["mind"], result["outcome"]) == ("scripted", "complete")
    assert set(llm.server.tasks) == {
        "generate_queries",
        "debate_papers",
        "reflect_on_sufficiency",
        "draft_section",
        "read_papers",
        "judge_claims",
        "revise_draft",
    }
    assert sum(item.calls for item in result["usage"]) == len(llm.server.requests)


async def test_unsupported_sentence_is_rewritten_once_then_taken_out(
    llm_settings: Settings,
) -> None:
    def deny(answer: Any, inputs: dict[str, Any]) -> Any:
        texts = {item["number"]: item["text"] for item in inputs["sentences"]}
        for finding, asked in zip(answer["findings"], inputs["asked"], strict=True):
            if "path integration in desert ants" in texts[asked["sentence"]]:
                finding["verdict"] = "not_in_source"
        return answer

    result, server = await played(
        review, llm_settings, {"judge_claims": deny}, must_include=["p1"], cite=9
    )
    check_promises(result)
    assert "desert ants" not in result["related_work"]
    assert server.tasks.count("rewrite_unsupported") == 1
    assert {item.paper for item in result["removed"]} >= {"local:p1"}
    assert "local:p1" in result["uncited"]


async def test_made_up_citation_in_the_text_never_survives(llm_settings: Settings) -> None:
    made_up = ("(Smith, 2019; Jones and Wu, 2020)", "[3-5]")

    def invent(text: str) -> str:
        first, _, rest = text.partition(". On")
        told = f"{first}, as others {made_up[0]} show. On{rest}"
        return re.sub(r"\.(?= On|$)", f", as others {made_up[1]} show.", told)

    spoil: dict[str, Any] = {"draft_section": drafting(invent), "revise_draft": revising(invent)}
    result, _ = await played(review, llm_settings, spoil, cite=3)
    check_promises(result)
    assert result["sentences"]
    assert "as others" not in result["related_work"]


async def test_sentence_that_cites_nothing_must_rest_on_papers_or_input(
    llm_settings: Settings,
) -> None:
    claim = "Many other studies have refuted all of this."
    work = "We refute what others have found."

    def close(told: str) -> str:
        return f"{told.removesuffix(f'{claim} {work}').strip()} {claim} {work}"

    def honest(answer: Any, inputs: dict[str, Any]) -> Any:
        numbers = {item["number"] for item in inputs["sentences"] if item["text"] in {claim, work}}
        alone = {item["id"] for item in inputs["asked"] if item["sentence"] in numbers}
        return {
            "findings": [
                {**item, "verdict": "not_in_source" if item["id"] in alone else item["verdict"]}
                for item in answer["findings"]
            ]
        }

    spoil: dict[str, Any] = {
        "draft_section": drafting(close),
        "revise_draft": revising(close),
        "judge_claims": honest,
    }
    result, _ = await played(review, llm_settings, spoil, cite=2)
    assert claim not in result["related_work"]
    assert work not in result["related_work"]
    assert len(result["references"]) == 2
    assert {item.sentence for item in result["audit"].rejections} >= {claim, work}


@pytest.mark.parametrize(
    ("tasks", "reply", "writer"),
    [
        ({"reflect_on_sufficiency", "revise_draft"}, Refusal(), "whole"),
        ({"plan_section"}, Text("no JSON at all"), "plan"),
        ({"draft_section"}, Refusal(), "whole"),
    ],
)
async def test_task_that_never_answers_does_not_end_the_run(
    tasks: set[str], reply: Any, writer: str, llm_settings: Settings
) -> None:
    script = reviewer(dict.fromkeys(tasks, lambda answer, inputs: reply))
    with Scripted(script, llm_settings, writer=writer) as llm:
        result = await review(llm.context, cite=3)
    assert result["sentences"]
    assert result["stop"] is None
    failed = {
        failure.stage.replace("write_draft", "draft_section") for failure in result["failures"]
    }
    assert failed >= tasks
    check_promises(result)


async def test_rejected_key_stops_the_run_with_advice(llm_settings: Settings) -> None:
    with Scripted(lambda request: Status(401, "bad key"), llm_settings) as llm:
        result = await review(llm.context)
    assert "CITELOOM_LLM_API_KEY" in result["stop"].cause
    assert result["outcome"] == "partial"
    assert result["papers"], "what was found is shown"
    assert all(item.debate is None for item in result["papers"])
    assert result["related_work"] == ""


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"text": ""}, "0 words"),
        ({"text": "a b " * 50_000}, "maximum is"),
        ({"text": "\x00\x01\x02" * 100}, "binary"),
        ({"library": "nowhere"}, "bees"),
        ({"sources": ["bing"]}, "openalex"),
        ({"sources": ["google"]}, "SERPAPI_API_KEY"),
        ({"keep": 0}, "keep: must be greater"),
        ({"before": "yesterday"}, "YYYY-MM-DD"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_bad_input_is_answered_in_words(
    inputs: dict[str, Any], words: str, extractive: RunSettings
) -> None:
    result = await review(extractive, **inputs)
    assert words in result["stop"].cause
    assert (result["outcome"], result["related_work"]) == ("nothing", "")
    assert result["references"] == []


async def test_cutoff_exclusions_and_the_own_paper_are_kept_to(extractive: RunSettings) -> None:
    own = next(paper for paper in bee_papers() if paper.id == "local:p8")
    result = await review(
        extractive,
        text=own.abstract or "",
        before=date(2018, 1, 1),
        exclude=["p3"],
        must_include=["p10", "p9"],
        plan="3 sentences. Cite [2] on line 1, [1] and [3] on line 2",
    )
    ids = {item.paper.id: item for item in result["papers"]}
    late = {paper.id for paper in bee_papers() if (paper.year or 0) >= 2018}
    assert not {*ids} & {"local:p8", "local:p3", *late}
    assert any("local:p8" in note for note in result["request"].notes)
    named = {"local:p9", "local:p10"}
    assert all(ids[key].selected for key in named - late)
    assert {
        item.subject for item in result["failures"] if item.stage != "write_draft"
    } == named & late
    cited = {link.cited for link in result["links"]} | {link.citing for link in result["links"]}
    assert cited <= {*ids}
    ranked = [item.paper.id for item in result["papers"] if item.selected]
    lines = [[verdict.paper for verdict in item.citations] for item in result["sentences"]]
    assert lines[:2] == [[ranked[1]], [ranked[0], ranked[2]]]


async def test_quote_of_another_paper_is_no_support(llm_settings: Settings) -> None:
    foreign = "The authors present a model of path integration in desert ants."

    def swap(answer: Any, inputs: dict[str, Any]) -> Any:
        for finding in answer["findings"]:
            finding["quotes"] = [foreign]
        return answer

    result, _ = await played(review, llm_settings, {"judge_claims": swap})
    for sentence in result["sentences"]:
        for verdict in sentence.citations:
            assert (verdict.quote.text == foreign) == (verdict.paper == "local:p1")
            if verdict.paper != "local:p1":
                assert verdict.by == "code", "only what is its own sentence stands without a quote"
