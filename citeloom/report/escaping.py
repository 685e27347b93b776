"""Text that stays text in each form, and Markdown for a terminal, which renders none."""

import re
from collections.abc import Callable

from tools.bibliography.text_runs import on_one_line, split_maths

_SPECIAL = re.compile(r"([\\`*_{}<>#|]|\](?=[(:]))")
"""A bracket only where a link, or the address of one, could begin: '[1]' stays readable."""
_BLOCK = re.compile(r"^[^\S\n]*(\d{0,9})([-+~=]|(?<=\d)[.)](?=\s|$))", re.MULTILINE)
"""What would begin a list, a fence or the underline of a heading; a sentence may begin so, too."""
_ADDRESS = re.compile(r"(https?://[^\s<>|\\]+?)(?=[.,;]?(?:\s|$))")
_TURNS = dict.fromkeys(
    (
        *range(0x20),
        *range(0x7F, 0xA0),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
        *range(0xD800, 0xE000),
    ),
    " ",
)
_LITERAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|@$~^&%="})
_MARKED = re.compile(r"\\(.)|<(https?://[^\s<>|\\]+)>", re.DOTALL)


def escape(text: str) -> str:
    """Return text that Markdown and HTML renderers show as it is."""
    return _SPECIAL.sub(r"\\\1", text)


def prose(text: str) -> str:
    """Return paragraphs that stay paragraphs."""
    return _BLOCK.sub(r"\1\\\2", escape(text))


def literal(text: str) -> str:
    """Return text that Pandoc, Quarto and Obsidian print as it is; a formula stays one."""
    return "".join(
        part if is_formula else part.translate(_LITERAL).replace("--", "-\\-")
        for part, is_formula in split_maths(text)
    )


def paragraph(literals: str) -> str:
    """Return such text as a paragraph that begins no list."""
    word, space, rest = literals.partition(" ")
    if word[-1:] in (".", ")"):
        literals = f"{word[:-1]}\\{word[-1]}{space}{rest}"
    return f"\\{literals}" if literals[:1] in ("-", "+", ":", "(") else literals


def entry(text: str) -> str:
    """Return an entry of a list of references; an address is marked as one, and needs no escaping then."""
    parts = _ADDRESS.split(text)
    return "".join(f"<{part}>" if at % 2 else escape(part) for at, part in enumerate(parts))


def one_line(text: str, most: int = 0) -> str:
    """Return text on one line, without control characters and marks that turn its direction; cut after `most`."""
    flat = " ".join(text.translate(_TURNS).split())
    return flat if not most or len(flat) <= most else f"{flat[:most].rstrip()}…"


def unescaped(markdown: str) -> str:
    """Return Markdown whose texts were made by the functions here as a terminal shows it: with no escape."""
    return _MARKED.sub(lambda found: found[1] or found[2], markdown)


def spaced(text: str, escape: Callable[[str], str] = str) -> str:
    """Return text without characters that no format can hold, escaped; the space at its ends stays."""
    inner = on_one_line(text)
    if not inner:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{escape(inner)}{' ' if text[-1].isspace() else ''}"
