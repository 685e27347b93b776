"""The benchmark of synthesis: references, measures by words and by RAGAS, chunks of the baselines, and arms."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import Result

from evals.figures import interval
from evals.pdf.measures import Context, Truth, Work
from evals.synthesis.arms import USUAL, ChunkMethod, arm_of, retrieving
from evals.synthesis.command import (
    COMPOSITES,
    MEASURES,
    Told,
    average_precision,
    composite,
    measures,
    summarise,
)
from evals.synthesis.ragas import Said
from evals.synthesis.ragas import measures as ragas_measures
from evals.synthesis.references import (
    Known,
    all_given,
    files_of,
    is_right,
    matches,
    measure,
    printed_labels,
    read_questions,
    stands_in,
    unmatched,
)
from evals.trials import Row
from state.paper import Author, Paper
from state.synthesis import CitedIn, NumberedReference, Paragraph
from tests.evals.calls import evaluated, measured, read_json, with_judge
from tests.evals.owls import owls
from tests.evals.test_asking_command import ROWS, write
from tests.fakes import composer
from tests.fakes.openai_server import OpenAIServer, Reply, inputs_of, task_of
from tests.fakes.reviewer import reviewer
from tests.nodes.synthesize.support import HEMP, PEARS, SAILS, bench, paragraph
from tests.support import RememberingEmbedder
from tools.errors import InputError

QUESTION = "How were the displaced bees tracked?"
RADAR = "We tracked 40 displaced bees with harmonic radar near the hive."
BREAD = "Sourdough bread rises by wild yeast. A starter is fed with flour each day."
GOLD = [["They were tracked with harmonic radar."]]


def told(**changes: Any) -> Told:
    good: dict[str, Any] = {
        "question": QUESTION,
        "lines": ["40 displaced bees were tracked with harmonic radar."],
        "contexts": [RADAR, BREAD],
        "golds": GOLD,
    }
    return Told(**(good | changes))


def test_good_answer_from_the_right_context(embedder_with_memory: RememberingEmbedder) -> None:
    found = measures(embedder_with_memory, told())
    assert found["faithfulness"] == found["context_recall"] == found["context_precision"] == 1.0
    assert found["context_relevancy"] == pytest.approx(1 / 3)
    assert found["answer_relevancy"] > 0.6
    assert found["answer_similarity"] > 0.6
    assert found["lines"] == 1


def test_invented_line_and_invented_number_are_not_faithful(
    embedder_with_memory: RememberingEmbedder,
) -> None:
    lines = ["60 displaced bees were tracked with harmonic radar.", "Whales sing in winter."]
    assert measures(embedder_with_memory, told(lines=lines))["faithfulness"] == 0.0


@pytest.mark.parametrize(
    ("hits", "value"),
    [([], 0.0), ([False], 0.0), ([True, False], 1.0), ([False, True, True], (1 / 2 + 2 / 3) / 2)],
)
def test_average_precision(hits: Sequence[bool], value: float) -> None:
    assert average_precision(hits) == pytest.approx(value)


def test_composite_is_what_the_table_of_the_paper_has() -> None:
    """LLM-Ref's own row: FF .629, AR .948, context relevancy .268 and recall .705 give .513."""
    row = {
        "faithfulness": 0.629,
        "answer_relevancy": 0.948,
        "context_relevancy": 0.268,
        "context_precision": 0.976,
        "context_recall": 0.705,
    }
    found = composite([row], COMPOSITES["composite"], seed=0)
    assert found["mean"] == pytest.approx(0.513, abs=0.001)
    assert found["low"] == pytest.approx(found["high"])
    with_precision = composite([row], COMPOSITES["with_precision"], seed=0)
    assert with_precision["mean"] == pytest.approx(0.786, abs=0.001)


