"""What `synthesize` asks: LLM-Ref's way beside ours, with an LLM that always says the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.synthesis import costs
from evals.synthesis.costs import (
    Sizes,
    Spent,
    folder_uploads,
    listed,
    main,
    measure,
    notes,
    query,
    sizes,
    spent,
    table,
    traced,
)
from evals.synthesis.runs import Synthesis
from evals.synthesis.scripted import answer, related, told_of
from state.run import Usage
from tests.graphs.stacks import QUESTION, first, uploads
from tests.support import RememberingEmbedder
from tools.errors import InputError

SOURCE = "Barn owls find voles in complete darkness by their hearing alone."


def ask(task: str, **inputs: Any) -> Any:
    """Ask the scripted LLM."""
    return answer(task, inputs)


def test_scripted_llm_judges_one_paragraph_as_it_judges_many() -> None:
    items = [
        {"id": f"P{number}", "section": "", "summary": text}
        for number, text in enumerate([SOURCE, "Barns are built of oak.", "Owls and voles."], 1)
    ]
    many = ask("judge_relevance", question=QUESTION, paragraphs=items)["ids"]
    each = [ask("judge_relevance", question=QUESTION, paragraphs=[one])["ids"] for one in items]
    assert many == [key for ids in each for key in ids] == ["P1", "P3"]


def test_scripted_llm_aligns_one_pair_as_it_aligns_many() -> None:
    line = "Barn owls find voles in complete darkness by their hearing alone; barns are old."
    sources = [{"id": "S1", "text": SOURCE}, {"id": "S2", "text": "Oak is hard and heavy wood."}]
    (told,) = ask("align_lines", lines=[{"number": 1, "text": line}], sources=sources)["lines"]
    assert [item["id"] for item in told["sources"]] == ["S1"]
    assert told["sources"][0]["words"] in SOURCE
    assert [ask("align_pair", line=line, source=one["text"])["related"] for one in sources] == [
        True, False,
    ]  # fmt: skip
    assert not related("Owls.", "Owls.")


def test_scripted_llm_adds_to_what_stands_there() -> None:
    sources = [{"title": "", "authors": "", "paragraphs": [SOURCE, "Barns are built of oak."]}]
    given = {"question": QUESTION, "most_words": 100, "sources": sources}
    one = ask("synthesize_answer", **given)["paragraphs"]
    assert one == [told_of(SOURCE, QUESTION)] == [SOURCE]
    assert ask("synthesize_answer", **given, answer_so_far=SOURCE)["paragraphs"] == one
    assert ask("synthesize_answer", **{**given, "most_words": 5})["paragraphs"] == []


@pytest.fixture(scope="module")
def runs() -> Iterator[dict[str, Synthesis]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tools.embed.open._opened", {("minilm", "", ""): RememberingEmbedder()})
        yield measure(QUESTION, uploads())


def test_documents_way_costs_what_its_formula_says(runs: dict[str, Synthesis]) -> None:
    found = sizes(runs["document"])
    calls = query(spent(runs["document"].result["usage"])).calls
    assert found.calls == pytest.approx(
        calls, rel=0.1
    )  # sentences may be cut otherwise at citations
    assert found.contexts == len(runs["document"].result["contexts"])
    assert found.lines >= 2
    assert Sizes(50, 8, 7, 56).calls == 450


def test_default_asks_a_fraction_for_the_same_references(runs: dict[str, Synthesis]) -> None:
    whole, ours = (query(spent(run.result["usage"])) for run in runs.values())
    assert ours.calls <= costs.CALLS * whole.calls
    assert ours.tokens <= costs.TOKENS * whole.tokens
    assert traced(runs["document"]) <= traced(runs["default"])
    assert listed(runs["document"]) <= listed(runs["default"])
    assert any(secondary for _, _, secondary in traced(runs["document"]))


def test_table_has_each_task_and_the_sums(runs: dict[str, Synthesis]) -> None:
    told = table(runs, "owls")
    by_task = {row["task"]: row for row in told.rows}
    assert {"judge_relevance", "synthesize_answer", "align_pair", "align_lines"} <= by_task.keys()
    whole = by_task["a question, summaries made before"]
    tasks = [
        row["document: calls"]
        for name, row in by_task.items()
        if isinstance(name, str) and " " not in name and name != "summarize_paragraphs"
    ]
    assert sum(count for count in tasks if isinstance(count, int)) == whole["document: calls"]
    assert by_task["align_pair"]["default: calls"] == 0
    text = "\n".join(notes(runs))
    assert "N + c + p*q" in text
    assert text.count(": yes") == 2
    assert "### owls" in told.markdown()


def test_summaries_and_the_embedded_engine_are_no_part_of_a_question() -> None:
    usage = [
        Usage(task="summarize_paragraphs", mind="m", calls=3, input_tokens=30, output_tokens=3),
        Usage(task="align_lines", mind="m", calls=1, input_tokens=10, output_tokens=1),
        Usage(task="align_lines", mind="other", calls=1, input_tokens=5, output_tokens=1),
        Usage(task="align_lines", mind="extractive", calls=9),
    ]
    by_task = spent(usage)
    assert by_task["align_lines"] == Spent(2, 15, 2)
    assert query(by_task) == Spent(2, 15, 2)
    assert query(by_task).tokens == 17


def test_folder_without_papers_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="no PDF"):
        folder_uploads(tmp_path)
    (tmp_path / "heights.pdf").write_bytes(first())
    assert [item["name"] for item in folder_uploads(tmp_path)] == ["heights.pdf"]
    with pytest.raises(SystemExit):
        main([str(tmp_path / "none")])
    assert "no PDF" in capsys.readouterr().err
