"""The report on the claims of a text: the works nearest to each, with the words of both, and how it searched."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citeloom.report.account import account, coverage
from citeloom.report.escaping import escape
from state.novelty import ClaimNovelty, Found, NearestWork, Relation
from tools.bibliography.write_records import reference_line
from tools.errors import counted

FOUND: Mapping[Found, str] = {
    "same": "An earlier work says the same.",
    "overlaps": "Earlier works say a part of it.",
    "not_found": "None of the works compared says it. Others may: see how the search was made.",
    "not_compared": "Not compared. These works are nearest.",
}
RELATIONS: Mapping[Relation, str] = {
    "same": "the same",
    "overlaps": "overlaps",
    "differs": "differs",
    "not_compared": "not compared",
}


def novelty_blocks(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield each claim with what was found of it; of a run that stopped before, how far it came."""
    claims: Sequence[ClaimNovelty] = values.get("claims") or ()
    if not claims:
        if found := values.get("papers"):
            yield f"The run stopped before it compared claims. It found {counted(len(found), 'paper')}."
        return
    if values.get("mind") == "extractive":
        yield (
            "No model is configured, so CiteLoom compared nothing. It shows the works nearest to each claim, with "
            "the closest sentence of each, and marks words that both have."
        )
    yield "\n".join(_overview(claims))
    for claim in claims:
        yield f"## {claim.number}. “{escape(claim.claim)}”"
        yield f"**{FOUND[claim.found]}**"
        yield "\n".join(line for work in claim.nearest for line in _work(work))
    if (found := values.get("completeness")) and found.caveats:
        yield from ("## How sure the search is", *coverage(found))


def _overview(claims: Sequence[ClaimNovelty]) -> Iterator[str]:
    yield "| Claim | Found | Nearest work |"
    yield "|---|---|---|"
    for claim in claims:
        first = next(iter(claim.nearest), None)
        title = f"{first.paper.title} ({first.paper.year or 'undated'})" if first else "none"
        told = (f"{claim.number}. {claim.claim}", FOUND[claim.found], title)
        yield f"| {' | '.join(map(escape, told))} |"


def _work(work: NearestWork) -> Iterator[str]:
    if work.relation == "differs":
        only = f". Only the claim: {escape(work.differs)}" if work.differs else ""
        yield f"- {escape(work.paper.title)} ({work.paper.year or 'undated'}) — differs{only}"
        return
    yield f"- **{escape(work.paper.title)}** — {RELATIONS[work.relation]}"
    yield f"   {escape(reference_line(work.paper))}"
    for sign, text in (("Both", work.shares), ("Only the claim", work.differs)):
        if text:
            yield f"   - {sign}: {escape(text)}"
    if (mine := work.claim_words) and work.relation != "not_compared":
        yield f"   - Your words: “{escape(mine.text)}”"
    if theirs := work.paper_words:
        place = f", {escape(theirs.place)}" if theirs.place else ""
        yield f"   - Its words: “{escape(theirs.text)}”{theirs.whose}{place}"
    if work.why:
        yield f"   - {escape(work.why[:1].upper() + work.why[1:])}."


def novelty_details(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield how the search was made."""
    yield from ("## How this was made", "\n".join(account(values)))