SILT = Work("1", "10.5555/99", "Counting silt by hand in small valleys")
EMBERS = Work("2", "https://embers.example", "")
TRUTH = Truth(
    file="set/rivers.pdf",
    group="set",
    title="Rivers",
    numbered=True,
    count=2,
    works=(SILT, EMBERS),
    headings=(),
    parsed=(),
    contexts=(
        Context(
            "Silt was counted by hand in many small valleys. Charcoal of known age is a clock as well.",
            (("1",), ("2",)),
        ),
    ),
)
KNOWN = Known(TRUTH, {"1": SILT, "2": EMBERS})


def reference(
    title: str, *, label: str = "", doi: str | None = None, **more: Any
) -> NumberedReference:
    paper = Paper(id=f"title:{len(title)}", title=title, doi=doi, **more)
    cited = (CitedIn(paper="rivers", label=label, entry=f"A. Lind. {title}. 2015."),)
    return NumberedReference(number=1, role="secondary", entry=title, paper=paper, cited_in=cited)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("as shown [3, 5-7] and [5]", ["3", "5", "6", "7"]),
        ("[1–2; 9]", ["1", "2", "9"]),
        ("in [the] year (2015) none", []),
        ("an interval [0.5, 1]", []),
    ],
)
def test_labels_are_read_as_printed(text: str, labels: list[str]) -> None:
    assert printed_labels(text) == labels


def test_hand_made_truth_goes_before_what_is_printed() -> None:
    quote = "Silt was counted by hand in many small valleys"
    text = f"{quote} [1]."
    found = KNOWN.cited(quote, text, 0, len(text))
    assert found is not None
    assert (found.way, found.works) == ("contexts", (SILT,))
    other = "Nobody has counted the stones of a river so far [2]."
    found = KNOWN.cited(other, other, 0, len(other))
    assert found is not None
    assert (found.way, found.works) == ("printed", (EMBERS,))


def test_reference_is_the_work_by_label_and_by_name() -> None:
    assert matches(reference(SILT.title, label="1"), "rivers", SILT)
    assert not matches(reference(SILT.title, label="7"), "rivers", SILT)
    assert not matches(reference("How ants find home", label="1"), "rivers", SILT)
    assert matches(reference("Another title", label="1", doi="10.5555/99"), "rivers", SILT)
    assert matches(reference("A title that nobody knows", label="2"), "rivers", EMBERS)
    assert not matches(reference("A title that nobody knows", label="2"), "lakes", EMBERS)
    # GROBID knows titles only.
    assert matches(reference(SILT.title), "rivers", Work("", "", SILT.title))


def test_neither_too_few_nor_too_many() -> None:
    silt, ants = reference(SILT.title, label="1"), reference("How ants find home", label="3")
    wanted = [("rivers", SILT)]
    assert is_right(wanted, [silt])
    assert not is_right(wanted, [])
    assert not is_right(wanted, [silt, ants])
    assert not is_right([], [silt])
    assert is_right([], [])
    assert all_given(wanted, [silt, ants])
    assert unmatched(wanted, [silt, ants]) == [ants]
    orr = reference("Ash", authors=(Author(name="Dina Orr"),), year=2020)
    assert stands_in(orr, ["Ash is light (Orr, 2020)."])
    assert not stands_in(orr, ["Ash is light (Orr, 2019).", "In 2020 it rained."])


def test_lines_of_a_made_up_paper_are_right_by_its_truth_and_wrong_by_another(
    home: Path, tmp_path: Path
) -> None:
    folder = owls(tmp_path)
    questions = read_questions(folder / "questions.jsonl")
    arms = [arm_of("paragraphs", "extractive", 4)]
    rows = [row for run in measure(folder, questions, arms) for row in run["lines"]]
    assert all(row.verified and row.right for row in rows)
    assert any(row.given for row in rows)
    truth = (folder / "truth.jsonl").read_text("utf-8")
    wrong = truth.replace("Asymmetric ears of owls and what they are for", "On the price of barns")
    (folder / "truth.jsonl").write_text(wrong, encoding="utf-8")
    rows = [row for run in measure(folder, questions, arms) for row in run["lines"]]
    assert ("1 On the price of barns",) in {row.wanted for row in rows if row.right is False}
    (folder / "owls" / "heights.pdf").unlink()
    with pytest.raises(InputError, match=r"there is no 'heights\.pdf'"):
        files_of(folder, questions[0])


