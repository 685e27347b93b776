"""Text as it is to be said: without markup, with its signs in words, in pieces of whole sentences."""

import re
import textwrap
import unicodedata
from collections.abc import Callable

from tools.text.words import split_sentences

Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]

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

MAX_PIECE = 400
"""Characters; an engine is given one piece at a time."""


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
    for pattern, words in RULES:
        text = pattern.sub(words, text)
    text = " ".join("".join(map(_said_sign, text)).split())
    for pattern, words in _SEAMS:
        text = pattern.sub(words, text)
    return text.strip(" ,;")


def _said_sign(sign: str) -> str:
    known = SIGNS.get(sign) or GREEK.get(sign)
    if known is not None or sign in SIGNS:
        return known or ""
    kind = unicodedata.category(sign)
    return " " if kind[0] in "CZ" or kind in {"So", "Sk"} else sign


def _said_citation(match: re.Match[str]) -> str:
    *first, last = (
        " to ".join(re.split(r"\s*[-–—]\s*", one)) for one in re.split(r"\s*[,;]\s*", match[1])
    )
    listed = f"{', '.join(first)} and {last}" if first else last
    return f" (source{'s' if listed != match[1] else ''} {listed})"


def _said_formula(match: re.Match[str]) -> str:
    parts = re.split(r"\\([A-Za-z]+)", match[1])
    parts[1::2] = [f" {LATEX.get(name, name)} " for name in parts[1::2]]
    return "".join(parts).translate(dict.fromkeys(map(ord, "{}_^\\"), " "))


def _compiled(*rules: tuple[str, str | Callable[[re.Match[str]], str]]) -> list[Rule]:
    return [(re.compile(pattern), words) for pattern, words in rules]


_CITED = r"\d{1,4}(?:\s*[-–—]\s*\d{1,4})?"
RULES = _compiled(
    (r"\s*[\[(](?:\.\.\.|…)[\])]", " "),
    (r"\[(\d{1,4})\]\s?[-–—]\s?\[(\d{1,4})\]", r"[\1-\2]"),
    (rf"\](\s*[,;]?\s*)\[(?={_CITED}\s*[\],;])", ", "),
    (rf"\s*\[({_CITED}(?:\s*[,;]\s*{_CITED})*)\]", _said_citation),
    (
        r"(?:https?://|ftp://)(?:www\.)?([^\s/<>()\"?#:]+)[^\s<>\"]*?(?=[.,;:!?)\]]*(?:\s|$))",
        lambda match: "a link to " + match[1].replace(".", " dot "),
    ),
    (r"(?i:\b(?:doi:\s*)?10\.\d{4,9}/[^\s<>\"]*[^\s<>\".,;:!?)\]])", "a D O I"),
    (r"\$\$?(?=\S)([^$\n]{1,200}?)(?<=\S)\$\$?(?!\d)", _said_formula),
    (r"\$(\d+(?:[.,]\d+)*(?:\s(?:million|billion|thousand))?)", r"\1 dollars"),
    (r"(?<![\w.\-–])(\d+(?:[.,]\d+)*)\s?(%?)[–-](\d+(?:[.,]\d+)*)(?![\w\-–])", r"\1\2 to \3"),
    (r"(?<![\w)])[-−](?=\d)", "minus "),
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
"""What is said in place of what is written, in this order."""
_SEAMS = _compiled((r"\(\s+", "("), (r"\s+(?=[,.;:!?)])", ""), (r",[\s,]*(?=[,.;:!?)])", ""))
