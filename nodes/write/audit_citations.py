"""Citation audit: say of the finished text what stands behind each citation, what was kept out, what is left out.

Reads `run`, `final`, `verdicts`, `checks`, `keys`, `selected`, `removed`, `rejections`, `outline`,
`choices`, `failures`. Writes `audit`.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from nodes.common.node_errors import fatal_failure_of
from nodes.common.publisher_notices import standings
from nodes.write.adherence import measure_adherence
from nodes.write.flag_uncited import claims_by_name, flag_claims
from state.audit import Audit, Omission, ReferenceCheck, ReferenceFinding, UncitedClaim
from state.channels import WriteState
from state.inputs import WriteChoices
from state.paper import Paper
from state.run import Failure, fatal_failure
from state.writing import UNBORNE, Adherence, CitationVerdict, Draft, Plan, Rejection, Sentence
from tools.errors import PermanentError, counted
from tools.services import NodeRuntime, Services, open_services

STAGE = "audit_citations"
Reason = Literal[
    "beyond_number", "not_in_plan", "no_abstract", "nothing_to_say", "removed", "stopped"
]


async def audit_citations(state: WriteState, runtime: NodeRuntime) -> WriteState:
    """Audit the text; a run that was stopped is audited as far as it came, without asking anyone."""
    services = open_services(runtime, state["run"])
    stopped = fatal_failure(state.get("failures", []))
    draft: Draft = state.get("final", Draft(id="d"))
    judged = {item.sentence for item in state.get("verdicts", []) if not item.key}
    flagged, failures = await _flag(services, draft.sentences, judged, asking=not stopped)
    keys, selected = state.get("keys", {}), state.get("selected", [])
    papers = await services.run_store.papers.get([*selected, *keys.values()])
    cited = {keys[key] for item in draft.sentences for key in item.keys if key in keys}
    rejections = state.get("rejections", [])
    plan: Plan | None = state.get("outline")
    audit = make_audit(
        draft.sentences,
        state.get("verdicts", []),
        checked=bool(state.get("checks")),
        references=findings_on([papers[key] for key in papers if key in cited], keys),
        uncited_claims=flagged,
        omissions=omissions_of(
            selected,
            papers,
            cited,
            keys=keys,
            removed={item.paper for item in state.get("removed", [])}
            | {item.paper for item in rejections if item.action in {"removed", "rewritten"}},
            choices=state.get("choices", WriteChoices()),
            plan=plan,
            stopped=bool(stopped),
        ),
        rejections=rejections,
        adherence=measure_adherence(plan, draft.sentences, composed=services.mind.composes)
        if plan and plan.lines
        else None,
    )
    audited = [item.text for item in draft.sentences]
    return {"audit": audit, "audited": audited, "failures": failures}


async def _flag(
    services: Services, sentences: Sequence[Sentence], judged: Collection[int], *, asking: bool
) -> tuple[list[UncitedClaim], list[Failure]]:
    """Flag claims without citation; where nobody can be asked any more, by the authors that they name."""
    if not asking:
        return claims_by_name(sentences, judged), []
    try:
        return await flag_claims(services, sentences, judged)
    except PermanentError as error:
        return claims_by_name(sentences, judged), [fatal_failure_of(STAGE, error)]


def make_audit(
    sentences: Sequence[Sentence],
    verdicts: Sequence[CitationVerdict],
    *,
    checked: bool = True,
    references: Sequence[ReferenceFinding] = (),
    looked_up: Sequence[ReferenceCheck] = (),
    strict: bool = False,
    uncited_claims: Sequence[UncitedClaim] = (),
    omissions: Sequence[Omission] = (),
    rejections: Sequence[Rejection] = (),
    adherence: Adherence | None = None,
) -> Audit:
    """Decide whether the text passes.

    Args:
        sentences: The text.
        verdicts: After the last check.
        checked: Whether all was checked.
        references: What is known against them.
        looked_up: What looking up each entry of the list came to.
        strict: Whether wrong details of a reference fail the text.
        uncited_claims: Claims about others that cite nobody.
        omissions: Selected papers that it does not cite.
        rejections: What was kept out of it.
        adherence: To its plan.
    """
    places = {(at, key) for at, item in enumerate(sentences, start=1) for key in item.keys}
    if not sentences or not checked:
        reasons = ["CiteLoom did not check the citations" if sentences else "the text is empty"]
    else:
        missing = len(places - {(item.sentence, item.key) for item in verdicts})
        reasons = [f"{_count(missing, 'citation')} had no verdict"] if missing else []
    reasons += _reasons(verdicts, references, uncited_claims, strict=strict)
    counts: dict[str, Any] = {
        name: sum(item.verdict == name for item in verdicts if item.key) for name in _VERDICTS
    }
    return Audit(
        passed=not reasons,
        reasons=tuple(reasons),
        notes=tuple(_notes(verdicts)),
        sentences=len(sentences),
        sentences_citing=sum(bool(sentence.keys) for sentence in sentences),
        citations=len(places),
        **counts,
        verdicts=tuple(verdicts),
        references=tuple(references),
        checked_references=tuple(looked_up),
        uncited_claims=tuple(uncited_claims),
        omissions=tuple(omissions),
        rejections=tuple(rejections),
        adherence=adherence,
    )


_VERDICTS = (
    "supported",
    "partly",
    "contradicted",
    "not_in_source",
    "not_in_abstract",
    "not_checked",
)


def _notes(verdicts: Sequence[CitationVerdict]) -> list[str]:
    """Say how many citations were checked by whom, and how many were not, and why."""
    uncited = Counter(item.by for item in verdicts if not item.key and item.by)
    verdicts = [item for item in verdicts if item.key]
    own = Counter(
        item.quote.part
        for item in verdicts
        if item.quote and item.verdict == "supported" and item.by == "code"
    )
    titles = sum(_names_only(item) for item in verdicts)
    bare = sum(item.cause == "no_abstract" for item in verdicts)
    noted = Counter(item.cause for item in verdicts if item.verdict == "not_checked")
    unread = Counter(item.unread for item in verdicts if item.unread and item.verdict in _UNREAD)
    judges = Counter(item.by for item in verdicts if item.by not in {"", "code"})
    by_text = sum(
        item.evidence_scope == "full_text" and item.verdict != "not_checked" for item in verdicts
    )
    passing = sum(_in_passing(item) for item in verdicts)
    told = [
        *(
            (own[part], f"checked by code: word for word {_IN.get(part, part)}")
            for part in sorted(own)
        ),
        *((number, f"judged by {name}") for name, number in sorted(judges.items())),
        (titles, "not checked: no abstract; the text gives only the title"),
        (bare - titles, "not checked: no abstract"),
        (noted["not_verbatim"], "not checked: not word for word, and no LLM configured"),
        (noted["no_verdict"], "not checked: the judge gave no usable answer"),
        (by_text, "decided on the full text"),
        (passing, "background only; the paper does not say it"),
        *((number, f"without the full text: {why}") for why, number in sorted(unread.items())),
    ]
    return [
        *(f"{_count(number, 'citation')} {how}" for number, how in told if number),
        *(
            f"{_count(number, _UNCITED)} judged by {name}"
            for name, number in sorted(uncited.items())
        ),
    ]


_IN = {
    "abstract": "the abstract",
    "annotation": "the annotation",
    "title": "the title",
    "passage": "in the text",
}
_UNCITED = "statement without citation"
_UNREAD = ("not_in_abstract", "not_checked")
"""Verdicts that the full text might have changed."""


def _in_passing(item: CitationVerdict) -> bool:
    """Whether a paper that does not say it is cited for background: a note, and no reason to fail."""
    return item.purpose == "background" and (item.verdict, item.cause) == _UNSAID


_UNSAID = ("not_in_source", "mis_cited")


def _names_only(item: CitationVerdict) -> bool:
    """Whether a sentence tells no more of a paper without an abstract than its title."""
    return item.cause == "no_abstract" and item.quote is not None


_NOWHERE = ("fabricated", "unresolved")


def _reasons(
    verdicts: Sequence[CitationVerdict],
    references: Sequence[ReferenceFinding],
    uncited_claims: Sequence[UncitedClaim],
    *,
    strict: bool,
) -> list[str]:
    uncited = [item for item in verdicts if not item.key]
    alone = sum(item.verdict in UNBORNE for item in uncited)
    open_ = sum(item.verdict == "not_checked" for item in uncited)
    verdicts = [item for item in verdicts if item.key]
    bad = [item for item in verdicts if item.verdict == "not_in_source" and not _in_passing(item)]
    beyond = sum(item.verdict == "not_in_abstract" for item in verdicts)
    # In a text by someone else the list of references may have it, or the text alone.
    invented, unresolved = (
        max(len({one.key for one in found if one.cause == cause}) for found in (bad, references))
        for cause in ("fabricated", "unresolved")
    )
    elsewhere = sum(item.cause == "mis_cited" for item in bad)
    unshown = len(bad) - elsewhere - sum(item.cause in _NOWHERE for item in bad)
    contradicted = sum(item.verdict == "contradicted" for item in verdicts)
    unchecked = sum(item.verdict == "not_checked" and not _names_only(item) for item in verdicts)
    retracted = {item.paper for item in verdicts if item.cause == "retracted"}
    retracted |= {item.paper for item in references if item.cause == "retracted"}
    missing = len({item.key for item in references if item.cause == "not_found"})
    wrong = (
        len({item.key for item in references if item.cause == "metadata_error"}) if strict else 0
    )
    told = (
        (invented, "reference", "likely invented: no such paper found"),
        (missing, "reference", "not found in the searched sources"),
        (wrong, "reference", "wrong details"),
        (unresolved, "reference", "not in the reference list, or without a record"),
        (contradicted, "citation", "the paper says the opposite"),
        (elsewhere, "citation", "the paper does not say it"),
        (unshown, "citation", "CiteLoom found no words of the paper for it"),
        (beyond, "citation", "the abstract does not say it (full text not read)"),
        (unchecked, "citation", "not checked"),
        (alone, _UNCITED, "its evidence does not say it"),
        (open_, _UNCITED, "not checked"),
        (len(retracted), "cited paper", "it was retracted"),
        (len(uncited_claims), "claim", "it is about others' work without a citation"),
    )
    return [f"{_count(number, what)}: {why}" for number, what, why in told if number]


def _count(number: int, what: str) -> str:
    first, _, rest = what.partition(" without ")
    return f"{number} {first}{'' if number == 1 else 's'}{rest and f' without {rest}'}"


def findings_on(papers: Sequence[Paper], keys: Mapping[str, str]) -> list[ReferenceFinding]:
    """Say what stands against the cited papers themselves: retractions, concerns, corrections, later versions."""
    by_id = {paper: key for key, paper in keys.items()}
    return [
        ReferenceFinding(
            key=by_id.get(paper, ""),
            paper=paper,
            cause=one.cause,
            detail=one.detail,
            remedy=one.remedy,
        )
        for paper, told in standings(papers).items()
        for one in told
    ]


def omissions_of(
    selected: Sequence[str],
    papers: Mapping[str, Paper],
    cited: Collection[str],
    *,
    keys: Mapping[str, str],
    removed: Collection[str],
    choices: WriteChoices,
    plan: Plan | None,
    stopped: bool,
) -> list[Omission]:
    """State for each selected paper that is not cited why it is not."""
    lines = plan.lines if plan else ()
    planned = {keys.get(key) for line in lines for key in line.keys}
    omissions: list[Omission] = []
    most = f"the maximum was {counted(choices.most, 'cited paper')}"
    for paper in (item for item in dict.fromkeys(selected) if item not in cited):
        record = papers.get(paper)
        unwanted, bare = paper not in keys.values(), not (record and record.abstract)
        whys: tuple[tuple[object, Reason, str], ...] = (
            (
                paper in removed,
                "removed",
                "CiteLoom removed its sentences: not supported",
            ),
            (stopped, "stopped", "the run stopped before writing about it"),
            (unwanted and choices.plan.strip(), "not_in_plan", "the plan does not name it"),
            (
                unwanted and bare,
                "no_abstract",
                "it has no abstract, so CiteLoom could not check statements about it",
            ),
            (unwanted or len(cited) >= choices.most, "beyond_number", most),
            (lines and paper not in planned, "not_in_plan", "the plan has no line for it"),
            (
                True,
                "nothing_to_say",
                "the section does not use it"
                if choices.freely
                else "the text does not need it, or CiteLoom found nothing checkable to say about it",
            ),
        )
        reason, detail = next((reason, detail) for holds, reason, detail in whys if holds)
        title = record.title if record else ""
        omissions.append(Omission(paper=paper, title=title, reason=reason, detail=detail))
    return omissions
