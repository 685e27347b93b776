"""Where the title of an entry begins and ends."""

import re

MOST_LETTERS = 400
"""A longer title is cut."""
_OPEN = {"“": "”", "„": "“”", '"': '"', "«": "»", "‘": "’", "``": "''"}
_MARK = re.compile(r"[.?!](?=[\"”’')\]]{0,2}(?:\s|$))")
_WORD_BEFORE = re.compile(r"[\w.'’-]{1,20}$")
_ABBREVIATED = frozenset(
    """vs dr st mr mrs prof no cf e.g i.e ca approx resp u.s u.k u.s.a vol ed eds etc jr sr int al
    ph.d m.sc d.c incl fig sec""".split()  # noqa: SIM905
)
_LOWER_VENUES = re.compile(
    r"(?:in|arxiv|preprint|ph\.?d|master|tech|unpublished|submitted|to appear|proceedings|https?|www|doi|"
    r"accessed|available|retrieved|pages|pp|vol|dissertation|thesis)\b|[a-z]{1,5}[A-Z]|[a-z]\w*:",
)
_IN = re.compile(r"(?:In\b|Proc|arXiv|ArXiv|CoRR|Ph\.?D|Technical [Rr]ep)")
_VENUE_NEXT = re.compile(
    r"\s*(?:In\b|in [A-Z]|arXiv|ArXiv|CoRR|Proc|Journal|Trans|Tech|Ph\.?D|Master"
    r"|[A-Z][\w&]*(?:\.? [\w&]{1,5}\.?| [\w&]{1,20}){0,8},? (?:\d|vol))"
)
_CUT = re.compile(
    r"\s//\s|,\s+(?=(?:In:? |in:? )?(?:Proc\b|Proceedings\b)|In (?:Proc|the Proc|[A-Z]{2})|arXiv:|ArXiv\b|CoRR\b)"
)
_COMMA_CUT = re.compile(
    r",\s+(?=vol\b|\d{1,2}(?:st|nd|rd|th) ed|pp?\.|(?:in|In):? (?:Proc|[A-Z\d])|Proc\b"
    r"|Tech(?:nical|\.)? [Rr]ep|[Pp]h\.?\s?D|[Mm]aster|[Dd]iss|arXiv"
    r"|CoRR|ArXiv|[Jj]ournal\b|[A-Z][\w.&-]*(?: [\w.&()-]+){0,9},? (?:[vV]ol(?:ume|\.)? ?)?\(?\d)"
)
_KIND = re.compile(r"\s?\[(?:[A-Z]|EB/OL|OL)\]$")
"""The mark of the kind of work in Chinese lists."""
_LEAD = re.compile(r"^[\s.,:;)\]–—-]+")


def quoted(text: str) -> tuple[str, str] | None:
    """Return a title in quotation marks at the beginning of `text`, and what follows it."""
    mark = "``" if text.startswith("``") else text[:1]
    if mark not in _OPEN:
        return None
    closing = _OPEN[mark]
    at = len(mark)
    for found in re.finditer(r"''" if closing == "''" else f"[{closing}]", text[at : at + 600]):
        inner, after = text[at : at + found.start()], text[at + found.end() :]
        # A quotation within the title, and an apostrophe, do not end it.
        ends = inner.rstrip()[-1:] in {",", ".", "?", "!"} or re.match(
            r"\s*(?:[,.;:(]|$|In\b|in\b)", after
        )
        if ends and len(inner.strip()) >= 3 and inner.count("“") <= inner.count("”"):
            return inner.strip(" .,;"), after
    return None


def title_and_rest(text: str, *, comma: bool = False) -> tuple[str, str]:
    """Return the title with which `text` begins, and what follows it.

    Args:
        text: An entry behind its authors, and behind the year where this follows them.
        comma: Whether authors and title are parted by a comma, as with IEEE and SIAM; the title then
            ends at the comma before what it appeared in.
    """
    text = _LEAD.sub("", text)
    if found := quoted(text):
        return found
    end = _sentence_end(text)
    pattern = _COMMA_CUT if comma else _CUT
    cut = pattern.search(text, 0, min(end, 2 * MOST_LETTERS) if not comma else 2 * MOST_LETTERS)
    if cut and cut.start() >= 3 and (cut.start() < end):
        end = cut.start()
    title = text[:end].strip(" ,;:")
    if not title.endswith(("...", "?", "!")):
        title = _KIND.sub("", title.rstrip(" ."))
    return title[:MOST_LETTERS], text[end:]


def _sentence_end(text: str) -> int:
    for found in _MARK.finditer(text, 0, 3 * MOST_LETTERS):
        before, after = text[: found.start()], text[found.end() :].lstrip("\"”’')] ")
        if found[0] == ".":
            if _goes_on(before, after):
                continue
        elif after and not _VENUE_NEXT.match(after) and _has_title_words(after):
            continue
        return found.end()
    return len(text)


def _goes_on(before: str, after: str) -> bool:
    """Whether a full stop is that of an abbreviation, or stands within the title."""
    word = _WORD_BEFORE.search(before)
    last = word[0] if word else ""
    if last.lower() in _ABBREVIATED:
        return not _IN.match(after)
    if (len(last) == 1 and last.isupper()) or re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", last):
        return bool(after) and not _IN.match(after)
    return after[:1].islower() and not _LOWER_VENUES.match(after)


def _has_title_words(after: str) -> bool:
    """Whether a title goes on behind a question mark: what follows is a sentence of its own."""
    end = _MARK.search(after)
    if end is None or end.end() >= len(after.rstrip()):
        return False
    part = after[: end.start()]
    return not any(map(str.isdigit, part)) and len(part.split()) >= 3 and part.count(",") == 0
