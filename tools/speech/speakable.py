"""Text as it is to be said: without markup, with its signs in words, in pieces of whole sentences."""

import re
import unicodedata
from html import unescape

from tools.speech.spoken_signs import ABBREVIATIONS, GREEK, LATEX, SIGNS
from tools.text.sentences import split_sentences

MAX_PIECE = 400
"""Characters; an engine is given one piece at a time."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.M | re.S)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_TAG = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|code|div|em|h[1-6]|hr|i|img|li|ol|p|pre|q|s|small|span|strong|sub|sup|table|tbody"
    r"|td|th|thead|tr|u|ul)"
    r"(?:\s+[\w-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s<>\"']+))*\s*/?>",
    re.I,
)
_HIDDEN = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.I | re.S)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]+)>")
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\(([^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_LINK_TARGET = re.compile(r"^[ \t]*\[[^\]]+\]:[ \t]*\S+.*$", re.M)
_RULE = re.compile(r"^[ \t]*(?:[-*_=][ \t]*){3,}$", re.M)
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*--[ \t:|-]*$", re.M)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", re.M)
_BULLET = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*\S)[ \t]*$", re.M)
_QUOTE_MARK = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.M)
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?![\w*])", re.S)
_UNDERLINE = re.compile(r"(?<!\w)(_{1,3})(?=\S)(.{1,500}?)(?<=\S)\1(?!\w)", re.S)
_CITED = r"\d{1,4}(?:\s*[-–—]\s*\d{1,4})?"
_CITATION = re.compile(rf"\s*\[({_CITED}(?:\s*[,;]\s*{_CITED})*)\]([.,;:!?])?")
_RANGE_OF_CITATIONS = re.compile(r"\[(\d{1,4})\]\s?[-–—]\s?\[(\d{1,4})\]")
_PART_OF_SENTENCE = re.compile(
    r"(?:^|[,;:(]|\b(?:and|or|nor|but|both|see|in|by|of|from|with|than|to|as|like|unlike|source|sources))\Z",
    re.I,
)
_DOLLARS = re.compile(r"\$(\d+(?:[.,]\d+)*(?:\s(?:million|billion|thousand))?)")
_NEXT_CITATION = re.compile(rf"\](\s*[,;]?\s*)\[(?={_CITED}\s*[\],;])")
_OMISSION = re.compile(r"\s*[\[(](?:\.\.\.|…)[\])]")
_URL = re.compile(
    r"(?:https?://|ftp://)(?:www\.)?([^\s/<>()\"?#:]+)[^\s<>\"]*?(?=[.,;:!?)\]]*(?:\s|$))"
)
_DOI = re.compile(r"\b(?:doi:\s*)?10\.\d{4,9}/[^\s<>\"]*[^\s<>\".,;:!?)\]]", re.I)
_FORMULA = re.compile(r"\$\$?(?=\S)([^$\n]{1,200}?)(?<=\S)\$\$?(?!\d)")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_NUMBER_RANGE = re.compile(r"(?<![\w.\-–])(\d+(?:[.,]\d+)*)\s?(%?)[–-](\d+(?:[.,]\d+)*)(?![\w\-–])")
_MINUS = re.compile(r"(?<![\w)])[-−](?=\d)")
_BROKEN_LINE = re.compile(r"(?<=\w)-\n(?=[a-z])")
_BLANK = re.compile(r"\n{3,}")
_SPACES = re.compile(r"[ \t]{2,}")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_SPACE_BEFORE = re.compile(r"\s+(?=[,.;:!?])")
_ENDS = (".", "!", "?", ":", ";", ",")


def speakable(text: str, *, sources: bool = True) -> str:
    """Return a text, Markdown or plain, as an engine can say it, in paragraphs.

    Args:
        text: Prose with citations such as [3], addresses, emphasis, lists and tables.
        sources: Whether [3] is said, as "source 3"; otherwise citations are left out.
    """
    lines = (line.strip() for line in unicodedata.normalize("NFC", text).splitlines())
    text = _without_markup(_BLANK.sub("\n\n", _SPACES.sub(" ", "\n".join(lines))))
    text = _OMISSION.sub(" ", text)
    text = _RANGE_OF_CITATIONS.sub(r"[\1-\2]", text)
    text = _NEXT_CITATION.sub(", ", text)
    text = _CITATION.sub(lambda match: _said_citation(match, sources), text)
    text = _DOI.sub("a D O I", _URL.sub(_said_url, text))
    text = _FORMULA.sub(lambda match: _said_formula(match[1]), text)
    text = _DOLLARS.sub(r"\1 dollars", text)
    text = _NUMBER_RANGE.sub(r"\1\2 to \3", text)
    text = _MINUS.sub("minus ", text)
    for pattern, words in ABBREVIATIONS:
        text = pattern.sub(words, text)
    text = "".join(map(_said_sign, text))
    paragraphs = (" ".join(part.split()) for part in _PARAGRAPH.split(text))
    tidy = (_tidy(part) for part in paragraphs)
    return "\n".join(part for part in tidy if any(sign.isalnum() for sign in part))


def pieces(text: str, limit: int = MAX_PIECE) -> list[str]:
    """Return a speakable text in pieces of whole sentences, at most `limit` characters each.

    A sentence longer than that is cut at a comma, else at a space, else anywhere.
    """
    found: list[str] = []
    for paragraph in text.splitlines():
        piece = ""
        for span in split_sentences(paragraph):
            for part in _cut(span.text, limit):
                if piece and len(piece) + 1 + len(part) > limit:
                    found.append(piece)
                    piece = ""
                piece = f"{piece} {part}" if piece else part
        if piece:
            found.append(piece)
    return [piece for piece in found if any(sign.isalnum() for sign in piece)]


def _cut(sentence: str, limit: int) -> list[str]:
    parts: list[str] = []
    while len(sentence) > limit:
        head = sentence[:limit]
        place = head.rfind(", ") + 1 or head.rfind(" ") or 0
        place = place if place > 0 else limit
        parts.append(sentence[:place].strip())
        sentence = sentence[place:].strip()
    return [*parts, sentence] if sentence else parts


def _without_markup(text: str) -> str:
    text = _COMMENT.sub(" ", _FENCE.sub("\n\n", text))
    text = _LINK_TARGET.sub("", _AUTOLINK.sub(r"\1", text))
    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    text = unescape(_TAG.sub(" ", _HIDDEN.sub(" ", text)))
    text = _TABLE_RULE.sub("", _RULE.sub("", text))
    text = _QUOTE_MARK.sub("", text)
    text = _HEADING.sub(_own_sentence, text)
    text = _BULLET.sub(_own_sentence, text)
    lines = (_row(line) if line.lstrip().startswith("|") else line for line in text.split("\n"))
    text = _BROKEN_LINE.sub("", "\n".join(lines))
    text = _UNDERLINE.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    return text.replace("`", "")


def _own_sentence(match: re.Match[str]) -> str:
    said = match[1].strip()
    return f"\n{said}\n" if not said or said.endswith(_ENDS) else f"\n{said}.\n"


def _row(line: str) -> str:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return "\n" + ", ".join(cell for cell in cells if cell) + ".\n"


def _said_citation(match: re.Match[str], sources: bool) -> str:
    after = match[2] or ""
    if not sources:
        return after
    numbers = re.split(r"\s*[,;]\s*", match[1])
    said = [re.sub(r"\s*[-–—]\s*", " to ", number) for number in numbers]
    many = len(said) > 1 or " to " in said[0]
    listed = f"{', '.join(said[:-1])} and {said[-1]}" if said[1:] else said[0]
    said_whole = f"{'sources' if many else 'source'} {listed}"
    if _PART_OF_SENTENCE.search(match.string[max(0, match.start() - 20) : match.start()].rstrip()):
        return f" {said_whole}{after}"
    return f", {said_whole}{after or ','}"


def _said_url(match: re.Match[str]) -> str:
    return "a link to " + match[1].replace(".", " dot ")


def _said_formula(formula: str) -> str:
    said = _COMMAND.sub(lambda match: f" {LATEX.get(match[1], match[1])} ", formula)
    return re.sub(r"[{}_^\\]", " ", said)


def _said_sign(sign: str) -> str:
    if (said := SIGNS.get(sign) or GREEK.get(sign)) is not None:
        return said
    if sign in "\n ":
        return sign
    kind = unicodedata.category(sign)
    if kind[0] in "CZ" or kind in {"So", "Sk"}:
        return " "
    return sign


def _tidy(text: str) -> str:
    text = _SPACE_BEFORE.sub("", text)
    text = re.sub(r"([(])[\s,]+", r"\1", text)
    text = re.sub(r",[\s,]*(?=[,.;:!?)])", "", text)
    text = re.sub(r"\s*\((?:see|compare|for example)?\s*\)", "", text)
    return " ".join(text.split()).strip(" ,;")
