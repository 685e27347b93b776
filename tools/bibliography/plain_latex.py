"""LaTeX read as plain text, by pylatexenc."""

import re
from functools import cache, lru_cache
from typing import Any

PRINTS_NOTHING = ("noop", "noopsort", "SortNoop", "sortnoop")
"""Commands that people define for sorting only."""
_SIGNS = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", " "))


@lru_cache(maxsize=4096)
def plain_text(value: str, *, math: bool = True) -> str:
    r"""Return LaTeX as plain text: accents decoded, braces dropped.

    LaTeX that cannot be read stays as it is, without its braces.

    Args:
        value: The LaTeX.
        math: Whether formulas stay as they are, between dollar signs; else they become text too.
    """
    if "\\" not in value and "$" not in value:  # a hundred times quicker
        bare = value.replace("{", "").replace("}", "")
        for latex, sign in _SIGNS:
            bare = bare.replace(latex, sign)
        return " ".join(bare.split())
    walker, converters = _latex()
    # In a bibliography these signs are meant as such far more often than as what LaTeX takes them for.
    given = re.sub(r"(?<!\\)([%&#])", r"\\\1", value).replace(r"\(", "$").replace(r"\)", "$")
    try:
        text = str(converters[math].nodelist_to_text(walker(given)))
    except Exception:  # noqa: BLE001 - whatever the library makes of a stranger's LaTeX
        text = value.replace("{", "").replace("}", "")
    return " ".join(text.split())


def address(value: str) -> str:
    r"""Return the address in a field, which LaTeX packages take verbatim: only `\_` and such are decoded."""
    bare = value.removeprefix(r"\url").replace("{", "").replace("}", "")
    for sign in "_%&#$~":
        bare = bare.replace(f"\\{sign}", sign)
    return "".join(bare.split())


@cache
def _latex() -> tuple[Any, dict[bool, Any]]:
    from pylatexenc import latex2text, latexwalker
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec
    from pylatexenc.macrospec import MacroSpec

    known = latexwalker.get_default_latex_context_db()
    own = [*(MacroSpec(name, "{") for name in PRINTS_NOTHING), MacroSpec("href", "{{")]
    known.add_context_category("bibliographies", macros=own, prepend=True)
    shown = latex2text.get_default_latex_context_db()
    signs = {
        "textless": "<",
        "textgreater": ">",
        "textbraceleft": "{",
        "textbraceright": "}",
        "url": "%s",
        "path": "%s",
    }
    shown.add_context_category(
        "bibliographies",
        prepend=True,
        macros=[
            *(MacroTextSpec(name, "") for name in PRINTS_NOTHING),
            *(MacroTextSpec(name, text) for name, text in signs.items()),
            MacroTextSpec("href", simplify_repl=_last),
        ],
    )
    shown.set_unknown_macro_spec(MacroTextSpec("", simplify_repl=_arguments))

    def walk(text: str) -> Any:
        return latexwalker.LatexWalker(text, latex_context=known).get_latex_nodes()[0]

    kinds = {True: "verbatim", False: "text"}
    return walk, {
        math: LatexNodes2Text(latex_context=shown, math_mode=kind) for math, kind in kinds.items()
    }


def _arguments(node: Any, l2tobj: Any) -> str:
    """Show what stands in a command that the library knows and has no text for."""
    given = node.nodeargd.argnlist if node.nodeargd else ()
    return "".join(str(l2tobj.node_to_text(one)) for one in given or () if one is not None)


def _last(node: Any, l2tobj: Any) -> str:
    """Show the text of a link."""
    given = [one for one in (node.nodeargd.argnlist if node.nodeargd else ()) or () if one]
    return str(l2tobj.node_to_text(given[-1])) if given else ""
