"""tools/text/claims.py: which part of a sentence speaks of which cited paper."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Author, Paper
from tools.evidence.claims import claim_of, claims_of, name_fault

NAMES = {"P1": "Lee et al.", "P2": "Kim", "P3": "Park"}


@pytest.mark.parametrize(
    ("sentence", "claims", "why"),
    [
        ("Lee et al. {P1} propose retrieval for citations, whereas Kim {P2} extends it to reviews.",
         {"P1": "retrieval for citations", "P2": "extends it to reviews"}, "whereas"),
        ("Lee et al. {P1} propose retrieval for citations while Kim {P2} reviews the field.",
         {"P1": "retrieval for citations", "P2": "the field"}, "while, without a comma"),
        ("Lee et al. {P1} rank papers, filter them, and write; by comparison, Kim {P2} shows that "
         "ranking is unstable.",
         {"P1": "rank papers, filter them, and write", "P2": "ranking is unstable"}, "lists"),
        ("Lee et al. {P1} propose a ranker, and, in a similar spirit, Kim {P2} builds an index.",
         {"P1": "a ranker", "P2": "an index"}, "a similar spirit"),
        ("Lee et al. {P1} propose a ranker, and likewise Kim {P2} builds an index.",
         {"P1": "a ranker", "P2": "an index"}, "likewise"),
        ("Similarly, Kim {P2} introduces a ranking method.",
         {"P2": "a ranking method"}, "a connective is no claim"),
        ("In later work, Kim {P2} finds that ranking helps.",
         {"P2": "ranking helps"}, "of two words"),
        ("Most closely related is work on citation search: Kim {P2} introduces a ranker.",
         {"P2": "a ranker"}, "an opening names the theme"),
        ("A second line of work concerns screening: Kim {P2} studies active learning.",
         {"P2": "active learning"}, "a further opening"),
        ("Turning to screening, Kim {P2} studies active learning.",
         {"P2": "active learning"}, "an opening with a comma"),
        ("The ranker of Lee et al. {P1} outperforms keyword search.",
         {"P1": "The ranker of outperforms keyword search"}, "the paper inside the subject"),
        ("Several systems retrieve and rank papers {P1}, {P2}.",
         {"P1": "Several systems retrieve and rank papers",
          "P2": "Several systems retrieve and rank papers"}, "citations in a row"),
        ("Several systems rank papers {P1}{P2} and {P3}.",
         dict.fromkeys(NAMES, "Several systems rank papers"), "three in a row"),
        ("Kim {P2} uses BERT {P1} for ranking.",
         {"P2": "uses BERT", "P1": "for ranking"}, "a name that is used is no second author"),
        ("Ranking is studied by Kim {P2}, and Park {P3} shows that it is unstable.",
         {"P2": "Ranking is studied by", "P3": "it is unstable"}, "and with a clause of its own"),
        ("Android apps are studied by Kim {P2}.",
         {"P2": "Android apps are studied by"}, "'and' in 'Android' is no connective"),
    ],
)  # fmt: skip
def test_each_paper_gets_its_own_claim(sentence: str, claims: dict[str, str], why: str) -> None:
    found = {key: claim_of(sentence, key, NAMES[key]) for key in claims}
    assert found == claims, why


def test_papers_named_together_share_the_claim() -> None:
    sentence = "Kim {P2} and Park {P3} both rank papers by meaning."
    for key in ("P2", "P3"):
        assert claim_of(sentence, key, NAMES[key]).endswith("both rank papers by meaning")


PIECES = st.sampled_from(
    ["{P1}", "{P2}", "Kim", "ranks papers", ", while ", "; ", ", and ", "whereas", "Similarly,", ".",
     "we", ": ", "and"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=14).map(" ".join), st.sampled_from(["P1", "P2"]))
def test_claim_holds_no_marker_whatever_the_sentence(sentence: str, key: str) -> None:
    claim = claim_of(sentence, key, "Kim")
    assert "{P" not in claim
    assert claim == claim.strip(" ,;:.")
    assert key in sentence or claim == ""


OWN = Paper(
    id="local:own", title="Widgets with BERT",
    authors=(Author(name="Ann Smith"), Author(name="Bo van den Berg")),
)  # fmt: skip
OTHER = Paper(
    id="local:other", title="Other", authors=(Author(name="Kim Lee"), Author(name="Zoë Müller"))
)


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("Smith et al. {P3} show it.", None),
        ("Smith and van den Berg {P3} show it.", None),
        ("Van den Berg's method {P3} shows it.", None),
        ("Lewis et al. {P3} show it.", "Lewis et al."),
        ("Lewis et al. introduce a new retriever {P3}.", "Lewis et al."),
        ("Lee {P3} shows it.", "Lee"),
        ("Lee and Müller {P3} agree.", "Lee and Müller"),
        ("Foo and Bar {P3} show it.", "Foo and Bar"),
        ("Foo and Bar {P3}.", None),
        ("Unlike BERT {P3}, it is small.", None),
        ("Lee et al. {P1} say so, whereas Smith {P3} denies it.", None),
        ("Building on Lee et al., Smith and van den Berg {P3} extend it.", None),
        ("In the method of Lewis et al. {P4} and in widgets {P3} it works.", None),
        ("It is known {P3}.", None),
    ],
)
def test_names_before_a_marker_must_be_the_paper_s(sentence: str, named: str | None) -> None:
    fault = name_fault(sentence, "P3", OWN, [OWN, OTHER])
    expected = f"it names {named} before {{P3}}, which is by Smith and van den Berg"
    assert fault == (expected if named else None)


def test_where_too_little_stands_beside_a_citation_the_sentence_is_the_claim() -> None:
    found = claims_of("Ranking of papers helps readers, as Smith {P3}.", {"P3": OWN})
    assert "Ranking of papers helps readers" in found["P3"]
    assert claims_of("Nothing {P9}.", {"P3": OWN}) == {}
