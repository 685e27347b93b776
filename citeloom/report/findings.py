"""The findings of a check, one by one, for tools beside the text: each with its rule, its place and a fingerprint."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Literal

from citeloom.report.verdicts import WORDS
from state.audit import Audit, ReferenceCheck, WrongField
from state.results import CitedSentence
from state.value import Place
from state.verify import ReadReference
from state.writing import CitationVerdict
from tools.errors import counted
from tools.text.places import words_in

Level = Literal["error", "warning", "note"]
FailOn = Literal["contradicted", "unsupported", "unchecked", "never"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding."""

    name: str
    level: Level
    told: str
    help: str
    unchecked: bool = False
    """Whether it says that something was not checked."""


_LIST = (
    Rule(
        "contradicted",
        "error",
        "The paper says the opposite.",
        "Read the quote, then correct the sentence.",
    ),
    Rule(
        "likely-invented",
        "error",
        "Two sources that would hold such a work do not have it.",
        "Check title and identifier. If there is no such work, remove the reference.",
    ),
    Rule(
        "retracted",
        "error",
        "The paper was retracted.",
        "Cite another paper, or say that it was retracted.",
    ),
    Rule(
        "not-in-source",
        "warning",
        "The paper does not say what the sentence says.",
        "Correct the sentence, or cite a paper that says it.",
    ),
    Rule(
        "no-entry",
        "warning",
        "The citation leads to no reference.",
        "Add the reference, or remove the citation.",
    ),
    Rule(
        "no-citation",
        "warning",
        "The sentence reports work of others and cites nobody.",
        "Cite the work.",
    ),
    Rule(
        "not-found",
        "warning",
        "No source that answered has the reference.",
        "Check title and identifier, or ask another source as well.",
    ),
    Rule(
        "wrong-field",
        "warning",
        "A field differs from the record of the work.",
        "Correct the field.",
    ),
    Rule(
        "not-checked",
        "note",
        "Nobody checked this.",
        "Set up a model to judge citations, or name a source to look references up in.",
        unchecked=True,
    ),
    Rule(
        "not-in-abstract",
        "note",
        "The abstract does not say it, and CiteLoom did not read the full text.",
        "Add the full text to your library, and check again.",
        unchecked=True,
    ),
    Rule(
        "partly-supported",
        "note",
        "The paper says a part of it, or something weaker.",
        "Weaken the sentence.",
    ),
    Rule(
        "notice",
        "note",
        "The publisher issued a notice, or there is a later version.",
        "Read the notice.",
    ),
)
RULES: Mapping[str, Rule] = {rule.name: rule for rule in _LIST}
_RULE_OF = {
    "fabricated": "likely-invented",
    "not_found": "not-found",
    "unresolved": "no-entry",
    "mis_cited": "not-in-source",
    "no_verified_quote": "not-in-source",
    "not_in_source": "not-in-source",
    "contradicted": "contradicted",
    "partly": "partly-supported",
    "not_in_abstract": "not-in-abstract",
    "metadata_error": "wrong-field",
    "retracted": "retracted",
    "concern": "notice",
    "corrected": "notice",
    "superseded": "notice",
}
"""By verdict or cause; any other was not checked."""
FAILING: Mapping[FailOn, frozenset[str]] = {
    "contradicted": frozenset(name for name, rule in RULES.items() if rule.level == "error"),
    "unsupported": frozenset(name for name, rule in RULES.items() if rule.level != "note"),
    "unchecked": frozenset(
        n for n, rule in RULES.items() if rule.unchecked or rule.level != "note"
    ),
    "never": frozenset(),
}
"""The rules whose findings fail a check."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found."""

    rule: str
    message: str
    file: str
    place: Place | None
    about: str
    """What it is about, as the text has it: its fingerprint is made of this, and of no line."""
    quotes: tuple[str, ...] = ()
    right: str = ""
    """What the field at its place should have, where that is known."""
    fingerprint: str = ""

    @property
    def level(self) -> Level:
        """How grave it is."""
        return RULES[self.rule].level

    @property
    def line(self) -> str:
        """It on one line, as compilers print theirs."""
        at, place = self.file or "text", self.place
        if place and place.line:
            at = f"{at}:{place.line}:{place.column}"
        elif place and place.paragraph:
            at = f"{at}: paragraph {place.paragraph}"
        return " ".join(f"{at}: {self.level}: {self.message} [{self.rule}]".split())


def text_findings(values: Mapping[str, Any], file: str) -> list[Finding]:
    """Return the findings of a check of a text: what `verify` gives, or what stopped it."""
    audit: Audit | None = values.get("audit")
    if not audit or not audit.sentences:
        stop = values.get("stop")
        told = (
            f"{stop.cause}: {stop.remedy}" if stop and stop.remedy else stop.cause if stop else ""
        )
        return _fingerprinted([Finding("not-checked", told, file, None, "")] if told else [])
    return _fingerprinted(dict.fromkeys(_of_text(values, audit, file)))


