"""How often a section's draft and the check of its citations ask the model, and how long these questions are.

It imports no node: those that come before a draft leave a part of the run's budgets for these questions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

from nodes.judge import judge_prompts
from nodes.judge.judge_claims import AT_ONCE
from nodes.write.writers import along_plan, beam, per_cite, voting, whole_section
from nodes.write.writers.writer import CHOICES_PER_CITATION, usual_citations
from state.inputs import FEW_CITED
from tools.llm.task import Task, count_tokens
from tools.run_settings import RunSettings

LowHigh = tuple[float, float]
"""The low end and the high end."""
PAPER: LowHigh = (25, 450)
"""Tokens of a paper as it is shown: title, abstract."""


@dataclass(frozen=True)
class Row:
    """One kind of question: how often, and of each the tokens shown beside the prompt and those written."""

    task: Task[Any]
    calls: LowHigh
    shown: LowHigh
    written: LowHigh


@dataclass(frozen=True, kw_only=True)
class SectionSize:
    """How large a section may become."""

    text: LowHigh
    """Tokens of the researcher's text."""
    planned: bool
    """Whether the researcher gives the plan."""
    cite: int
    least: int
    """How many papers it cites, at most and at least."""
    papers: LowHigh
    """Tokens of the papers to choose from."""
    themes: int
    """Paragraphs, at most."""
    tokens: LowHigh
    """Of the section."""

    @property
    def drafted(self) -> LowHigh:
        """Tokens that who drafts it is shown."""
        return plus(self.text, self.papers, (0, 40 * self.cite))


def size_of(inputs: Mapping[str, Any], context: RunSettings) -> SectionSize:
    """Return how large the section of these inputs of `write` may become."""
    given = len(given_or(inputs, "papers", ()))
    kept = given or given_or(inputs, "keep", 40)
    broad = usual_citations(str(inputs.get("text") or ""), kept)
    usual = broad if context.writer in {"whole", "plan"} else FEW_CITED
    cite = min(given_or(inputs, "cite", 60 if given else usual), given or inf)
    least = max(cite // 2, 1) if given else 1
    most = cite * (CHOICES_PER_CITATION if context.writer in {"whole", "beam", "plan"} else 1)
    return SectionSize(
        text=text_tokens(inputs),
        planned=bool(str(given_or(inputs, "plan", "")).strip()),
        cite=cite,
        least=least,
        papers=times(PAPER, least, most=most),
        themes=2 + ceil(cite / 6),
        tokens=(12 * least, 140 * cite),
    )


def drafting(size: SectionSize, context: RunSettings) -> Iterator[Row]:
    """Yield the questions by which the run's writer drafts a section."""
    writer, cite, drafted = context.writer, size.cite, size.drafted
    if (size.planned and writer == "whole") or writer == "sentence_by_sentence":
        lines = cite if writer == "sentence_by_sentence" else size.themes + cite
        yield Row(along_plan.TASK, (1, 4 * lines), drafted, (15, 140 * cite))
    elif writer in {"whole", "plan"}:
        yield Row(whole_section.TASK, (1, 2), drafted, size.tokens)
    elif writer == "per_cite":
        yield Row(per_cite.CITED, (size.least, 2 * cite), plus(size.text, PAPER), (15, 500))
        yield Row(per_cite.JOINED, (0, 2), plus(drafted, size.tokens), size.tokens)
    elif writer == "beam":
        rounds = {"incremental": cite, "themed": size.themes, "at_once": 1}[context.schedule]
        jobs, longest = context.samples * context.beam * rounds, size.tokens[1]
        yield Row(beam.TASK, (1, 4 * jobs), plus(drafted, (0, longest)), (15, longest))
        shown = plus(drafted, (0, longest * context.samples * context.beam))
        yield Row(voting.TASK, (0, rounds * context.votes), shown, (20, 600))


def checking(size: SectionSize, library: str, context: RunSettings) -> Iterator[Row]:
    """Yield the questions by which its citations are checked against the papers of a library."""
    rounds = 3 if context.writer in {"whole", "plan"} else 2
    shown = plus(size.text, times(PAPER, 1, most=min(size.cite, AT_ONCE)), (15, 120 * AT_ONCE))
    # Of a library's full texts sentences, paragraphs and sections may be read besides.
    levels = 1 if library == "starter" else 4
    calls = 1, levels * (rounds + 1) * ceil(2 * size.cite / 5)
    yield Row(judge_prompts.TASK, calls, shown, (20, 300 + 300 * AT_ONCE))
    yield Row(judge_prompts.TASK_AGAIN, (0, calls[1]), (0, 200 * AT_ONCE), (0, 300 + 150 * AT_ONCE))


def times(ends: LowHigh, number: float, *, most: float | None = None) -> LowHigh:
    """Return the ends so many times, the high one `most` times."""
    return ends[0] * number, ends[1] * (number if most is None else most)


def plus(first: LowHigh, *others: LowHigh) -> LowHigh:
    """Return the sum."""
    return first[0] + sum(one[0] for one in others), first[1] + sum(one[1] for one in others)


def given_or(inputs: Mapping[str, Any], name: str, default: Any) -> Any:
    """Return an input, or its default where it is left out or null."""
    value = inputs.get(name)
    return default if value is None else value


def text_tokens(inputs: Mapping[str, Any]) -> LowHigh:
    """Return the tokens of the text or question."""
    tokens = count_tokens(str(inputs.get("text") or inputs.get("question") or ""))
    return 0.5 * tokens, 1.4 * tokens + 100
