r"""A section as LaTeX: a document of its own, with \cite and natbib, and its references in BibTeX."""

import re
from collections.abc import Sequence

from citeloom.report.escaping import spaced
from citeloom.report.result_report import ResultReport
from tools.bibliography.section_printer import CitationGroup, put_together
from tools.bibliography.text_runs import escape, on_one_line

_HEAD = r"""% Made by CiteLoom. Compile with pdflatex, bibtex, pdflatex, pdflatex; lualatex or xelatex, with a
% font that has them, for characters beyond the Latin, Greek and Cyrillic scripts.
\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\fi
\usepackage{amsmath,amssymb}
\usepackage{textcomp}
\usepackage{url}
"""
_NUMBERED = r"""\usepackage[numbers,sort&compress]{natbib}
\bibliographystyle{unsrtnat}
"""
_BY_AUTHOR = r"""\usepackage[round]{natbib}
\bibliographystyle{plainnat}
"""


def latex(report: ResultReport, bibliography: str) -> str:
    r"""Return a document that compiles; `bibliography` is the text of references.bib beside it."""
    body = "\n\n".join(
        "\n".join(_sentence(item.marked, report) for item in paragraph)
        for paragraph in report.paragraphs
    )
    notes = "".join(f"% {on_one_line(text)}\n" for text in report.notices)
    return (
        _HEAD
        + (_NUMBERED if report.is_numbered else _BY_AUTHOR)
        + _declared(body + bibliography)
        + f"\\begin{{document}}\n{notes}\n\\section{{{report.title}}}\n\n{body}\n\n"
        + ("\\bibliography{references}\n" if report.references else "")
        + "\\end{document}\n"
    )


def _sentence(marked: str, report: ResultReport) -> str:
    return put_together(
        marked,
        {item.marker: item.paper for item in report.references},
        lambda text: spaced(text, _escaped),
        lambda written, group: _cited(written, group, report),
    )


def _cited(written: str, group: CitationGroup, report: ResultReport) -> str:
    """Return what is written so far with a citation behind it."""
    cited = {item.marker: item for item in report.references}
    keys = {marker: item.key for marker, item in cited.items()}
    if report.is_numbered:
        return f"{_tied(written)}\\cite{{{_list(group.markers, keys)}}}"
    rest = [key for key in group.markers if key not in group.named]
    further = f" \\citep{{{_list(rest, keys)}}}" if rest else ""
    if not group.named:
        return f"{_tied(written)}{further.strip()}"
    name = spaced(group.name, _escaped)
    whole = written.rstrip(" ,~")
    first = cited[group.named[0]]
    if (
        len(group.named) == 1
        and not group.possessive
        and first.paper.authors
        and whole.endswith(name)
    ):
        return f"{whole[: -len(name)]}\\citet{{{first.key}}}{further}"
    return f"{whole}~\\citeyearpar{{{_list(group.named, keys)}}}{further}"


def _list(markers: Sequence[str], keys: dict[str, str]) -> str:
    return ",".join(keys[marker] for marker in markers)


def _tied(written: str) -> str:
    bare = written.rstrip()
    return f"{bare}~" if bare and bare != written else written


def _escaped(text: str) -> str:
    """Return text for LaTeX, with what pylatexenc leaves alone and LaTeX reads as more than it says."""
    return re.sub(r"(?<=[-`'?!<>,])(?=[-`'<>,])", "{}", escape(text))


def _declared(text: str) -> str:
    """Let pdflatex print a character that it has no font for as its number, instead of stopping."""
    strange = sorted({char for char in text if ord(char) > 0x7F})
    lines = [
        rf"  \DeclareUnicodeCharacter{{{ord(char):04X}}}{{{{\tiny U+{ord(char):04X}}}}}"
        for char in strange
    ]
    return "\n".join((r"\ifPDFTeX", *lines, r"\fi", "")) if lines else ""
