"""Present: the references as records, with what each rests on.

Reads `run`, `entries`, `looked_up`, `notes`, `failures`. Writes the output of `references`.
"""

from state.run import fatal_failure, outcome_of
from state.verify import ReadReference, ReferencesOutput, VerifyState
from tools.bibliography.keys import numbered
from tools.services import NodeRuntime, open_services


async def present_references(state: VerifyState, runtime: NodeRuntime) -> ReferencesOutput:
    """List the records; a run that stopped early shows what was read."""
    services = open_services(runtime, state["run"])
    entries, checks = state["entries"], state.get("looked_up") or []
    found = await services.run_store.papers.get([item.paper or item.stated for item in entries])
    listed = numbered([found[item.paper or item.stated] for item in entries])
    references = [
        ReadReference(
            number=one.number,
            key=one.key,
            entry=entry.raw,
            paper=one.paper,
            label=entry.label,
            confidence=entry.confidence,
            place=entry.place,
            check=checks[at] if checks else None,
        )
        for at, (one, entry) in enumerate(zip(listed, entries, strict=True))
    ]
    failures = state.get("failures", [])
    lacks = any(item.stage == "take_references" for item in failures) or any(
        check.outcome == "incomplete" for check in checks
    )
    return {
        "references": references,
        "notes": state.get("notes", []),
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome_of(references, failures, whole=not lacks),
        "stop": fatal_failure(failures),
    }
