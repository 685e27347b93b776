"""Readers of texts: Markdown and plain text, HTML, JATS and TEI; their bodies and paragraphs."""

from collections.abc import Callable

import pytest

from state.document import Document
from tools.documents.html import read_html
from tools.documents.markdown import read_markdown
from tools.documents.open_document import read_document
from tools.documents.plain_text import read_text
from tools.documents.structured_article import read_jats, read_tei
from tools.errors import DocumentError


def rows(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.section, block.text) for block in document.blocks]


MARKDOWN = """---
title: "On *Worms*"
author:
  - Ann Lee
  - name: Bo Wu
    email: bo@example.org
date: 2021-03-04
doi: 10.1234/worm
---

# Abstract

Worms dig.

# 1 Methods {#sec:methods .wide}

We **watch** [worms](http://example.org "t") in `soil_pot` and $a_1 * b_2$
all day.[^1]

[^1]: And night.

Tools
-----

* a spade,
  made of steel
* a _lamp_
1. light

```python
dig(worm)

# no heading
```

| worm | length |
|------|-------:|
| red  | 7 \\*  |

> Quoted words.

    indented code

$$
a = b
$$

<!-- secret
# secret -->
![A worm](worm.png)

## References

- Worm, A. 2001.
"""


def test_markdown_gives_front_matter_and_blocks_without_marks() -> None:
    kind, document = read_document(MARKDOWN.encode(), name="a.md")
    methods, tools = ("1 Methods",), ("1 Methods", "Tools")
    assert kind == "markdown"
    assert rows(document) == [
        ("abstract", ("Abstract",), "Worms dig."),
        ("text", methods, "We watch worms in soil_pot and $a_1 * b_2$ all day."),
        ("footnote", methods, "And night."),
        ("list", tools, "a spade, made of steel"),
        ("list", tools, "a lamp"),
        ("list", tools, "light"),
        ("code", tools, "dig(worm) # no heading"),
        ("table", tools, "worm | length ; red | 7 *"),
        ("text", tools, "Quoted words."),
        ("code", tools, "indented code"),
        ("equation", tools, "a = b"),
        ("reference", ("1 Methods", "References"), "Worm, A. 2001."),
    ]
    assert [author.name for author in document.authors] == ["Ann Lee", "Bo Wu"]
    assert (document.title, document.year, document.doi) == ("On *Worms*", 2021, "10.1234/worm")


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("***both*** and ~~gone~~", "both and gone"),
        (
            "see [text](ref) and [[note|shown]] and <http://a.b>",
            "see text and shown and http://a.b",
        ),
        ("``a ` b`` and \\*star\\*", "a ` b and *star*"),
        ("[`code`](x.html) and **`a*b`**", "code and a*b"),
        ("H<sub>2</sub>O", "H2O"),
    ],
)
def test_marks_are_taken_off(marked: str, plain: str) -> None:
    document = read_markdown(marked.encode(), name="a.md")
    assert [block.text for block in document.blocks] == [plain]


def text(content: str | bytes) -> Document:
    return read_text(content.encode() if isinstance(content, str) else content, name="a.txt")


def test_wrapped_text_is_joined_and_headings_make_sections() -> None:
    document = text(
        "Of Fish and Rivers\n\nAbstract\nFish swim in\nrivers.\n\n1 Introduction\n\nA river is\nlong. "
        "It is a well-\nknown fact that recog-\nnition is well-known.\n\n1.1 Banks\nBanks hold.\n\n"
        "II. RESULTS\n\nThe fish:\nswam.\n\nWHAT FOLLOWS\n============\n\nNothing.\n\n"
        "REFERENCES\n\n[1] Fish, A.\n2001.\n[2] Fish, B.\n[3] Fish, C.\n"
    )
    assert document.title == "Of Fish and Rivers"
    assert rows(document) == [
        ("abstract", ("Abstract",), "Fish swim in rivers."),
        (
            "text",
            ("1 Introduction",),
            "A river is long. It is a well-known fact that recognition is well-known.",
        ),
        ("text", ("1 Introduction", "1.1 Banks"), "Banks hold."),
        ("text", ("II. RESULTS",), "The fish: swam."),
        ("text", ("WHAT FOLLOWS",), "Nothing."),
        ("reference", ("REFERENCES",), "[1] Fish, A. 2001."),
        ("reference", ("REFERENCES",), "[2] Fish, B."),
        ("reference", ("REFERENCES",), "[3] Fish, C."),
    ]


