"""Text as it is to be said: without markup, with its signs in words, in pieces of whole sentences."""

import re
import textwrap
import unicodedata

from tools.text.sentences import split_sentences

SIGNS = {
    "%": " percent", "‰": " per mille", "±": " plus or minus ", "×": " times ", "÷": " divided by ",
    "=": " equals ", "≈": " about ", "~": " about ", "≃": " about ", "≠": " is not ", "<": " less than ",
    ">": " greater than ", "≤": " at most ", "≥": " at least ", "→": " to ", "⇒": " so ", "&": " and ",
    "@": " at ", "+": " plus ", "°": " degrees ", "√": " root of ", "∞": " infinity ", "∑": " sum of ",
    "∈": " in ", "∝": " proportional to ", "−": " minus ", "§": " section ", "©": " ", "®": " ", "™": " ",
    "€": " euros ", "$": " dollars ", "£": " pounds ", "#": " number ", "½": " one half", "¼": " one quarter",
    "–": ", ", "—": ", ", "…": ", ", "“": " ", "”": " ", "„": " ", "«": " ", "»": " ", '"': " ",
    "‘": "'", "’": "'", "*": " ", "_": " ", "|": ", ", "[": " (", "]": ") ", "{": " ", "}": " ",
    "\\": " ", "^": " ", "•": ", ", "·": " ", "/": " ", "\u00ad": "", "\u200b": "", "\ufeff": "",
}  # fmt: skip

_LETTERS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
]
_LOWER = "αβγδεζηθικλμνξοπρστυφχψω"
GREEK = {
    **{sign: f" {name} " for sign, name in zip(_LOWER, _LETTERS, strict=True)},
    **{sign.upper(): f" {name} " for sign, name in zip(_LOWER, _LETTERS, strict=True)},
    "ς": " sigma ",
    "ϕ": " phi ",
    "ϵ": " epsilon ",
    "µ": " micro",
}

LATEX = {
    "times": "times", "cdot": "times", "le": "at most", "leq": "at most", "ge": "at least", "geq": "at least",
    "approx": "about", "sim": "about", "pm": "plus or minus", "neq": "is not", "to": "to", "infty": "infinity",
    "mathcal": "", "mathrm": "", "mathbf": "", "text": "", "left": "", "right": "", "frac": "", "varepsilon": "epsilon",
}  # fmt: skip

_WORDS = (
    (r"\bet al\.?(?=\s+[a-z(]|[,;:')]|’)", "et al"),
    (r"\be\.\s?g\.,?", "for example"),
    (r"\bi\.\s?e\.,?", "that is"),
    (r"\bcf\.", "compare"),
    (r"\bvs?\.(?=\s)", "versus"),
    (r"\bresp\.", "respectively"),
    (r"\bw\.\s?r\.\s?t\.", "with respect to"),
    (r"\bapprox\.", "about"),
    (r"\betc\.(?=\s+[a-z,])", "et cetera"),
    (r"\bFigs\.\s?(?=\d)", "figures "),
    (r"\bFig\.\s?(?=\d)", "figure "),
    (r"\bTab\.\s?(?=\d)", "table "),
    (r"\bEqs?\.\s?(?=[\d(])", "equation "),
    (r"\bSec(?:t)?s?\.\s?(?=\d)", "section "),
    (r"\bpp\.\s?(?=\d)", "pages "),
    (r"\bp\.\s?(?=\d)", "page "),
    (r"\bNo\.\s?(?=\d)", "number "),
)
ABBREVIATIONS = [(re.compile(pattern), words) for pattern, words in _WORDS]


MAX_PIECE = 400
"""Characters; an engine is given one piece at a time."""