def test_packaged_questions_name_files_and_are_distinct() -> None:
    questions = read_questions()
    assert len({one.question for one in questions}) == len(questions) >= 20
    assert all(one.files and all(name.endswith(".pdf") for name in one.files) for one in questions)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return write(tmp_path / "papers.jsonl", ROWS)


def row(case: str, arm: str, value: float) -> Row:
    return {"case": case, "stack": 1, "arm": arm, "figures": dict.fromkeys(MEASURES, value)}


def test_means_have_intervals_and_baselines_are_taken_question_by_question() -> None:
    values = {("one", "paragraphs"): 0.5, ("two", "paragraphs"): 1.0}
    values |= {("one", "basic"): 0.25, ("two", "basic"): 0.25}
    found = summarise([row(*names, value) for names, value in values.items()], seed=3)
    means = found["by_stack"]["1"]
    assert means["paragraphs"]["faithfulness"] == interval([0.5, 1.0], seed=3)
    assert means["basic"]["composite"]["mean"] == pytest.approx(0.25)
    assert means.keys() == {"paragraphs", "basic"}
    less = found["minus"]["1"]["basic"]["faithfulness"]
    assert (less["mean"], less["low"], less["high"]) == (0.5, 0.25, 0.75)


def test_command_measures_references_and_arms(home: Path, tmp_path: Path, papers: Path) -> None:
    folder = owls(tmp_path)
    given = ("--folder", folder, "--questions", folder / "questions.jsonl", "--papers", papers)
    found, result = measured(folder, "synthesis", *given, "--n", "1")
    assert found.keys() == {"settings", "references", "arms", "tasks", "complete"}
    rows = found["arms"]["rows"]
    assert [(one["stack"], one["arm"]) for one in rows] == [
        (s, arm) for s in (1, 3) for arm in USUAL.split(",")
    ]
    answered = [one for one in rows if one["figures"]["answered"]]
    assert answered
    for one in answered:
        assert "radar" in one["answer"]
        assert (one["figures"]["faithfulness"] > 0, one["figures"]["context_recall"]) == (True, 1.0)
        assert all(0 <= one["figures"][name] <= 1 for name in MEASURES)
    assert "## references: table: paragraphs" in result.stdout
    assert "## arms: by stack: 1" in result.stdout


PAIR = ("line", "source")


