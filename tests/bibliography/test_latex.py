"""tools/bibliography/latex.py: what prints may stand as a formula, what does more may not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.bibliography.latex import escape, split_maths


@pytest.mark.parametrize(
    "formula",
    [r"$x^2$", r"$O(n \log n)$", r"$\mathcal{O}(\frac{1}{n})$", r"$\left( a \right)$", r"$50\%$"],
)
def test_formula_that_only_prints_is_kept(formula: str) -> None:
    assert split_maths(f"in {formula} steps") == [
        ("in ", False),
        (formula, True),
        (" steps", False),
    ]
    assert escape(f"in {formula} steps") == f"in {formula} steps"


@pytest.mark.parametrize(
    "formula",
    [
        r"$\input{/etc/passwd}$", r"$\write18{ls}$", r"$\def\x{y}$", r"$^^5cinput{a}$",
        r"$\csname input\endcsname$", r"${$", r"$}{$", r"$\left( a$", r"$a & b$", r"$a % b$",
        r"$\\x$", r"$\newcommand{\a}{b}$",
    ],
)  # fmt: skip
def test_formula_that_could_do_more_is_printed_as_text(formula: str) -> None:
    written = escape(f"in {formula} steps")
    assert formula not in written
    assert not re.search(r"\\(input|write|def|csname|newcommand|left)", written)
    assert r"{\$}" in written


@given(st.text(alphabet="ab $\\{}%&#_^~<>é中😀“-'`", max_size=60))
def test_braces_are_balanced_and_nothing_special_is_bare(text: str) -> None:
    written = escape(text)
    bare = re.sub(r"\\[{}]", "", written)
    level = 0
    for char in bare:
        level += (char == "{") - (char == "}")
        assert level >= 0
    assert level == 0
    outside = "".join(escape(part) for part, formula in split_maths(text) if not formula)
    assert not re.search(r"(?<!\\)[%&#_$]", outside)
