"""tools/text/follow_up.py: what a follow-up refers to is looked up in what the answer cited."""

import pytest

from state.ask import CitedPaper, ConversationTurn
from tools.text.follow_up import absent, resolve_follow_up
from tools.text.questions import without_papers

CITED = (CitedPaper(id="a", title="Owls"), CitedPaper(id="b", title="Voles"))
ASKED = "How do owls hunt?"
LAST = [ConversationTurn(question=ASKED, answer="At night [1]. In barns [2].", papers=CITED)]


@pytest.mark.parametrize(
    ("question", "stands_alone", "papers"),
    [
        ("And the second?", "In “Voles”: how do owls hunt?", ("b",)),
        ("What about the last one?", "In “Voles”: how do owls hunt?", ("b",)),
        ("Who wrote the second paper?", "In “Voles”: who wrote it?", ("b",)),
        ("Who wrote it?", "In “Owls”: who wrote it?", ("a",)),
        ("And when was that paper published?", "In “Owls”: when was that paper published?", ("a",)),
        ("Who are the authors?", "In “Owls”: who are the authors?", ("a",)),
        ("Why?", "In “Owls”: why: How do owls hunt?", ("a",)),
        ("Do they agree?", "In “Owls” and “Voles”: do they agree?", ("a", "b")),
        ("And in winter?", "How do owls hunt, in winter?", ()),
        ("What about bats?", "How do owls hunt, bats?", ()),
        ("And how do bees measure distance?", "And how do bees measure distance?", ()),
        ("How large is the barn of Smith?", "How large is the barn of Smith?", ()),
    ],
)
def test_follow_up_stands_alone(question: str, stands_alone: str, papers: tuple[str, ...]) -> None:
    found = resolve_follow_up(question, LAST)
    assert (found.question, found.papers) == (stands_alone, papers)


def test_what_was_not_cited_is_not_made_up() -> None:
    assert resolve_follow_up("And the third?", LAST).papers == ()
    assert resolve_follow_up("Who wrote it?", []).question == "Who wrote it?"
    unknown = resolve_follow_up("What are its limits?", [ConversationTurn(question=ASKED)])
    assert (unknown.question, unknown.papers) == ("What are its limits (How do owls hunt)?", ())


def test_paper_that_was_not_cited_is_told_to_be_absent() -> None:
    assert absent("And the second?", CITED[:1]) == "the second"
    assert absent("What about the third paper?", CITED) == "the third paper"
    assert not absent("And the second?", CITED)
    assert not absent("And the second?", ())
    assert not absent("Who is the second author?", CITED[:1])
    assert not absent("What did the second experiment show?", CITED[:1])


def test_question_before_is_the_last_that_has_a_matter_of_its_own() -> None:
    turns = [*LAST, ConversationTurn(question="And the second?", papers=CITED[1:])]
    found = resolve_follow_up("Why?", turns)
    assert found.question == "In “Voles”: why: How do owls hunt?"
    assert without_papers(found.question) == "why: How do owls hunt?"
