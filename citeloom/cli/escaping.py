"""Text that stays text in Markdown."""

import re

_SPECIAL = re.compile(r"([\\`*_{}<>#|]|\](?=[(:]))")
"""A bracket only where a link, or the address of one, could begin: '[1]' stays readable."""


def escape(text: str) -> str:
    """Return text that Markdown and HTML renderers show as it is."""
    return _SPECIAL.sub(r"\\\1", text)
