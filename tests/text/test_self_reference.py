"""The one change made to a paper's sentence: who 'we' or 'this paper' is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.self_reference import name_authors, needs_context

ATTRIBUTED = [
    ("This study evaluates X.", True, "Tang et al. evaluate X."),
    ("This study evaluates X.", False, "Tang et al. evaluates X."),
    ("In this paper, we propose Y.", True, "Tang et al. propose Y."),
    ("In this systematic review we summarized 32 trials.", True, "Tang et al. summarized 32 trials."),
    ("We also study Z.", False, "Tang et al. also studies Z."),
    ("We have developed a tool.", False, "Tang et al. has developed a tool."),
    ("The authors analyse A and compare B.", True, "Tang et al. analyse A and compare B."),
    ("The present study examined A and compared B.", True, "Tang et al. examined A and compared B."),
    ("We propose X and use it for Y.", True, "Tang et al. propose X and use it for Y."),
    ("The paper introduces X.", True, "Tang et al. introduce X."),
    ("METHODS: We compared 3 trials.", True, "Tang et al. compared 3 trials."),
]  # fmt: skip
REFUSED = [
    "However, this approach misses X.",
    "However, this study uses X.",
    "However, the authors use X.",
    "Our results show X.",
    "Our method outperforms BM25 by 3 points.",
    "However, we show that Z holds.",
    "We live in a time of data.",
    "We are the first to do X.",
    "We test X and how they fail.",
    "This paper proposes X and its use.",
    "We propose X for our task.",
    "We evaluate X in this setting.",
    "We ask models how they fail.",
    "This paper is organised as follows.",
    "This method improves X.",
    "The model that we propose wins.",
    "While fast, we find X slow.",
    "Wepropose X.",
    "",
    "We",
]


@pytest.mark.parametrize(("sentence", "plural", "expected"), ATTRIBUTED)
def test_a_self_reference_at_the_start_becomes_the_name(
    sentence: str, plural: bool, expected: str
) -> None:
    assert name_authors(sentence, "Tang et al.", plural) == expected


@pytest.mark.parametrize("sentence", REFUSED)
@pytest.mark.parametrize("plural", [True, False])
def test_what_is_in_doubt_is_left_to_a_quotation(sentence: str, plural: bool) -> None:
    assert name_authors(sentence, "Tang et al.", plural) is None


def test_a_second_verb_that_would_have_to_agree_is_in_doubt_in_one_number_only() -> None:
    sentence = "We evaluate X and show Y."
    assert name_authors(sentence, "Tang et al.", True) == "Tang et al. evaluate X and show Y."
    assert name_authors(sentence, "Tang", False) is None
    assert name_authors("This paper focuses on X, but includes Y.", "Tang et al.", True) is None
    for sentence in (
        "This paper evaluates X and shows Y.",
        "This paper maps X, then also tests Y.",
    ):
        assert name_authors(sentence, "Tang et al.", True) is None


WORDS = """we our this paper method X and shows evaluates propose also it
    which data, models of the""".split()  # noqa: SIM905


@given(
    st.sampled_from(
        ["We", "This paper", "In this work, we", "However, we", "Our system", "The authors"]
    ),
    st.sampled_from(["evaluate", "evaluates", "proposed", "also use", "improves", "have", "lives"]),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=12),
    st.booleans(),
)
def test_what_follows_the_verb_is_never_touched(
    subject: str, verb: str, rest: list[str], plural: bool
) -> None:
    ending = " ".join(rest) + "."
    told = name_authors(f"{subject} {verb} {ending}", "Tang", plural)
    if told is not None:
        assert told.startswith("Tang ")
        assert told.endswith(f" {ending}")
        assert not {"we", "our", "this"} & set(rest)


@given(st.text(max_size=80), st.booleans())
def test_any_text_gives_its_own_ending_or_nothing(text: str, plural: bool) -> None:
    told = name_authors(text, "N", plural)
    assert told is None or text.strip().endswith(told.split(maxsplit=2)[-1])


@pytest.mark.parametrize(
    "sentence",
    [
        "This makes search fast.",
        "However, this approach misses X.",
        "It also works.",
        "To address this, a model is trained.",
        "In contrast, BM25 fails.",
        "The system reads tables.",
        "Users prefer such tools.",
        "The former is cheap.",
        "Models such as these fail.",
        "and it fails.",
        "Three steps are taken:",
        "BM25 also works.",
        "The continuous protocol influenced many tools.",
        "Experiments show better sections than others.",
        "Experiments on bees show that it can fly.",
    ],
)
def test_a_sentence_that_needs_its_neighbours_leans(sentence: str) -> None:
    assert needs_context(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "We propose X.",
        "This paper evaluates X.",
        "Large language models often invent references.",
        "The task of citation recommendation is to find papers.",
        "The results show that BM25 is a strong baseline.",
        "The paper introduces X.",
        "Measures such as ROUGE reward overlap.",
        "In this paper, we compare humans with those who use AI.",
    ],
)
def test_a_sentence_that_stands_alone_does_not_lean(sentence: str) -> None:
    assert not needs_context(sentence)
