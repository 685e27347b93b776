import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.text.text_quality import text_quality

SOUND = (
    "Given the flexibility of this method, we find that rivers carry more silt in spring.",
    "We let x be a vector and y its label, with n > m.",
    "Let p(x|y) denote the likelihood; then we maximize it over all parameters.",
    "BLEU scores of our BiLSTM on WMT14 rise by 2.3 points over the Seq2Seq baseline.",
    "Wir zeigen, dass der Fluss im Frühling mehr Schlamm trägt als in den Jahren davor.",
    "Nous montrons que la rivière porte plus de limon au printemps que dans les années passées.",
    "河流在春天携带更多的泥沙。",
    "Silt transport in alpine rivers",
)
BROKEN = (
    "Giv en the exibilit y of this metho d, w e nd that riv ers carry more silt in spring.",
    "Ths papr prsnts a nw mthd fr msrng slt in rvrs.",
    "(cid:12)nd the (cid:13)ow of the \ufffdrst river",
    "7KH ULYHU FDUULHV VLOW DQG VDQG " * 6,
)


@pytest.mark.parametrize("text", SOUND)
def test_prose_of_any_language_and_field_reads_well(text: str) -> None:
    assert text_quality(text) >= 0.8


@pytest.mark.parametrize("text", BROKEN)
def test_broken_words_and_signs_do_not(text: str) -> None:
    assert text_quality(text) < 0.5


@given(st.text(max_size=300))
def test_any_text_has_a_quality_between_0_and_1(text: str) -> None:
    assert 0 <= text_quality(text) <= 1
