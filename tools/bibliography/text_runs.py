"""Printed text as runs of characters with letter forms (italic, bold), and such text for LaTeX.

While a style is at work, letter forms and other notes stand in the text as single characters of
Unicode's private use area, which `sealed` takes out of everything that a record holds.
"""

import re
from dataclasses import dataclass
from typing import Literal

# As in pandoc: '$5 and $10' is no formula.
_MATHS = re.compile(r"(\$(?! )[^$]*[^$ ]\$(?!\d))")
_IN_FORMULA = re.compile(r"(?:[^%#&\\]|\\[%#&]|\\[a-zA-Z]+|\\[,;:! |_$])*")
_KEEP_CASE = re.compile(
    r"(?<![\\\w{])([A-Z]+\{\\&\}[A-Z]+\b|\w*[a-z0-9][A-Z]\w*|[A-Z]{2,}[\w-]*|[A-Z]\d[\w-]*)(?![\w}])"
)
_COMMANDS = frozenset(
    """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi
    varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi
    Sigma Upsilon Phi Psi Omega ell hbar Re Im aleph partial nabla infty emptyset forall exists neg top
    bot angle triangle prime sum prod int oint bigcup bigcap bigoplus bigotimes cup cap setminus in notin
    ni subset supset subseteq supseteq wedge vee oplus ominus otimes odot times div cdot ast star circ
    bullet pm mp le leq ge geq ll gg ne neq equiv sim simeq approx cong propto mid parallel perp to
    gets leftarrow rightarrow leftrightarrow Leftarrow Rightarrow Leftrightarrow mapsto uparrow downarrow
    langle rangle lfloor rfloor lceil rceil left right big Big frac tfrac dfrac sqrt binom hat
    widehat bar overline tilde widetilde vec dot ddot underline mathbf mathrm mathit mathcal mathsf
    mathtt mathbb mathfrak boldsymbol text textrm textbf textit operatorname log ln exp sin cos tan min
    max arg argmin argmax sup inf lim det dim ker Pr gcd mod bmod pmod quad qquad ldots cdots dots vdots
    lVert rVert lvert rvert Vert vert textsc""".split()  # noqa: SIM905
)
"""Commands that only print; whatever else stands in a formula of a stranger is printed as text."""


def split_maths(text: str) -> list[tuple[str, bool]]:
    """Return the text in pieces, and of each whether it is a formula that may stand as it is.

    A formula is closed, balanced, and made of nothing that does more than print.
    """
    return [
        (part, place % 2 == 1 and _is_formula(part))
        for place, part in enumerate(_MATHS.split(text))
        if part
    ]


def _is_formula(part: str) -> bool:
    inner = part[1:-1]
    commands = commands_in(inner)
    return (
        bool(_IN_FORMULA.fullmatch(inner))
        and "^^" not in inner
        and commands.count("left") == commands.count("right")
        and balanced(inner)
        and _COMMANDS.issuperset(commands)
    )


def commands_in(text: str) -> list[str]:
    """Return the names of LaTeX's commands in a text."""
    return re.findall(r"\\([a-zA-Z]+)", text)


def balanced(text: str) -> bool:
    """Whether each brace of a text is closed."""
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def escape(text: str, *, keep_case: bool = False) -> str:
    """Return text for LaTeX; `keep_case` puts braces around acronyms and formulas, as BibTeX titles need."""
    return "".join(
        (f"{{{part}}}" if keep_case and part.lower() != part else part)
        if formula
        else _escaped(part, keep_case)
        for part, formula in split_maths(text)
    )


def _escaped(text: str, keep_case: bool) -> str:
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(
        replacement_latex_protection="braces-all",
        unknown_char_policy="keep",
        unknown_char_warning=False,
    )
    plain = str(encoder.unicode_to_latex(text))
    # BibTeX counts braces behind a backslash too.
    plain = plain.replace(r"{\{}", r"{\textbraceleft}").replace(r"{\}}", r"{\textbraceright}")
    return _KEEP_CASE.sub(r"{\1}", plain) if keep_case else plain


Mark = Literal["italic", "bold", "underline", "sup", "sub", "small_caps"]
_MARKS: tuple[Mark, ...] = ("italic", "bold", "underline", "sup", "sub", "small_caps")
_ON = {mark: chr(0xE001 + 2 * place) for place, mark in enumerate(_MARKS)}
_OFF = {mark: chr(0xE002 + 2 * place) for place, mark in enumerate(_MARKS)}
_TURNS = {char: (mark, True) for mark, char in _ON.items()} | {
    char: (mark, False) for mark, char in _OFF.items()
}