def test_lines_that_are_paragraphs_are_not_joined() -> None:
    first, second = "Fish swim far. " * 20, "Rivers are long. " * 20
    document = text(f"Introduction\n{first}\n{second}\nHow We Fished\n{first}1\n")
    assert rows(document) == [
        ("text", ("Introduction",), first.strip()),
        ("text", ("Introduction",), second.strip()),
        ("text", ("How We Fished",), f"{first}1"),
    ]


def test_form_feeds_part_pages_but_no_words() -> None:
    document = text("Fish swim.\n\nA page of explo-\n\fration of fish.\n\f")
    assert document.pages == 2
    assert [(block.page, block.text) for block in document.blocks] == [
        (1, "Fish swim."),
        (1, "A page of exploration"),
        (2, "of fish."),
    ]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"]
)
def test_encodings_are_told_by_mark_or_by_trial(encoding: str) -> None:
    words = "Süße Äpfel – “überall” im naïven Café."
    content = words.encode(encoding)
    if encoding == "utf-16-le":
        content = b"\xff\xfe" + content
    assert [block.text for block in read_document(content, name="a.txt")[1].blocks] == [words]


def test_what_looks_like_headings_titles_and_fences_and_is_none() -> None:
    document = read_markdown(b"# Worms\n\nThey dig.\n\n## Where\n\nIn soil.\n", name="a.md")
    assert document.title == "Worms"  # the first heading, where front matter names none
    assert rows(document) == [("text", (), "They dig."), ("text", ("Where",), "In soil.")]
    document = read_markdown(b"One.\n\n```\ncode without end", name="a.md")
    assert rows(document) == [("text", (), "One."), ("code", (), "code without end")]
    assert rows(read_markdown(b"One.\n<!-- open", name="a.md")) == [("text", (), "One.")]
    assert read_markdown(b"---\ntitle: x\n\nno end of it", name="a.md").title is None
    listed = (
        "1. Wash the fish\n2. Dry the fish\n3. Look at it\n\n2 fish swam to us.\n\n1984 was wet\n"
    )
    assert [section for _, section, _ in rows(text(listed))] == [(), (), ()]
    assert rows(text("INTRODUCTION\n")) == [("text", (), "INTRODUCTION")]
    for reader in (read_text, read_markdown):
        with pytest.raises(DocumentError):
            reader(b" \n\t\n \xef\xbb\xbf", name="a.txt")


LATEXML = """<!DOCTYPE html><html><head><title>[2005.00001] Bees that Count</title>
<base href="/html/2005.00001v2/"></head><body>
<nav class="ltx_page_navbar"><a>Table of contents</a></nav>
<div class="ltx_page_main"><div class="ltx_page_content"><article class="ltx_document">
<h1 class="ltx_title ltx_title_document">Bees that Count<span class="ltx_note ltx_role_thanks"
><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer"><span class="ltx_note_content"
>Paid by nobody</span></span></span></h1>
<div class="ltx_authors"><span class="ltx_creator ltx_role_author"><span class="ltx_personname">Ann
Lee<br class="ltx_break">University of Nowhere</span></span><span class="ltx_creator"
><span class="ltx_personname">Bo de Vries</span></span></div>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6>
<p class="ltx_p">We let <math alttext="{\\displaystyle n^{2}}"><mi>n</mi></math> bees count.</p></div>
<section class="ltx_section"><h2 class="ltx_title ltx_title_section"><span class="ltx_tag"
>1 </span>Introduction</h2><div class="ltx_para"><p class="ltx_p">Bees fly<span class="ltx_note
ltx_role_footnote"><sup class="ltx_note_mark">2</sup><span class="ltx_note_outer"><span
class="ltx_note_content"><sup class="ltx_note_mark">2</sup><span class="ltx_tag ltx_tag_note">2</span>Most
of them.</span></span></span> far <cite>[<a href="#b1">1</a>]</cite>.</p></div>
<table class="ltx_equation ltx_eqn_table"><tr><td><math alttext="a=b+c"></math></td><td>(1)</td></tr></table>
<section class="ltx_subsection"><h3 class="ltx_title"><span class="ltx_tag">1.1 </span>Hives</h3>
<div class="ltx_para"><p class="ltx_p">A hive is a home.</p></div>
<div class="ltx_theorem"><h6 class="ltx_title ltx_runin ltx_title_theorem">Theorem 1.</h6><div
class="ltx_para"><p class="ltx_p">Bees exist.</p></div></div>
<figure class="ltx_table"><figcaption class="ltx_caption"><span class="ltx_tag">Table 1: </span>Sizes of
hives</figcaption><table class="ltx_tabular"><tr><td>small</td><td>3</td></tr><tr><td>large</td><td>5</td>
</tr></table></figure></section></section>
<section class="ltx_bibliography"><h2 class="ltx_title">References</h2><ul class="ltx_biblist"><li
class="ltx_bibitem"><span class="ltx_tag">[1]</span><span class="ltx_bibblock">A. Drone.</span><span
class="ltx_bibblock">On flight, 2001.</span></li></ul></section>
</article></div><footer class="ltx_page_footer">Made by a machine</footer></div></body></html>"""


