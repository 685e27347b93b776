"""Knows a file that lost its end, and gives it a new one, with the list of its pages."""

import re

from state.document import Unread

_CATALOG = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b[^\0]{0,300}?/Type\s*/Catalog\b")
_PAGE = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b(?:(?!endobj)[^\0]){0,300}?/Type\s*/Page\b")
_STATED = re.compile(rb"/Linearized[^>]{0,200}?/L\s+(\d{1,12})\b")
"""The size of the whole file, as the beginning of some tells it."""
_TAIL = 4096
"""Bytes among which the mark stands at which a PDF ends; some programs write something behind it."""
_MOST = 5000
"""Pages taken into a new list."""


def mended(content: bytes) -> bytes | None:
    """Return a file with an end by which its pages can be found; None where it shows no page."""
    content += b"\nendstream\nendobj\n"  # whatever it is that was cut off ends here
    pages = list(dict.fromkeys(_PAGE.findall(content)))[:_MOST]
    if not pages:
        return None
    catalog = _CATALOG.search(content)
    if catalog and b"/Type /Pages" in content:
        return content + b"\ntrailer\n<< /Root %s %s R >>\n" % catalog.groups()
    kids = b" ".join(b"%s %s R" % page for page in pages)
    first = max(int(number) for number, _ in pages) + 1_000_000
    return content + (
        b"\n%d 0 obj\n<< /Type /Pages /Count %d /Kids [%s] >>\nendobj\n"
        b"%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj\n"
        b"trailer\n<< /Root %d 0 R >>\n"
    ) % (first, len(pages), kids, first + 1, first, first + 1)


def cut_off(content: bytes) -> tuple[Unread, ...]:
    """Say that a file is not whole, where its size or its end shows it: pdfium reads what is left in silence."""
    stated = _STATED.search(content, 0, 2048)
    size = int(stated[1]) if stated else 0
    if len(content) < size:
        cause = f"the file is cut off: {len(content):,} of its {size:,} bytes are there"
    elif b"%%EOF" not in content.rstrip(b"\0 \t\r\n")[-_TAIL:]:
        cause = "the file is cut off: the mark at which a PDF ends is not there"
    else:
        return ()
    return (Unread(where="the end of the file", cause=f"{cause}; download it again"),)
