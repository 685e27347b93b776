"""From what is known of one thing to another that the question does not name."""

from tools.embed.open import embedder
from tools.text.asking.aspects import aspects
from tools.text.asking.bridge import bridge, is_chain
from tools.text.asking.choose import choose
from tools.text.asking.naming import hints, names
from tools.text.asking.port import Held, Shown
from tools.text.asking.sufficiency import judge

REEF = Held(
    1, "ReefNet scores each pixel with a smoothing filter for sonar images.",
    "ReefNet: Mapping coral from drones", "p:reef", "Okoro et al.", 2021,
    "The model scores each pixel with a smoothing filter for sonar images.",
)  # fmt: skip


def test_query_of_a_chain_leaves_out_what_was_read_and_takes_up_what_it_tells() -> None:
    question = "ReefNet's scores rest on a filter. Which study did that filter come from?"
    assert is_chain(question)
    query = bridge(question, "study filter come ReefNet", [REEF])
    assert "ReefNet" not in query
    assert {"smoothing", "sonar"} <= set(query.split())


def test_query_for_what_came_after_keeps_the_name() -> None:
    query = bridge("ReefNet had a successor: what does it add?", "add ReefNet", [REEF])
    assert {"ReefNet", "successor"} <= set(query.split())


def test_claims_of_one_paper_do_not_tell_what_followed_from_it() -> None:
    question = (
        "ReefNet had a successor: how does ReefNet score pixels, and what does the newer model add?"
    )
    judged = judge(embedder(), question, aspects(question), [REEF], ["ReefNet pixels"])
    assert not judged.sufficient
    assert judged.missing
    assert "ReefNet" in judged.query


def test_passage_on_a_later_version_is_chosen_for_a_question_on_it() -> None:
    later = Shown(
        "v", "Mapping coral at night", ("Abstract",),
        "The newer model, called ReefNet2, adds a lamp and scores pixels of the sea at night.", "p:v",
    )  # fmt: skip
    assert hints(later.text, "ReefNet")
    question = "ReefNet had a successor: what does the newer model add?"
    assert choose(embedder(), question, tuple(aspects(question)), [later], 3) == ["v"]


def test_questions_after_a_statement_get_its_name() -> None:
    first, second = aspects("ReefNet is slow. How does it score pixels, and what replaced it?")
    assert "ReefNet" in first
    assert "ReefNet" in second


def test_two_things_with_prepositions_are_two_sides() -> None:
    found = aspects("What part does the diver play in ReefNet and in KelpWatch?")
    assert [names(item) for item in found] == [["ReefNet"], ["KelpWatch"]]


def test_two_authors_of_one_paper_are_no_sides() -> None:
    assert len(aspects("Why did Okoro and Marsh not rely on divers?")) == 1


def test_names_that_come_together_stay_two() -> None:
    (found,) = aspects("What flaw of ReefNet did KelpWatch remove?")
    assert names(found) == ["ReefNet", "KelpWatch"]
