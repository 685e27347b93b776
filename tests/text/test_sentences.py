"""tools/text/words.py: sentences with offsets that hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.words import split_sentences


@pytest.mark.parametrize(
    ("sentences", "why"),
    [
        (["See Sect. 2 and Fig. 3 for details.", "It works."], "numbered parts"),
        (["As in Eq. 4 and Eqs. 5 and 6, it holds.", "We stop."], "equations"),
        (["Lee et al. show this.", "Others do not."], "et al."),
        (["Lee et al. (2020) show this.", "Others do not."], "et al. before a year"),
        (["We use tools, e.g. parsers, i.e. programs.", "They work."], "e.g. and i.e."),
        (["It was built in the U.S. by students.", "They left."], "initials of a country"),
        (["We use approx. 5 runs vs. 6 before.", "All differ."], "approx. and vs."),
        (["It scores 0.95 on version 2.0 of the data.", "Good."], "decimals"),
        (["What is a citation?", "A link!", "We count them."], "all three marks"),
        (["Dr. Smith wrote it.", "No. 5 is best."], "titles and numbers"),
        (["😀 comes first.", "Ünïcode is second.", "中文在后。"], "letters of several bytes"),
        (["One sentence without a stop"], "no stop at all"),
        (["Moss grows fast, say Rossi et al. (14) {P2}.", "Rain helps."], "numbers behind et al."),
        (["Rossi et al. [14] found it.", "Rain helps."], "a number that a sentence goes on behind"),
        (["Moss grew in vivo. (14) {P2}.", "Rain helps."], "citations behind a stop"),
        (["Rain helps {P1}.", "{P2} say that sun does not."], "a citation that opens a sentence"),
        (["Rain helps moss.", "(2) Sun does not."], "numbers that open a sentence"),
    ],
)
def test_text_is_split_at_the_ends_of_sentences(sentences: list[str], why: str) -> None:
    text = "  ".join(sentences)
    assert [span.text for span in split_sentences(text)] == sentences, why


PROSE = st.lists(
    st.sampled_from(
        [
            "We",
            "rank",
            "papers.",
            "Sect. 2",
            "et al.",
            "e.g.",
            "U.S.",
            "(2020).",
            "What?",
            "😀",
            "é.",
            "\n",
            "\n\n",
            "“Yes.”",
            "3.5",
            "中文。",
            "\0",
            "...",
            "resp.",
            "It",
            "\u2028",
        ]
    ),
    max_size=25,
).map(" ".join)


@given(st.one_of(st.text(), PROSE))
def test_spans_are_in_order_and_leave_out_only_white_space(text: str) -> None:
    position, outside = 0, ""
    for span in split_sentences(text):
        assert span.start >= position
        assert text[span.start : span.end] == span.text
        assert span.text == span.text.strip() != ""
        outside += text[position : span.start]
        position = span.end
    assert (outside + text[position:]).strip() == ""
