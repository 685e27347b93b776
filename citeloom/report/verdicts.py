"""Verdicts on citations in words: what each citation of a section rests on, and what the audit of a text found."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from citeloom.report.account import spending
from citeloom.report.escaping import escape
from state.audit import Audit
from state.quote import Quote
from state.results import CitedSentence
from state.writing import CitationVerdict
from tools.bibliography.text_runs import on_one_line
from tools.errors import counted

WORDS = {
    "fabricated": "likely invented",
    "not_found": "not found",
    "unresolved": "no such entry or record",
    "mis_cited": "the paper does not say it",
    "contradicted": "the paper says the opposite",
    "partly": "the paper says only part of it, or something weaker",
    "no_verified_quote": "CiteLoom found no words of the paper for it",
    "not_in_abstract": "not in the abstract (full text not read)",
    "not_checked": "not checked",
    "metadata_error": "wrong details",
    "retracted": "the paper was retracted",
    "concern": "in doubt",
    "corrected": "corrected",
    "superseded": "a later version was published",
}
"""What a verdict or its cause says, for a reader."""
_COUNTS = {
    "supported": "supported",
    "partly": "partly supported",
    "contradicted": "contradicted",
    "not_in_source": "not in the source",
    "not_in_abstract": "not in the abstract",
    "not_checked": "not checked",
}


def support_of(verdict: CitationVerdict) -> str:
    """Return a citation's verdict and the words behind it, or else why it is so, in one line of plain text."""
    words = " … ".join(
        f"“{on_one_line(item.text)}”{item.whose}{item.place and f' ({item.place})'}"
        for item in (verdict.quote, *verdict.further)
        if item
    )
    why = (
        f" – {verdict.reason}"
        if words and verdict.reason and verdict.verdict != "supported"
        else ""
    )
    told = verdict.verdict.replace("_", " ")
    return ": ".join(filter(None, [told, f"{words}{why}" if words else verdict.reason]))


def evidence(item: CitedSentence, cited_as: Callable[[str], str]) -> Iterator[str]:
    """Yield a line of Markdown for each citation of a sentence: its verdict and the words behind it.

    `cited_as` prints the citation of a paper, by its id.
    """
    for found in item.citations:
        yield _line(item, cited_as(found.paper), support_of(found))
    if item.verdict:
        together = ", ".join(map(cited_as, item.rests_on))
        all_of = " together" if len(item.rests_on) > 1 else ""
        on = f"on {together}{all_of}" if together else "on your own text"
        yield _line(item, on, support_of(item.verdict))
    elif item.basis:
        yield f"Sentence {item.number}, *your own text*: “{escape(item.basis.text)}”"


def _line(item: CitedSentence, on: str, support: str) -> str:
    return f"Sentence {item.number}, {_told(on, *support.partition(': ')[::2])}"


def _told(on: str, verdict: str, why: str) -> str:
    return f"{escape(on)} *{verdict}*{why and f': {escape(why)}'}"


UNCITING = "CiteLoom found no citation in the text, so there was none to check."


def audit_blocks(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the outcome of a check and what is wrong, first to last, as Markdown; nothing where no text was checked."""
    audit: Audit | None = values.get("audit")
    if not audit or not audit.sentences:
        return
    if audit.passed:
        yield "Passed." if audit.sentences_citing else UNCITING
    else:
        yield f"Not passed. {escape('; '.join(audit.reasons))}."
    counts = ((getattr(audit, count), name) for count, name in _COUNTS.items())
    told = ", ".join(f"{number} {name}" for number, name in counts if number) or "none"
    yield f"{counted(audit.sentences, 'sentence')}, {audit.sentences_citing} of them with citations; citations: {told}."
    yield "\n".join(f"- {escape(note)}" for note in audit.notes)
    wrong = [
        block
        for item in values.get("sentences") or ()
        if (lines := "\n".join(_wrong(item, audit, values.get("labels") or {})))
        for block in (f"Sentence {item.number}: {escape(item.text)}", lines)
    ]
    if wrong:
        yield from ("## What to look at", *wrong)
    if audit.references:
        yield "## References"
        yield "\n".join(
            f"- {escape(f'{item.key or item.paper}: {WORDS.get(item.cause, item.cause)}: {item.detail}')}"
            f"{item.remedy and escape(f' ({item.remedy})')}"
            for item in audit.references
        )


def audit_details(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield the verdict on each citation of a text that was checked, and how it was checked, as Markdown."""
    labels: Mapping[str, str] = values.get("labels") or {}
    yield "## Each citation"
    yield "\n".join(
        f"- {_line(item, labels.get(one.key, one.key), support_of(one))}"
        for item in values.get("sentences") or ()
        for one in item.citations
    )
    mind = str(values.get("mind") or "extractive")
    rest = f"by {mind}" if mind != "extractive" else "not checked (no LLM configured)"
    account = [
        f"- By code: what stands word for word in the paper's record. The rest: {escape(rest)}.",
        *(f"- Note: {escape(note)}." for note in values.get("notes") or ()),
        *spending(values),
    ]
    yield from ("## How this was checked", "\n".join(account))


def _wrong(item: CitedSentence, audit: Audit, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield what is to be said of a sentence, or nothing."""
    for one in item.citations:
        yield from _problem(one, labels.get(one.key, one.key))
    why = (one.why for one in audit.uncited_claims if one.sentence == item.number)
    yield from (f"- no citation: {escape(line)}" for line in why)


def _problem(item: CitationVerdict, label: str) -> Iterator[str]:
    supported = item.verdict == "supported"
    if supported and not item.cause:
        return
    told = item.cause if supported or item.verdict == "not_in_source" else item.verdict
    yield f"- {_told(label, WORDS.get(told, item.verdict), item.reason)}"
    first = item.first and ("partly supported" if item.first == "partly" else item.first)
    more = [
        not supported and item.claim and f"claimed: {item.claim}",
        not supported and item.quote and _words(item.quote),
        not supported and item.unread and f"full text: {item.unread}",
        *(f"closest passage, {_words(quote)}" for quote in item.nearest),
        *(f"note: {alarm}" for alarm in item.alarms),
        first and f"first verdict: {first.replace('_', ' ')}; the second check changed it",
        item.better and f"{item.better} does say it",
    ]
    yield from (f"    - {escape(line)}" for line in more if line)


def _words(quote: Quote) -> str:
    place = f" ({quote.place})" if quote.place else ""
    return f"{quote.words_of}{place}: “{quote.text}”"