def test_asking_of_each_pair_of_lines_costs_far_more_and_no_judged_reference_is_wrong(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retelling = reviewer(dict.fromkeys(composer.WRITING, lambda answer, _: composer.retold(answer)))

    def script(request: Any) -> Reply:
        if task_of(request) != "align_pair":
            return retelling(request)
        line, source = (set(re.findall(r"\w+", str(inputs_of(request)[name]))) for name in PAIR)
        return {"comes_from": line <= source}

    folder = owls(tmp_path)
    given = ("--folder", folder, "--questions", folder / "questions.jsonl", "--mind", "llm")
    with OpenAIServer(script) as server, with_judge(monkeypatch, server.url, home):
        found, _ = measured(folder, "synthesis", *given, "--arms", "p_x_q,llm_ref")
    shares = {arm: row["all"] for arm, row in found["references"]["table"].items()}
    ours, pairs, whole = (found["tasks"][arm] for arm in ("paragraphs", "p_x_q", "llm_ref"))
    count = shares["paragraphs"]["lines"]
    assert all(row["citing, right"] == row["citing"] > 0 for row in shares.values())
    # Four paragraphs are relevant, and they have nine sentences.
    assert (ours["judge_claims"]["calls"], pairs["align_pair"]["calls"]) == (1, count * 9)
    assert pairs["align_pair"]["input_tokens"] > 3 * ours["judge_claims"]["input_tokens"]
    assert "judge_claims" not in {*pairs, *whole}
    assert whole["update_answer"]["calls"] == 3


METHODS = get_args(ChunkMethod)
ANSWER = "Drought makes the roots of pears grow deeper, for the roots change where water is."
FILLER = "The wind over the bay turned twice that day and the crew slept below. "


def words(count: int, prefix: str = "w") -> str:
    return " ".join(f"{prefix}{number}" for number in range(count))


def stack() -> list[Paragraph]:
    return [
        paragraph(1, FILLER * 30),
        paragraph(2, ANSWER),
        paragraph(3, FILLER * 25),
        paragraph(1, FILLER * 20, SAILS),
        HEMP,
    ]


@pytest.mark.parametrize("method", METHODS)
async def test_chunk_becomes_contexts_of_the_paragraphs_it_touches(
    method: ChunkMethod, tmp_path: Path
) -> None:
    paragraphs = {item.id: item for item in stack()}
    answer = next(item for item in paragraphs.values() if item.text == ANSWER)
    with bench(tmp_path) as place:
        state = await place.stack(list(paragraphs.values()))
        contexts = (await retrieving(method, 2)(state, place.runtime))["contexts"]
        assert place.server.requests == []
    ids = [context.paragraph for context in contexts]
    assert len(set(ids)) == len(ids)
    assert answer.id in ids
    assert {context.by for context in contexts} == {"retriever"}
    assert next(one for one in contexts if one.paragraph == answer.id).spans == ()
    for context in contexts:
        length = len(paragraphs[context.paragraph].text)
        assert all(0 <= start < end <= length for start, end in context.spans)
        assert context.spans == tuple(sorted(context.spans))
        assert context.spans != ((0, length),)
    neighbours = [paragraphs[key] for key in ids if paragraphs[key].text != ANSWER]
    assert {item.paper for item in neighbours} >= {PEARS}


RAGAS_ROWS: list[dict[str, Any]] = [
    {
        "case": case,
        "arm": arm,
        "question": "How do bees find home?",
        "truth": "They integrate their path. They see marks.",
        "answer": answer,
        "contexts": ["Bees integrate their path. They dance.", "Owls hear voles."],
    }
    for case in ("one", "two")
    for arm, answer in (("ours", "By path integration."), ("silent", ""))
]
SOUND: dict[str, Any] = {
    "ragas_statements": {"statements": [
        {"statement": "Bees integrate their path.", "borne_out": True},
        {"statement": "Bees use the sun.", "borne_out": False},
    ]},
    "ragas_questions": {"questions": ["How do bees find home?"] * 2, "evasive": False},
    "ragas_relevance": {"relevant": [1], "needed": ["1.1"]},
    "ragas_inferred": {"inferred": [1]},
    "ragas_compared": {"shared": ["a"], "only_answer": ["b"], "only_truth": ["c"]},
}  # fmt: skip


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenAIServer]:
    with (
        OpenAIServer(lambda request: SOUND[task_of(request)]) as server,
        with_judge(monkeypatch, server.url, tmp_path / "home"),
    ):
        yield server


def call(folder: Path, rows: list[Any]) -> Result:
    path = write(folder / "answers.jsonl", rows)
    return evaluated("ragas", "--answers", path, "--mind", "llm", "--json", folder / "found.json")


def figures(folder: Path) -> Any:
    return read_json(folder / "found.json")


