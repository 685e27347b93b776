"""Tests of names that come from nowhere."""

import pytest

from tools.evidence.unsupported_entities import unsupported_entities

SOURCE = (
    "ChatCite is an agent. It was compared with GPT-4 and large language models, RoBERTa-large."
)


@pytest.mark.parametrize(
    "claim",
    [
        "ChatCite is an agent.",
        "CHATCITE and chatCite are one.",
        "It was compared with GPT-4.",
        "LLMs were compared, and an LLM won.",
        "RoBERTa was compared; RoBERTa large, too.",
        "Paris in spring is no such name, nor is Mamba.",
        "In 2019 the first A was B.",
        "",
    ],
)
def test_names_of_the_source_are_not_strange(claim: str) -> None:
    assert unsupported_entities(claim, SOURCE) == []


@pytest.mark.parametrize(
    ("claim", "names"),
    [
        ("LitLLM uses a human workflow, while ChatCite does not.", ["LitLLM"]),
        ("It beats GPT-5, BERT and LitLLM; LitLLM is worst.", ["GPT-5", "BERT", "LitLLM"]),
        ("The MNIST data were used.", ["MNIST"]),
        ("T5 is larger.", ["T5"]),
    ],
)
def test_names_of_others_are(claim: str, names: list[str]) -> None:
    assert unsupported_entities(claim, SOURCE) == names
