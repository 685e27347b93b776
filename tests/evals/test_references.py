"""Labelled references, training and the measure; the weights of p_valid and how well they foretell."""

import random
from math import exp
from pathlib import Path

import pytest

from evals.references.checked import Case, fitted, measure_fit
from evals.references.labelled import Reference, measure, read_set
from state.audit import ReferenceCheck, ReferenceOutcome
from tools.references.tokens import tokens_of

NAMES = ("Lee", "Kim", "Roe", "Moe", "Wu", "Abel", "Knitt", "Fell", "Dupont", "Schäfer")
SEQUENCE = (
    "<sequence><citation-number>{at}.</citation-number><author>{name}, A., and Doe, B. (Eds.).</author>"
    "<date>({year}).</date><title>Weaving the {name} loom, part {at}.</title><editor>In C. Poe (Ed.),</editor>"
    "<journal>Loom Letters,</journal><volume>{at}(3),</volume><pages>pp. 4–9.</pages>"
    "<doi>doi:10.1145/33.{at}</doi></sequence>"
)
BIBL = (
    '<bibl> <author>{name}, A. and B. Doe</author>.  "<title level="a">Weaving the {name} loom</title>."  In'
    ' <title level="m">Proc. Looms</title>, <biblScope type="vol">{at}</biblScope>'
    '(<biblScope type="issue">3</biblScope>), pages <biblScope type="pp">4-9</biblScope>, <date>{year}</date>. '
    '<ptr type="web">https://looms.example.org</ptr></bibl>'
)


def made(template: str) -> str:
    return "".join(
        template.format(at=at + 11, name=name, year=1990 + at) for at, name in enumerate(NAMES)
    )


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    (folder / "anystyle.xml").write_text(f"<dataset>{made(SEQUENCE)}</dataset>", encoding="utf-8")
    (folder / "grobid.xml").write_text(f"<list>{made(BIBL)}</list>", encoding="utf-8")
    return folder


def labelled(reference: Reference) -> list[tuple[str, str]]:
    tokens = tokens_of(reference.text)
    return [
        (label, token.text) for label, token in zip(reference.labels(tokens), tokens, strict=True)
    ]


def test_sets_are_read_with_one_set_of_labels(sets: Path) -> None:
    first = read_set(sets / "anystyle.xml", "anystyle")[0]
    assert first.text == (
        "11. Lee, A., and Doe, B. (Eds.). (1990). Weaving the Lee loom, part 11. In C. Poe (Ed.), "
        "Loom Letters, 11(3), pp. 4–9. "
    )
    labels = labelled(first)
    assert labels[:8] == [
        ("number", "11."),
        ("author", "Lee,"),
        ("author", "A.,"),
        ("author", "and"),
        ("author", "Doe,"),
        ("author", "B."),
        ("other", "(Eds.)."),
        ("date", "(1990)."),
    ]
    assert labels[-10:] == [
        ("other", "In"),
        ("editor", "C."),
        ("editor", "Poe"),
        ("other", "(Ed.),"),
        ("container", "Loom"),
        ("container", "Letters,"),
        ("volume", "11"),
        ("issue", "(3),"),
        ("pages", "pp."),
        ("pages", "4–9."),
    ]
    other = labelled(read_set(sets / "grobid.xml", "grobid")[0])
    assert ("other", "In") in other
    assert other[-5:] == [
        ("volume", "11"),
        ("issue", "(3),"),
        ("pages", "pages"),
        ("pages", "4-9,"),
        ("date", "1990."),
    ]


def test_measure_counts_fields() -> None:
    right = Reference(
        "own",
        (
            ("author", "Lee, A. "),
            ("date", "(2019). "),
            ("title", "Weaving looms at scale. "),
            ("container", "Journal of Loom Letters, "),
            ("volume", "3"),
            ("issue", "(1), "),
            ("pages", "4–9."),
        ),
    )
    wrong = Reference(
        "own",
        (
            ("author", "Lee, A. "),
            ("date", "(2019). "),
            ("title", "Weaving looms "),
            ("other", "at scale. "),
            ("container", "Journal of Loom Letters, "),
            ("volume", "3"),
            ("issue", "(1), "),
            ("pages", "4–9."),
        ),
    )
    found = measure([right, wrong])
    assert (found.of["title"], found.right["title"], found.right["volume"]) == (2, 1, 2)


TRUTH = {"": 2.0, "wrong": -3.0, "not_found": -1.0}
WORDS = (
    "amber",
    "basalt",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "glade",
    "heron",
    "islet",
    "juniper",
    "kelp",
    "lichen",
)


def fit_made(many: int) -> list[Case]:
    """Return cases of which the true weights are known."""
    draw = random.Random(7)
    outcomes: tuple[ReferenceOutcome, ...] = ("confirmed", "wrong", "not_found")
    cases: list[Case] = []
    for at in range(many):
        outcome = outcomes[at % 3]
        signs = {"": 1.0} | ({outcome: 1.0} if outcome != "confirmed" else {})
        odds = sum(TRUTH[name] * value for name, value in signs.items())
        right = draw.random() < 1 / (1 + exp(-odds))
        check = ReferenceCheck(key=str(at), outcome=outcome)
        cases.append(Case(f"On {WORDS[at % 12]} {at}", check, signs, right))
    return cases


def test_weights_that_made_the_truth_are_found_again() -> None:
    found = fitted(fit_made(6000))
    assert found == pytest.approx(TRUTH, abs=0.2)


def test_halves_share_no_title_and_the_measure_is_of_the_half_held_out() -> None:
    cases = fit_made(1200)
    again = [Case(case.title.upper(), case.check, case.signs, case.right) for case in cases]
    assert [case.held_out for case in again] == [case.held_out for case in cases]
    weights, told = measure_fit(cases)
    assert weights.keys() == TRUTH.keys()
    assert {figures["n"] for figures in told.values()} == {sum(case.held_out for case in cases)}
    assert told["fitted now"]["Brier score"] < told["share right of all"]["Brier score"]
