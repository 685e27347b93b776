"""Text that stays text in Markdown."""

import re

_SPECIAL = re.compile(r"([\\`*_{}<>#|]|\](?=[(:]))")
"""A bracket only where a link, or the address of one, could begin: '[1]' stays readable."""
_WITH_BRACKETS = re.compile(r"([\\`*_{}<>#|\[\]])")
_BLOCK = re.compile(r"^[^\S\n]*(\d{0,9})([-+~=]|(?<=\d)[.)](?=\s|$))", re.MULTILINE)
"""What would begin a list, a fence or the underline of a heading; a sentence may begin so, too."""
_ADDRESS = re.compile(r"(https?://[^\s<>|\\]+?)(?=[.,;]?(?:\s|$))")


def escape(text: str, *, brackets: bool = False) -> str:
    """Return text that Markdown and HTML renderers show as it is; with `brackets` every one is marked."""
    return (_WITH_BRACKETS if brackets else _SPECIAL).sub(r"\\\1", text)


def prose(text: str) -> str:
    """Return paragraphs that stay paragraphs."""
    return _BLOCK.sub(r"\1\\\2", escape(text))


def entry(text: str) -> str:
    """Return an entry of a list of references; an address is marked as one, and needs no escaping then."""
    parts = _ADDRESS.split(text)
    return "".join(f"<{part}>" if at % 2 else escape(part) for at, part in enumerate(parts))
