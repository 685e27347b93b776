"""A run's result as Markdown, for whoever reads it in a conversation."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from citeloom.runs.runs import RunSnapshot
from tools.counting import counted

MOST = 60_000
"""Characters of a digest at most: a section with its references is below it."""
_PAPERS = 15


def chat_summary(view: RunSnapshot) -> str:
    """Return what a run gives, or has so far: its text with its sources, and what went wrong."""
    lines = list(_DIGESTS[view.graph](view.values))
    if view.problem:
        lines.append(f"Stopped: {view.problem}")
    elif view.outcome == "partial":
        lines.append("The result is partial.")
    text = "\n\n".join(line for line in lines if line).strip() or "There is nothing yet."
    more = f"\n\n(Cut here; all of it is in run {view.run}.)"
    return text if len(text) <= MOST else text[: MOST - len(more)].rstrip() + more


def _section(values: Mapping[str, Any]) -> Iterator[str]:
    yield str(values.get("related_work") or "")
    entries = [f"[{one['number']}] {one['entry']}" for one in values.get("references") or ()]
    if entries:
        yield "References:\n" + "\n".join(entries)
    audit = values.get("audit")
    if audit and values.get("related_work"):
        passed = "passed" if audit["passed"] else "did not pass: " + "; ".join(audit["reasons"])
        checked = f"{audit['supported']} of {counted(audit['citations'], 'citation')} supported"
        yield f"Check of the citations: {passed} ({checked}, {audit['not_checked']} not checked)."


def _papers(values: Mapping[str, Any]) -> Iterator[str]:
    papers = [one for one in values.get("papers") or () if one.get("selected")]
    yield f"{counted(len(papers), 'paper')} kept." if papers else ""
    for one in islice(papers, _PAPERS):
        paper = one["paper"]
        title = f"{one['rank']}. {paper['title']} ({paper.get('year') or 'n.d.'}), {paper['id']}"
        debate = one.get("debate") or {}
        reasons = [item["claim"] for item in islice(debate.get("arguments_for") or (), 1)]
        yield "\n   ".join([f"{title}, score {one['score']:.0f}", *reasons])
    if completeness := values.get("completeness"):
        yield completeness.get("told") or ""


def _review(values: Mapping[str, Any]) -> Iterator[str]:
    yield from _section(values) if values.get("related_work") else _papers(values)


def _answer(values: Mapping[str, Any]) -> Iterator[str]:
    spoken = [one for one in values.get("messages") or () if one.get("type") == "ai"]
    yield str(spoken[-1]["content"]) if spoken else str(values.get("answer") or "")


def _audit(values: Mapping[str, Any]) -> Iterator[str]:
    if not (audit := values.get("audit")):
        return
    yield "The citations passed." if audit["passed"] else "The citations did not pass:"
    yield "\n".join(f"- {reason}" for reason in audit["reasons"])
    for sentence in values.get("sentences") or ():
        for item in sentence["citations"]:
            if item["verdict"] != "supported":
                yield f"- {item['verdict']}: {sentence['text']} ({item.get('reason') or ''})"
    yield "\n".join(f"- {one['key']}: {one['detail']}" for one in audit.get("references") or ())


def _references(values: Mapping[str, Any]) -> Iterator[str]:
    listed = values.get("references") or ()
    yield counted(len(listed), "reference")
    for one in listed:
        outcome = (one.get("check") or {}).get("outcome", "").replace("_", " ")
        yield f"{one['number']}. {one['entry']}" + (f" ({outcome})" if outcome else "")


def _reports(values: Mapping[str, Any]) -> Iterator[str]:
    yield "\n".join(
        f"- {one['source']}: {one['status']}, {counted(one['passages'], 'passage')}"
        for one in values.get("reports") or ()
    )


_DIGESTS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "find": _papers,
    "write": _section,
    "revise": _section,
    "review": _review,
    "ask": _answer,
    "synthesize": _answer,
    "verify": _audit,
    "references": _references,
    "ingest": _reports,
}
