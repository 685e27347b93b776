"""What `verify` and `references` print, write and return where a hook, an editor or a code host reads the findings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from citeloom.cli.options import ResultOptions
from citeloom.cli.telling import print_notice, print_status
from citeloom.report.findings import (
    FAILING,
    FailOn,
    Finding,
    not_looked_up,
    reference_findings,
    text_findings,
)
from citeloom.report.json_files import dump
from citeloom.report.sarif import sarif
from state.results import SCHEMA_VERSION
from tools.disk import write_whole
from tools.errors import InputError, counted

NOT_PASSED = 3
"""The exit code of a check that found something."""


@dataclass
class FindingResults:
    """Takes the findings of one or more runs, and tells them together."""

    lines: bool = False
    sarif_file: Path | None = None
    fail_on: FailOn | None = None
    baseline: Path | None = None
    write_baseline: bool = False
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read the baseline; raises InputError where it cannot be used."""
        if self.write_baseline and not self.baseline:
            raise InputError("no file for the baseline: name one with --baseline")
        self._check = ""
        self._accepted = frozenset[str]() if self.write_baseline else _read_baseline(self.baseline)

    @property
    def asked(self) -> bool:
        """Whether anything but the plain report is asked for."""
        return bool(self.lines or self.sarif_file or self.fail_on or self.baseline)

    def take_text(self, values: Mapping[str, Any], file: str) -> None:
        """Take the findings of a run of `verify`."""
        self._check = "verify"
        self.findings += text_findings(values, file)
        self.notes += values.get("notes") or ()

    def take_references(self, values: Mapping[str, Any]) -> None:
        """Take the findings of a run of `references`."""
        self._check = "references"
        self.findings += reference_findings(values)
        self.notes += values.get("notes") or ()
        self.notes += filter(None, [not_looked_up(values)])

    def finish(self, default: FailOn = "unchecked") -> int:
        """Print and write the findings; return 3 where one that is not accepted fails the check, else 0."""
        new = [one for one in self.findings if one.fingerprint not in self._accepted]
        if self.lines:
            for one in new:
                typer.echo(one.line)
            for note in dict.fromkeys(self.notes):
                print_notice("Note", f"{note}.")
        if self.sarif_file:
            log = sarif(self._check, self.findings, list(dict.fromkeys(self.notes)), self._accepted)
            write_whole(self.sarif_file, dump(log) + "\n")
        if self.write_baseline and self.baseline:
            _write_baseline(self.baseline, self.findings)
            print_status(f"{counted(len(self.findings), 'finding')} accepted.")
            return 0
        if accepted := len(self.findings) - len(new):
            print_status(f"{counted(accepted, 'finding')} accepted earlier.")
        failing = FAILING[self.fail_on or default]
        return NOT_PASSED if any(one.rule in failing for one in new) else 0


Lines = Annotated[
    bool,
    typer.Option(
        "--findings",
        help="Print each finding on one line, FILE:LINE:COLUMN: LEVEL: MESSAGE [RULE], in place of the result.",
    ),
]
SarifFile = Annotated[
    Path | None,
    typer.Option(
        "--sarif",
        metavar="FILE",
        help="Also write the findings as SARIF 2.1.0.",
    ),
]
FailingOn = Annotated[
    FailOn | None,
    typer.Option(
        "--fail-on",
        help="Exit with code 3 on findings at least this grave: contradicted (also retracted or likely "
        "invented), unsupported (also not found or a wrong field), unchecked, never.",
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        metavar="FILE",
        help="A file of findings that you accept: they neither show nor fail.",
    ),
]
WriteBaseline = Annotated[
    bool,
    typer.Option(
        "--write-baseline",
        help="Accept all findings of this check: write them to the file of --baseline.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class CheckResults(ResultOptions):
    """Of `verify`."""

    findings: Lines = False
    sarif: SarifFile = None
    fail_on: FailingOn = None
    baseline: Baseline = None
    write_baseline: WriteBaseline = False

    def given(self) -> dict[str, Any]:
        """Return what they give to a run; the findings are told when all runs have ended."""
        return {"out": self.out, "json": self.json}

    def finding_results(self) -> FindingResults:
        """Return what takes the findings; raises InputError where the baseline cannot be used."""
        return FindingResults(
            self.findings, self.sarif, self.fail_on, self.baseline, self.write_baseline
        )


def _read_baseline(path: Path | None) -> frozenset[str]:
    """Return the fingerprints of a baseline; of one that is not there, none.

    Raises:
        InputError: It is no baseline.
    """
    if path is None or not path.exists():
        return frozenset()
    try:
        accepted = json.loads(path.read_text("utf-8"))["accepted"]
        return frozenset(str(one["fingerprint"]) for one in accepted)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(
            f"'{path}' is no baseline: write one with --write-baseline, or name another file"
        ) from error


def _write_baseline(path: Path, findings: list[Finding]) -> None:
    accepted = [
        {"fingerprint": one.fingerprint, "rule": one.rule, "file": one.file, "message": one.message}
        for one in sorted(findings, key=lambda one: (one.file, one.rule, one.fingerprint))
    ]
    write_whole(path, dump({"schema_version": SCHEMA_VERSION, "accepted": accepted}) + "\n")
