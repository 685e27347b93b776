"""Tests of arXivBot's Table 1: its baselines asked over real HTTP, and `citeloom eval claims` on what they said."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.asking.cases import Answer, Case, Point
from evals.claims.material import read_material
from evals.claims.measures import Judged, measures, points_of
from tests.evals.calls import evaluated, with_judge
from tests.evals.test_asking_command import BEES
from tests.evals.test_asking_papers import write
from tests.fakes.openai_server import OpenAIServer, Reply, inputs_of, task_of
from tests.fakes.reviewer import reviewer
from tools.embed.open_embedder import embedder

TRACKED, COMBINES = "How were the displaced bees tracked?", "What does HiveNav combine?"
AGE, COST = "How old were the volcanoes in Iceland?", "How expensive was the tequila?"
ROWS = [
    {
        "doc_id": "bees",
        "full_text": BEES,
        "year": 2020,
        "qa": [
            {"question": TRACKED, "answer": "With harmonic radar. Every three seconds."},
            {"question": TRACKED, "answer": "By radar."},
            {"question": COMBINES, "answer": "Path integration and a memory of landmarks."},
            {"question": AGE, "answer": "Unanswerable"},
            {"question": COST, "answer": "Unanswerable"},
        ],
    },
]
RADAR = "We tracked 40 displaced bees with harmonic radar near the hive."
KNOWN = {
    TRACKED: ["Harmonic radar tracked 40 displaced bees.", "The bees were tracked on Mars."],
    COMBINES: ["HiveNav combines three maps."],
    AGE: ["Nobody knows how old they were."],
}
PLAIN = reviewer()


def llm(request: dict[str, Any]) -> Reply:
    """What a sound LLM says: as a bot and as a judge."""
    given: Any = inputs_of(request)
    match task_of(request):
        case "answer_from_memory":
            return {"sentences": KNOWN.get(given["question"], [])}
        case "split_into_claims":
            none = given["answer"].startswith("Nobody")
            claims = [f"{part.strip('. ')}." for part in given["answer"].split(". ")]
            return {"refuses": none, "claims": [] if none else claims}
        case "look_up_claim":
            found = [item for item in given["passages"] if RADAR in item["text"]]
            wrong = {
                "reason": "",
                "supported": True,
                "passage": "S1",
                "words": "It has three maps.",
            }
            if "maps" in given["claim"]:
                return wrong
            sound = bool(found) and "radar" in given["claim"]
            named = {"passage": found[0]["id"], "words": RADAR} if sound else {}
            return {"reason": "", "supported": sound, **named}
        case "refine_answer":
            return {"sentences": given["draft"]}
        case "hold_claims_against_papers":
            words = {"Mars": "contradicted", "maps": "not_there"}
            told = {
                number: next((one for word, one in words.items() if word in claim), "supported")
                for number, claim in given["claims"].items()
            }
            return {
                "verdicts": [
                    {"number": int(number), "why": "read", "verdict": verdict}
                    for number, verdict in told.items()
                ]
            }
        case "points_said":
            return {"said": [number for number in given["points"] if "adar" in given["answer"]][:1]}
    return PLAIN(request)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("claims") / "papers.jsonl", ROWS)


@pytest.fixture(scope="module")
def server(data: Path, _no_settings: None) -> Iterator[OpenAIServer]:
    with (
        pytest.MonkeyPatch.context() as patch,
        OpenAIServer(llm) as server,
        with_judge(patch, server.url, data.parent / "home"),
    ):
        yield server


@pytest.fixture(scope="module")
def answers(data: Path, server: OpenAIServer) -> Path:
    """What `eval asking` writes of the product and both baselines."""
    out = data.with_name("asking.json")
    given = ("--data", data, "--arms", "direct,wikichat", "--mind", "llm", "--json", out)
    done = evaluated("asking", *given)
    assert done.exit_code == 0, done.output
    return out


def judged(data: Path, answers: Path) -> tuple[Result, Any]:
    out = data.with_name("claims.json")
    done = evaluated("claims", "--answers", answers, "--data", data, "--mind", "llm", "--json", out)
    return done, json.loads(out.read_text(encoding="utf-8")) if out.exists() else None


def test_baselines_answer_in_the_rows_of_the_product(answers: Path) -> None:
    found = json.loads(answers.read_text(encoding="utf-8"))
    cases = {case["question"]: case for case in found["cases"]}
    tracked = cases[TRACKED]
    assert [item["text"] for item in tracked["sentences"]["direct"]] == KNOWN[TRACKED]
    assert not any(item["quotes"] for item in tracked["sentences"]["direct"])
    assert not {"coverage", "factual", "cited"} & tracked["arms"]["direct"].keys()
    assert "factual" not in tracked["arms"]["wikichat"], "nobody has checked its sentences"
    assert tracked["arms"]["wikichat"]["coverage"] > 0
    recalled = [item for item in tracked["sentences"]["wikichat"] if item["quotes"][0][1] == RADAR]
    assert recalled
    assert all(item["traced"] for item in tracked["sentences"]["wikichat"])
    for case in cases.values():  # neither refuted, nor borne out by words that are not there
        told = str(case.get("sentences", {}).get("wikichat"))
        assert not {"Mars", "maps"} & set(told.replace(".", " ").split()), case["question"]
    stages = tracked["stages"]["wikichat"]
    assert {"recall_claims", "extract_claims", "join_claims", "refine_answer"} <= stages.keys()
    assert tracked["arms"]["wikichat"]["llm_calls"] >= 8
    assert found["tasks"]["wikichat"]["look_up_claim"]["calls"] >= 3
    assert not any("error" in case for case in cases.values())


def test_claims_and_points_are_counted_answer_by_answer(data: Path, answers: Path) -> None:
    done, found = judged(data, answers)
    assert done.exit_code == 0, done.output
    arms = found["answerable"]["arms"]
    # Tracked: one claim of two; combines: none of one.
    assert (arms["direct"]["claims"]["mean"], arms["direct"]["factual"]["mean"]) == (1.5, 0.25)
    assert (arms["direct"]["contradicted"]["mean"], arms["direct"]["not_there"]["mean"]) == (
        0.25,
        0.5,
    )
    assert arms["direct"]["coverage"]["mean"] == 0.25, "one point of two, none of one"
    assert arms["wikichat"]["factual"]["mean"] == 1
    assert found["totals"]["direct"] == {"supported": 1, "contradicted": 1, "not_there": 1}
    assert found["ages"]["old"]["n"] == 2
    assert found["answerable"]["minus"].keys() == {"direct", "wikichat"}
    assert found["refusals"]["direct"] == {
        "off the subject": 0,
        "off the subject, refused": 0,
        "on the subject": 2,
        "on the subject, refused": 2,
        "answerable": 2,
        "answerable, refused": 0,
    }
    assert found["nonsense"] == 0
    tracked = next(case for case in found["cases"] if case["question"] == TRACKED)
    assert tracked["claims"]["direct"][1] == {
        "claim": "The bees were tracked on Mars.",
        "verdict": "contradicted",
        "why": "read",
    }


def test_nonsense_is_counted_and_in_no_mean(
    data: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    lines = [
        {"case": "bees-1", "arm": "web", "answer": "Radar was used for the bees."},
        {"case": "bees-3", "arm": "web", "answer": "Nine years."},
    ]
    server.script = lambda request: (
        {"verdicts": [{"number": 7, "why": "", "verdict": "supported"}]}
        if task_of(request) == "hold_claims_against_papers"
        else llm(request)
    )
    done, found = judged(data, write(tmp_path / "web.jsonl", lines))
    server.script = llm
    assert done.exit_code == 0, done.output
    assert found["nonsense"] == 1
    assert "claim 1 has no verdict; there is no claim 7" in str(found["cases"][0]["errors"])
    assert found["answerable"]["arms"]["web"].keys() == {"answered", "coverage"}
    assert found["refusals"]["web"]["on the subject, refused"] == 0, "it was answered"


def test_answers_to_other_questions_are_refused(
    data: Path, server: OpenAIServer, tmp_path: Path
) -> None:
    lines = [{"case": "owls-1", "arm": "web", "answer": "Ears."}]
    done = evaluated(
        "claims",
        "--data",
        data,
        "--mind",
        "llm",
        "--answers",
        write(tmp_path / "web.jsonl", lines),
    )
    assert (done.exit_code, "give the --data that was asked" in done.stderr) == (2, True)


def case_of(*answers: Answer) -> Case:
    return Case(id="c", group="papers", kind="open", question="?", answers=answers)


def test_measures_by_hand() -> None:
    case = case_of(
        Answer(text="", points=(Point(fact="a", paper="p"), Point(fact="b", paper="p"))),
        Answer(text="Yes"),
    )
    points = points_of(case)
    assert points == {"1.1": "a", "1.2": "b", "2.1": "The answer is: Yes"}
    verdicts = ["supported", "supported", "contradicted", "not_there"]
    assert measures(points, Judged(refuses=False, verdicts=verdicts, said=["1.2"])) == {
        "answered": 1,
        "claims": 4,
        "factual": 0.5,
        "contradicted": 0.25,
        "not_there": 0.25,
        "coverage": 0.5,
    }
    assert measures(points, Judged(said=["2.1"])) == {"coverage": 1}
    assert measures(points, Judged(refuses=True, verdicts=[], said=[])) == {
        "answered": 0,
        "claims": 0,
        "coverage": 0,
    }


def test_claims_are_held_against_the_nearest_passages_of_a_long_text(tmp_path: Path) -> None:
    parts = [
        f"{number} " + "Some filler about the weather in the north. " * 20 for number in range(30)
    ]
    parts[11] += "The glass of the Orrin lamp was blown in Turku by an apprentice."
    row = {
        "doc_id": "lamp",
        "full_text": "\n\n".join(parts),
        "qa": [{"question": "Where was the glass blown?", "answer": "In Turku."}],
    }
    material = read_material(write(tmp_path / "lamp.jsonl", [row]), embedder())
    shown = material.shown(material.cases[0], ["The glass of the Orrin lamp was blown in Turku."])
    assert 1 <= len(shown) <= 3
    assert any("apprentice" in item["text"] for item in shown)
    packaged = read_material(None, embedder())
    for case in packaged.cases:
        assert len(packaged.shown(case, ["It is so."])) >= len(case.papers), case.id
