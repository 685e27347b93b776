"""The benchmark of the PDF reader, on papers made for the tests."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.pdf.measures import (
    Context,
    Share,
    Work,
    by_sentence,
    headings,
    is_right,
    paired,
    truth_of,
)
from evals.pdf_extraction import main
from state.bibliography import Bibliography, InTextCitation, ReferenceEntry
from state.document import Block, Document
from tests.pdf import papers

PAPER = papers.paper()
SECOND = "Where the ash is missing, it can be replaced by charcoal of known age [2]."
THIRD = "and their counts were compared at the end of the season [1, 3]."
TRUTH: dict[str, Any] = {
    "file": "set/rivers.pdf", "title": papers.TITLE,
    "citation_style": "numbered", "n_references": 3,
    "references": [
        {"label": "1", "id": "10.5555/99", "title": "Counting silt by hand in small valleys"},
        {"label": "2", "id": "https://embers.example", "title": None},
        {"label": "3", "id": "10.5555/12345678", "title": None},
    ],
    "sections": [
        {"heading": "1 Introduction", "text": papers.OPENING}, {"heading": "2 Method", "text": papers.METHOD},
    ],
    "contexts": [
        {"text": SECOND, "cites": [["2"]]},
        {"text": "It needs a spade, a ruler and a steady hand. " + SECOND, "cites": [[], ["2"]]},
        {"text": THIRD, "cites": [["1", "3"]]},
    ],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "rivers.pdf").write_bytes(PAPER)
    (tmp_path / "truth.jsonl").write_text(json.dumps(TRUTH) + "\n", encoding="utf-8")
    return tmp_path


def document(*texts: str, section: str = "1 Rivers") -> Document:
    blocks = tuple(Block(text=text, section=(section,)) for text in texts)
    return Document(blocks=blocks, reader="hand 1")


def entry(place: int, text: str, **more: Any) -> ReferenceEntry:
    return ReferenceEntry(place=place, text=text, **more)


def cited(start: int, end: int, *entries: int, unlinked: tuple[str, ...] = ()) -> InTextCitation:
    return InTextCitation(
        block=0,
        start=start,
        end=end,
        text="[n]",
        style="number",
        entries=entries,
        unlinked=unlinked,
    )


def test_paper_that_is_read_well_has_full_marks_and_one_that_is_not_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "set" / "bad.pdf").write_bytes(b"%PDF-1.4")
    bad = json.dumps({**TRUTH, "file": "set/bad.pdf"})
    (folder / "truth.jsonl").write_text(f"{bad}\n{json.dumps(TRUTH)}\n", encoding="utf-8")
    main(folder)
    shown = capsys.readouterr()
    line = next(line for line in shown.out.splitlines() if line.startswith("| rivers.pdf"))
    assert "| 1/1 | 0.57 | 3/3 |" in line  # the truth has two of its headings
    assert "| 3/3 (1.000) | 2/2 (1.000) | 4/4 (1.000) | 4/4 (1.000) |" in line
    assert "| citations known |" in shown.out
    assert "set/bad.pdf: set/bad.pdf is damaged" in shown.err


def test_headings_count_without_their_numbers() -> None:
    found = Document(
        blocks=(
            Block(text="a", section=("1. Rivers",)),
            Block(text="b", section=("1. Rivers", "1.1 Banks")),
            Block(text="c", section=("Fig. 3",)),
            Block(text="d", section=("References",)),
        ),
        reader="hand 1",
    )
    assert headings(found, ["Rivers", "Banks", "Floods", "References"]) == (0.5, 2 / 3)
    assert headings(found, []) is None


@pytest.mark.parametrize(
    ("found", "work", "right"),
    [
        (
            entry(0, "x", title="Counting silt by hand"),
            Work("1", "", "Counting Silt by Hand."),
            True,
        ),
        (entry(0, "x", title="Silt: a survey"), Work("1", "", "Silt"), True),
        (entry(0, "x", title="Counting sand"), Work("1", "", "Silt in small valleys"), False),
        (entry(0, "x doi:10.5/ab", doi="10.5/AB"), Work("1", "10.5/ab", ""), True),
        (entry(0, "x doi:10.5/ab"), Work("1", "10.5/ab", ""), False),
        (entry(0, "x"), Work("1", "10.5/ab", ""), None),
        (
            entry(0, "x arXiv:2101.01234", arxiv="2101.01234v2"),
            Work("1", "https://arxiv.org/abs/2101.01234", ""),
            True,
        ),
        (
            entry(0, "x https://silt.example/a", url="https://silt.example/a"),
            Work("1", "http://www.silt.example/a/", ""),
            True,
        ),
        (None, Work("1", "", "Silt"), False),
        (None, Work("1", "10.5/ab", ""), None),
    ],
)
def test_entry_is_right_by_its_title_or_printed_id(
    found: ReferenceEntry | None, work: Work, right: bool | None
) -> None:
    assert is_right(found, work) is right


def test_entries_are_paired_by_label_or_by_title_each_once(tmp_path: Path) -> None:
    by_label = truth_of(TRUTH, tmp_path)
    list_ = [
        entry(0, "Silt.", label="1"),
        entry(1, "Ash.", label="[3]"),
        entry(2, "Sand.", label="9"),
    ]
    assert {key: one.place for key, one in paired(list_, by_label).items()} == {"1": 0, "3": 1}
    works = [{"label": key, "id": None, "title": "Counting silt by hand"} for key in ("a", "b")]
    named = truth_of({**TRUTH, "citation_style": "author-year", "references": works}, tmp_path)
    list_ = [entry(0, "Lind. 2015. Counting silt by hand. Silt 4."), entry(1, "Silt.")]
    assert {key: one.place for key, one in paired(list_, named).items()} == {"a": 0}


def test_links_are_compared_sentence_by_sentence() -> None:
    text = "Silt lies in layers [1]. Ash lies above the silt [2]. Nobody cites this third sentence."
    entries = tuple(entry(place, "x", label=str(place + 1)) for place in range(3))
    list_ = Bibliography(entries=entries, citations=(cited(20, 23, 0), cited(49, 52, 2)))
    context = Context(text, (("1",), ("2",), ()))
    assert by_sentence(document(text), list_, [context]) == (Share(1, 2), Share(1, 2))
    elsewhere = Context(text, (("1",), ("2",)))  # two sentences in the truth, three here
    assert by_sentence(document(text), list_, [elsewhere])[0] == Share(1, 2)
    unknown = Context("No such sentence stands in the paper at all [1].", (("1",),))
    assert by_sentence(document(text), list_, [unknown])[0] == Share(0, 1)
