"""A screening as files: decisions as CSV, RIS and JSON; and what a run of `screen` decided, in words."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from citeloom.report.account import failure_lines
from citeloom.report.comparison_table import defused
from citeloom.report.escaping import escape
from citeloom.report.prisma_diagram import prisma_svg
from state.results import SCHEMA_VERSION
from state.screening import Choice, ScreeningDecision
from tools.bibliography.keys import numbered
from tools.bibliography.text_runs import on_one_line
from tools.bibliography.write_records import to_ris
from tools.errors import counted
from tools.screening.agreement import Agreement
from tools.screening.flow import flow_of
from tools.screening.read_decisions import MARKS, REASON
from tools.screening.screening import Outcome, Screening
from tools.screening.stopping import RecallEstimate

SCREENING_FILES: Mapping[str, str] = {
    "screening.json": "everything: protocol, numbers, agreement, decisions",
    "decisions.csv": "each decision of each screener, for a spreadsheet",
    "decisions.ris": "all papers with their outcome as a note, for reference managers",
    "included.ris": "the papers included",
    "prisma.svg": "the PRISMA 2020 flow diagram",
}
CHOICES: Mapping[Choice, str] = {
    "include": "Include",
    "exclude": "Exclude",
    "maybe": "Maybe",
    "not_retrieved": "Full text not retrieved",
}
_COLUMNS = ("id", "title", "year", "doi", "stage", "outcome", "screener", "kind", "decision", "reason", "criterion",
            "quote", "note", "protocol", "at")  # fmt: skip


def screening_files(screening: Screening) -> dict[str, str]:
    """Return the files of a screening by their names."""
    outcomes = _last_outcomes(screening)
    included = [screening.papers[key] for key, (one, _) in outcomes.items() if one == "include"]
    return {
        "screening.json": screening_text(screening),
        "decisions.csv": _csv(screening),
        "decisions.ris": _ris(screening, outcomes),
        "included.ris": to_ris(numbered(included)),
        "prisma.svg": prisma_svg(flow_of(screening), screening.protocol),
    }


def screening_text(screening: Screening) -> str:
    """Return screening.json as people can read it."""
    outcomes = {stage: screening.outcomes(stage) for stage in screening.protocol.stages}
    made: dict[str, list[ScreeningDecision]] = {}
    for one in screening.decisions:
        made.setdefault(one.paper, []).append(one)
    papers = [
        {
            "paper": paper.model_dump(mode="json", exclude_defaults=True),
            "outcomes": {
                stage: {"outcome": found[key][0], "reason": found[key][1]}
                for stage, found in outcomes.items()
                if key in found
            },
            "decisions": made.get(key, ()),
        }
        for key, paper in screening.papers.items()
    ]
    told = {"schema_version": SCHEMA_VERSION, **screening_summary(screening), "papers": papers}
    return to_json(told, indent=2).decode() + "\n"


def screening_summary(screening: Screening) -> dict[str, Any]:
    """Return how far a screening is."""
    people = {one.by for one in screening.decisions if one.kind == "person"}
    stages = screening.protocol.stages
    return {
        "protocol": screening.protocol,
        "criteria": screening.protocol.criteria,
        "protocols": [{"at": at, **one.model_dump()} for at, one in screening.protocols],
        "older_protocol": screening.made_under_older_protocol(),
        "flow": flow_of(screening),
        "agreement": [one for stage in stages for one in screening.agreements(stage)],
        "recall": {by: screening.recall(by) for by in sorted(people)},
    }


def _last_outcomes(screening: Screening) -> dict[str, tuple[Outcome, str]]:
    """Return what each paper comes to at the last stage that it reached."""
    found: dict[str, tuple[Outcome, str]] = {}
    for stage in screening.protocol.stages:
        found |= screening.outcomes(stage)
    return found


def _csv(screening: Screening) -> str:
    rows = [
        _row(screening, one, outcomes.get(one.paper, ("", ""))[0])
        for stage in screening.protocol.stages
        for outcomes in [screening.outcomes(stage)]
        for one in screening.decisions
        if one.stage == stage
    ]
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([_COLUMNS, *rows])
    return out.getvalue()


def _row(screening: Screening, one: ScreeningDecision, outcome: str) -> list[str]:
    paper = screening.papers[one.paper]
    quote = next(
        (item.quote.text for item in one.criteria if item.criterion == one.reason and item.quote),
        "",
    )
    # The criterion in words, as the protocol of that decision had it.
    _, protocol = screening.protocols[(one.protocol or 1) - 1]
    texts = (paper.id, paper.title, str(paper.year or ""), paper.doi or "", one.stage, outcome, one.by, one.kind,
             one.decision, one.reason, protocol.criteria.get(one.reason, ""), quote, one.note, str(one.protocol),
             one.at)  # fmt: skip
    return [*map(defused, texts)]


def _ris(screening: Screening, outcomes: Mapping[str, tuple[Outcome, str]]) -> str:
    """Return all papers with notes that CiteLoom, ASReview and people read."""
    criteria = screening.protocol.criteria
    texts = []
    for one in numbered([*screening.papers.values()]):
        outcome, reason = outcomes.get(one.paper.id, ("waiting", ""))
        notes = MARKS.get(outcome, (f"CiteLoom: {outcome}",))
        notes = (*notes, f"{REASON}{reason} {criteria.get(reason, '')}") if reason else notes
        lines = "".join(f"N1  - {on_one_line(note)}\r\n" for note in notes)
        record, _, _ = to_ris([one]).rpartition("ER  - ")
        if one.paper.abstract and "\nAB  - " not in record:
            lines = f"AB  - {on_one_line(one.paper.abstract)}\r\n{lines}"
        texts.append(f"{record}{lines}ER  - \r\n")
    return "".join(texts)


# --- A run of `screen` -------------------------------------------------------------------------------


def screening_blocks(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a run decided, and what it left to a person."""
    decisions: Sequence[ScreeningDecision] = values.get("decisions") or ()
    left: Sequence[str] = values.get("undecided") or ()
    if values.get("mind") == "extractive" and left:
        yield (
            "No model is configured, so CiteLoom decided nothing. It put the papers in the order in which you best "
            "read them: those nearest to the protocol's words first."
        )
    if decisions:
        counts = Counter(one.decision for one in decisions)
        yield ", ".join(f"{CHOICES[choice]}: {count}" for choice, count in counts.most_common())
    yield from ("\n".join(_told(one)) for one in decisions)
    if left:
        listed = "\n".join(f"- {escape(key)}" for key in left)
        yield f"## {counted(len(left), 'paper')} for a person to decide\n\n{listed}"


