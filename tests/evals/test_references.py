"""evals/references: labelled sets, references printed from records, training, and the measure."""

from pathlib import Path

import pytest

from evals.references.labelled import Reference, measure, read_anystyle, read_grobid
from tests.evals.calls import evaluated
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
    first = read_anystyle(sets / "anystyle.xml")[0]
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
    other = labelled(read_grobid(sets / "grobid.xml")[0])
    assert ("other", "In") in other
    assert other[-5:] == [
        ("volume", "11"),
        ("issue", "(3),"),
        ("pages", "pages"),
        ("pages", "4-9,"),
        ("date", "1990."),
    ]


def test_training_makes_a_model_that_reads(sets: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    given = ("--anystyle", sets / "anystyle.xml", "--grobid", sets / "grobid.xml", "--all")
    made = evaluated(
        "references", "train", "--out", model, *given, "--rounds", "30", "--styles", "1"
    )
    assert made.exit_code == 0, made.output
    assert "learning from 20 labelled references" in made.stderr
    told = evaluated("references", *given, "--model", model)
    assert told.exit_code == 0
    assert "| title | 100 | 100 |" in told.stdout


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