def test_each_measure_is_what_the_judge_said_by_the_formulas(
    judge: OpenAIServer, tmp_path: Path
) -> None:
    done = call(tmp_path, RAGAS_ROWS)
    assert done.exit_code == 0, done.output
    ours = {name: value["mean"] for name, value in figures(tmp_path)["arms"]["ours"].items()}
    assert ours["faithfulness"] == 0.5
    assert ours["answer_relevancy"] == pytest.approx(1, abs=1e-3)
    assert ours["context_precision"] == 1
    assert ours["context_recall"] == 0.5
    assert ours["context_relevancy"] == pytest.approx(1 / 3)
    assert ours["answer_correctness"] == pytest.approx(
        0.75 * 0.5 + 0.25 * ours["answer_similarity"]
    )
    assert ours["ragas_score"] == pytest.approx(4 / (2 + 1 + 3 + 2), abs=1e-3)
    assert ours["ragas_with_precision"] == pytest.approx(4 / (2 + 1 + 1 + 2), abs=1e-3)
    spent = figures(tmp_path)["tasks"]["(judge)"]["ragas_relevance"]
    assert (spent["calls"], spent["cached"]) == (1, 3)
    silent = figures(tmp_path)["arms"]["silent"]
    assert silent.keys() == {
        "answer_similarity",
        "context_precision",
        "context_recall",
        "context_relevancy",
    }
    assert silent["answer_similarity"]["mean"] == 0
    assert len(judge.requests) == 5  # equal questions are asked once
    assert "14 questions to judge" in done.stderr
    assert any(inputs_of(one).get("question") for one in judge.requests)


def test_numbers_of_what_is_not_there_are_sent_back_and_counted(
    judge: OpenAIServer, tmp_path: Path
) -> None:
    wrong = SOUND | {"ragas_relevance": {"relevant": [7], "needed": []}}
    judge.script = lambda request: wrong[task_of(request)]
    assert call(tmp_path, RAGAS_ROWS[:1]).exit_code == 0
    found = figures(tmp_path)
    assert found["nonsense"] == 1
    assert "there is no 7" in found["cases"][0]["errors"]["ours"][0]
    assert not {"context_precision", "ragas_score"} & found["arms"]["ours"].keys()
    assert judge.tasks.count("ragas_relevance") == 2


@pytest.mark.parametrize(
    ("faithful", "relevancy", "contexts", "recall", "printed"),
    [  # LLM-Ref's Table 1, its last column
        (629, 0.948, 268, 705, 0.513),
        (547, 0.598, 49, 697, 0.158),
        (547, 0.947, 272, 703, 0.501),
        (778, 0.789, 35, 885, 0.125),
    ],
)
def test_score_comes_out_as_the_document_prints_it_with_relevancy_and_not_with_precision(
    faithful: int, relevancy: float, contexts: int, recall: int, printed: float
) -> None:
    def of(share: int) -> list[bool]:
        return [at < share for at in range(1000)]

    said = Said(
        borne=of(faithful),
        cosines=[relevancy],
        needed=(contexts, 1000),
        relevant=[True],
        inferred=of(recall),
    )
    assert ragas_measures(said)["ragas_score"] == pytest.approx(printed, abs=0.002)
    assert ragas_measures(said)["ragas_with_precision"] > 1.4 * printed


@pytest.mark.parametrize(
    ("said", "name", "value"),
    [
        (Said(relevant=[True, False, True]), "context_precision", (1 + 2 / 3) / 2),
        (Said(relevant=[False, False]), "context_precision", 0),
        (Said(relevant=[]), "context_precision", 0),
        (Said(cosines=[0.9, -0.3]), "answer_relevancy", 0.45),
        (Said(cosines=[0.9], evasive=True), "answer_relevancy", 0),
        (Said(both=(0, 0, 3)), "answer_correctness", 0),
        (Said(both=(2, 0, 0), similarity=0.6), "answer_correctness", 0.9),
        (Said(needed=(0, 0)), "context_relevancy", 0),
    ],
)
def test_edges_by_hand(said: Said, name: str, value: float) -> None:
    assert ragas_measures(said)[name] == pytest.approx(value)
