"""Findings in SARIF 2.1.0, which code hosts and editors show beside the lines of a file."""

from collections.abc import Collection, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from citeloom.report.findings import RULES, Finding, Rule

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif(
    check: str,
    findings: Sequence[Finding],
    notes: Sequence[str] = (),
    accepted: Collection[str] = (),
) -> dict[str, Any]:
    """Return the log of one check.

    Args:
        check: Its name: 'verify' or 'references'.
        findings: What it found.
        notes: What was not checked, and why.
        accepted: Fingerprints of a baseline; their results are suppressed.
    """
    names = list(RULES)
    driver = {"name": "CiteLoom", "version": _version(), "rules": list(map(_rule, RULES.values()))}
    results = [_result(one, names.index(one.rule), one.fingerprint in accepted) for one in findings]
    told = [{"level": "note", "message": {"text": note}} for note in notes]
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"citeloom/{check}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": told}],
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _version() -> str:
    try:
        return version("citeloom")
    except PackageNotFoundError:
        return "0"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.told},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }


def _result(one: Finding, rule: int, accepted: bool) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if one.file:
        location["physicalLocation"] = {"artifactLocation": {"uri": _uri(one.file)}}
    place = one.place
    if place and place.line and one.file:
        location["physicalLocation"]["region"] = {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        }
    elif place and place.paragraph:
        location["logicalLocations"] = [{"name": f"paragraph {place.paragraph}", "kind": "element"}]
    more = "".join(f"\n{words}" for words in one.quotes)
    return {
        "ruleId": one.rule,
        "ruleIndex": rule,
        "level": one.level,
        "message": {"text": f"{one.message}{more}"},
        "locations": [location] if location else [],
        "partialFingerprints": {"citeloom/v1": one.fingerprint},
        **({"suppressions": [{"kind": "external"}]} if accepted else {}),
    }


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