def read(html: str | bytes) -> Document:
    content = html.encode() if isinstance(html, str) else html
    return read_html(content, name="a.html")


def test_latexml_gives_sections_formulas_notes_tables_and_references() -> None:
    document = read(LATEXML)
    intro, hives = ("1 Introduction",), ("1 Introduction", "1.1 Hives")
    assert rows(document) == [
        ("abstract", ("Abstract",), "We let n^{2} bees count."),
        ("text", intro, "Bees fly far [1]."),
        ("footnote", intro, "Most of them."),
        ("equation", intro, "a=b+c (1)"),
        ("text", hives, "A hive is a home."),
        ("text", hives, "Theorem 1. Bees exist."),
        ("caption", hives, "Table 1: Sizes of hives"),
        ("table", hives, "small | 3 ; large | 5"),
        ("reference", ("References",), "[1] A. Drone. On flight, 2001."),
    ]
    assert document.title == "Bees that Count"
    assert [author.name for author in document.authors] == ["Ann Lee", "Bo de Vries"]
    assert (document.abstract, document.arxiv) == ("We let n^{2} bees count.", "2005.00001")
    # Authors that cannot be told from affiliations are left out.
    assert read(LATEXML.replace("Bo de Vries", "Bo de Vries1, Hive Street 5")).authors == ()


HIDDEN = {
    "script": "<script>SECRET</script>",
    "script with a tag in it": "<script>var a = '<p>SECRET</p>';</script>",
    "style": "<style>SECRET{}</style>",
    "template": "<template><p>SECRET</p></template>",
    "navigation": "<nav><p>SECRET</p></nav>",
    "comment": "<!-- SECRET --><!-- <p>SECRET</p> -->",
    "hidden": "<p hidden>SECRET</p>",
    "hidden by style": '<p style="color:red; DISPLAY : none">SECRET</p>',
    "invisible": '<p>seen <span style="visibility:hidden">SECRET</span></p>',
    "of no size": '<p>seen <span style="font-size:0px">SECRET</span></p>',
    "hidden from readers aloud": '<div aria-hidden="true"><p>SECRET</p></div>',
    "noscript": "<noscript>SECRET</noscript>",
    "form": "<form><p>SECRET</p><button>SECRET</button></form>",
    "of the page": "<footer><p>SECRET</p></footer><header>SECRET</header>",
    "alternative text": '<img alt="SECRET" src="x"><iframe src="SECRET">SECRET</iframe>',
    "in a table": "<table><tr><td>a</td><td hidden>SECRET</td></tr><tr hidden><td>b</td></tr></table>",
    "in a heading": '<h2>Seen<span class="sr-only">SECRET</span></h2><p>more</p>',
}


@pytest.mark.parametrize("html", HIDDEN.values(), ids=HIDDEN.keys())
def test_what_nobody_sees_is_no_text(html: str) -> None:
    document = read(f"<html><body><p>Before.</p>{html}<p>After.</p></body></html>")
    assert "SECRET" not in document.model_dump_json()
    assert (document.blocks[0].text, document.blocks[-1].text) == ("Before.", "After.")


