r"""A section as LaTeX: a document of its own, with \cite and natbib, and its references in BibTeX."""

import re
from collections.abc import Sequence

from citeloom.export.document import TITLE, SectionDocument, spaced
from state.results import CitedSentence
from tools.bibliography.section_printer import Group, split_marked
from tools.bibliography.text_runs import clean, escape

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


def to_latex(document: SectionDocument, bibliography: str) -> str:
    r"""Return a document that compiles; `bibliography` is the text of references.bib beside it."""
    body = "\n\n".join(
        "\n".join(_sentence(item, document) for item in paragraph)
        for paragraph in document.paragraphs
    )
    notes = "".join(f"% {clean(text)}\n" for text in document.notices)
    return (
        _HEAD
        + (_BY_AUTHOR if document.style.by_author else _NUMBERED)
        + _declared(body + bibliography)
        + f"\\begin{{document}}\n{notes}\n\\section{{{TITLE}}}\n\n{body}\n\n"
        + ("\\bibliography{references}\n" if document.references else "")
        + "\\end{document}\n"
    )


def _sentence(sentence: CitedSentence, document: SectionDocument) -> str:
    written = ""
    for part in split_marked(sentence.marked or sentence.text, document.papers):
        if isinstance(part, str):
            written += spaced(part, _escaped)
        else:
            written = _cited(written, part, document)
    return written.strip()


def _cited(written: str, group: Group, document: SectionDocument) -> str:
    """Return what is written so far with a citation behind it."""
    papers, keys = document.papers, document.keys
    if not document.style.by_author:
        return f"{_tied(written)}\\cite{{{_list(group.markers, keys)}}}"
    rest = [key for key in group.markers if key not in group.named]
    further = f" \\citep{{{_list(rest, keys)}}}" if rest else ""
    if not group.named:
        return f"{_tied(written)}{further.strip()}"
    name = spaced(group.name, _escaped)
    whole = written.rstrip(" ,~")
    alone = len(group.named) == 1 and not group.possessive and papers[group.named[0]].authors
    if alone and whole.endswith(name):
        return f"{whole[: -len(name)]}\\citet{{{keys[group.named[0]]}}}{further}"
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