def _of_text(values: Mapping[str, Any], audit: Audit, file: str) -> Iterator[Finding]:
    labels: Mapping[str, str] = values.get("labels") or {}
    sentences: Mapping[int, CitedSentence] = {one.number: one for one in values["sentences"]}
    for item in audit.verdicts:
        if found := _of_verdict(item, labels.get(item.key, item.key), sentences, file):
            yield found
    for claim in audit.uncited_claims:
        yield Finding("no-citation", f"No citation: {claim.why}", file, claim.place, claim.text)
    checks = {one.key: one for one in audit.checked_references if one.wrong}
    for one in audit.references:
        if one.cause == "unresolved":  # each of its citations tells it
            continue
        check = checks.get(one.key) if one.cause == "metadata_error" else None
        if check:
            yield from _wrong(check, one.place, file)
            continue
        told = f"{one.key or one.paper}: {WORDS.get(one.cause, one.cause)}: {one.detail}"
        where = (one.place and one.place.file) or file
        yield Finding(_RULE_OF[one.cause], told, where, one.place, one.key or one.paper)


def _of_verdict(
    item: CitationVerdict, label: str, sentences: Mapping[int, CitedSentence], file: str
) -> Finding | None:
    if item.verdict == "supported" and not item.cause:
        return None
    by_cause = item.cause in _RULE_OF and item.verdict in {"supported", "not_in_source"}
    told = item.cause if by_cause else item.verdict
    words = WORDS.get(told, item.verdict.replace("_", " "))
    quotes = [item.quote, *item.further, *item.nearest]
    shown = tuple(
        f"{one.words_of}{one.place and f' ({one.place})'}: “{one.text}”" for one in quotes if one
    )
    message = ": ".join(filter(None, (label, words, item.reason)))
    about = f"{label} {sentences[item.sentence].text if item.sentence in sentences else ''}"
    return Finding(_RULE_OF.get(told, "not-checked"), message, file, item.place, about, shown)


def _wrong(check: ReferenceCheck, place: Place | None, file: str) -> Iterator[Finding]:
    """Yield a finding for each field that differs."""
    for one in check.wrong:
        at = one.place or place
        known = f"; the record has {one.right}" if one.right else ""
        yield Finding(
            "wrong-field",
            f"{check.key or check.title}: {one.field} is {one.stated}{known}",
            (at and at.file) or file,
            at,
            f"{check.key or check.title} {one.field} {one.stated}",
            right=_fix(one),
        )


def _fix(one: WrongField) -> str:
    known = (
        one.place
        and one.field in {"title", "year", "venue", "doi", "arxiv"}
        and one.right != "only a preprint"
    )
    return one.right if known else ""


def reference_findings(values: Mapping[str, Any]) -> list[Finding]:
    """Return the findings on the references of files: what `references` gives."""
    listed: Iterable[ReadReference] = values.get("references") or ()
    return _fingerprinted(one for item in listed for one in _of_reference(item))


def _of_reference(item: ReadReference) -> Iterator[Finding]:
    check, place = item.check, item.place
    file = place.file if place else ""
    if check is None or check.outcome in {"confirmed", "not_asked"}:
        return
    named = check.key or check.title
    if check.outcome == "wrong":
        yield from _wrong(check, place, file)
    elif check.outcome == "incomplete":
        told = f"{named}: not found, and {', '.join(check.failed_in)} could not be asked"
        yield Finding("not-checked", told, file, place, f"{named} {check.title}")
    else:
        rule = "not-found" if check.outcome == "not_found" else "likely-invented"
        told = f"{named}: “{check.title}” not found in {', '.join(check.missing_in)}"
        yield Finding(rule, told, file, place, f"{named} {check.title}")


def not_looked_up(values: Mapping[str, Any]) -> str:
    """Return how many references no source was asked about; empty where there is none."""
    listed: Iterable[ReadReference] = values.get("references") or ()
    count = sum(one.check is None or one.check.outcome == "not_asked" for one in listed)
    told = counted(count, "reference was", "references were")
    return f"{told} not looked up: name a source, such as crossref" if count else ""


def _fingerprinted(findings: Iterable[Finding]) -> list[Finding]:
    """Return them with fingerprints: of rule, file and words, so that a shift of lines changes none."""
    seen = Counter[str]()
    told: list[Finding] = []
    for one in findings:
        words = " ".join(word.text for word in words_in(one.about))
        base = "\n".join((one.rule, PurePath(one.file).as_posix(), words))
        seen[base] += 1
        mark = hashlib.sha256(f"{base}\n{seen[base]}".encode()).hexdigest()[:32]
        told.append(replace(one, fingerprint=mark))
    return told
