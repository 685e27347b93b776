"""tools/bibliography/citation_style.py: styles are found, read and refused with words that help."""

from pathlib import Path

import pytest

from tools.bibliography.citation_style import (
    VENDORED,
    is_path,
    named_style,
    open_style,
    read_style,
)
from tools.errors import InputError

STYLE = """<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>A  small
  style</title><id>http://example.org/small</id>{category}</info>
  <citation><layout prefix="(" suffix=")">{cite}</layout></citation>
  <bibliography><layout suffix="."><text variable="title"/></layout></bibliography>
</style>
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "small.csl"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [*VENDORED, "", " IEEE "])
def test_styles_that_come_with_citeloom_are_there_with_their_licence(name: str) -> None:
    style = named_style(name)
    assert style.by_author == (style.name != "ieee")
    assert b"creativecommons.org/licenses/by-sa/3.0" in style.source
    assert style.title


@pytest.mark.parametrize("name", ["../apa", "/etc/passwd", "apa.csl", "a b", "x\\y", "été"])
def test_node_can_name_a_style_and_no_file(name: str) -> None:
    with pytest.raises(InputError, match="on the command line only"):
        named_style(name)


def test_style_that_is_not_here_says_how_to_get_it() -> None:
    with pytest.raises(InputError, match=r"citeloom\[styles\]|no citation style is named"):
        named_style("journal-of-nothing-at-all")


def test_file_is_read_where_a_path_is_given(tmp_path: Path) -> None:
    path = written(tmp_path, STYLE.format(category="", cite='<text variable="title"/>'))
    assert open_style(str(path)).title == "A small style"
    assert open_style("apa") == named_style("apa")
    assert [is_path(text) for text in ("apa", "x.csl", "a/b", "B.CSL")] == [False, True, True, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<style", "not well-formed"),
        ("", "not well-formed"),
        ("<html/>", "no CSL style"),
        (STYLE.replace("citation>", "quotation>"), "does not say how to cite"),
        ('<!DOCTYPE style [<!ENTITY a "b">]>' + STYLE.partition("?>")[2], "entities"),
    ],
)
def test_what_is_no_style_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_style(written(tmp_path, text))


def test_file_that_is_missing_or_huge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_style(tmp_path / "none.csl")
    (tmp_path / "huge.csl").write_bytes(b" " * 2_000_001)
    with pytest.raises(InputError, match="too large"):
        read_style(tmp_path / "huge.csl")


@pytest.mark.parametrize(
    ("category", "cite", "by_author"),
    [
        ("author-date", '<text variable="title"/>', True),
        ("author-date", '<text variable="citation-number"/>', False),
        ("note", '<text variable="title"/>', False),
        ("label", '<text variable="citation-label"/>', False),
        ("", '<text variable="title"/>', True),
    ],
)
def test_style_cites_by_author_where_it_says_so_and_prints_no_numbers(
    tmp_path: Path, category: str, cite: str, by_author: bool
) -> None:
    tag = f'<category citation-format="{category}"/>' if category else ""
    path = written(tmp_path, STYLE.format(category=tag, cite=cite))
    assert read_style(path).by_author == by_author


DEPENDENT = """<style xmlns="http://purl.org/net/xbiblio/csl" version="1.0" default-locale="de-DE">
<info><title>Child</title><link href="http://www.zotero.org/styles/{parent}" rel="independent-parent"/>
</info></style>"""


def test_dependent_style_is_its_parent_in_its_own_language(tmp_path: Path) -> None:
    style = read_style(written(tmp_path, DEPENDENT.format(parent="apa")))
    assert (style.title, style.by_author) == ("Child", True)
    assert b'default-locale="de-DE"' in style.xml
    with pytest.raises(InputError, match="only points to the style 'not-here-at-all'"):
        read_style(written(tmp_path, DEPENDENT.format(parent="not-here-at-all")))
