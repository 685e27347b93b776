"""Text for LaTeX: special characters and accents escaped, harmless formulas left alone."""

import re

# As in pandoc: '$5 and $10' is no formula.
_MATHS = re.compile(r"(\$(?! )[^$]*[^$ ]\$(?!\d))")
_IN_FORMULA = re.compile(r"(?:[^%#&\\]|\\[%#&]|\\[a-zA-Z]+|\\[,;:! |_$])*")
_KEEP_CASE = re.compile(
    r"(?<![\\\w{])([A-Z]+\{\\&\}[A-Z]+\b|\w*[a-z0-9][A-Z]\w*|[A-Z]{2,}[\w-]*|[A-Z]\d[\w-]*)(?![\w}])"
)
_COMMANDS = frozenset(
    re.findall(
        r"\w+",
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
    lVert rVert lvert rvert Vert vert textsc""",
    )
)
"""Commands that only print; whatever else stands in a formula of a stranger is printed as text."""


def split_maths(text: str) -> list[tuple[str, bool]]:
    """Return the text in pieces, and of each whether it is a formula that may stand as it is.

    A formula is closed, balanced, and made of nothing that does more than print.
    """
    pieces: list[tuple[str, bool]] = []
    for place, part in enumerate(_MATHS.split(text)):
        if part:
            pieces.append((part, place % 2 == 1 and _is_formula(part)))
    return pieces


def _is_formula(part: str) -> bool:
    inner = part[1:-1]
    return (
        bool(_IN_FORMULA.fullmatch(inner))
        and "^^" not in inner
        and len(re.findall(r"\\left(?![a-zA-Z])", inner))
        == len(re.findall(r"\\right(?![a-zA-Z])", inner))
        and balanced(inner)
        and set(re.findall(r"\\([a-zA-Z]+)", inner)) <= _COMMANDS
    )


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
