"""Gives a file that lost its end, and with it the list of its pages, a new one."""

import re

_CATALOG = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b[^\0]{0,300}?/Type\s*/Catalog\b")
_PAGE = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b(?:(?!endobj)[^\0]){0,300}?/Type\s*/Page\b")
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
