"""Text that stays text in Markdown."""

import re

_SPECIAL = re.compile(r"([\\`*_{}<>#|]|\](?=[(:]))")
"""A bracket only where a link, or the address of one, could begin: '[1]' stays readable."""
_WITH_BRACKETS = re.compile(r"([\\`*_{}<>#|\[\]])")


def escape(text: str, *, brackets: bool = False) -> str:
    """Return text that Markdown and HTML renderers show as it is; with `brackets` every one is marked."""
    return (_WITH_BRACKETS if brackets else _SPECIAL).sub(r"\\\1", text)
