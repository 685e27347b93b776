"""Tests of the `synthesize` graph with the embedded engine: every line has its sources, or is not there."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite.aio import AsyncSqliteStore

from citeloom.report.markdown import markdown as markdown_of
from citeloom.report.markdown import terminal_text
from citeloom.report.result_report import ResultReport
from graphs.ingest import graph as ingest
from graphs.synthesize import builder, graph
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
    assert (origin.page, origin.section) == (1, ("1 Introduction",))
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
    assert (shared.role, len(shared.cited_in)) == ("secondary", 3)
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


# More tests of `synthesize`: papers of a library, references looked up, one thread used twice.


async def add(library: str) -> list[str]:
    inputs: Any = {"library": library, "uploads": uploads()}
    done: Any = await ingest.ainvoke(inputs)
    assert [item.status for item in done["reports"]] == ["added"] * 3
    return [item.paper for item in done["reports"]]


async def test_papers_of_a_library_give_what_their_files_give(home: Path) -> None:
    papers = await add("owls")
    from_files = await synthesize()
    named = await synthesize(uploads=[], library="owls", papers=papers)
    assert_traced(named)
    assert (named["answer"], named["bibtex"]) == (from_files["answer"], from_files["bibtex"])


async def test_second_question_on_a_thread_starts_afresh(home: Path) -> None:
    app = builder.compile(checkpointer=InMemorySaver(), store=InMemoryStore())
    config: Any = {"configurable": {"thread_id": "one"}}
    first: Any = {"question": QUESTION, "uploads": uploads()}
    await app.ainvoke(first, config)
    other: Any = {"question": "How were the feathers washed?", "uploads": uploads()[1:2]}
    result = dict(await app.ainvoke(other, config))
    assert_traced(result)
    assert "washed in cold water" in result["answer"]
    assert [item.name for item in result["stacked"]] == ["feathers.md"]
    assert len(result["messages"]) == 4


# `synthesize` as a server runs it: stepped, resumed at every node, several runs in one home.


STEPS = (
    "read_stack_paper",
    "merge_references",
    "summarize_paragraphs",
    "judge_relevance",
    "synthesize_answer",
    "align_lines",
    "resolve_works",
    "present_synthesis",
)


def question_on_stack() -> Any:
    return {"question": QUESTION, "uploads": uploads()}


async def test_run_goes_on_from_disk_behind_every_step(home: Path, tmp_path: Path) -> None:
    """Saver and store are opened anew, as by another replica, and read strictly."""
    config: Any = {"configurable": {"thread_id": "one"}}
    result: Any = {}
    for step in (*STEPS, None):
        async with (
            AsyncSqliteSaver.from_conn_string(str(tmp_path / "checkpoints.sqlite")) as saver,
            AsyncSqliteStore.from_conn_string(str(tmp_path / "run_store.sqlite")) as store,
        ):
            await store.setup()
            app = builder.compile(
                checkpointer=saver, store=store, interrupt_before=[step] if step else []
            )
            sent = None if result else question_on_stack()
            result = await app.ainvoke(sent, config, context=RunSettings())
            assert set((await app.aget_state(config)).next) == ({step} if step else set())
    assert_traced(result)
    assert result["outcome"] == "complete"


async def test_runs_at_once_in_one_home_do_not_disturb_each_other(home: Path) -> None:
    results: list[Any] = await asyncio.gather(
        *(graph.ainvoke(question_on_stack(), context=RunSettings()) for _ in range(4))
    )
    for result in results:
        assert_traced(result)
        assert result["failures"] == []
    assert len({result["answer"] for result in results}) == 1
    assert len({result["run"] for result in results}) == 4


# Papers as they should not be: what `synthesize` makes of them is still right, or told.


OWLS = "Barn owls find voles in the dark by hearing the noise of their feet"
COUNTED = f"[1] Holm B. {SHARED}. Meadow Letters 7. 2018."


def markdown(title: str, body: str, works: str = "", name: str = "a.md") -> dict[str, Any]:
    listed = f"\n## References\n\n{works}\n" if works else ""
    text = f"# {title}\n\nRita Vale\n\n## Introduction\n\n{body}\n{listed}"
    return {"name": name, "content": text, "encoding": "text"}


async def made_of(*papers: dict[str, Any], **inputs: Any) -> dict[str, Any]:
    result = await synthesize(uploads=list(papers), **inputs)
    if result["stop"] is None:
        assert_traced(result)
    json.dumps(result["answer"]).encode()
    report_of(result).encode()
    result["bibtex"].encode()
    return result


def report_of(result: dict[str, Any]) -> str:
    return markdown_of(ResultReport.of("synthesize", result, question=QUESTION))


async def test_five_hundred_entries_and_a_bracket_of_sixty(home: Path) -> None:
    works = "\n\n".join(
        f"[{n}] Author{n} A. Study number {n} of owls that hear voles under straw. Birds {n}. {1950 + n % 70}."
        for n in range(1, 501)
    )
    many = ", ".join(map(str, range(1, 61)))
    result = await made_of(markdown("Owls and long lists", f"{OWLS} [{many}].", works))
    (source,) = result["stacked"]
    assert (source.entries, source.linked) == (500, 60)
    (line,) = result["lines"]
    assert len(line.secondary) == 60
    assert "[1-61]" in result["answer"]


async def test_paper_that_cites_itself_is_primary_alone(home: Path) -> None:
    title = "Owls that cite themselves once and then again"
    own = f"Vale, Rita. 2020. {title}. Quiet Birds 3."
    result = await made_of(markdown(title, f"{OWLS} (Vale, 2020).", own))
    assert [item.role for item in result["references"]] == ["primary"]


async def test_signs_that_are_no_text(home: Path) -> None:
    body = f"{OWLS} [1].\n\nSnow and \udfff straw are weighed in the dark of barns by owls."
    paper = markdown("Owls and \ud800 signs", body, COUNTED, "a\x00b\ud800.md")
    result = await made_of(paper)
    assert result["lines"]
    assert not any("\ud800" <= char <= "\udfff" for char in result["answer"] + result["bibtex"])
    binary = await made_of(markdown("Owls", f"{OWLS}\x00.", ""))
    assert "\x00" not in binary["answer"] + binary["bibtex"]


async def test_scripts_of_a_page_run_nowhere(home: Path) -> None:
    page = (
        "<html><head><title>Owls &amp; scripts</title><script>alert('owls voles dark')</script></head><body>"
        f"<h1>Owls &amp; &lt;script&gt;alert(1)&lt;/script&gt;</h1><p onclick='x()'>{OWLS}.</p><p>Barn owls in the "
        "dark &lt;img src=x onerror=alert(3)&gt; hear voles well [1].</p><h2>References</h2><ol><li>[1] B. Holm. "
        "Voles &lt;b&gt; [by](javascript:alert(2)) ear. 2018.</li></ol></body></html>"
    )
    result = await made_of({"name": "<b>.html", "content": page, "encoding": "text"})
    assert result["lines"]
    assert_harmless(report_of(result))


async def test_titles_of_latex_and_html_are_escaped(home: Path) -> None:
    title = r"50\% of $\alpha$_owls #1 {unbalanced & ~~~ [x]: javascript:alert(1)"
    work = (
        "[1] Holm, B. Voles} & 10% <img src=x onerror=alert(1)> \\input{/etc/passwd} of_the "
        "[link](javascript:alert(1)) | night. Quiet ~ Birds 4. 2018."
    )
    result = await made_of(markdown(title, f"{OWLS} [1].", work))
    assert len(result["references"]) == 2
    assert_harmless(report_of(result))
    bibtex = result["bibtex"]
    assert "\\input{" not in bibtex
    plain = bibtex.replace("{\\{}", "").replace("{\\}}", "").replace("\\{", "").replace("\\}", "")
    assert plain.count("{") == plain.count("}")


def assert_harmless(text: str) -> None:
    """No tag and no link of a paper's is live; no paragraph is a list or a fence by accident."""
    bare = text.replace("\\\\", "")
    for sign in ("<", "](", "]:", "`"):
        places = [at for at in range(len(bare)) if bare.startswith(sign, at)]
        live = [at for at in places if bare[at - 1] != "\\" and not bare[at:].startswith("<http")]
        assert not live, bare[live[0] - 40 : live[0] + 40]
    assert not any(line.lstrip().startswith(("~~~", "```")) for line in bare.splitlines())
