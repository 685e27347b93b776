"""Tests of what `citeloom synthesize` prints, tells and writes of a run's values."""

import re
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from citeloom.cli.print_result import print_result
from citeloom.report.markdown import terminal_text
from citeloom.report.result_report import ResultReport
from citeloom.runs.run_record import RunRecord
from state.run import Failure
from state.synthesis import NumberedReference
from tests.cli.synthesis_values import QUESTION, complete, paper, stopped


def run(out: str = "", **context: Any) -> RunRecord:
    return RunRecord(
        name="20260101-000000-abcdef",
        graph="synthesize",
        inputs={"question": QUESTION},
        context=context,
        out=out,
        started="",
    )


def printed(values: dict[str, Any], *, trace: bool = False) -> str:
    return terminal_text(ResultReport.of("synthesize", values), details=trace)


async def shown(values: dict[str, Any], out: str = "", *, as_json: bool = False) -> int:
    return await print_result(run(out), values, InMemoryStore(), as_json=as_json)


def stop(subject: str) -> Failure:
    return Failure(stage="s", subject=subject, cause="no money", remedy="raise it", fatal=True)


def test_text_is_followed_by_its_two_lists_of_references() -> None:
    answer, *lists = printed(complete()).split("\n\n")
    assert answer == "Bees steer by the sun [1, 3]. Smells help [2]."
    assert [item.splitlines() for item in lists] == [
        ["## Primary references"],
        [
            "- [1] A. Lee, “Sun compasses,” 2020.",
            "- [2] Ada Lee. 2020. Smells of *home*. https://doi.org/10.1/smell",
        ],
        ["## Secondary references"],
        [
            "- [3] K. Frisch, “Dances,” 2020. https://doi.org/10.1/dance Cited in [1] as 3, [2], "
            "unused.md as 9."
        ],
    ]
    shown = NumberedReference(
        number=1,
        role="primary",
        entry="Dances. doi: 10.1/DANCE.",
        paper=paper("doi:10.1/dance", "Dances", doi="10.1/dance"),
    )
    assert "https://" not in printed(complete(references=[shown])), "its entry has the DOI"


def test_trace_leads_from_each_line_to_paper_page_and_paragraph() -> None:
    values = complete()
    line = values["lines"][0]
    # A work under another of its ids keeps its number.
    other = line.origins[0].model_copy(update={"works": ("doi:10.1/alias", "doi:10.1/unknown")})
    values["lines"][0] = line.model_copy(update={"origins": (other,)})
    trace = printed(values, trace=True).partition("## Trace\n\n")[2].split("\n\n")
    assert trace[0].splitlines() == [
        "1. Bees steer by the sun. *supported*",
        "    - [1] sun.pdf, 2 Flight, p. 2, paragraph 4: “Bees steer by the sun, as earlier flights showed "
        "[3].” cites [3]",
        "2. Smells help. *partly*",
        "    - [2] smell.md, paragraph 4: “Smells help.”",
    ]
    assert trace[2].splitlines()[0] == (
        "- Read: sun.pdf (Sun compasses): 9 pages; 2 paragraphs; 12 references; 19 of 20 citations linked; "
        "confidence: title 1.00, sections 0.30"
    )
    for told in (
        "- Not read: sun.pdf, page 7: a scan",
        "- Note: sun.pdf: read with low confidence: sections (0.30)",
        "- Note: smell.md: it names no year",
    ):
        assert told in trace[2].splitlines()
    assert "- Relevant paragraphs: 2 of 4 (1 by meaning, 1 by the model)" in trace[2]
    assert "- Time: read_stack_paper 1.25 s" in trace[2]


async def test_text_of_papers_is_no_markup_on_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    values = complete(stacked=[], failures=[stop("run")], stop=stop("run"))
    values["lost"] = [values["lost"][0].model_copy(update={"text": "[red]a[/red] [8, 20]"})]
    await shown(values)
    told = capsys.readouterr().err
    assert "“[red]a[/red] [8, 20]”" in told
    assert told.splitlines()[-1] == "citeloom: no money — raise it"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (complete(), 0),
        (complete(lines=[], answer="No answer"), 1),
        (complete(stop=stop("input"), lines=[]), 2),
        (complete(stop=stop("run")), 1),
        (stopped(), 1),
    ],
    ids=["text", "none", "bad input", "stopped early", "interrupted"],
)
async def test_exit_code(values: dict[str, Any], code: int) -> None:
    assert await shown(values) == code


# --- Files ------------------------------------------------------------------------------------


async def test_markdown_has_references_trace_and_account_with_paper_text_escaped(
    tmp_path: Path,
) -> None:
    await shown(complete(), str(tmp_path), as_json=True)
    text = (tmp_path / "synthesis.md").read_text(encoding="utf-8")
    assert re.findall(r"^#+ (.*)", text, re.MULTILINE) == [
        QUESTION,
        "Primary references",
        "Secondary references",
        "Trace",
        "How this was made",
    ]
    for part in (
        "- [2] Ada Lee. 2020. Smells of \\*home\\*. <https://doi.org/10.1/smell>\n",
        "<https://doi.org/10.1/dance> Cited in [1] as 3, [2], unused.md as 9.",
        "1. Bees steer by the sun. *supported*\n    - [1] sun.pdf, 2 Flight, p. 2, paragraph 4",
        "- Left out: “Bees read maps.” (no source line says it)",
        "- Not read: bad.pdf: it is damaged (give another copy)",
        "- judge_claims: 1 call (0 cached) to m, 9 + 2 tokens",
    ):
        assert part in text
