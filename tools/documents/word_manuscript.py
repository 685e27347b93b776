"""A manuscript of Word as Markdown, as `verify` and `revise` take a text."""

import zipfile
from collections.abc import Iterator
from io import BytesIO

from state.document import Document
from state.paper import Paper
from tools.documents.docx import read_docx
from tools.documents.word_fields import CitingWordFile, with_keys

_MARKS = str.maketrans({char: f"\\{char}" for char in "*_`<\\#"})


def read_word(content: bytes, *, name: str, plain: bool = False) -> tuple[str, list[Paper]]:
    """Return the text with what its fields cite as '[@key]', and the papers of these keys.

    `plain`: nothing but paragraphs, without headings, list of references and marks of Markdown.

    Raises:
        DocumentError: It cannot be read.
    """
    from lxml import etree

    try:
        cited = with_keys(content, name=name)
    except (zipfile.BadZipFile, LookupError, StopIteration, etree.XMLSyntaxError):
        cited = CitingWordFile(content)  # what is wrong with it is for the reader to say
    document = read_docx(cited.content, name=name)
    if plain:
        kept = (
            block.text for block in document.blocks if block.kind in {"text", "abstract", "list"}
        )
        return "\n\n".join(kept), []
    return "\n\n".join([*_lines(document), *cited.notes]), cited.papers


def word_paragraphs(content: bytes) -> list[str]:
    """Return the paragraphs of the body of a Word file that `read_word` could read, in order, empty ones too."""
    import docx

    return [paragraph.text for paragraph in docx.Document(BytesIO(content)).paragraphs]


def _lines(document: Document) -> Iterator[str]:
    """Yield headings and paragraphs; tables and formulas are no prose."""
    section: tuple[str, ...] = ()
    for block in document.blocks:
        if block.section != section:
            section = block.section
            yield f"## {section[-1]}" if section else "---"
        if block.kind in {"text", "abstract", "list", "footnote", "reference"}:
            yield block.text.translate(_MARKS)
