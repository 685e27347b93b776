"""From bytes to text."""

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
# Only these: some of Python's codecs take quadratic time, and others are no encodings of text.
_NAME = (
    r"(?:iso-?8859-\d\d?|windows-125\d|cp125\d|latin-?\d|gb2312|gbk|gb18030|big5|shift[_-]jis|"
    r"euc-(?:jp|kr)|koi8-[ru]|macintosh|mac-?roman)"
)
_NAMED = re.compile(
    rf"""<\?xml[^>]{{0,100}}encoding\s*=\s*["']({_NAME})"""
    rf"""|<meta[^>]{{0,200}}charset\s*=\s*["']?({_NAME})""".encode(),
    re.IGNORECASE,
)


def decoded(content: bytes) -> str:
    """Return text: by its byte order mark, as UTF-8, as markup says of itself, else as cp1252."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if named := _NAMED.search(content[:4096]):
        name = (named[1] or named[2]).decode("ascii").lower()
        return content.decode({"macintosh": "mac_roman"}.get(name, name), "replace")
    text = content.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(1 for char in text[:200_000] if char > "\x7f") - bad
    # In cp1252 next to no letter beyond ASCII happens to be UTF-8.
    return text if good > bad else content.decode("cp1252", "replace")


def unix_lines(text: str) -> str:
    """Return text whose lines end in a line feed, without NUL."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
