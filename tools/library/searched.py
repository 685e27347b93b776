"""The text of a passage as it is searched: one place for both indexes and all retrievers."""

from state.passage import Passage

ABSTRACT_SECTIONS = (("Abstract",), ("Annotation",))


def searched_text(passage: Passage) -> str:
    """Return the passage's text behind the title of its paper and its nearest heading.

    A passage that is a record's abstract reads like the paper's own text in the papers' index, so
    that one vector serves both.
    """
    heading = passage.section[-1:] if passage.section not in ABSTRACT_SECTIONS else ()
    return ". ".join((passage.title, *heading, passage.text))
