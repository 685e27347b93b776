"""LaTeX as prose, by pylatexenc's parser: accents decoded, comments, verbatim and layout left out."""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tools.references.in_text import CITED

_NOTHING = (
    "label",
    "ref",
    "eqref",
    "pageref",
    "autoref",
    "cref",
    "Cref",
    "bibliography",
    "bibliographystyle",
    "usepackage",
    "documentclass",
    "vspace",
    "hspace",
    "input",
    "include",
    "includegraphics",
    "nocite",
    "addbibresource",
    "pagestyle",
    "thispagestyle",
    "setlength",
    "newcommand",
    "renewcommand",
    "maketitle",
    "tableofcontents",
)
_HEADINGS = (
    "part",
    "chapter",
    "section",
    "subsection",
    "subsubsection",
    "paragraph",
    "subparagraph",
    "title",
    "author",
    "date",
)
_CODE = re.compile(
    r"^([^%\n]*?)\\begin\{(comment|verbatim\*?|Verbatim|lstlisting|minted)\}", re.MULTILINE
)
"""What LaTeX does not parse, where its beginning is no comment."""
_NOTES = ("footnote", "footnotetext", "endnote")
_BIBITEM = re.compile(r"\\bibitem(?:\[[^\]]*\])?\{([^{}]*)\}")
_KEPT = re.compile("\ue000(\\d+)\ue001")
_SHARE = re.compile(r"(?<=\d)%(?=.)")
"""A share, which no comment follows: '5% of'."""
_FAULTS = (RecursionError, LookupError, TypeError, ValueError, AttributeError)
"""What pylatexenc raises over text that is no LaTeX."""


def read_latex(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the prose, an empty line between paragraphs, and the items of its list with their keys.

    Commands that cite stand as they are; a footnote stands behind the text as Markdown has it. What
    the parser cannot take stands as it is.
    """
    logging.getLogger("pylatexenc").setLevel(logging.ERROR)
    text = _without_code(text)
    cites = [found[0] for found in CITED.finditer(text)]
    places = iter(range(len(cites)))
    parsed = CITED.sub(lambda _: f"\ue000{next(places)}\ue001", _SHARE.sub(r"\\%", text))
    items: list[tuple[str, str]] = []
    try:
        prose = _printed(parsed, items)
    except _FAULTS:
        return text, []
    return _KEPT.sub(lambda found: cites[int(found[1])], prose), items


def _without_code(text: str) -> str:
    kept = ""
    while found := _CODE.search(text):
        kept += text[: found.end(1)]
        text = text[found.end() :].partition(rf"\end{{{found[2]}}}")[2]
    return kept + text


def _printed(text: str, items: list[tuple[str, str]]) -> str:
    """Return the prose; the items of its list go into `items`."""
    from pylatexenc import latex2text, latexwalker, macrospec

    notes: list[str] = []

    def inner(node: Any, l2tobj: Any) -> str:
        given = node.nodeargd.argnlist if node.nodeargd is not None else None
        return str(l2tobj.nodelist_to_text([one for one in given or () if one is not None][-1:]))

    def note(node: Any, l2tobj: Any) -> str:
        notes.append(f"[^note{len(notes) + 1}]: {' '.join(inner(node, l2tobj).split())}")
        return f"[^note{len(notes)}]"

    def listed(node: Any) -> str:
        pieces = _BIBITEM.split("".join(part.latex_verbatim() for part in node.nodelist))[1:]
        items.extend(zip(map(str.strip, pieces[::2]), map(str.strip, pieces[1::2]), strict=True))
        return ""

    gives: dict[str, str | Callable[..., str]] = dict.fromkeys(_HEADINGS, "\n\n")
    gives |= dict.fromkeys(_NOTES, note) | {"item": " ", "\\": " ", "par": "\n\n"}
    gives |= {"url": inner, "href": inner, "verb": lambda node: f"`{node.latex_verbatim()[6:-1]}`"}
    gives["textsuperscript"] = lambda node, l2tobj: f"<sup>{inner(node, l2tobj)}</sup>"
    printed = [latex2text.MacroTextSpec(name, simplify_repl=to) for name, to in gives.items()]
    printed += [latex2text.MacroTextSpec(name, discard=True) for name in _NOTHING]
    lists = [latex2text.EnvironmentTextSpec("thebibliography", simplify_repl=listed)]
    grammar, printer = (
        latexwalker.get_default_latex_context_db(),
        latex2text.get_default_latex_context_db(),
    )
    commands = [
        macrospec.MacroSpec(name, "*[{") for name in (*_NOTHING, *_NOTES, "textsuperscript")
    ]
    grammar.add_context_category("citeloom", macros=commands, prepend=True)
    printer.add_context_category("citeloom", macros=printed, environments=lists, prepend=True)
    nodes = list(_seen(latexwalker.LatexWalker(text, latex_context=grammar).get_latex_nodes()[0]))
    whole = [node for node in nodes if getattr(node, "environmentname", "") == "document"]
    nodes = whole[0].nodelist if whole else nodes
    prose = latex2text.LatexNodes2Text(
        latex_context=printer, math_mode="verbatim"
    ).nodelist_to_text(nodes)
    return "\n\n".join([str(prose), *notes])


def _seen(nodes: Sequence[Any]) -> Iterator[Any]:
    r"""Yield the nodes outside of `\iffalse ... \fi`."""
    depth = 0
    for node in nodes:
        name = getattr(node, "macroname", None) or ""
        if name == "iffalse" or (depth and name.startswith("if")):
            depth += 1
        elif depth and name == "fi":
            depth -= 1
        elif not depth:
            if getattr(node, "nodelist", None):
                node.nodelist = list(_seen(node.nodelist))
            yield node