RUN_MARKER = "\ue020"
"""Stands between two characters of a record that a style could otherwise have put there."""
NUMBER = "\ue021"
"""Stands where a style prints a reference's number."""
OTHERS = "\ue022"
"""Stands for the authors that a record leaves out, behind those it names."""
_OPEN, _CLOSE = "\ue023", "\ue024"  # a record's own quotation marks

_CONTROL = (*range(0x20), 0x7F, *range(0xD800, 0xE000), 0xFFFE, 0xFFFF)
_UNPRINTED = dict.fromkeys(_CONTROL, " ") | dict.fromkeys(range(0xE000, 0xF900), "")
"""Control characters, lone surrogates, and those of the private use area."""
_M = "[\ue001-\ue00c]*"
_SEALED = re.compile(f"(?<=[.,;:?!({_CLOSE}])(?=[.,;:?!)])|(?<=[.,;:] )(?=[.,;])")


_STOPS = (
    (rf"([?!]{_M}[”{_CLOSE}]?{_M})[.,](?=[\s”{_M[1:-2]}]|$)", r"\1"),
    (rf"(?<!\.)\.({_M})\.(?!\.)", r".\1"),
)
_INSIDE = ((rf"([.,]?)({_M}”{_M})([.,])", r"\3\2"),)
_SEAMS = (
    (rf"\({_M}\)", ""),
    (rf",?\s*({_M}\))", r"\1"),
    (rf" ({_M}) +", r"\1 "),
    (r"([.,;:]) [.,;](?=\s|$)", r"\1"),
    (rf"(\barXiv{_M}: {_M})arXiv:\s?", r"\1"),
    (rf"^({_M})[\s.,;:]+", r"\1"),
    (rf"\s+({_M})$", r"\1"),
)
"""Marks that the processor prints twice, around nothing, or before nothing, and what becomes of them."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Characters of one form."""

    text: str
    marks: frozenset[Mark] = frozenset()


def characters_of(runs: tuple[TextRun, ...]) -> str:
    """Return the characters alone."""
    return "".join(run.text for run in runs)


def marked(text: str, mark: Mark) -> str:
    """Return text that is to be printed in a form."""
    return f"{_ON[mark]}{text}{_OFF[mark]}" if text else text


def on_one_line(text: str) -> str:
    """Return a record's text on one line and without characters that mean something here."""
    return " ".join(text.translate(_UNPRINTED).split())


def sealed(text: str) -> str:
    """Return a record's text so that it comes out of `tidy` as it went in."""
    quoted = on_one_line(text).replace("“", _OPEN).replace("”", _CLOSE)
    return _SEALED.sub(RUN_MARKER, quoted)


def tidy(text: str, *, inside: bool, et_al: str, conjunctions: frozenset[str]) -> str:
    """Return what a style printed, with the seams mended that its processor leaves open.

    `inside` puts commas and full stops inside a closing quotation mark, as American English has
    it. `conjunctions` are the words that may stand before the last name of a list.
    """
    text = _with_others(text, et_al, conjunctions)
    for seam, mended in (*_STOPS, *(_INSIDE if inside else ()), *_SEAMS):
        text = re.sub(seam, mended, text)
    return _own_quotes(text).replace(RUN_MARKER, "")


def _with_others(text: str, et_al: str, conjunctions: frozenset[str]) -> str:
    words = "|".join(
        re.escape(word) for word in sorted(conjunctions | {"…"}, key=len, reverse=True)
    )
    text = re.sub(rf"[{''.join(_ON.values())}]{OTHERS}[{''.join(_OFF.values())}]", OTHERS, text)
    return re.sub(rf"[\s/;]*(?:(?:{words})\s*)?{OTHERS}\.?", f" {et_al}", text)


def _own_quotes(text: str) -> str:
    """Print a record's quotation marks: single ones inside the quotation marks of the style."""
    inside = False
    printed: list[str] = []
    for char in text:
        if char in "“”":
            inside = char == "“"
        if char == _OPEN:
            char = "‘" if inside else "“"
        elif char == _CLOSE:
            char = "’" if inside else "”"
        printed.append(char)
    return "".join(printed)


def to_runs(text: str) -> tuple[TextRun, ...]:
    """Return marked text as runs, neighbours of one form in one."""
    runs: list[TextRun] = []
    depth: dict[Mark, int] = {}
    for piece in re.split("([\ue001-\ue00c])", text):
        if piece in _TURNS:
            mark, on = _TURNS[piece]
            depth[mark] = depth.get(mark, 0) + (1 if on else -1)
            continue
        form = frozenset(mark for mark, count in depth.items() if count > 0)
        if piece and runs and runs[-1].marks == form:
            runs[-1] = TextRun(runs[-1].text + piece, form)
        elif piece:
            runs.append(TextRun(piece, form))
    return tuple(runs)
