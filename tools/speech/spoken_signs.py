"""How signs and abbreviations are said."""

import re

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
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
]  # fmt: skip
_LOWER = "αβγδεζηθικλμνξοπρστυφχψω"
GREEK = {
    **{sign: f" {name} " for sign, name in zip(_LOWER, _LETTERS, strict=True)},
    **{sign.upper(): f" {name} " for sign, name in zip(_LOWER, _LETTERS, strict=True)},
    "ς": " sigma ", "ϕ": " phi ", "ϵ": " epsilon ", "µ": " micro",
}  # fmt: skip

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
