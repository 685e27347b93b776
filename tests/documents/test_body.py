"""tools/documents/body.py: which passages are a paper's own text, and on which page each begins."""

from state.document import JOINT
from state.passage import OF_ANNOTATION, OF_RECORD, Passage
from tests.pdf.papers import REFERENCES, RUNNING
from tests.pdf.papers import paper as rivers
from tools.documents.body import body_of, on_pages
from tools.documents.cut_passages import cut_passages
from tools.documents.open_document import read_document
from tools.references.read_bibliography import entries_at_end

PROSE = "Smith (2010) weighed silt in winter. It was cold, and few went with him to the valley."
ENTRIES = (
    "Lind, A. and Reyes, O. 2015. Counting silt by hand in small valleys. Silt 4, 1-12.",
    "Holm, B. 2018. Charcoal as a clock for those without ash. Journal of Embers 7, 33-41.",
    "[3] Anna Brook, Tom Ford. Rivers and their memory. In Proceedings of Rivers, 2019.",
    "Valley Office",
    "Moss, C. and Orr, D. (2020). Two people dig better than one. Spades, 3(1), 5-9.",
)


def passage(text: str, *section: str, document: str = "f", start: int = 0) -> Passage:
    return Passage(
        id=str(start),
        paper="doi:10.1/x",
        title="Silt",
        section=section,
        start=start,
        end=start + len(text),
        text=text,
        document=document,
    )


def test_records_annotations_and_lists_under_a_heading_are_no_text() -> None:
    kept = passage(PROSE, "1 Results")
    others = [
        passage("Rivers keep traces.", "Abstract", document=""),
        passage("On rivers.", *OF_ANNOTATION, document=""),
        passage("A record.", *OF_RECORD, document=""),
        passage(ENTRIES[0], "References"),
        passage(ENTRIES[1], "A Further Things", "Literaturverzeichnis"),
    ]
    assert body_of([*others, kept]) == [kept]


def test_entries_are_cut_out_of_the_passage_that_they_share_with_prose() -> None:
    text = JOINT.join([PROSE, ENTRIES[0], ENTRIES[1], "The end of it all."])
    parts = body_of([passage(text, "5 End", start=100)], ENTRIES)
    assert [part.text for part in parts] == [PROSE, "The end of it all."]
    assert [text[part.start - 100 : part.end - 100] for part in parts] == [
        PROSE,
        "The end of it all.",
    ]


def test_list_without_a_heading_is_known_by_its_entries_at_the_end_of_the_text() -> None:
    assert set(ENTRIES) - {*entries_at_end([PROSE, "It rained.", *ENTRIES])} == {"Valley Office"}
    assert entries_at_end([*ENTRIES, "It rained.", "It snowed."]) == []
    assert entries_at_end([PROSE, "It rained.", ENTRIES[0], ENTRIES[1]]) == []


def test_pdf_gives_neither_its_list_nor_its_running_head_and_each_passage_its_page() -> None:
    _, document = read_document(rivers(), name="rivers.pdf")
    passages = body_of(cut_passages(document, paper="doi:10.1/x", title="Rivers", sha256="0" * 64))
    found = on_pages(passages, document)
    text = "\n".join(item.text for item in found)
    assert not any(entry[4:30] in text for entry in (*REFERENCES, RUNNING))
    assert len(found) > len(passages) > 0
    for item in found:
        assert document.text[item.start : item.end] == item.text
    said = {f"In year {number} the floods": number for number in (2, 3, 4)}
    pages = {words: {item.page for item in found if item.text.startswith(words)} for words in said}
    assert pages == {words: {page} for words, page in said.items()}
    assert on_pages(passages, None) == passages
