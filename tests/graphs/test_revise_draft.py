"""The revision of a draft as a whole: what it is shown, what it may change, and what is checked again."""

import re
from typing import Any

from tests.fakes.openai_server import task_of
from tests.fakes.reviewer import revising, sentences
from tests.graphs.conftest import played, questions
from tests.graphs.test_writers import FIVE, write
from tools.settings import Settings


def denying(words: str) -> Any:
    """Find no support for sentences with these words."""

    def spoil(answer: Any, inputs: dict[str, Any]) -> Any:
        texts = {item["number"]: item["text"] for item in inputs["sentences"]}
        return {
            "findings": [
                {**item, "verdict": "not_in_source"} if words in texts[asked["sentence"]] else item
                for item, asked in zip(answer["findings"], inputs["asked"], strict=True)
            ]
        }

    return spoil


async def test_only_what_is_new_is_checked_again(llm_settings: Settings) -> None:
    shorten = revising(lambda text: text.replace("On the whole, Bberg", "In sum, Bberg"))
    result, server = await played(write, llm_settings, {"revise_draft": shorten})
    first, second = (
        [item["id"] for question in group for item in question["asked"]]
        for group in (
            questions(server, "judge_claims")[:1],
            questions(server, "judge_claims")[1:],
        )
    )
    assert len([one for one in first if not one.endswith("-all")]) == len(FIVE)
    assert second == ["2-P2"]
    assert result["sentences"][1].text.startswith("In sum, Bberg et al. [2]")
    assert result["audit"].passed
    assert [item.paragraph for item in result["sentences"]] == [1, 1, 2, 2, 2]


async def test_revision_sees_what_the_check_could_not_confirm(llm_settings: Settings) -> None:
    result, server = await played(write, llm_settings, {"judge_claims": denying("desert ants")})
    (asked,) = questions(server, "revise_draft")
    (finding,) = asked["findings"]
    assert "desert ants" in finding["sentence"]
    assert finding["key"] == "P1"
    assert "does not say it (full text not read)" in finding["why"]
    assert finding["sentence"] in asked["section"]
    assert "desert ants" not in result["related_work"]
    told = [item for item in result["audit"].rejections if "desert ants" in item.sentence]
    assert {item.action for item in told} >= {"removed"}


async def test_revision_that_loses_most_of_the_text_is_not_taken(llm_settings: Settings) -> None:
    lose = revising(lambda text: text.split(" On the whole")[0])
    result, _ = await played(write, llm_settings, {"revise_draft": lose})
    plain, _ = await played(write, llm_settings)
    assert result["related_work"] == plain["related_work"]
    assert "revise_draft" in {item.stage for item in result["failures"]}


async def test_own_work_that_no_words_of_the_input_show_is_kept_out(
    llm_settings: Settings,
) -> None:
    invented = "We present a model of path integration in desert ants."

    def boast(answer: Any, inputs: dict[str, Any]) -> Any:
        return {**answer, "text": f"{answer['text']} {invented}"}

    def papers_only(answer: Any, inputs: dict[str, Any]) -> Any:
        firsts = [sentences(item["abstract"])[0] for item in inputs["sources"]]
        return {
            "findings": [
                {**item, "quotes": firsts} if item["id"].endswith("-all") else item
                for item in answer["findings"]
            ]
        }

    spoil = {"draft_section": boast, "judge_claims": papers_only}
    result, _ = await played(write, llm_settings, spoil)
    assert invented not in result["related_work"]
    assert any(item.sentence == invented for item in result["audit"].rejections)


