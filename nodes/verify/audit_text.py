"""Audit: say of a text that was checked what stands behind each citation.

Reads `run`, `entries`, `final`, `printed`, `verdicts`, `checks`, `flagged`, `findings`, `keys`, `labels`,
`nowhere`, `places`, `looked_up`, `strictly`, `rejections`, `failures`. Writes the output of `verify`.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from nodes.verify.mark_citations import INVENTED
from nodes.write.audit_citations import findings_on, make_audit
from state.audit import Audit, ReferenceFinding, UncitedClaim
from state.results import CitedSentence
from state.run import fatal_failure, outcome_of
from state.value import Place
from state.verify import Entry, VerifyOutput, VerifyState
from state.writing import CitationVerdict, Draft, VerdictReason
from tools.services import NodeRuntime, open_services

STAGE = "audit_text"
UNSEEN = (
    "CiteLoom recognised no citation: it reads [1], [2-4], ¹, (1) of a numbered list, [ABC20], [@key], \\cite{key}, "
    "(Lee et al., 2020), Lee (2020) and footnotes [^1]"
)
"""Why a text does not pass whose citations could not be told."""


async def audit_text(state: VerifyState, runtime: NodeRuntime) -> VerifyOutput:
    """Audit the text; a run that stopped early shows what it has."""
    services = open_services(runtime, state["run"])
    stop = fatal_failure(state.get("failures", []))
    draft: Draft = state.get("final", Draft(id="text"))
    labels, keys = state.get("labels", {}), state.get("keys", {})
    cited = {keys[key] for item in draft.sentences for key in item.keys if key in keys}
    places = state.get("places", [])
    papers = await services.run_store.papers.get(list(keys.values()))
    notices = [
        item.model_copy(update={"key": labels.get(item.key, item.key)})
        for item in findings_on(list(papers.values()), keys)
        if item.paper in cited
    ]
    audit = make_audit(
        draft.sentences,
        [
            _placed(_resolved(item, state.get("nowhere", {})), places, item.key)
            for item in state.get("verdicts", [])
        ],
        checked=bool(state.get("checks")),
        references=[
            _with_place(item, state.get("entries", []), labels, places)
            for item in (*state.get("findings", []), *notices)
        ],
        looked_up=state.get("looked_up", []),
        strict=state.get("strictly", False),
        uncited_claims=[_placed(item, places) for item in state.get("flagged", [])],
        rejections=state.get("rejections", []),
    )
    if state.get("entries") and draft.sentences and not draft.keys:
        audit = audit.model_copy(update={"passed": False, "reasons": (UNSEEN, *audit.reasons)})
    sentences = _cited(state.get("printed", []), draft, audit, places)
    whole = bool(state.get("checks")) and not audit.not_checked
    return {
        "audit": audit,
        "sentences": sentences,
        "labels": labels,
        "notes": state.get("notes", []),
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome_of(sentences, state.get("failures", []), whole=whole),
        "stop": stop,
    }


PlacedT = TypeVar("PlacedT", CitationVerdict, UncitedClaim)


def _placed(item: PlacedT, places: Sequence[Mapping[str, Place]], key: str = "") -> PlacedT:
    """Return what was found of a sentence with the place of its citation, or else of the sentence."""
    of = places[item.sentence - 1] if item.sentence <= len(places) else {}
    return item.model_copy(update={"place": of.get(key, of.get(""))})


def _with_place(
    item: ReferenceFinding,
    entries: Sequence[Entry],
    labels: Mapping[str, str],
    places: Sequence[Mapping[str, Place]],
) -> ReferenceFinding:
    """Return what was found of a reference with the place of its entry, or else of its first citation."""
    listed = (one.place for one in entries if item.paper and item.paper in {one.paper, one.stated})
    keys = [key for key, label in labels.items() if item.key in {label, label.strip("[]")}]
    cited = (of[key] for of in places for key in keys if key in of)
    place = item.place or next(filter(None, listed), None) or next(cited, None)
    return item.model_copy(update={"place": place})


def _cited(
    printed: Sequence[str], draft: Draft, audit: Audit, places: Sequence[Mapping[str, Place]]
) -> list[CitedSentence]:
    """Return the sentences as they stand in the text, each with the verdicts on its citations."""
    return [
        CitedSentence(
            number=number,
            text=text,
            marked=sentence.text,
            place=places[number - 1].get("") if number <= len(places) else None,
            citations=tuple(item for item in audit.verdicts if item.sentence == number),
        )
        for number, (text, sentence) in enumerate(
            zip(printed, draft.sentences, strict=True), start=1
        )
    ]


def _resolved(item: CitationVerdict, nowhere: Mapping[str, str]) -> CitationVerdict:
    """Return a verdict that says why its citation leads to no paper, where it leads to none."""
    if (why := nowhere.get(item.key)) is None:
        return item
    cause: VerdictReason = "fabricated" if why == INVENTED else "unresolved"
    return item.model_copy(update={"cause": cause, "reason": why})
