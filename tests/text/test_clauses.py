"""tools/text/clauses.py: a sentence of a paper becomes a clause about the paper, or nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.clauses import (
    Subject,
    clause_about,
    own_clause,
    problem_clause,
    refers_back,
    stands_alone,
)
from tools.text.trim import lower_case_words, lowering

LEE = Subject("Lee et al. {P1}", plural=True)
COHEN = Subject("Cohen {P2}", plural=False)
LOWER = lowering(
    lower_case_words(
        ["existing manual screening literature review large language models previous recent many"]
    )
)
FIRST_PERSON = re.compile(r"\b(?:we|our|ours|us|ourselves|my|We|Our|Us)\b|\bI [a-z]")

CASES = [
    ("We propose a neural model for citation ranking.",
     "LEE propose a neural model for citation ranking"),
    ("In this paper, we present a benchmark of 500 reviews.", "LEE present a benchmark of 500 reviews"),
    ("Here, we introduce a tool that checks citations.", "LEE introduce a tool that checks citations"),
    ("To this end, we also develop a corpus of reviews.", "LEE develop a corpus of reviews"),
    ("We then evaluate the tool with twelve researchers.",
     "LEE evaluate the tool with twelve researchers"),
    ("In this study we examined 300 abstracts by hand.", "LEE examined 300 abstracts by hand"),
    ("I introduce a theory of how researchers cite.", "LEE introduce a theory of how researchers cite"),
    ("This survey reviews methods for screening articles.", "LEE review methods for screening articles"),
    ("The present study analyses the ages of citations.", "LEE analyse the ages of citations"),
    ("The authors propose a metric for whole reviews.", "LEE propose a metric for whole reviews"),
    ("The paper addresses the ranking of our citations.", "LEE address the ranking of their citations"),
    ("By combining search and generation, we obtain better reviews.",
     "LEE, by combining search and generation, obtain better reviews"),
    ("In contrast to prior work, we evaluate on real reviews.",
     "LEE, in contrast to prior work, evaluate on real reviews"),
    ("Experiments on three corpora show that our method outperforms search.",
     "LEE show that their method outperforms search"),
    ("Results indicate that it helps us understand ourselves and our readers.",
     "LEE find that it helps them understand themselves and their readers"),
    ("Our analysis of prior studies found that few report recall.",
     "LEE find that few report recall"),
    ("These results suggest that screening can be automated.",
     "LEE suggest that screening can be automated"),
    ("Results suggested that manual search misses half of it.",
     "LEE suggest that manual search misses half of it"),
    ("The proposed method achieves higher recall than keyword search.",
     "the proposed method of LEE achieves higher recall than keyword search"),
    ("Our system was used by 200 researchers, and it saved us time.",
     "the system of LEE was used by 200 researchers, and it saved them time"),
    ("Background: Manual screening takes many months of work.",
     "LEE note that manual screening takes many months of work"),
    ("Large language models often invent references.",
     "LEE note that large language models often invent references"),
    ("Nevertheless, existing methods miss many articles.",
     "LEE note that existing methods miss many articles"),
    ("Type I errors are common in automatic screening.",
     "LEE note that Type I errors are common in automatic screening"),
    # Others' findings, and what was not found, are not the paper's findings.
    ("Previous studies show that screening is slow and costly.",
     "LEE note that previous studies show that screening is slow and costly"),
    ("Recent studies suggest that references are often invented.",
     "LEE note that recent studies suggest that references are often invented"),
    ("Our experiments do not show that the model generalises.",
     "LEE note that their experiments do not show that the model generalises"),
    ("Our results, however, fail to show that prompts matter.",
     "LEE note that their results, however, fail to show that prompts matter"),
    # Of a compound noun only the whole is the paper's.
    ("The library community has long relied on indexes.",
     "LEE note that the library community has long relied on indexes"),
    ("The search system users prefer is simple and fast.",
     "LEE note that the search system users prefer is simple and fast"),
    ("For the ranking of papers, we compare three models.",
     "LEE, for the ranking of papers, compare three models"),
    ("Drawing on old diaries, we trace the ages of citations.",
     "LEE, drawing on old diaries, trace the ages of citations"),
    ("To address this, we propose a model of citations.", "LEE propose a model of citations"),
    ("This paper reviews screening tools and compares their costs.",
     "LEE review screening tools and compare their costs"),
    ("Our analysis shows that tools differ and demonstrates that users do not.",
     "LEE show that tools differ and demonstrate that users do not"),
    ("Extensive experiments demonstrate the value of our method.",
     "LEE demonstrate the value of their method"),
    ("Our findings thus suggest an order of the papers.", "LEE suggest an order of the papers"),
    ("The proposed tool thus saves most of the work.",
     "the proposed tool of LEE saves most of the work"),
    ("Dynamic Sampling is a strategy of choosing papers.",
     "LEE note that Dynamic Sampling is a strategy of choosing papers"),
    ("Semiautomatic ranking is common in large libraries.",
     "LEE note that semiautomatic ranking is common in large libraries"),
    # No clause: it lacks what its verb asks for, or a verb.
    ("Semiautomatic ranking of papers with document similarities.", None),
    ("We demonstrate by using the ranks of three searches.", None),
    ("It shows three things: (1) tools differ in cost.", None),
    # No clause: it cannot stand alone, or says nothing of the paper.
    ("It also generalises to other fields of science.", None),
    ("They are ranked by a small model in a second.", None),
    ("There is no agreed way to evaluate reviews.", None),
    ("Unlike earlier work, we use the full texts of papers.", None),
    ("Such systems are rarely tested by their users.", None),
    ("Can language models write literature reviews?", None),
    ("Our code is available at https://example.org/code for all.", None),
    ("The data are at www.example.org and free to use.", None),
    ("This paper is about the role of citations.", None),
    ("This thesis consists of four parts on retrieval.", None),
    ("Our contribution is a dataset of labelled citations.", None),
    ("We conclude with open problems for the field.", None),
    ("We hope that this work helps other researchers.", None),
    ("We did not find gains from longer contexts.", None),
    ("We have developed a tool for citation checks.", None),
    ("We (i) build a corpus and (ii) train a model.", None),
    ("We're proposing a tool for citation checks here.", None),
    ("Let us consider the problem of citation ranking.", None),
    ("To our knowledge, this is the first study of it.", None),
    ("This work was supported by a grant of the council.", None),
    ("We rank. Then we write the whole review.", None),
    ("We rank papers.", None),
    ("", None),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "clause"), CASES)
def test_sentence_becomes_a_clause_about_its_paper(sentence: str, clause: str | None) -> None:
    expected = clause.replace("LEE", LEE.name) if clause else None
    assert clause_about(sentence, LEE, LOWER) == expected


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        ("We propose a model for citation ranking.", "Cohen {P2} proposes a model for citation ranking"),
        ("We also study how citations age.", "Cohen {P2} studies how citations age"),
        ("Experiments on two corpora show that it works well.", "Cohen {P2} shows that it works well"),
        ("This survey reviews methods for screening.", "Cohen {P2} reviews methods for screening"),
        ("Large language models often invent references.",
         "Cohen {P2} notes that large language models often invent references"),
        ("We examined 300 abstracts by hand.", "Cohen {P2} examined 300 abstracts by hand"),
    ],
)  # fmt: skip
def test_single_author_takes_a_singular_verb(sentence: str, clause: str) -> None:
    assert clause_about(sentence, COHEN, LOWER) == clause


@pytest.mark.parametrize(
    ("verb", "single", "several"),
    [
        ("introduces", "introduces", "introduce"),
        ("study", "studies", "study"),
        ("may", "may", "may"),
    ],
)
def test_verb_agrees_with_its_subject(verb: str, single: str, several: str) -> None:
    assert (COHEN.verb(verb), LEE.verb(verb)) == (single, several)


PARTS = st.lists(
    st.sampled_from(
        ["We", "we", "our", "us", "Our", "propose", "a model", "results", "show", "that", "This paper",
         "in this paper", "the method", "ourselves", "and", ",", "By ranking papers,", "it", "papers",
         "is", "helps", "I believe", "I think", "In this work,", "ours", "my", "experiments on", "of ranking"]
    ),
    min_size=3, max_size=18,
).map(lambda parts: " ".join(parts).replace(" ,", ","))  # fmt: skip


@given(PARTS, st.sampled_from([LEE, COHEN]))
def test_no_clause_speaks_in_the_first_person(sentence: str, subject: Subject) -> None:
    for clause in (
        clause_about(f"{sentence}.", subject, LOWER),
        problem_clause(f"{sentence}.", subject, LOWER),
    ):
        if clause is not None:
            assert not FIRST_PERSON.search(clause)
            assert clause.count(subject.name) == 1
            assert clause == " ".join(clause.split())


@given(st.text(max_size=300), st.sampled_from([LEE, COHEN]))
def test_wild_text_gives_a_clause_about_the_subject_or_none(text: str, subject: Subject) -> None:
    clause = clause_about(text, subject, LOWER)
    assert clause is None or subject.name in clause


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        ("In this paper, we present CiteX, a tool for reviews.", "we present CiteX, a tool for reviews"),
        ("This paper presents CiteX, a tool for reviews.",
         "this paper presents CiteX, a tool for reviews"),
        ("WE PRESENT CITEX, A TOOL FOR REVIEWS.", "we PRESENT CITEX, A TOOL FOR REVIEWS"),
        ("Reviews are slow to write by hand.", None),
        ("Can we do better than that today?", None),
    ],
)  # fmt: skip
def test_own_work_keeps_its_own_subject(sentence: str, clause: str | None) -> None:
    assert own_clause(sentence) == clause


@pytest.mark.parametrize(
    ("sentence", "clause"),
    [
        ("Existing methods miss many articles.",
         "Cohen {P2} starts from the observation that existing methods miss many articles"),
        ("We propose a model for citation ranking.", None),
        ("They are slow and need many labels.", None),
    ],
)  # fmt: skip
def test_problem_is_what_the_paper_starts_from(sentence: str, clause: str | None) -> None:
    assert problem_clause(sentence, COHEN, LOWER) == clause


@pytest.mark.parametrize(
    ("sentence", "back"),
    [
        ("We formulate it as a problem of ranking.", True),
        ("We study their effect on the ranking of papers.", True),
        ("The results show that both find the same papers.", True),
        ("We study the effect of age on the ranking of papers.", False),
        ("Bees find their way home by the sun.", False),
        ("It.", False),
    ],
)
def test_what_begins_with_a_word_for_something_before_refers_back(
    sentence: str, back: bool
) -> None:
    assert refers_back(sentence) is back


@pytest.mark.parametrize(
    ("sentence", "alone"),
    [
        ("We rank papers by their age and size.", True),
        ("It also ranks papers by their age.", False),
        ("We show how to solve the problem.", False),
        ("We combine the two approaches in one tool.", False),
    ],
)
def test_sentence_that_needs_the_one_before_does_not_stand_alone(
    sentence: str, alone: bool
) -> None:
    assert stands_alone(sentence) is alone