async def test_answers_have_room_for_seventy_papers(llm_settings: Settings) -> None:
    papers = [
        {
            "id": f"doi:10.5555/{number}",
            "title": f"Hive {number}",
            "year": 2001,
            "authors": [{"name": f"Ada {name}"}],
            "abstract": f"We weigh hive {number} on each of {number + 9} days in the summer.",
        }
        for number, name in enumerate(
            f"{first}{second}berg" for first in "ABCDEFGHIJ" for second in "aeiourl"
        )
    ]
    result, server = await played(write, llm_settings, papers=papers, cite=70)
    limits = {task_of(item): item["max_tokens"] for item in server.requests}
    assert len({one.paper for item in result["sentences"] for one in item.citations}) == 70
    assert limits["draft_section"] == limits["revise_draft"] == 4900
    assert limits["read_papers"] < 4000


async def test_paper_that_fails_leaves_a_group_whose_others_stand(llm_settings: Settings) -> None:
    shared = "All of these watch animals in the field {P1, P2, P3}."

    def add(answer: Any, inputs: dict[str, Any]) -> Any:
        return {**answer, "text": f"{answer['text']} {shared}"}

    def deny_third(answer: Any, inputs: dict[str, Any]) -> Any:
        texts = {item["number"]: item["text"] for item in inputs["sentences"]}
        words = {item["key"]: sentences(item["abstract"])[:1] for item in inputs["sources"]}
        findings = answer["findings"]
        for place, asked in enumerate(inputs["asked"]):
            if "All of these" in texts[asked["sentence"]]:
                key = asked["id"].split("-")[1]
                said = {"verdict": "supported", "quotes": words[key]}
                if key == "P3":
                    said = {"verdict": "not_in_source", "quotes": []}
                findings[place] = {**findings[place], **said}
        return {"findings": findings}

    stay = lambda answer, inputs: {**answer, "paragraphs": []}  # noqa: E731
    spoil = {"draft_section": add, "judge_claims": deny_third, "revise_draft": stay}
    result, server = await played(write, llm_settings, spoil)
    kept = [item for item in result["sentences"] if item.text.startswith("All of these")]
    assert [len(item.citations) for item in kept] == [2]
    told = [item for item in result["audit"].rejections if "All of these" in item.sentence]
    assert [(item.key, item.action) for item in told] == [("P3", "removed")]
    assert questions(server, "rewrite_unsupported") == []


async def test_what_a_sentence_that_cites_says_of_the_own_work_is_checked_by_the_input(
    llm_settings: Settings,
) -> None:
    claim = "Unlike this model of ants {P1}, we fly drones at night."

    def boast(answer: Any, inputs: dict[str, Any]) -> Any:
        return {**answer, "text": f"{answer['text']} {claim}"}

    def judge(answer: Any, inputs: dict[str, Any]) -> Any:
        texts = {item["number"]: item["text"] for item in inputs["sentences"]}
        words = sentences(inputs["sources"][0]["abstract"])[:1]
        own: tuple[str, list[str]] = ("contradicted", [])
        for place, asked in enumerate(inputs["asked"]):
            if texts[asked["sentence"]] == claim:
                verdict, quotes = own if asked["sources"] == ["input"] else ("supported", words)
                answer["findings"][place] |= {"verdict": verdict, "quotes": quotes}
        return answer

    stay = lambda answer, inputs: {**answer, "paragraphs": []}  # noqa: E731
    spoil = {"draft_section": boast, "judge_claims": judge, "revise_draft": stay}
    result, server = await played(write, llm_settings, spoil)
    asked = [
        (item["id"], item["sources"])
        for question in questions(server, "judge_claims")
        for item in question["asked"]
    ]
    assert ("6-P1", ["P1"]) in asked
    assert ("6-all", ["input"]) in asked
    assert "drones" not in result["related_work"]
    assert any(item.sentence == claim for item in result["audit"].rejections)


async def test_claim_that_a_revision_puts_in_is_checked_like_any_other(
    llm_settings: Settings,
) -> None:
    claim = revising(lambda text: re.sub(r"\.$", " and sing at night {P5}.", text))
    spoil = {"revise_draft": claim, "judge_claims": denying("sing at night")}
    result, _ = await played(write, llm_settings, spoil)
    assert "sing at night" not in result["related_work"]
    assert result["audit"].passed
