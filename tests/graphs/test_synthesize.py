"""Tests of the `synthesize` graph with the embedded engine: every line has its sources, or is not there."""

import re
from pathlib import Path
from typing import Any

import pytest

from citeloom.report.markdown import terminal_text
from citeloom.report.result_report import ResultReport
from graphs.synthesize import graph
from state.synthesis import Line, NumberedReference
from tests.graphs.stacks import FIRST_TITLE, QUESTION, SHARED, uploads
from tests.support import SMALL, small_records
from tools.run_settings import RunSettings


async def synthesize(
    question: str = QUESTION, options: dict[str, Any] | None = None, **inputs: Any
) -> dict[str, Any]:
    given: Any = {"question": question, "uploads": uploads(), **inputs}
    return dict(await graph.ainvoke(given, context=RunSettings(**(options or {}))))


def assert_traced(result: dict[str, Any]) -> None:
    """Every line has verified words of a source, and every number an entry."""
    texts = {item.paragraph: item.quote.text for item in result["used"]}
    by_number: dict[int, NumberedReference] = {item.number: item for item in result["references"]}
    assert list(by_number) == list(range(1, len(by_number) + 1))
    for line in result["lines"]:
        assert line.origins, line.text
        for origin in line.origins:
            assert origin.quote.verified
            start, end = origin.quote.start, origin.quote.end
            assert texts[origin.paragraph][start:end] == origin.quote.text
        assert {by_number[n].paper.id for n in line.primary} == {o.paper for o in line.origins}
        assert all(by_number[n].role == "primary" for n in line.primary)
        assert set(line.secondary) <= set(by_number)
    roles = [item.role for item in result["references"]]
    assert roles == sorted(roles)  # primary ones first


def entry(result: dict[str, Any], title: str) -> NumberedReference:
    references: list[NumberedReference] = result["references"]
    (found,) = [item for item in references if item.paper.title == title]
    return found


def told(result: dict[str, Any], words: str) -> Line:
    lines: list[Line] = result["lines"]
    return next(line for line in lines if words in line.text)


async def test_each_line_shows_its_sources_and_what_they_cite(home: Path) -> None:
    result = await synthesize()
    assert result["outcome"] == "complete"
    assert_traced(result)
    primary = [item.paper.title for item in result["references"] if item.role == "primary"]
    assert FIRST_TITLE in primary
    assert len(primary) >= 2
    assert result["bibtex"].count("@") == len(result["references"])
    assert result["bibtex"].count("keywords = {primary}") == len(primary)
    assert "keywords = {secondary}" in result["bibtex"]
    # Without a model each paragraph quotes one paper, whose title heads it.
    for paragraph in {line.paragraph: None for line in result["lines"]}:
        lines = [line for line in result["lines"] if line.paragraph == paragraph]
        assert set.intersection(*({one.paper for one in line.origins} for line in lines))
    texts = [line.text.partition("“")[2].rstrip("”") for line in result["lines"]]
    assert not [one for one in texts for other in texts if one != other and one in other]
    read = terminal_text(ResultReport.of("synthesize", result))
    assert re.search(rf"^### \[\d\] {re.escape(FIRST_TITLE)}$", read, re.MULTILINE)
    line = told(result, "height")
    (origin,) = line.origins
    assert origin.page == 1
    assert origin.section == ("1 Introduction",)
    cited = {item.paper.title for item in result["references"] if item.number in line.secondary}
    assert cited == {
        "Asymmetric ears of owls and what they are for",
        "Two listeners are better than one",
    }
    assert "[" not in line.text
    assert line.verdict == "supported"
    assert line.text.startswith(
        "Brook and Ford: “The left ear of a barn owl stands higher than the right"
    )


