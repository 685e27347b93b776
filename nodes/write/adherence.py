"""Measure how closely a text follows its plan, as LitLLM does in Table 8 of its appendix, by code."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from state.writing import MARKER, Adherence, Plan, PlanLine, Sentence
from tools.evidence.own_sentences import without_markers
from tools.text.words import split_sentences


def measure_adherence(
    plan: Plan, sentences: Sequence[Sentence], *, composed: bool = True
) -> Adherence:
    """Compare a text with its plan.

    What counts are the sentences that a reader sees: where a mind put two into one line, these are
    two. What was written for a line that the plan does not have counts for the last paragraph. A line
    that the mind planned for itself may take several sentences.

    Args:
        plan: The plan.
        sentences: What was written, each for its `line`, with markers where it cites.
        composed: Whether an LLM wrote it; else no line is right that asks for more than papers.
    """
    paragraphs = {line.number: line.paragraph for line in plan.lines}
    last = plan.lines[-1].paragraph if plan.lines else 1
    asked = Counter(line.paragraph for line in plan.lines)
    seen: Counter[int] = Counter()
    by_line: dict[int, list[Sentence]] = defaultdict(list)
    for sentence in sentences:
        by_line[sentence.line].append(sentence)
        seen[sentence.line] += count_sentences(sentence.text)
    written: Counter[int] = Counter()
    for number, count in seen.items():
        written[paragraphs.get(number, last)] += count
    differences = [written[number] - asked[number] for number in {**asked, **written}]
    cited = {line: {key for item in group for key in item.keys} for line, group in by_line.items()}
    return Adherence(
        lines_asked=len(plan.lines),
        lines_written=sum(seen.values()),
        lines_right=sum(
            (composed or not needs_language_model(line, plan))
            and (seen[line.number] == 1 or (plan.origin == "made" and seen[line.number] > 1))
            and cited.get(line.number, set()) == set(line.keys)
            for line in plan.lines
        ),
        mean_difference=sum(differences) / len(differences) if differences else 0.0,
        largest_difference=max(map(abs, differences), default=0),
        citations_asked=sum(len(set(line.keys)) for line in plan.lines),
        citations_in_place=sum(
            len(set(line.keys) & cited.get(line.number, set())) for line in plan.lines
        ),
        words_asked=_words_asked(plan),
        words_written=sum(len(without_markers(sentence.text).split()) for sentence in sentences),
    )


_ONLY_CITES = re.compile(r"\{P\d+\}|\b(?:cite|name|mention|use|papers?|and)\b|\W", re.IGNORECASE)


def needs_language_model(
    line: PlanLine, plan: Plan, names: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Say what a researcher's line asks for beside papers, which nobody but an LLM can do.

    Args:
        line: The line.
        plan: Its plan.
        names: What the papers are called, by key.
    """
    if plan.origin != "user":
        return ""
    told = MARKER.sub(lambda mark: names.get(mark[1], mark[1]), line.note).replace("..", ".")
    note = told if _ONLY_CITES.sub("", line.note) else ""
    asked = [
        f"“{note}”" if note else "a contrast" if line.role == "contrast" else "",
        f"{line.words} words" if line.words else "",
    ]
    return ", ".join(item for item in asked if item)


def count_sentences(text: str) -> int:
    """Return how many sentences a reader sees in a text with markers."""
    return len(split_sentences(without_markers(text)))


def _words_asked(plan: Plan) -> int | None:
    if plan.words is not None:
        return plan.words
    each = [line.words for line in plan.lines if line.words is not None]
    return sum(each) if each and len(each) == len(plan.lines) else None