def test_any_article_has_headings_lists_captions_code_and_references() -> None:
    document = read(
        """<html lang=en><head><meta name="citation_title" content="On Ants">
        <meta name="citation_author" content="Lee, Ann"><meta name="citation_author" content="Wu, Bo">
        <meta name="citation_publication_date" content="2019/05/02">
        <meta name="citation_journal_title" content="Journal of Small Things">
        <meta name="citation_doi" content="https://doi.org/10.1234/ABC.5"></head><body>
        <div class=menu><a>Home</a></div><article><h1>On Ants</h1><h2>Abstract</h2><p>Ants walk.</p>
        <h2>Methods</h2><p>We <b>watch</b>ed H<sub>2</sub>O.<br>Twice.</p><ul><li>one ant<li>two ants</ul>
        loose words<figure><img src=x><figcaption>Figure 1. An ant.</figcaption></figure>
        <h3>Tools</h3><pre>walk(ant)
  return</pre><h2>References</h2><ol><li>Ant, A. 2001.</li><li>Ant, B. 2002.</li></ol>
        <h2>Appendix</h2><p>More.</p></article></body></html>"""
    )
    assert rows(document) == [
        ("abstract", ("Abstract",), "Ants walk."),
        ("text", ("Methods",), "We watched H2O. Twice."),
        ("list", ("Methods",), "one ant"),
        ("list", ("Methods",), "two ants"),
        ("text", ("Methods",), "loose words"),
        ("caption", ("Methods",), "Figure 1. An ant."),
        ("code", ("Methods", "Tools"), "walk(ant) return"),
        ("reference", ("References",), "Ant, A. 2001."),
        ("reference", ("References",), "Ant, B. 2002."),
        ("text", ("Appendix",), "More."),
    ]
    assert (document.title, document.year, document.doi) == ("On Ants", 2019, "10.1234/abc.5")
    assert (document.venue, document.abstract) == ("Journal of Small Things", "Ants walk.")
    assert [author.name for author in document.authors] == ["Lee, Ann", "Wu, Bo"]


def test_letters_are_read_in_the_encoding_that_the_page_names() -> None:
    page = '<meta charset="iso-8859-1"><p>Müller naïve</p>'.encode("latin-1")
    assert read(page).blocks[0].text == "Müller naïve"
    assert read("<p>Müller – naïve</p>").blocks[0].text == "Müller – naïve"
    assert read("<p>Müller</p>".encode("utf-16")).blocks[0].text == "Müller"


def test_layout_tables_formulas_and_broken_markup_are_read_as_text() -> None:
    document = read("<table><tr><td><h2>Left</h2><p>One.</p></td><td><p>Two.</p></td></tr></table>")
    assert rows(document) == [("text", ("Left",), "One."), ("text", ("Left",), "Two.")]
    html = (
        "<p>so <math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation>"
        "</semantics></math> and <math><mi>y</mi><mo>+</mo><mn>1</mn></math></p>"
    )
    assert read(html).blocks[0].text == "so x_1 and y + 1"
    broken = read("<p>One\0 word<div><b>Two</p><h2>Head<p>Three &nbsp;&eacute;<td>Four")
    assert " ".join(block.text for block in broken.blocks) == "One word Two Three é Four"


def test_nesting_without_end_and_large_scripts_do_not_cost_the_text_before_them() -> None:
    deep = read("<p>Before.</p>" + "<div>" * 5000 + "deep" + "</div>" * 5000 + "<p>After.</p>")
    assert deep.blocks[0].text == "Before."
    data = "A" * 11_000_000
    html = f'<p>One.</p><img src="data:image/png;base64,{data}"><script>{data}</script><p>Two.</p>'
    document = read(html)
    assert [block.text for block in document.blocks] == ["One.", "Two."]
    assert document.unread == ()
    with pytest.raises(DocumentError, match="no text that a browser would show") as caught:
        read("<html><body><script>fill()</script></body></html>")
    assert "PDF" in caught.value.remedy


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
    assert read_jats(f"{head}{body}".encode(), name="a.xml").blocks[0].text == "Calm text."


def test_jats_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    cut = JATS[: JATS.index("A pond holds") + 12].encode()
    document = read_jats(cut, name="a.xml")
    assert (document.blocks[-1].text, document.title) == ("A pond holds", "Frogs at night")


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


FERN = "<author><persName><forename>Cleo</forename><surname>Fern</surname></persName></author>"
GROUP = "<author>The Bog Group</author>"


def tei_read(entries: list[str], body: str = "<p>Snails.</p>") -> list[str]:
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
    assert tei_read([entry])[1:] == [text]


def test_entry_that_was_not_taken_apart_is_as_printed() -> None:
    raw = '<monogr><imprint/></monogr><note type="raw_reference">Fern, C. Slow things (1999)</note>'
    assert tei_read([raw])[1:] == ["Fern, C. Slow things (1999)"]


def test_entries_that_are_cited_by_number_have_their_numbers_again() -> None:
    body = (
        '<p>Slow <ref type="bibr" target="#b1">[7]</ref>, slower '
        '<ref type="bibr" target="#b0">[6,</ref><ref type="bibr" target="#b1">7]</ref>.</p>'
    )
    assert tei_read([work("Slow things"), work("Quick things"), work("No things")], body) == [
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
    texts = tei_read([work("Slow things"), work("Quick things")], body)
    assert texts[1:] == ["Cleo Fern. (2011). Slow things.", "Cleo Fern. (2011). Quick things."]