_CITED = r"\d{1,4}(?:\s*[-–—]\s*\d{1,4})?"
_CITATION = re.compile(rf"\s*\[({_CITED}(?:\s*[,;]\s*{_CITED})*)\]")
_RANGE_OF_CITATIONS = re.compile(r"\[(\d{1,4})\]\s?[-–—]\s?\[(\d{1,4})\]")
_NEXT_CITATION = re.compile(rf"\](\s*[,;]?\s*)\[(?={_CITED}\s*[\],;])")
_OMISSION = re.compile(r"\s*[\[(](?:\.\.\.|…)[\])]")
_URL = re.compile(
    r"(?:https?://|ftp://)(?:www\.)?([^\s/<>()\"?#:]+)[^\s<>\"]*?(?=[.,;:!?)\]]*(?:\s|$))"
)
_DOI = re.compile(r"\b(?:doi:\s*)?10\.\d{4,9}/[^\s<>\"]*[^\s<>\".,;:!?)\]]", re.I)
_FORMULA = re.compile(r"\$\$?(?=\S)([^$\n]{1,200}?)(?<=\S)\$\$?(?!\d)")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_DOLLARS = re.compile(r"\$(\d+(?:[.,]\d+)*(?:\s(?:million|billion|thousand))?)")
_NUMBER_RANGE = re.compile(r"(?<![\w.\-–])(\d+(?:[.,]\d+)*)\s?(%?)[–-](\d+(?:[.,]\d+)*)(?![\w\-–])")
_MINUS = re.compile(r"(?<![\w)])[-−](?=\d)")


def speakable(text: str) -> str:
    """Return a text, Markdown or plain, as an engine can say it: a line for each block, code left out.

    'Tang et al. [1] test < 5 %.' becomes 'Tang et al. (source 1) test less than 5 percent.'
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": True}).enable("table").disable("code")
    blocks = parser.parse(unicodedata.normalize("NFC", text))
    prose = (
        "".join(
            " " if child.type in {"softbreak", "hardbreak", "html_inline"} else child.content
            for child in block.children or ()
        )
        for block in blocks
        if block.type == "inline"
    )
    said = [one for one in map(_said, prose) if any(sign.isalnum() for sign in one)]
    return "\n".join(one if one.endswith((".", "!", "?", ":", ";")) else f"{one}." for one in said)


def pieces(text: str, limit: int = MAX_PIECE) -> list[str]:
    """Return a speakable text sentence by sentence, those longer than `limit` characters cut."""
    spans = (span for line in text.splitlines() for span in split_sentences(line))
    parts = (part for span in spans for part in textwrap.wrap(span.text, limit))
    return [part for part in parts if any(sign.isalnum() for sign in part)]


def _said(text: str) -> str:
    text = _RANGE_OF_CITATIONS.sub(r"[\1-\2]", _OMISSION.sub(" ", text))
    text = _CITATION.sub(_said_citation, _NEXT_CITATION.sub(", ", text))
    text = _URL.sub(lambda match: "a link to " + match[1].replace(".", " dot "), text)
    text = _FORMULA.sub(_said_formula, _DOI.sub("a D O I", text))
    text = _NUMBER_RANGE.sub(r"\1\2 to \3", _DOLLARS.sub(r"\1 dollars", text))
    text = _MINUS.sub("minus ", text)
    for pattern, words in ABBREVIATIONS:
        text = pattern.sub(words, text)
    text = " ".join("".join(map(_said_sign, text)).split())
    text = re.sub(r"\s+(?=[,.;:!?)])", "", re.sub(r"\(\s+", "(", text))
    return re.sub(r",[\s,]*(?=[,.;:!?)])", "", text).strip(" ,;")


def _said_citation(match: re.Match[str]) -> str:
    *first, last = (
        re.sub(r"\s*[-–—]\s*", " to ", one) for one in re.split(r"\s*[,;]\s*", match[1])
    )
    listed = f"{', '.join(first)} and {last}" if first else last
    return f" (source{'s' if listed != match[1] else ''} {listed})"


def _said_formula(match: re.Match[str]) -> str:
    said = _COMMAND.sub(lambda found: f" {LATEX.get(found[1], found[1])} ", match[1])
    return re.sub(r"[{}_^\\]", " ", said)


def _said_sign(sign: str) -> str:
    known = SIGNS.get(sign) or GREEK.get(sign)
    if known is not None or sign in SIGNS:
        return known or ""
    kind = unicodedata.category(sign)
    return " " if kind[0] in "CZ" or kind in {"So", "Sk"} else sign
