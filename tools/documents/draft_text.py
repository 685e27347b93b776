"""A researcher's draft as text: its beginning, to search from, and all of it, to check."""

from state.document import Document

_BEGINNING = 3000
"""Characters that stand for an abstract where none was found."""


def opening_of(document: Document) -> str:
    """Return the abstract, or the beginning where there is none."""
    return document.abstract or document.text[:_BEGINNING]


def whole_of(document: Document) -> str:
    """Return the text in paragraphs, its list of references under a heading that `verify` knows."""
    references = [block.text for block in document.blocks if block.kind == "reference"]
    body = [block.text for block in document.blocks if block.kind != "reference"]
    return "\n\n".join([*body, *(["# References", *references] if references else [])])
