"""tools/text/roles.py: which sentence of an abstract states which key element."""

from hypothesis import given
from hypothesis import strategies as st

from state.writing import ELEMENTS
from tools.text.roles import assign_roles
from tools.text.words import split_sentences

ABSTRACT = {
    "background": "Literature review is increasingly important for science.",
    "problem": "However, manual screening of articles is slow and costly.",
    "contribution": "We propose CiteX, a tool that screens articles with language models.",
    "method": "The tool ranks articles by training a classifier on a few labels.",
    "data": "We evaluate it on five data sets of medical reviews.",
    "findings": "Experiments show that it saves half of the work.",
    "limitations": "A limitation is that it cannot read tables.",
}


def test_each_sentence_of_an_abstract_gets_its_role() -> None:
    found = assign_roles(split_sentences(" ".join(ABSTRACT.values())))
    assert {role: span.text for role, span in found.items()} == ABSTRACT
    assert tuple(found) == tuple(role for role in ELEMENTS if role in found), "in ChatCite's order"


@given(st.lists(st.sampled_from([*ABSTRACT.values(), "It rains."]), max_size=12))
def test_no_sentence_has_two_roles(sentences: list[str]) -> None:
    found = assign_roles(split_sentences(" ".join(sentences)))
    starts = [span.start for span in found.values()]
    assert len(starts) == len(set(starts))