async def test_work_cited_under_three_labels_is_one_reference(home: Path) -> None:
    result = await synthesize(granularity="coarse")
    assert_traced(result)
    shared = entry(result, SHARED)
    assert shared.role == "secondary"
    assert len(shared.cited_in) == 3
    assert [item.label for item in shared.cited_in][:2] == ["2", "2"]
    assert shared.paper.doi == "10.5555/voles.2018"
    assert all(not line.secondary for line in result["lines"])


async def test_question_that_the_papers_do_not_answer(home: Path) -> None:
    result = await synthesize("How are transformers trained on many graphics cards?")
    assert result["outcome"] == "nothing"
    assert result["lines"] == result["references"] == []
    assert result["answer"].startswith("No answer: the 3 papers do not say")


async def test_file_that_cannot_be_read_costs_only_itself(home: Path) -> None:
    bad = {
        "name": "broken.pdf",
        "content": "JVBERi0xLjQKJeLjz9MKbm90aGluZyBoZXJl",
        "encoding": "base64",
    }
    result = await synthesize(uploads=[*uploads(), bad])
    assert_traced(result)
    (failure,) = [item for item in result["failures"] if item.subject == "broken.pdf"]
    assert failure.remedy
    assert result["outcome"] == "complete"
    assert [item.cause != "" for item in result["stacked"]] == [False, False, False, True]


async def test_nothing_readable_ends_with_what_to_do(home: Path) -> None:
    bad = {
        "name": "broken.pdf",
        "content": "JVBERi0xLjQKJeLjz9MKbm90aGluZyBoZXJl",
        "encoding": "base64",
    }
    result = await synthesize(uploads=[bad])
    assert result["outcome"] == "nothing"
    assert result["stop"].cause == "none of the papers could be read"
    assert any(item.subject == "broken.pdf" for item in result["failures"])


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"uploads": []}, "no papers given"),
        ({"question": ""}, "no question"),
        ({"granularity": "medium"}, "'fine' or 'coarse'"),
        ({"sources": ["library"]}, "there is no source 'library'"),
        ({"papers": ["doi:10.5555/nowhere"]}, "does not have doi:10.5555/nowhere"),
        ({"paths": ["/etc"]}, "paths are not taken here"),
    ],
)
async def test_bad_input_says_what_to_do(home: Path, inputs: dict[str, Any], words: str) -> None:
    result = await synthesize(**inputs)
    assert words in result["stop"].cause
    assert result["outcome"] == "nothing"


async def test_same_paper_twice_is_read_once(home: Path) -> None:
    again = {**uploads()[1], "name": "copy.md"}
    twin = {"name": "twin.md", "content": uploads()[1]["content"] + "\n", "encoding": "text"}
    result = await synthesize(uploads=[*uploads(), again, twin])
    assert_traced(result)
    titles = [item.paper.title for item in result["references"]]
    assert len(titles) == len(set(titles))
    notes = {item.name: (item.cause, *item.notes) for item in result["stacked"]}
    assert any("contents are those of" in note for note in notes["copy.md"])
    assert any("same paper as feathers.md" in note for note in notes["twin.md"])


async def test_papers_of_a_library_are_read_from_their_abstracts(home: Path) -> None:
    papers = [item.id for item in small_records()[:4]]
    result = await synthesize(
        "What do the models retrieve?", uploads=[], papers=papers, library=SMALL
    )
    assert result["stop"] is None
    assert {item.kind for item in result["stacked"]} == {"record"}
    assert all("its references are unknown" in item.notes[0] for item in result["stacked"])
    assert_traced(result)


async def test_annotation_of_a_library_is_not_told_as_its_papers_words(home: Path) -> None:
    result = await synthesize(
        "What does LitLLM do?", uploads=[], papers=["arxiv:2402.01788"], library="starter"
    )
    assert result["answer"].startswith("Agarwal et al. (annotation): “")
    origins = [origin for line in result["lines"] for origin in line.origins]
    assert origins
    assert {(item.quote.part, item.section) for item in origins} == {
        ("annotation", ("Annotation",))
    }
    assert_traced(result)
