"""tools/bibliography/write_ris.py: records that reference managers read."""

from datetime import date

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.write_ris import to_ris

PAPER = Paper(
    id="doi:10.1000/a", title="On citations\n& more", year=2020, published=date(2020, 3, 4),
    venue="EMNLP", doi="10.1000/a", arxiv="2005.11401", retracted=True, authors_complete=False,
    authors=(Author(name="Ann Lee"), Author(name="Martin King Jr."), Author(name="OpenAI")),
)  # fmt: skip


def records(*papers: Paper) -> list[list[tuple[str, str]]]:
    """Parse as the format is described: two letters, two spaces, a hyphen, a space, the value."""
    text = to_ris(
        [
            Reference(number=number, key=f"k{number}", paper=item)
            for number, item in enumerate(papers, 1)
        ]
    )
    found: list[list[tuple[str, str]]] = []
    for line in text.split("\r\n")[:-1]:
        tag, sign, value = line[:2], line[2:5], line[5:].strip()
        assert sign == "  -", line
        if tag == "TY":
            found.append([])
        found[-1].append((tag, value))
    assert all(record[-1] == ("ER", "") for record in found)
    return [record[:-1] for record in found]


def test_record_has_every_known_field() -> None:
    (record,) = records(PAPER)
    assert record == [
        ("TY", "CPAPER"), ("ID", "k1"), ("AU", "Lee, Ann"), ("AU", "King, Martin, Jr."),
        ("AU", "OpenAI"), ("TI", "On citations & more"), ("T2", "EMNLP"), ("PY", "2020"),
        ("DA", "2020/03/04"), ("DO", "10.1000/a"), ("AN", "arXiv:2005.11401"),
        ("UR", "https://doi.org/10.1000/a"), ("N1", "The list of authors is not complete."),
        ("N1", "Retracted."),
    ]  # fmt: skip


def test_unknown_fields_are_left_out_and_kinds_are_told() -> None:
    bare, journal = records(
        Paper(id="local:x", title="T"), Paper(id="local:y", title="U", venue="TACL")
    )
    assert bare == [("TY", "UNPB"), ("ID", "k1"), ("TI", "T")]
    assert journal == [("TY", "JOUR"), ("ID", "k2"), ("TI", "U"), ("JO", "TACL")]
    assert to_ris([]) == ""


def test_title_cannot_begin_a_field_of_its_own() -> None:
    (record,) = records(Paper(id="local:x", title="A\r\nER  - \r\nTY  - JOUR"))
    assert [tag for tag, _ in record] == ["TY", "ID", "TI"]
