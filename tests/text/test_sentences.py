"""Sentences and words: where they end, what they say, whether they can be quoted, and in which language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.writing import ELEMENTS
from tools.text.cue_phrases import CUES, stance_by_cues
from tools.text.quotable import is_whole, quote_with_names
from tools.text.roles import assign_roles
from tools.text.text_quality import text_quality
from tools.text.words import (
    content_stems,
    language,
    language_name,
    share_of_stems,
    split_sentences,
    topic_stems,
)


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


def test_stems_leave_out_what_carries_no_meaning() -> None:
    assert content_stems("The author's citation-ranking of papers") == ["citat", "rank", "paper"]
    assert topic_stems("We propose a novel state-of-the-art method to rank citations") == [
        "rank",
        "citat",
    ]


@pytest.mark.parametrize(
    ("claim", "source", "share", "why"),
    [
        ("ranks citations", "Citation ranking is hard.", 1.0, "other forms of the same words"),
        ("ranks citations", "Citations are hard.", 0.5, "half of them"),
        ("ranks citations", "Screening of reviews.", 0.0, "none of them"),
        ("ranks, ranked, ranking", "It ranks.", 1.0, "each stem counts once"),
        ("the of and", "The of and.", 0.0, "no content is not supported by anything"),
        ("", "Citations.", 0.0, "an empty claim neither"),
    ],
)
def test_coverage_is_the_share_of_the_claims_words(
    claim: str, source: str, share: float, why: str
) -> None:
    assert share_of_stems(claim, source) == share, why


@given(st.text(), st.text())
def test_coverage_is_a_share_and_more_source_never_lowers_it(claim: str, source: str) -> None:
    share = share_of_stems(claim, source)
    assert 0 <= share <= 1
    assert share_of_stems(claim, f"{source} {claim}") in {0.0, 1.0}
    assert share_of_stems(claim, f"{source} and more") >= share


PLAIN = "Moss cools the flat roofs of hot cities in summer."


@pytest.mark.parametrize(
    ("text", "whole", "why"),
    [
        (PLAIN, True, "a plain sentence"),
        (f"{PLAIN} This makes the rooms below them cool as well.", True, "two"),
        ("The roofs are listed in Table 3 of the appendix.", False, "points to a table"),
        ("As in [8] the roofs of hot cities are cooled.", False, "needs its citation"),
        ("Let x = 3 for the roofs of all hot cities.", False, "a formula"),
        ("Giv en the exibilit y of moss the roofs sta y co ol.", False, "garbled"),
        ("Moss cools the flat roofs of", False, "cut off"),
        ("仓鸮在完全黑暗中仅凭听觉就能找到田鼠。", True, "no spaces between words"),
    ],
)
def test_what_can_be_quoted_is_whole_and_points_nowhere(text: str, whole: bool, why: str) -> None:
    assert is_whole(text) == whole, why


@pytest.mark.parametrize(
    ("passage", "name", "told"),
    [
        (PLAIN, "Marsh and Weir", f"Marsh and Weir: “{PLAIN}”"),
        (PLAIN, "", f"“{PLAIN}”"),
        ("We measure the roofs of Ghent.", "Iver", "Iver measures the roofs of Ghent."),
        (
            "They say “moss” and no more of it.",
            "Iver",
            'Iver: “They say "moss" and no more of it.”',
        ),
    ],
)
def test_words_are_those_of_the_source(passage: str, name: str, told: str) -> None:
    assert quote_with_names(passage, name) == told


ABSTRACT = {
    "background": "Literature review is increasingly important for science.",
    "problem": "However, manual screening of articles is slow and costly.",
    "contribution": "We propose CiteX, a tool that screens articles with language models.",
    "method": "The tool ranks articles by training a classifier on a few labels.",
    "data": "We evaluate it on five data sets of medical reviews.",
    "findings": "Experiments show that it saves half of the work.",
    "limitations": "A limitation is that it cannot read tables.",
}


def test_each_sentence_of_an_abstract_gets_its_role() -> None:
    found = assign_roles(split_sentences(" ".join(ABSTRACT.values())))
    assert {role: span.text for role, span in found.items()} == ABSTRACT
    assert tuple(found) == tuple(role for role in ELEMENTS if role in found), "in ChatCite's order"


@given(st.lists(st.sampled_from([*ABSTRACT.values(), "It rains."]), max_size=12))
def test_no_sentence_has_two_roles(sentences: list[str]) -> None:
    found = assign_roles(split_sentences(" ".join(sentences)))
    starts = [span.start for span in found.values()]
    assert len(starts) == len(set(starts))


FAR = "in the wide valleys of the north where nobody has ever dug before"


@pytest.mark.parametrize(
    ("sentence", "stance"),
    [
        ("Unlike Lee (2020), we dig at night.", "contrasts"),
        ("Our counts are consistent with those of Lee (2020).", "supports"),
        ("We use the spades of Lee (2020).", "uses"),
        ("Unlike others, we use the spades of Lee (2020).", "uses"),
        ("Lee (2020) dug, unlike others, at night.", None),
        (f"We use spades {FAR}; see Lee (2020).", None),
        ("Spades are old (Lee (2020)).", None),
        ("Lee (2020)", None),
    ],
)
def test_nearest_phrase_before_a_citation_counts(sentence: str, stance: str | None) -> None:
    assert stance_by_cues(sentence, "Lee (2020)") == stance


def test_phrases_are_few_and_none_says_background() -> None:
    assert sum(map(len, CUES.values())) <= 25
    assert "background" not in CUES


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


ABSTRACTS = {
    "de": "In diesem Beitrag stellen wir ein Verfahren zur automatischen Erstellung von Übersichten "
    "über die Literatur vor. Das Verfahren sucht Arbeiten, ordnet sie und erzeugt einen Text mit "
    "geprüften Zitaten. Experimente zeigen, dass die Zitate zuverlässiger sind als bisher.",
    "es": "La revisión de la literatura es una etapa importante de la investigación. En este trabajo "
    "proponemos un método de recomendación de citas y lo evaluamos en un conjunto de datos público. "
    "Los resultados muestran que no hay pérdida de calidad.",
    "fr": "La revue de la littérature est une étape importante de la recherche. Dans cet article, on "
    "propose une méthode de recommandation de citations et on l'évalue sur un corpus public; les "
    "résultats montrent que la méthode est efficace.",
    "pt": "A revisão da literatura é uma etapa importante e a escolha dos artigos a citar no texto é "
    "demorada. Neste trabalho propomos um método de recomendação e avaliamos o método no conjunto de "
    "dados do projeto, com as limitações do sistema.",
    "nl": "In dit artikel stellen we een methode voor om citaties aan te bevelen. De methode is "
    "gebaseerd op een model dat we in een eerdere studie hebben getraind, en is in de praktijk beter.",
    "zh": "本文提出了一种自动生成文献综述的方法。该方法检索相关论文，并生成带有经过验证的引文的文本。",
    "ru": "В данной работе предлагается метод автоматического составления обзора литературы.",
    "ja": "本論文では、文献レビューを自動生成する手法を提案する。",
}


@pytest.mark.parametrize("code", ABSTRACTS)
def test_abstract_in_another_language_is_recognised(code: str) -> None:
    assert language(ABSTRACTS[code]) == code


def test_language_is_named_for_a_person() -> None:
    assert language_name("de") == "German"
    assert language_name("xx") == "xx"
