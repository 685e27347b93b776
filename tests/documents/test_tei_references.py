"""Entries of lists of references in TEI; every text is made up."""

import pytest

from tools.documents.structured_article import read_tei

FERN = "<author><persName><forename>Cleo</forename><surname>Fern</surname></persName></author>"
GROUP = "<author>The Bog Group</author>"


def read(entries: list[str], body: str = "<p>Snails.</p>") -> list[str]:
    """Return the texts of a document with these entries; of its references without a body."""
    listed = "".join(
        f'<biblStruct xml:id="b{number}">{entry}</biblStruct>'
        for number, entry in enumerate(entries)
    )
    tei = (
        f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/><text><body><div>{body}</div></body>'
        f'<back><div type="references"><listBibl>{listed}</listBibl></div></back></text></TEI>'
    )
    document = read_tei(tei.encode(), name="a.xml")
    return [block.text for block in document.blocks]


def work(title: str, authors: str = FERN, year: str = "2011") -> str:
    return (
        f'<monogr>{authors}<title level="m">{title}</title><imprint><date when="{year}"/></imprint>'
        "</monogr>"
    )


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (work("Slow things"), "Cleo Fern. (2011). Slow things."),
        (work("Are snails slow?"), "Cleo Fern. (2011). Are snails slow?"),
        (work("Slow things", GROUP, "2011-02-03"), "The Bog Group. (2011). Slow things."),
        (work("Slow things", ""), "(2011). Slow things."),
        (
            work("Slow things") + "<note>Bog Press</note>",
            "Cleo Fern. (2011). Slow things. Bog Press.",
        ),
        (
            work("Slow things") + '<idno type="arXiv">arXiv:1101.00001[q-bio]</idno>',
            "Cleo Fern. (2011). Slow things. arXiv:1101.00001",
        ),
        (
            work("Slow things") + '<idno type="DOI">https://doi.org/10.5555/A.b</idno>',
            "Cleo Fern. (2011). Slow things. doi:10.5555/a.b",
        ),
        (
            work("Slow things") + '<ptr target="https://bog.example/slow"/>',
            "Cleo Fern. (2011). Slow things. https://bog.example/slow",
        ),
    ],
)
def test_entry_is_one_line_in_the_usual_order(entry: str, text: str) -> None:
    assert read([entry])[1:] == [text]


def test_entry_that_was_not_taken_apart_is_as_printed() -> None:
    raw = '<monogr><imprint/></monogr><note type="raw_reference">Fern, C. Slow things (1999)</note>'
    assert read([raw])[1:] == ["Fern, C. Slow things (1999)"]


def test_entries_that_are_cited_by_number_have_their_numbers_again() -> None:
    body = (
        '<p>Slow <ref type="bibr" target="#b1">[7]</ref>, slower '
        '<ref type="bibr" target="#b0">[6,</ref><ref type="bibr" target="#b1">7]</ref>.</p>'
    )
    assert read([work("Slow things"), work("Quick things"), work("No things")], body) == [
        "Slow [7], slower [6, 7].",
        "[6] Cleo Fern. (2011). Slow things.",
        "[7] Cleo Fern. (2011). Quick things.",
        "[3] Cleo Fern. (2011). No things.",
    ]


def test_entries_that_are_cited_by_name_have_no_numbers() -> None:
    body = (
        '<p>Slow <ref type="bibr" target="#b0">(Fern, 2011)</ref>, as in '
        '<ref type="bibr" target="#b0">Fern (2011)</ref>, page <ref type="bibr" target="#b1">7</ref>.</p>'
    )
    texts = read([work("Slow things"), work("Quick things")], body)
    assert texts[1:] == ["Cleo Fern. (2011). Slow things.", "Cleo Fern. (2011). Quick things."]
