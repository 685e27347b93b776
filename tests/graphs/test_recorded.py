"""Answers of a strong mind, recorded: what it writes reaches the text as it is, and nothing is asked twice.

The answers were given to the questions of two runs on papers of the starter library: one that had to cite ten papers
of twenty, and one that chose nine of twenty-four. They are found again by task and by what is asked about, not by the
prompts' wording; what was read is kept by paper, and what was revised as the whole text.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from graphs.ask import graph as ask_graph
from graphs.write import graph
from tests.fakes.openai_server import inputs_of, task_of
from tests.graphs.conftest import Scripted
from tools.settings import Settings

_HERE = Path(__file__).parent
ANSWERED: dict[str, Any] = json.loads((_HERE / "recorded_answer.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["recorded_section", "recorded_free_section"])
async def test_what_a_strong_mind_writes_reaches_the_text(
    name: str, llm_settings: Settings
) -> None:
    run: dict[str, Any] = json.loads((_HERE / f"{name}.json").read_text(encoding="utf-8"))
    asked: Counter[tuple[str, str]] = Counter()
    judged: Counter[tuple[str, str]] = Counter()
    recorded: list[dict[str, Any]] = run["answers"]
    answers: dict[tuple[str, str], Any] = {
        (item["task"], item["about"]): item["answer"] for item in recorded
    }
    rounds = [one["answer"]["findings"] for one in recorded if one["task"] == "judge_claims"]

    def script(request: dict[str, Any]) -> Any:
        task = task_of(request)
        if task == "judge_claims":  # whatever stands together in one question
            items: Any = inputs_of(request)["asked"]
            return {"findings": [finding(item["id"]) for item in items]}
        if task == "read_papers":
            shown: Any = inputs_of(request)["papers"]
            asked.update(("read_paper", one["title"]) for one in shown if quoted(one["title"]))
            return {"papers": [{"key": one["key"], **quoted(one["title"])} for one in shown]}
        asked[task, ""] += 1
        if task != "revise_draft":
            return answers[task, ""]
        whole = enumerate(answers[task, ""]["text"].split("\n\n"), start=1)
        return {"paragraphs": [{"number": number, "text": text} for number, text in whole]}

    def quoted(title: str) -> dict[str, str]:
        """Return the words that were quoted of a paper, which was then asked about by itself."""
        given = answers.get(("read_paper", title), {})  # nothing was asked of what a revision drops
        return {name: one["quote"] for name, one in given.items() if one}

    def finding(id_: str) -> Any:
        """Return what was answered of an item, in the round in which it is asked about."""
        given = [one for findings in rounds for one in findings if one["id"] == id_]
        judged["judge_claims", id_] += 1
        return given[judged["judge_claims", id_] - 1]

    given: Any = {name: run[name] for name in ("text", "papers", "cite")}
    with Scripted(script, llm_settings) as llm:
        result = await graph.ainvoke(given, {"recursion_limit": 500}, context=llm.context)
    assert result["failures"] == []
    others = [key for key in answers if key[0] not in {"judge_claims", "judge_again"}]
    assert asked == Counter(others), "each question once, and no other: no alarm asks again"
    assert judged == Counter(("judge_claims", one["id"]) for findings in rounds for one in findings)
    written = "\n\n".join(
        " ".join(item.marked for item in result["sentences"] if item.paragraph == number)
        for number in sorted({item.paragraph for item in result["sentences"]})
    )
    assert written == answers["revise_draft", ""]["text"], "no alarm took a word of it"
    assert result["audit"].passed
    verdicts = Counter(item.verdict for text in result["sentences"] for item in text.citations)
    assert set(verdicts) <= {"supported", "partly"}
    assert verdicts["supported"] >= 0.8 * verdicts.total()


async def test_what_a_strong_mind_answers_reaches_the_reader_in_five_questions(
    llm_settings: Settings,
) -> None:
    """One half of the question is answered; the other half is searched for again, and missing."""
    waiting: list[dict[str, Any]] = list(ANSWERED["answers"])

    def script(request: dict[str, Any]) -> Any:
        recorded = waiting.pop(0)
        assert recorded["task"] == task_of(request)
        answer = recorded["answer"]
        if recorded["task"] != "extract_claims":
            return answer
        shown: Any = inputs_of(request)["passages"]
        claims = [
            {**claim, "passage": next(one["id"] for one in shown if claim["quote"] in one["text"])}
            for claim in answer["claims"]
        ]
        return {**answer, "claims": claims}

    given: Any = {"question": ANSWERED["question"], "library": "starter"}
    with Scripted(script, llm_settings) as llm:
        result = await ask_graph.ainvoke(given, context=llm.context)
        asked = llm.server.tasks
    assert waiting == []
    assert asked == [one["task"] for one in ANSWERED["answers"]], "each question once"
    assert result["failures"] == []
    (written,) = (one["answer"] for one in ANSWERED["answers"] if one["task"] == "compose_answer")
    assert [item.text for item in result["sentences"]] == [
        item["text"] for item in written["sentences"]
    ]
    assert {item.verdict for item in result["sentences"]} == {"supported"}
    assert result["missing"] == written["missing"]
    first, second = result["hops"]
    assert (first.named, first.missing) == ((1, 2), tuple(written["missing"]))
    assert (second.sufficient, second.named) == (False, ())
    assert not set(first.read) & set(second.read)
