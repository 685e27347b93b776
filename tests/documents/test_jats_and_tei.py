"""XML of publishers and of GROBID; every text here is made up."""

from collections.abc import Callable

import pytest

from state.document import Document
from tools.documents.open_document import read_document
from tools.documents.structured_article import read_jats, read_tei
from tools.errors import DocumentError

JATS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2 20190208//EN" "JATS.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink"
 article-type="research-article"><front><journal-meta><journal-title-group><journal-title>Journal of
 Ponds</journal-title></journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="pmid">1</article-id><article-id pub-id-type="doi">10.1234/pond.7</article-id>
<title-group><article-title>Frogs <italic>at</italic> night<xref ref-type="fn">*</xref></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Lee</surname><given-names>Ann B</given-names>
</name></contrib><contrib contrib-type="author"><collab>The Pond Group</collab></contrib>
<contrib contrib-type="editor"><name><surname>Boss</surname></name></contrib></contrib-group>
<pub-date pub-type="epub"><year>2018</year></pub-date><pub-date pub-type="ppub"><year>2019</year></pub-date>
<abstract><sec><title>Background</title><p>Frogs croak.</p></sec><sec><title>Results</title><p>Loudly.</p></sec>
</abstract><abstract abstract-type="graphical"><p>A picture</p></abstract></article-meta></front>
<body><sec id="s1"><label>1.</label><title>Introduction</title><p>Frogs are <bold>green</bold>
[<xref ref-type="bibr">1</xref>], about 5&#160;cm &alpha; &unknown; long: <inline-formula><alternatives>
<tex-math>\\documentclass{minimal}\\begin{document}$$x^2$$\\end{document}</tex-math><mml:math><mml:mi>x</mml:mi>
</mml:math></alternatives></inline-formula>.<list list-type="bullet"><list-item><p>wet</p></list-item>
<list-item><p>loud</p></list-item></list>They jump.</p>
<sec><title>Ponds</title><p>A pond holds water.</p><fig id="f1"><label>Figure 1</label><caption><p>A frog.</p>
</caption><graphic xlink:href="f1.jpg"/></fig><table-wrap><label>Table 1</label><caption><title>Counts</title>
</caption><table><thead><tr><th>pond</th><th>frogs</th></tr></thead><tbody><tr><td>east</td><td>12</td></tr>
</tbody></table></table-wrap><disp-formula><label>(1)</label><mml:math alttext="a=b"><mml:mi>a</mml:mi>
</mml:math></disp-formula></sec></sec></body><back><ack><p>We thank the frogs.</p></ack><ref-list><title>References
</title><ref id="r1"><label>1</label><element-citation><person-group><name><surname>Toad</surname>
<given-names>T</given-names></name></person-group><article-title>On croaking</article-title><year>2001</year>
</element-citation></ref></ref-list></back></article>"""


def rows(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.section, block.text) for block in document.blocks]


def test_jats_gives_its_record_and_its_sections() -> None:
    kind, document = read_document(JATS.encode(), name="a.xml")
    intro, ponds = ("1. Introduction",), ("1. Introduction", "Ponds")
    assert kind == "jats"
    assert rows(document) == [
        ("abstract", ("Abstract",), "Background: Frogs croak."),
        ("abstract", ("Abstract",), "Results: Loudly."),
        ("text", intro, "Frogs are green [1], about 5 cm α long: x^2."),
        ("list", intro, "wet"),
        ("list", intro, "loud"),
        ("text", intro, "They jump."),
        ("text", ponds, "A pond holds water."),
        ("caption", ponds, "Figure 1 A frog."),
        ("caption", ponds, "Table 1 Counts"),
        ("table", ponds, "pond | frogs ; east | 12"),
        ("equation", ponds, "(1) a=b"),
        ("text", ("Acknowledgements",), "We thank the frogs."),
        ("reference", ("References",), "1 T. Toad. (2001). On croaking."),
    ]
    assert document.title == "Frogs at night"
    assert [author.name for author in document.authors] == ["Lee, Ann B", "The Pond Group"]
    assert (document.year, document.venue, document.doi) == (
        2018,
        "Journal of Ponds",
        "10.1234/pond.7",
    )


def test_entities_of_a_file_are_never_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<?xml version="1.0"?><!DOCTYPE article [<!ENTITY l0 "HA">{laughs}]>'
    body = '<article><front/><body><sec><title>T&l9;</title><p a="&l9;">Calm &l9; text.</p></sec></body></article>'
    _, document = read_document(f"{bomb}{body}".encode(), name="a.xml")
    assert document.blocks[0].text == "Calm text."
    assert "HA" not in document.model_dump_json()


@pytest.mark.parametrize("kind", ['SYSTEM "file:///etc/hostname"', 'SYSTEM "http://127.0.0.1:9/x"'])
def test_files_and_addresses_named_by_entities_are_never_opened(kind: str) -> None:
    head = f"<!DOCTYPE article [<!ENTITY own {kind}> <!-- > ] --> <!ENTITY % p {kind}> %p;]>"
    body = "<article><front/><body><p>Calm &own; text.</p></body></article>"
    document = read_jats(f"{head}{body}".encode(), name="a.xml")
    assert document.blocks[0].text == "Calm text."


def test_jats_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    cut = JATS[: JATS.index("A pond holds") + 12].encode()
    document = read_jats(cut, name="a.xml")
    assert document.blocks[-1].text == "A pond holds"
    assert document.title == "Frogs at night"


def test_xml_nested_without_end_is_said() -> None:
    deep = "<sec>" * 3000 + "<p>deep</p>" + "</sec>" * 3000
    text = f"<article><front/><body><p>Before.</p>{deep}</body></article>"
    _, document = read_document(text.encode(), name="a.xml")
    assert document.blocks[0].text == "Before."
    assert document.unread


TEI = """<?xml version="1.0" encoding="UTF-8"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>
<titleStmt><title level="a" type="main">Moss on stones</title></titleStmt><publicationStmt><date when="2017-03-01"/>
</publicationStmt><sourceDesc><biblStruct><analytic><author><persName><forename type="first">Ann</forename>
<surname>Lee</surname></persName><affiliation>Nowhere</affiliation></author></analytic><monogr><title>Moss Letters
</title></monogr><idno type="DOI">10.1234/moss</idno><idno type="arXiv">arXiv:1703.00001v2[cs.CL]</idno></biblStruct>
</sourceDesc></fileDesc><profileDesc><abstract><div><p>Moss grows.</p></div></abstract></profileDesc></teiHeader>
<text><body><div><head n="1" coords="1,50,60,10,10">Stones</head><p>Stones are hard <ref>[1]</ref>.</p></div>
<div><head n="1.1" coords="2,50,60,10,10">Wet ones</head><p>Wet stones shine.</p><formula>a = b</formula></div>
<div><head>Closing</head><p>That is all.</p></div><figure><head>Figure 1</head><figDesc>A stone.</figDesc></figure>
<figure type="table"><head>Table 1</head><table><row><cell>a</cell><cell>1</cell></row></table></figure></body>
<back><div type="references"><listBibl><biblStruct><analytic><title>On rain</title><author><persName>
<forename>T</forename><surname>Cloud</surname></persName></author></analytic></biblStruct></listBibl></div></back>
</text></TEI>"""


def test_tei_of_grobid_gives_numbered_sections_and_pages() -> None:
    kind, document = read_document(TEI.encode(), name="a.tei.xml")
    assert kind == "tei"
    assert rows(document) == [
        ("abstract", ("Abstract",), "Moss grows."),
        ("text", ("1 Stones",), "Stones are hard [1]."),
        ("text", ("1 Stones", "1.1 Wet ones"), "Wet stones shine."),
        ("equation", ("1 Stones", "1.1 Wet ones"), "a = b"),
        ("text", ("Closing",), "That is all."),
        ("caption", (), "Figure 1 A stone."),
        ("caption", (), "Table 1"),
        ("table", (), "a | 1"),
        ("reference", ("References",), "T. Cloud. On rain."),
    ]
    assert [author.name for author in document.authors] == ["Lee, Ann"]
    assert (document.title, document.year, document.venue) == (
        "Moss on stones",
        2017,
        "Moss Letters",
    )
    assert (document.doi, document.arxiv) == ("10.1234/moss", "1703.00001")


@pytest.mark.parametrize("read", [read_jats, read_tei])
def test_bare_record_without_text_is_refused(read: Callable[..., Document]) -> None:
    record = b"<TEI><article><front><article-meta/></front></article><text><body/></text></TEI>"
    with pytest.raises(DocumentError, match="neither abstract nor text") as caught:
        read(record, name="a.xml")
    assert "full text" in caught.value.remedy
