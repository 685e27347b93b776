"""HTML of LaTeXML and of anybody else; every text here is made up."""

import pytest

from state.document import Document
from tools.documents.html import read_html
from tools.errors import DocumentError

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


def rows(document: Document) -> list[tuple[str, tuple[str, ...], str]]:
    return [(block.kind, block.section, block.text) for block in document.blocks]


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
    assert document.abstract == "We let n^{2} bees count."
    assert document.arxiv == "2005.00001"
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
    assert document.blocks[0].text == "Before."
    assert document.blocks[-1].text == "After."


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
