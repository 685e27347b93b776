"""Text that stays text in Markdown."""

import re

_SPECIAL = re.compile(r"([\\`*_{}<>#|])")


def escape(text: str) -> str:
    """Return text that Markdown and HTML renderers show as it is."""
    return _SPECIAL.sub(r"\\\1", text)
