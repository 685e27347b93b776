"""nodes/revise/revise_section.py: what the embedded engine makes of an instruction."""

import pytest

from nodes.revise.revise_section import Numbered, extract
from nodes.write.writers.draft_answers import NextSentence, to_sentences_answer
from tools.embed.open_embedder import embedder
from tools.errors import InputError

PAPERS = [
    Numbered(
        key=f"P{number + 3}",
        name="Abel",
        plural=False,
        year=2001,
        title="T",
        abstract="",
        elements={},
        number=number,
    )
    for number in range(1, 6)
]


def sentence(text: str, paragraph: int = 1) -> NextSentence:
    return NextSentence(sentence=text, line=paragraph)


FIVE = [sentence(f"S{number} {{P{number + 3}}}.") for number in range(1, 6)]


def left(instruction: str, sentences: list[NextSentence]) -> list[str]:
    section = to_sentences_answer(sentences)
    made = extract(embedder(), text="", instruction=instruction, section=section, papers=PAPERS)
    return [item.text.split()[0] for item in made.sentences]


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("without [2]", ["S1", "S3", "S4", "S5"]),
        ("Leave out [1] and [5]", ["S2", "S3", "S4"]),
        ("drop [2, 3]", ["S1", "S4", "S5"]),
    ],
)
def test_every_named_paper_is_left_out_by_its_number_and_not_its_key(
    instruction: str, expected: list[str]
) -> None:
    assert left(instruction, FIVE) == expected


def test_number_of_no_paper_is_refused_with_the_numbers_there_are() -> None:
    with pytest.raises(InputError, match=r"no reference 9: the last is 5"):
        left("without [2, 9]", FIVE)


def test_shorter_takes_the_ends_of_the_longest_paragraphs() -> None:
    paragraphs = [sentence(f"A{at}", 1) for at in (1, 2)]
    paragraphs += [sentence(f"B{at}", 2) for at in (1, 2, 3, 4)]
    assert left("shorter", paragraphs) == ["A1", "A2", "B1", "B2"]


def test_each_paragraph_keeps_its_first_sentence() -> None:
    openers = [sentence(f"A{at}", at) for at in (1, 2, 3)]
    assert left("Make it shorter!", openers) == ["A1", "A2", "A3"]


@pytest.mark.parametrize("instruction", ["Sing it.", "make it shorter and funny", "without bees"])
def test_other_instructions_are_refused_with_what_can_be_said(instruction: str) -> None:
    with pytest.raises(InputError, match="only a model can follow"):
        left(instruction, FIVE)