def _told(one: ScreeningDecision) -> Iterator[str]:
    reason = f" by {one.reason}" if one.reason else ""
    yield f"- **{CHOICES[one.decision]}**{reason}: {escape(one.paper)} ({escape(one.by)})"
    for item in one.criteria:
        words = f": “{escape(item.quote.text)}”{item.quote.whose}" if item.quote else ""
        yield f"   - {item.criterion} {item.met.replace('_', ' ')}{words}"


def screening_details(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what went wrong."""
    if lines := [f"- {escape(line)}" for line in failure_lines(values.get("failures") or ())]:
        yield from ("## Not done", "\n".join(lines))


def recall_line(by: str, found: RecallEstimate) -> str:
    """Say which share of the relevant papers a person has found, and whether they may stop."""
    if found.recall is None:
        return f"{by}: {counted(found.seen, 'paper')} read, none relevant yet, so recall is unknown"
    advice = "You may stop." if found.may_stop else f"Go on: {counted(found.left, 'paper')} left."
    return (
        f"{by}: about {found.recall:.0%} of the relevant papers found, with 95 % confidence at least "
        f"{found.low:.0%}. {advice}"
    )


def agreement_line(one: Agreement) -> str:
    """Say how two screeners agree."""
    kappa = (
        "kappa not defined: one screener used a single decision"
        if one.kappa is None
        else f"kappa {one.kappa:.2f} ({one.low:.2f} to {one.high:.2f})"
    )
    return (
        f"{one.first} and {one.second} ({one.stage}): {one.agreement:.0%} of "
        f"{counted(one.papers, 'paper')} alike, {kappa}"
    )
