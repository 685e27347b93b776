"""A section for Quarto and Pandoc: Markdown that cites by [@key], with references.bib beside it."""

import json

from citeloom.report.escaping import literal, paragraph, spaced
from citeloom.report.result_report import ResultReport
from tools.bibliography.section_printer import CitationGroup, put_together
from tools.bibliography.text_runs import on_one_line


def quarto(report: ResultReport) -> str:
    """Return a document; the style that its reader names prints the citations and the list."""
    notes = "".join(
        f"<!-- {on_one_line(text).replace('--', '- -')} -->\n" for text in report.notices
    )
    blocks = (
        paragraph(" ".join(_sentence(item.marked, report) for item in same))
        for same in report.paragraphs
    )
    head = {
        "title": report.title,
        "bibliography": "references.bib",
        "link-citations": True,
        "reference-section-title": "References",
    }
    lines = "".join(f"{name}: {json.dumps(value)}\n" for name, value in head.items())
    return f"---\n{lines}---\n\n{notes}\n" + "\n\n".join(blocks) + "\n"


def _sentence(marked: str, report: ResultReport) -> str:
    keys = {item.marker: item.key for item in report.references}
    return put_together(
        marked,
        {item.marker: item.paper for item in report.references},
        lambda text: spaced(text, literal),
        lambda written, group: _cited(written, group, keys),
    )


def _cited(written: str, group: CitationGroup, keys: dict[str, str]) -> str:
    """Return what is written so far with a citation behind it; Pandoc prints a name that stands before it."""
    rest = [f"@{{{keys[key]}}}" for key in group.markers if key not in group.named]
    if not group.named:
        bare = written.rstrip()
        return f"{bare}{' ' * (bare != written)}[{'; '.join(rest)}]"
    name, whole = spaced(group.name, literal), written.rstrip(" ,")
    if len(group.named) == 1 and not name.startswith("“") and whole.endswith(name):
        further = f" [{'; '.join(rest)}]" if rest else ""
        return f"{whole.removesuffix(name)}@{{{keys[group.named[0]]}}}{further}"
    return f"{whole} [{'; '.join([*(f'-@{{{keys[key]}}}' for key in group.named), *rest])}]"
