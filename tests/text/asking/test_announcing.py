"""Sentences that only announce."""

import pytest

from tools.text.asking.announcing import announces


@pytest.mark.parametrize(
    "sentence",
    [
        "Section 2 reviews existing works on kelp and sums up what remains.",
        "Figure 3 illustrates the drone model.",
        "Table 4 shows the scores of the proposed models on twelve reefs.",
        "In this section, we describe the data.",
        "In Section 4 we present the results.",
        "The rest of the paper is organised as follows.",
        "The results are shown in Table 3.",
        "Table 2: Results on twelve reefs.",
        "0.12 0.33 0.44 0.55 0.66 0.77",
        "The authors present details of the model in Section 3.",
    ],
)
def test_announcement_or_rest_of_a_table_says_nothing(sentence: str) -> None:
    assert announces(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Figure 2 shows that accuracy falls with the depth of the water.",
        "This paper introduces ReefNet, a model for coral.",
        "In this paper, we present a survey of forty beds.",
        "The model is evaluated on three datasets.",
        "Table retrieval is the task of finding tables.",
        "We present a dataset of ten questions in twelve languages.",
        "Accuracy rose from 45.2 to 51.3 on DEEP150K.",
    ],
)
def test_sentence_with_something_to_say_is_kept(sentence: str) -> None:
    assert not announces(sentence)
