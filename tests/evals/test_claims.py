"""Tests of arXivBot's Table 1: `citeloom eval claims` with a judge over real HTTP."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from evals.asking.cases import Answer, Case, Point
from evals.asking.claim_judge import Judged, measures, points_of, read_material
from tests.evals.calls import evaluated, with_judge
from tests.evals.test_asking_command import BEES
from tests.evals.test_asking_papers import write
from tests.fakes.openai_server import OpenAIServer, Reply, inputs_of, task_of
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
KNOWN = (
    "Harmonic radar tracked 40 displaced bees. The bees were tracked on Mars.",
    "HiveNav combines three maps.",
    "Nobody knows how old they were.",
    "",
)


def llm(request: dict[str, Any]) -> Reply:
    """What a sound judge says."""
    given: Any = inputs_of(request)
    match task_of(request):
        case "split_into_claims":
            none = given["answer"].startswith("Nobody")
            claims = [f"{part.strip('. ')}." for part in given["answer"].split(". ")]
            return {"refuses": none, "claims": [] if none else claims}
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
    raise AssertionError(task_of(request))


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
def answers(data: Path, server: OpenAIServer) -> tuple[Path, Path]:
    """What `eval asking` writes of the product, and the lines of another system."""
    out = data.with_name("asking.json")
    done = evaluated("asking", "--data", data, "--arms", "hybrid-2", "--json", out)
    assert done.exit_code == 0, done.output
    lines = [
        {"case": f"bees-{place}", "arm": "direct", "answer": answer}
        for place, answer in enumerate(KNOWN, 1)
    ]
    return out, write(data.with_name("direct.jsonl"), lines)


def judged(data: Path, *answers: Path) -> tuple[Result, Any]:
    out = data.with_name("claims.json")
    named = [word for path in answers for word in ("--answers", path)]
    done = evaluated("claims", *named, "--data", data, "--mind", "llm", "--json", out)
    return done, json.loads(out.read_text(encoding="utf-8")) if out.exists() else None


def test_claims_and_points_are_counted_answer_by_answer(
    data: Path, answers: tuple[Path, Path]
) -> None:
    done, found = judged(data, *answers)
    assert done.exit_code == 0, done.output
    arms = found["answerable"]["arms"]
    # Tracked: one claim of two; combines: none of one.
    assert (arms["direct"]["claims"]["mean"], arms["direct"]["factual"]["mean"]) == (1.5, 0.25)
    assert (arms["direct"]["contradicted"]["mean"], arms["direct"]["not_there"]["mean"]) == (
        0.25,
        0.5,
    )
    assert arms["direct"]["coverage"]["mean"] == 0.25, "one point of two, none of one"
    assert arms["hybrid-2"]["factual"]["mean"] == 1
    assert found["totals"]["direct"] == {"supported": 1, "contradicted": 1, "not_there": 1}
    assert found["ages"]["old"]["n"] == 2
    assert found["answerable"]["minus"].keys() == {"direct"}
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
