"""Markdown and plain text."""

import pytest

from state.document import Document
from tools.documents.markdown import read_markdown
from tools.documents.open_document import read_document
from tools.documents.plain_text import read_text
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
