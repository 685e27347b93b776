"""Audit: say of a text that was checked what stands behind each citation.

Reads `run`, `final`, `printed`, `verdicts`, `checks`, `flagged`, `findings`, `keys`, `labels`,
`rejections`, `failures`. Writes the output of `verify`.
"""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from nodes.write.audit_section import findings_on, make_audit
from state.audit import Audit
from state.results import CitedSentence
from state.run import Outcome, halt
from state.verifying import VerifyOutput, VerifyState
from state.writing import Draft
from tools.context import RunContext
from tools.services import open_services

STAGE = "audit_text"


async def audit_text(state: VerifyState, runtime: Runtime[RunContext]) -> VerifyOutput:
    """Audit the text; a run that stopped early shows what it has."""
    services = open_services(runtime, state["run"])
    stop = halt(state.get("failures", []))
    draft: Draft = state.get("final", Draft(id="text"))
    labels, keys = state.get("labels", {}), state.get("keys", {})
    cited = {keys[key] for item in draft.sentences for key in item.keys if key in keys}
    papers = await services.run_store.papers.get(list(keys.values()))
    notices = [
        item.model_copy(update={"key": labels.get(item.key, item.key)})
        for item in findings_on(list(papers.values()), keys)
        if item.paper in cited
    ]
    audit = make_audit(
        draft.sentences,
        state.get("verdicts", []),
        checked=bool(state.get("checks")),
        references=[*state.get("findings", []), *notices],
        uncited_claims=state.get("flagged", []),
        rejections=state.get("rejections", []),
    )
    sentences = _printed(state.get("printed", []), draft, audit)
    return {
        "audit": audit,
        "sentences": sentences,
        "labels": labels,
        "notes": state.get("notes", []),
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": _outcome(audit, complete=not stop and bool(state.get("checks"))),
        "stop": stop,
    }


def _printed(printed: Sequence[str], draft: Draft, audit: Audit) -> list[CitedSentence]:
    return [
        CitedSentence(
            number=number,
            text=text,
            marked=sentence.text,
            citations=tuple(item for item in audit.verdicts if item.sentence == number),
        )
        for number, (text, sentence) in enumerate(
            zip(printed, draft.sentences, strict=True), start=1
        )
    ]


def _outcome(audit: Audit, *, complete: bool) -> Outcome:
    if not audit.sentences:
        return "nothing"
    return "complete" if complete and not audit.not_checked else "partial"
