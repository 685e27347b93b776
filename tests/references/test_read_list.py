"""A list that is sent alone: numbered, one a line, under a heading, in LaTeX; and what is none."""

import pytest

from tools.errors import DocumentError
from tools.references.read_list import read_list

MOTH = "Moth, D. Moths steer by the moon. Journal of Moths, 3(2), 4-9, 2019."
WRAPPED = MOTH.replace("moon. ", "moon.\n    ")
OWL = "Lind, A. Owls that hear voles. Annals of Owls, 5, 1-2, 2015."


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("", f"{MOTH}\n{OWL}\n", ["", ""]),
        ("", f"{MOTH}\n\n{OWL}", ["", ""]),
        ("", f"[7] {WRAPPED}\n[8] {OWL}", ["7", "8"]),
        ("list.md", f"Moths steer [1].\n\n## References\n\n1. {MOTH}\n2. {OWL}\n", ["1", "2"]),
        (
            "paper.bbl",
            f"\\begin{{thebibliography}}{{9}}\n\\bibitem{{m}} {MOTH}\n\\bibitem{{o}} {OWL}\n\\end{{thebibliography}}",
            ["m", "o"],
        ),
    ],
)
def test_each_reference_is_one_entry(name: str, text: str, labels: list[str]) -> None:
    found = read_list(text.encode(), name)
    assert [entry.title for entry in found] == ["Moths steer by the moon", "Owls that hear voles"]
    assert [entry.label for entry in found] == labels
    assert [entry.year for entry in found] == [2019, 2015]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("", b"To buy: milk and bread.\nAnd butter for the guests.", "no reference"),
        ("", b"Moth, D.\x00 Moths steer by the moon. 2019.", "binary"),
        ("a.txt", bytes(range(256)) * 8, "a.txt"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "a picture"),
        ("a.pdf", b"%PDF-1.4 nothing", "a.pdf"),
    ],
)
def test_what_is_no_list_is_refused_with_what_to_do(name: str, content: bytes, told: str) -> None:
    with pytest.raises(DocumentError, match=told) as caught:
        read_list(content, name)
    assert caught.value.remedy
