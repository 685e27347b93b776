"""Make a sentence of a record fit to be printed: no markup, no TeX, no braces, no addresses.

What a paper says is data: braces of its own could pass for citation markers, and tags, formulae or
half a copyright notice would break the sentence they are quoted in.
"""

import re
from html import unescape

_TAG = re.compile(
    r"</?(?:(?:jats|mml|m|xhtml|html):[\w-]{1,30}|p|i|b|em|u|br|hr|div|span|strong|italic|bold|sub|sup|sc|sec|title|"
    r"abstract|ext-link|inline-formula|tt|small|font|a|math|mi|mn|mo|mrow|msub|msup)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_STYLED = re.compile(
    r"\\(?:emph|text(?:it|bf|tt|sc|rm|sf|sl)?|math(?:rm|bf|it|cal|bb|sf)|operatorname|underline|mbox)\s*\{([^{}]{0,300})\}"
    r"|\{\\(?:em|it|bf|tt|sc|rm|sl|sf)\s+([^{}]{0,300})\}"
)
_ESCAPED = re.compile(r"\\([%&$#_])")
_TEX_QUOTES = re.compile(r"``([^`']{1,200})''")
_MATHS = re.compile(r"\$([^$\\{}\s](?:[^$\\{}]{0,38}[^$\\{}\s])?)\$(?!\d)")
# References by number or name are the paper's own: in another text they would lead nowhere.
_REFERENCE = re.compile(
    r"\s*\[\d{1,3}(?:\s*[,–-]\s*\d{1,3}){0,20}\]"
    r"|\s*\((?:see |e\.g\.,? |cf\. )?(?:[A-Z][\w'’-]+(?:,? (?:et al\.?|and [A-Z][\w'’-]+|& ?[A-Z][\w'’-]+)){0,2},? \(?\d{4}[a-z]?\)?(?:; ?)?){1,8}\)"
)
_LEANS = re.compile(
    r"\b(?:by|of|in|from|to|with|following|like|as|than|see|on|and|or|for|against|via)$",
    re.IGNORECASE,
)
_ADDRESS_ASIDE = re.compile(r"\s*\([^()]{0,80}(?:https?://|www\.)[^()\s]{1,200}[^()]{0,40}\)")
_SECTION = (
    r"(?:abstract|summary|background(?: and [a-z]+)?|introduction|purpose|objectives?|aims?|motivation|problem|context|"
    r"design(?:/[a-z/]+)?|setting|participants|materials?(?: and methods?)?|methods?|methodology|approach|data|"
    r"results?|findings?|discussion|conclusions?|limitations|significance|implications|originality(?:/value)?|"
    r"interpretation|contributions?|introduction and aims?|methods? and results|results and conclusions?)"
)
# 'Results show' is a sentence, 'Results We show' and 'RESULTS Bees count' begin with a label.
_LABEL = re.compile(
    rf"^(?:(?i:{_SECTION})(?:\s*[:—–]\s*|\s-\s|\.\s+)(?=[A-Z\"“])|(?i:{_SECTION})\s+(?=(?:We|This|The|In this|Our|To) )"
    rf"|(?:Abstract|(?=[A-Z]{{3}})(?i:{_SECTION}))\s+(?=[A-Z][a-z]))"
)
_NUMBERED = re.compile(r"^(?:\(?\d{1,2}[.)]|[•·▪*–—-])\s+(?=[A-Z])")
_UNFIT = re.compile(
    r"[{}\\\ufffd\x00-\x08\x0b-\x1f]|\$[^\d\s]|</?[a-z][\w:-]*[ />]|https?:|www\.|@\w+\.\w|©|\(c\) \d{4}|"
    r"\b[Cc]opyright\b|\ball rights reserved\b|\bopen[- ]access article\b|\bCreative Commons\b|"
    r"(?-i:\b(?:Key ?[Ww]ords|KEY ?WORDS|Index Terms|INDEX TERMS)\b)",
    re.IGNORECASE,
)
_ODD_SPACE = re.compile(r"[\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]")
_LONGEST_TITLE = 40
_AROUND = ' .,;:“”"'
_BRACKETS = str.maketrans("", "", '()[]“”"')
_BRACES = str.maketrans("", "", "{}")


def presentable(sentence: str) -> str | None:
    """Return a sentence without markup, labels and references of its own, or None if it is not fit."""
    text = _without_markup(_ODD_SPACE.sub("", sentence))
    text = _ADDRESS_ASIDE.sub("", _REFERENCE.sub(_unreferenced, text))
    text = _NUMBERED.sub("", _LABEL.sub("", " ".join(text.split())))
    return None if not text or _UNFIT.search(text) or not is_balanced(text) else text


def _unreferenced(found: re.Match[str]) -> str:
    """Drop a reference, unless the sentence needs it: 'used by (Lee 2003)' is by Lee 2003."""
    if not _LEANS.search(found.string[: found.start()]):
        return ""
    inner = found[0].strip().strip("()")
    # A number would lead nowhere: the brace makes the sentence unfit.
    return "{" if found[0].strip().startswith("[") else f" {inner}"


def presentable_title(title: str) -> str:
    """Return a title without markup and braces, fit to stand in quotation marks; long ones are cut."""
    words = _without_markup(_ODD_SPACE.sub("", title)).translate(_BRACES).split()
    text = " ".join(words[:_LONGEST_TITLE]) + (" …" if len(words) > _LONGEST_TITLE else "")
    text = text if is_balanced(text) else text.translate(_BRACKETS)
    return inner_marks(text.strip(_AROUND)).strip()


def inner_marks(text: str) -> str:
    """Return a text with single typographic quotation marks for its double ones."""
    text = text.replace("“", "‘").replace("”", "’").replace("„", "‘")
    return re.sub(r"\"([^\"]*)\"", r"‘\1’", text).replace('"', "’")


def is_balanced(text: str) -> bool:
    """Whether each bracket and each typographic quotation mark of a text has its partner."""
    open_marks: list[str] = []
    partner = {")": "(", "]": "[", "”": "“"}
    for char in text:
        if char in "([“":
            open_marks.append(char)
        elif char in partner and (not open_marks or open_marks.pop() != partner[char]):
            return False
    return not open_marks and text.count('"') % 2 == 0


def _without_markup(text: str) -> str:
    text = _TAG.sub("", unescape(text) if "&" in text else text)
    if "\\" in text or "$" in text or "``" in text:
        for _ in range(3):  # styles may be nested
            text = _STYLED.sub(lambda found: found[1] or found[2] or "", text)
        text = _TEX_QUOTES.sub(r"“\1”", _ESCAPED.sub(r"\1", _MATHS.sub(r"\1", text)))
    return text
