"""tools/text/plain.py: what a record says is made fit to be printed, or not printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.writing import MARKER
from tools.text.plain import inner_marks, is_balanced, presentable, presentable_title


@pytest.mark.parametrize(
    ("sentence", "printed"),
    [
        ("<jats:p>We track <i>Apis</i> by radar.</jats:p>", "We track Apis by radar."),
        ("We sort \\emph{Apis} in $O(n)$ steps.", "We sort Apis in O(n) steps."),
        ("A nest costs $5 to $10.", "A nest costs $5 to $10."),
        ("Results: Bees count to four.", "Bees count to four."),
        ("BACKGROUND Bees count to four.", "Bees count to four."),
        ("Results We show that bees count.", "We show that bees count."),
        ("Results show that bees count.", "Results show that bees count."),
        ("Data augmentation helps bees.", "Data augmentation helps bees."),
        ("(1) We count bees.", "We count bees."),
        ("Bees count [3, 5-7] (Moth et al., 2019; Lamp and Dee, 2020b).", "Bees count."),
        ("The tracks are public (see https://example.org/x).", "The tracks are public."),
        ("Bees &amp; wasps count.", "Bees & wasps count."),
        ("If a < b and c > d, bees turn.", "If a < b and c > d, bees turn."),
        ("The ``dance'' tells the way.", "The “dance” tells the way."),
    ],
)
def test_sentence_is_printed_without_what_belongs_to_its_record(
    sentence: str, printed: str
) -> None:
    assert presentable(sentence) == printed


@pytest.mark.parametrize(
    "sentence",
    [
        "", "The paper {P3} says so.", "We bound $\\alpha$ by it.", "See https://example.org for it.",
        "© 2020 The Bees.", "This is an open access article.", "Bees dance (and count.",
        "Bees say \"buzz.", "Mail bees@hive.org now.", "Bees \ufffd dance.", "<unknown-tag x> Bees dance.",
    ],
)  # fmt: skip
def test_what_would_break_a_sentence_is_not_printed(sentence: str) -> None:
    assert presentable(sentence) is None


@pytest.mark.parametrize(
    ("title", "printed"),
    [
        ("Bees in {P1} and “wasps”.", "Bees in P1 and ‘wasps"),
        ("On \"dances\" of bees", "On ‘dances’ of bees"),
        ("2017) bees", "2017 bees"),
        ("{}", ""),
        ("bee " * 60, "bee " * 40 + "…"),
    ],
)  # fmt: skip
def test_title_may_stand_in_quotation_marks(title: str, printed: str) -> None:
    assert presentable_title(title).rstrip("’") == printed


WILD = st.text(alphabet=st.sampled_from('ab .,{}P3()[]“”"\\$<>/é@:;–1'), max_size=80)


@given(st.one_of(st.text(max_size=200), WILD))
def test_nothing_printed_has_braces_or_open_brackets(text: str) -> None:
    sentence, title = presentable(text), presentable_title(text)
    for printed in (sentence or "", title):
        assert "{" not in printed
        assert not MARKER.search(printed)
        assert "“" not in inner_marks(printed)
    assert is_balanced(sentence or "")
    assert len(title) <= len(text) + 2
