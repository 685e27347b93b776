"""The support verdict: one for `write`, `verify`, `ask` and `synthesize`.

Support is either true by construction (the sentence is the source's own, tools.evidence.verbatim) or
the verdict of an LLM that has shown words which code found in the source. Comparisons of words are
alarms: they may refuse or lower what an LLM calls supported, and never raise it. Where there is no LLM
they are told beside 'not_checked', and decide nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from state.writing import Cause, Support
from tools.evidence.changes import Change, Kind, changes, nearly_copies
from tools.evidence.invented_citations import invented_citations
from tools.evidence.unsupported_entities import unsupported_entities
from tools.evidence.unsupported_numbers import unsupported_numbers

BAD = frozenset({"contradicted", "not_in_source"})
"""Verdicts with which a citation or a sentence may not stay."""
ORDER: tuple[Support, ...] = (
    "supported", "not_checked", "partly", "not_in_source", "contradicted",
)  # fmt: skip
"""From the best verdict to the worst."""
_WEIGHT: dict[Kind, Support] = {
    "negation": "contradicted", "direction": "contradicted", "comparison": "contradicted",
    "number": "not_in_source", "unit": "not_in_source", "scope": "partly", "hedge": "partly",
    "exchange": "not_in_source", "addition": "partly",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something in the words that speaks against a claim."""

    text: str
    """In words, such as 'the number 40 is not in the source'."""
    verdict: Support
    """The best that the claim may be called, where an LLM calls it supported."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, why it is no better, and what speaks against the claim."""

    verdict: Support
    cause: Cause = ""
    alarms: tuple[str, ...] = ()


def judge(
    claim: str,
    quotes: Sequence[str],
    around: str,
    said: str | None,
    names: str = "",
) -> Judgement:
    """Return the verdict on a claim.

    Args:
        claim: What is said, without markers.
        quotes: Words that were shown for it and that code found in the source.
        around: Everything that it may take numbers, names and citations from.
        said: What the LLM says, in any spelling; None where there is no LLM to ask.
        names: What else it may take names from, such as other sources of the same sentence.
    """
    found = alarms(claim, quotes, around, names)
    told = tuple(item.text for item in found)
    if said is None:
        return Judgement("not_checked", "not_verbatim", told)
    verdict = verdict_named(said)
    if not quotes:
        return Judgement("not_in_source", "no_verified_quote", told)
    if verdict in {"supported", "partly"}:
        verdict = max((verdict, *(item.verdict for item in found)), key=ORDER.index)
    return Judgement(verdict, "mis_cited" if verdict in BAD else "", told)


def alarms(claim: str, quotes: Sequence[str], around: str, names: str = "") -> list[Alarm]:
    """Return what in the words speaks against a claim, whatever it means; the worst first.

    'raises recall by 40 %' beside 'lowers recall by 4 %' gives two. No alarm proves nothing.

    Args:
        claim: What is said.
        quotes: The words of the source that it is held against.
        around: Everything that it may take numbers, names and citations from.
        names: What else it may take names from.
    """
    found = [
        Alarm(_told(item), _WEIGHT[item.kind])
        for quote in quotes
        for item in changes(claim, quote, around)
    ]
    # Other words may well use a name that an abstract does not have; in a copy it was put in.
    copied = any(nearly_copies(claim, quote) for quote in quotes)
    named: Support = "not_in_source" if copied else "partly"
    strange: tuple[tuple[str, list[str], Support], ...] = (
        ("the number", unsupported_numbers(claim, around), "not_in_source"),
        ("the name", unsupported_entities(claim, f"{around}\n{names}"), named),
        ("the citation", invented_citations(claim, [around]), "not_in_source"),
    )
    for what, items, verdict in strange:
        found += [Alarm(f"{what} {item} is not in the source", verdict) for item in items]
    return sorted(dict.fromkeys(found), key=lambda item: -ORDER.index(item.verdict))


def _told(change: Change) -> str:
    if change.kind == "addition":
        return f"it nearly copies the source, and puts in “{change.claimed}”"
    return f"where the source has “{change.said}” it has “{change.claimed}”"


def verdict_named(said: str) -> Support:
    """Return the verdict that an LLM means, however it spells it; what is none supports nothing."""
    word = "_".join(said.strip(" .").casefold().replace("-", " ").replace("_", " ").split())
    known = (item for item in ORDER if item == word and item != "not_checked")
    return next(known, "not_in_source")
