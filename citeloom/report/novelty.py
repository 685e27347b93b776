"""The report on the claims of a text: the works nearest to each, with the words of both, and how it searched."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citeloom.report.account import coverage_blocks
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
    "overlaps": "overlapping",
    "differs": "different",
    "not_compared": "not compared",
}
_SHOWN = 50  # papers that were not compared and are listed at once; all are in the JSON


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
    if any(one.paper_words and one.paper_words.whose for claim in claims for one in claim.nearest):
        yield "(annotation) marks words that a bibliographer wrote about a work, where its library has no abstract."
    yield "\n".join(_overview(claims))
    for claim in claims:
        yield f"## {claim.number}. “{escape(claim.claim)}”"
        yield f"**{FOUND[claim.found]}** {compared(claim.counts)}"
        yield "\n".join(line for work in claim.nearest for line in _work(work))
    if rest := values.get("uncompared") or ():
        yield f"## Found and not compared ({counted(len(rest), 'paper')})"
        yield "\n".join(
            f"- {escape(one.title)} ({one.year or 'undated'}), {escape(one.id)}: {one.why}"
            for one in rest[:_SHOWN]
        )
        if (left := len(rest) - _SHOWN) > 0:
            yield f"{counted(left, 'more paper')} in novelty.json."
    if (found := values.get("completeness")) and found.caveats:
        yield from ("## How sure the search is", *coverage_blocks(found))


def compared(counts: Mapping[Relation, int]) -> str:
    """Return how many works are what to a claim: '8 works: 1 the same, 3 overlapping, 4 different'."""
    told = (f"{counts[one]} {RELATIONS[one]}" for one in RELATIONS if counts.get(one))
    return f"{counted(sum(counts.values()), 'work')}: {', '.join(told)}."


def _overview(claims: Sequence[ClaimNovelty]) -> Iterator[str]:
    yield "| Claim | Found | Works | Nearest work |"
    yield "|---|---|---|---|"
    for claim in claims:
        first = next(iter(claim.nearest), None)
        title = f"{first.paper.title} ({first.paper.year or 'undated'})" if first else "none"
        told = (f"{claim.number}. {claim.claim}", FOUND[claim.found], compared(claim.counts), title)
        yield f"| {' | '.join(map(escape, told))} |"


def _work(work: NearestWork) -> Iterator[str]:
    if work.relation == "differs":
        yield f"- {escape(work.paper.title)} ({work.paper.year or 'undated'}) — different"
        return
    yield f"- **{escape(work.paper.title)}** — {RELATIONS[work.relation]}"
    yield f"   {escape(reference_line(work.paper))}"
    for sign, words in (("Shared", work.claim_words), ("Only your claim", work.missing_words)):
        if words:
            yield f"   - {sign}: “{escape(words.text)}”"
    if theirs := work.paper_words:
        place = f", {escape(theirs.place)}" if theirs.place else ""
        yield f"   - Its words: “{escape(theirs.text)}”{theirs.whose}{place}"
    if work.why:
        yield f"   - {escape(work.why[:1].upper() + work.why[1:])}."
