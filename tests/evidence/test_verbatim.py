"""tools/evidence/own_sentences.py: what is the source's own sentence, and what only looks like it."""

import pytest

from state.paper import Author, Paper
from tools.evidence.own_sentences import (
    annotation_told_as_paper,
    names_of,
    own_sentence_of_paper,
    verbatim,
)

TEXT = (
    "This study evaluates moths on many lamps. However, this approach misses dusk; it is slow. "
    "We find that “bright” lamps draw 40 % of moths. Nobody asked the owls."
)
NAMES = ("Tang et al.", "Tang")


@pytest.mark.parametrize(
    ("sentence", "of"),
    [
        ("Nobody asked the owls {P1}.", "Nobody asked the owls."),
        ("{P1} Nobody asked the owls", "Nobody asked the owls."),
        ("nobody asked the owls ({P1}).", "Nobody asked the owls."),
        ("Tang et al. {P1} evaluate moths on many lamps.", "This study evaluates"),
        ("Tang {P1} evaluates moths on many lamps.", "This study evaluates"),
        ("Tang et al. {P1} write: “This study evaluates moths on many lamps.”", "This study"),
        ("Tang et al. {P1} say that nobody asked the owls.", "Nobody"),
        ("According to Tang et al. {P1}, nobody asked the owls.", "Nobody"),
        ("“However, this approach misses dusk; it is slow” {P1}.", "However"),
        ("“Nobody asked the owls,” write Tang et al. {P1}.", "Nobody"),
        ("“Nobody asked the owls” (Tang et al., {P1}).", "Nobody"),
        ("“We find that “bright” lamps draw 40 % of moths.” {P1}", "We find"),
        (
            "Tang {P1} writes: “Nobody asked the owls.” They add: “This study evaluates moths on many lamps.”",
            "Nobody",
        ),
        (
            "Tang et al. {P1} write: “This study evaluates moths on many lamps. However, this approach misses dusk; "
            "it is slow.”",
            "This study",
        ),
    ],
)
def test_the_source_s_own_sentence_is_found(sentence: str, of: str) -> None:
    span = verbatim(sentence, TEXT, NAMES)
    assert span
    assert TEXT[span.start : span.end].startswith(of)


@pytest.mark.parametrize(
    "sentence",
    [
        "Tang et al. {P1} never evaluate moths on many lamps.",
        "Tang et al. {P1} evaluate moths on many lamps at night.",
        "Lee et al. {P1} evaluate moths on many lamps.",
        "Lee et al. {P1} write: “Nobody asked the owls.”",
        "It is false that “nobody asked the owls” {P1}.",
        "Tang et al. {P1} deny that nobody asked the owls.",
        "Tang et al. {P1} do not say that nobody asked the owls.",
        "Tang et al. {P1} say not that nobody asked the owls.",
        "“Nobody asked the owls,” no authors say {P1}.",
        "As Lee says of Tang et al. {P1}, nobody asked the owls.",
        "“this approach misses dusk” {P1}.",
        "“lamps draw 40 % of moths” {P1}.",
        "“We find that “bright” lamps draw 4 % of moths.” {P1}",
        "Tang et al. {P1} miss dusk; it is slow.",
        "“Nobody asked the owls,” and rightly so {P1}.",
        "“This study ... on many lamps.” {P1}",
        "Nobody asked the owls {P1}, and the owls slept.",
        "",
    ],
)
def test_whatever_else_stands_there_makes_it_another_sentence(sentence: str) -> None:
    assert verbatim(sentence, TEXT, NAMES) is None


@pytest.mark.parametrize(
    ("sentence", "told_as"),
    [
        ("Tang et al. {P1} (annotation): “Nobody asked the owls.”", "annotation"),
        ("The library's annotation of Tang et al. {P1}: “Nobody asked the owls.”", "annotation"),
        ("Tang et al. {P1} evaluate moths on many lamps.", "annotation"),
        ("Nobody asked the owls {P1}.", "annotation"),
        ("Tang et al. {P1} write: “Nobody asked the owls.”", "theirs"),
        ("“Nobody asked the owls” (Tang et al., {P1}).", "theirs"),
        ("According to Tang et al. {P1}, nobody asked the owls.", "theirs"),
        ("Tang et al. {P1} note that owls hear.", "theirs"),
        ("Tang et al. {P1} ask the owls.", ""),
    ],
)
def test_annotation_is_not_told_as_the_words_of_the_authors(sentence: str, told_as: str) -> None:
    paper = Paper(
        id="a",
        title="T",
        abstract=f"{TEXT} The article notes that owls hear.",
        abstract_kind="annotation",
        authors=tuple(Author(name=f"{name} Tang") for name in "ABC"),
    )
    own = own_sentence_of_paper(sentence, "P1", paper)
    assert (own or ("",))[0] == (told_as if told_as == "annotation" else "")
    assert bool(annotation_told_as_paper(sentence, "P1", paper)) == (told_as == "theirs")


def test_part_of_a_sentence_is_enough_where_it_cites_several_papers() -> None:
    tang = Paper(id="a", title="On moths at dusk", abstract=TEXT, authors=(Author(name="Bo Tang"),))
    owls = tang.model_copy(update={"id": "b", "abstract": "Owls hear; mice run."})
    both = "Tang {P1} writes: “Nobody asked the owls.”; “Owls hear; mice run” {P2}; all are asleep."
    assert own_sentence_of_paper(both, "P1", tang)
    assert own_sentence_of_paper(both, "P2", owls) is None, (
        "what follows it and cites nobody is its own, too"
    )
    assert own_sentence_of_paper(both.replace("; all are asleep", ""), "P2", owls)
    assert own_sentence_of_paper("Tang {P1}, “On moths at dusk”.", "P1", tang) is not None
    bare = tang.model_copy(update={"abstract": None})
    assert (own_sentence_of_paper("“On moths at dusk” {P1}", "P1", bare) or ("",))[0] == "title"


def test_authors_go_by_the_names_that_texts_give_them() -> None:
    two = tuple(Author(name=name) for name in ("Ann Lee", "Bo Kim"))
    paper = Paper(id="a", title="T", authors=two)
    assert {"Lee and Kim", "Lee & Kim", "Lee", "Ann Lee"} <= set(names_of(paper))
    assert names_of(Paper(id="b", title="On moths")) == ("“On moths”",)
