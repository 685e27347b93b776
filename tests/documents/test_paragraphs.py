"""Tests of whole paragraphs with their citations, and of documents rebuilt from a library's text."""

from state.bibliography import Bibliography, InTextCitation
from state.document import Block, Document, DocumentEntry
from tools.documents.cut_passages import cut_passages
from tools.documents.paragraphs import paragraphs_of, rebuilt
from tools.references.read_bibliography import read_bibliography

PAPER = "doi:10.5555/owls"
LONG = (
    "Barn owls find voles in the dark by ear alone, as was shown in barns without any light [1]. Their "
    "ears stand at different heights, which tells them the height of a sound in the meadow below [2]."
)
BLOCKS = (
    Block(text="We tell how owls hear.", kind="abstract", page=1),
    Block(text=LONG, section=("1 Hearing",), page=1),
    Block(text="See [1].", section=("1 Hearing",), page=1),
    Block(text="12 31 44 57 68 71 93 17 20 10 8", section=("1 Hearing",), page=2),
    Block(
        text="Table 1: Owls and voles by month of the year.", section=("1 Hearing",), kind="caption"
    ),
    Block(text=LONG.replace("Barn owls", "Long-eared owls"), section=("2 More",), page=2),
    Block(text=LONG, section=("2 More",), page=3),
    Block(text="[1] A. Lind. 2015. Barns without light. Birds 4.", kind="reference", page=3),
    Block(text="[2] B. Holm. 2018. The height of a sound. Birds 7.", kind="reference", page=3),
    Block(text="[3] C. Moss. 2020. Two listeners. Birds 9.", kind="reference", page=3),
)
DOCUMENT = Document(blocks=BLOCKS, pages=3, reader="test 1")


ENTRY = DocumentEntry(sha256="0" * 64, paper=PAPER, name="owls.pdf", kind="pdf", reader="test 1")


def test_paragraphs_are_whole_numbered_placed_and_have_their_citations() -> None:
    place = LONG.index("[1]")
    cited = InTextCitation(
        block=1, start=place, end=place + 3, text="[1]", style="number", entries=(0,), unlinked=()
    )
    found = paragraphs_of(DOCUMENT, Bibliography(citations=(cited,)), PAPER)
    assert [item.text for item in found] == [BLOCKS[0].text, LONG, BLOCKS[5].text]
    assert [item.number for item in found] == [1, 2, 3]
    assert found[0].section == ("Abstract",)
    assert found[1].place == "1 Hearing, p. 1, paragraph 2"
    (citation,) = found[1].citations
    assert found[1].text[citation.start : citation.end] == "[1]"
    assert found[0].citations == found[2].citations == ()
    other = paragraphs_of(DOCUMENT, Bibliography(), "doi:10.5/x")
    assert not {item.id for item in found} & {item.id for item in other}


def test_document_of_a_library_gets_its_blocks_and_references_back() -> None:
    passages = cut_passages(DOCUMENT, paper=PAPER, title="Owls", sha256="0" * 64)
    again = rebuilt(ENTRY, DOCUMENT.text, passages)
    assert [block.text for block in again.blocks] == [block.text for block in BLOCKS]
    assert [block.kind for block in again.blocks[-3:]] == ["reference"] * 3
    assert again.blocks[1].section == ("1 Hearing",)
    assert again.blocks[5].page == 2
    bibliography = read_bibliography(again)
    assert [item.label for item in bibliography.entries] == ["1", "2", "3"]
    paragraphs = paragraphs_of(again, bibliography, PAPER)
    (long,) = [item for item in paragraphs if item.text == LONG]
    assert [item.entries for item in long.citations] == [(0,), (1,)]
    numbers = Document(
        blocks=(BLOCKS[1], Block(text="1993 1994 " * 40, kind="table")), reader="test 1"
    )
    kept = cut_passages(numbers, paper=PAPER, title="Owls", sha256="0" * 64)
    assert rebuilt(ENTRY, numbers.text, kept).blocks[1].kind == "table"
