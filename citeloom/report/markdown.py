"""A report as Markdown, and as text for a terminal."""

from citeloom.report.escaping import escape, unescaped
from citeloom.report.result_report import SECTIONS, ResultReport


def markdown(report: ResultReport) -> str:
    """Return the whole report as a file of Markdown."""
    title = escape(" ".join(report.title.split()))
    blocks = (f"# {title}", notice(report), *report.told, *report.details)
    return "\n\n".join(filter(None, blocks)) + "\n"


def terminal_text(report: ResultReport, *, details: bool = False) -> str:
    """Return what a command prints of a report: plain text, with its `details` where they are wanted."""
    told = unescaped("\n\n".join([*report.told, *(report.details if details else ())]))
    if report.graph not in SECTIONS:
        return told
    return "\n\n".join(filter(None, [f"# {report.title}", notice(report), told])) + "\n"


def notice(report: ResultReport) -> str:
    """Return what a reader must know first, as a block of quotation."""
    return "\n>\n".join(f"> {line}" for line in report.notices)
