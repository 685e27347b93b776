"""LaTeX as prose, by pylatexenc's parser: accents decoded, comments, verbatim and layout left out."""

import logging
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from tools.references.in_text import CITED, COMMAND

_NOTHING = ("label", "ref", "eqref", "pageref", "autoref", "cref", "Cref", "bibliography", "bibliographystyle",
            "usepackage", "documentclass", "vspace", "hspace", "input", "include", "includegraphics", "nocite",
            "addbibresource", "pagestyle", "thispagestyle", "setlength", "newcommand", "renewcommand", "maketitle",
            "tableofcontents")  # fmt: skip
_HEADINGS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "title",
             "author", "date")  # fmt: skip
_CODE = ("comment", "verbatim", "verbatim*", "Verbatim", "lstlisting", "minted")
_SHARE = re.compile(r"(?<=\d)%(?=.)")
"""A share, which no comment follows: '5% of'."""
_FAULTS = (RecursionError, LookupError, TypeError, ValueError, AttributeError)
"""What pylatexenc raises over text that is no LaTeX."""
_NOTES = ("footnote", "footnotetext", "endnote")


def read_latex(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the prose, an empty line between paragraphs, and the items of its list with their keys.

    Commands that cite stand as they are; a footnote stands behind the text as Markdown has it. What
    the parser cannot take stands as it is.
    """
    logging.getLogger("pylatexenc").setLevel(logging.ERROR)
    try:
        return _read(text)
    except _FAULTS:
        return text, []


def _read(text: str) -> tuple[str, list[tuple[str, str]]]:
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexWalker

    text = _SHARE.sub(r"\\%", text)
    cites = frozenset(found[1] for found in COMMAND.finditer(text))
    walker = LatexWalker(text, latex_context=_grammar(cites), tolerant_parsing=True)
    nodes = list(_seen(walker.get_latex_nodes()[0]))
    whole = next((node for node in nodes if _environment(node) == "document"), None)
    nodes = list(_seen(whole.nodelist)) if whole is not None else nodes
    notes: list[str] = []
    printer = LatexNodes2Text(latex_context=_printing(cites, notes), math_mode="verbatim")
    prose = str(printer.nodelist_to_text(nodes))
    return "\n\n".join([prose, *notes]), list(_items(nodes))


def _environment(node: Any) -> str:
    return str(getattr(node, "environmentname", "") or "")


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


def _items(nodes: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield the items of `thebibliography`."""
    for node in nodes:
        if _environment(node) != "thebibliography":
            yield from _items(getattr(node, "nodelist", None) or ())
            continue
        key, raw = None, ""
        for part in node.nodelist:
            if getattr(part, "macroname", "") == "bibitem":
                if key is not None:
                    yield key, raw.strip()
                given = _arguments(part)
                key, raw = given[-1].latex_verbatim().strip("{} \n") if given else "", ""
            elif key is not None:
                raw += part.latex_verbatim()
        if key is not None:
            yield key, raw.strip()


def _arguments(node: Any) -> list[Any]:
    """Return the arguments that a command was given."""
    given = node.nodeargd.argnlist if node.nodeargd is not None else None
    return [one for one in given or () if one is not None]


def _grammar(cites: Collection[str]) -> Any:
    """Return pylatexenc's grammar with the arguments of commands that it does not know."""
    from pylatexenc.latexwalker import LatexWalker, get_default_latex_context_db
    from pylatexenc.macrospec import EnvironmentSpec, MacroSpec, ParsedMacroArgs

    class Skipped(ParsedMacroArgs):  # type: ignore[misc]
        """Arguments that are not parsed: all up to where `end` says."""

        argspec = ""

        def __init__(self, end: Callable[[str, int], int]) -> None:
            super().__init__()
            self._end = end

        def parse_args(
            self, w: LatexWalker, pos: int, parsing_state: Any = None
        ) -> tuple[Any, int, int]:
            return ParsedMacroArgs(), pos, self._end(w.s, pos) - pos

    def cited(text: str, pos: int) -> int:
        found = CITED.match(text, pos)
        return found.end() if found else pos

    def environment(name: str) -> Any:
        def end(text: str, pos: int) -> int:
            found = text.find(rf"\end{{{name}}}", pos)
            return found if found >= 0 else len(text)

        return EnvironmentSpec(name, args_parser=Skipped(end))

    known = get_default_latex_context_db()
    commands = [MacroSpec(name, "*[{") for name in (*_NOTHING, *_NOTES)]
    commands += [MacroSpec("bibitem", "[{"), MacroSpec("textsuperscript", "{")]
    commands += [MacroSpec(name, args_parser=Skipped(cited)) for name in cites]
    known.add_context_category(
        "citeloom", macros=commands, environments=list(map(environment, _CODE)), prepend=True
    )
    return known


def _printing(cites: Collection[str], notes: list[str]) -> Any:
    """Return how commands become text; footnotes go into `notes`."""
    from pylatexenc.latex2text import (
        EnvironmentTextSpec,
        MacroTextSpec,
        get_default_latex_context_db,
    )

    def inner(node: Any, l2tobj: Any) -> str:
        return str(l2tobj.nodelist_to_text(_arguments(node)[-1:]))

    def note(node: Any, l2tobj: Any) -> str:
        notes.append(f"[^note{len(notes) + 1}]: {' '.join(inner(node, l2tobj).split())}")
        return f"[^note{len(notes)}]"

    def raised(node: Any, l2tobj: Any) -> str:
        return f"<sup>{inner(node, l2tobj)}</sup>"

    gives: dict[str, str | Callable[..., str]] = dict.fromkeys(_HEADINGS, "\n\n")
    gives |= dict.fromkeys(_NOTES, note) | {"item": " ", "\\": " ", "par": "\n\n"}
    gives |= dict.fromkeys(cites, lambda node: str(node.latex_verbatim()))
    gives |= {"url": inner, "href": inner, "textsuperscript": raised}
    gives["verb"] = lambda node: f"`{node.latex_verbatim()[6:-1]}`"
    macros = [MacroTextSpec(name, simplify_repl=to) for name, to in gives.items()]
    macros += [MacroTextSpec(name, discard=True) for name in _NOTHING]
    known = get_default_latex_context_db()
    known.add_context_category(
        "citeloom", prepend=True, macros=macros,
        environments=[EnvironmentTextSpec(name, discard=True) for name in (*_CODE, "thebibliography")],
    )  # fmt: skip
    return known
