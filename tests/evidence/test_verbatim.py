"""Whether words are those of a source: its own sentence, near copies, numbers and names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Author, Paper
from tools.evidence.differences import differences
from tools.evidence.facts import standing_nowhere
from tools.evidence.own_sentences import (
    annotation_told_as_paper,
    names_of,
    own_sentence_of_paper,
    verbatim,
)

TEXT = (
    "This study evaluates moths on many lamps. However, this approach misses dusk; it is slow. "
    "We find that “bright” lamps draw 40 % of moths. Nobody asked the owls."
)
NAMES = ("Tang et al.", "Tang")


@pytest.mark.parametrize(
    ("sentence", "of"),
    [
        ("Nobody asked the owls {P1}.", "Nobody asked the owls."),
        ("{P1} Nobody asked the owls", "Nobody asked the owls."),
        ("nobody asked the owls ({P1}).", "Nobody asked the owls."),
        ("Tang et al. {P1} evaluate moths on many lamps.", "This study evaluates"),
        ("Tang {P1} evaluates moths on many lamps.", "This study evaluates"),
        ("Tang et al. {P1} write: “This study evaluates moths on many lamps.”", "This study"),
        ("Tang et al. {P1} say that nobody asked the owls.", "Nobody"),
        ("According to Tang et al. {P1}, nobody asked the owls.", "Nobody"),
        ("“However, this approach misses dusk; it is slow” {P1}.", "However"),
        ("“Nobody asked the owls,” write Tang et al. {P1}.", "Nobody"),
        ("“Nobody asked the owls” (Tang et al., {P1}).", "Nobody"),
        ("“We find that “bright” lamps draw 40 % of moths.” {P1}", "We find"),
        (
            "Tang {P1} writes: “Nobody asked the owls.” They add: “This study evaluates moths on many lamps.”",
            "Nobody",
        ),
        (
            "Tang et al. {P1} write: “This study evaluates moths on many lamps. However, this approach misses dusk; "
            "it is slow.”",
            "This study",
        ),
    ],
)
def test_the_source_s_own_sentence_is_found(sentence: str, of: str) -> None:
    span = verbatim(sentence, TEXT, NAMES)
    assert span
    assert TEXT[span.start : span.end].startswith(of)


@pytest.mark.parametrize(
    "sentence",
    [
        "Tang et al. {P1} never evaluate moths on many lamps.",
        "Tang et al. {P1} evaluate moths on many lamps at night.",
        "Lee et al. {P1} evaluate moths on many lamps.",
        "Lee et al. {P1} write: “Nobody asked the owls.”",
        "It is false that “nobody asked the owls” {P1}.",
        "Tang et al. {P1} deny that nobody asked the owls.",
        "Tang et al. {P1} do not say that nobody asked the owls.",
        "Tang et al. {P1} say not that nobody asked the owls.",
        "“Nobody asked the owls,” no authors say {P1}.",
        "As Lee says of Tang et al. {P1}, nobody asked the owls.",
        "“this approach misses dusk” {P1}.",
        "“lamps draw 40 % of moths” {P1}.",
        "“We find that “bright” lamps draw 4 % of moths.” {P1}",
        "Tang et al. {P1} miss dusk; it is slow.",
        "“Nobody asked the owls,” and rightly so {P1}.",
        "“This study ... on many lamps.” {P1}",
        "Nobody asked the owls {P1}, and the owls slept.",
        "",
    ],
)
def test_whatever_else_stands_there_makes_it_another_sentence(sentence: str) -> None:
    assert verbatim(sentence, TEXT, NAMES) is None


@pytest.mark.parametrize(
    ("sentence", "told_as"),
    [
        ("Tang et al. {P1} (annotation): “Nobody asked the owls.”", "annotation"),
        ("The library's annotation of Tang et al. {P1}: “Nobody asked the owls.”", "annotation"),
        ("Tang et al. {P1} evaluate moths on many lamps.", "annotation"),
        ("Nobody asked the owls {P1}.", "annotation"),
        ("Tang et al. {P1} write: “Nobody asked the owls.”", "theirs"),
        ("“Nobody asked the owls” (Tang et al., {P1}).", "theirs"),
        ("According to Tang et al. {P1}, nobody asked the owls.", "theirs"),
        ("Tang et al. {P1} note that owls hear.", "theirs"),
        ("Tang et al. {P1} ask the owls.", ""),
    ],
)
def test_annotation_is_not_told_as_the_words_of_the_authors(sentence: str, told_as: str) -> None:
    paper = Paper(
        id="a",
        title="T",
        abstract=f"{TEXT} The article notes that owls hear.",
        abstract_kind="annotation",
        authors=tuple(Author(name=f"{name} Tang") for name in "ABC"),
    )
    own = own_sentence_of_paper(sentence, "P1", paper)
    assert (own or ("",))[0] == (told_as if told_as == "annotation" else "")
    assert bool(annotation_told_as_paper(sentence, "P1", paper)) == (told_as == "theirs")


def test_part_of_a_sentence_is_enough_where_it_cites_several_papers() -> None:
    tang = Paper(id="a", title="On moths at dusk", abstract=TEXT, authors=(Author(name="Bo Tang"),))
    owls = tang.model_copy(update={"id": "b", "abstract": "Owls hear; mice run."})
    both = "Tang {P1} writes: “Nobody asked the owls.”; “Owls hear; mice run” {P2}; all are asleep."
    assert own_sentence_of_paper(both, "P1", tang)
    assert own_sentence_of_paper(both, "P2", owls) is None, (
        "what follows it and cites nobody is its own, too"
    )
    assert own_sentence_of_paper(both.replace("; all are asleep", ""), "P2", owls)
    assert own_sentence_of_paper("Tang {P1}, “On moths at dusk”.", "P1", tang) is not None
    bare = tang.model_copy(update={"abstract": None})
    assert (own_sentence_of_paper("“On moths at dusk” {P1}", "P1", bare) or ("",))[0] == "title"


def test_authors_go_by_the_names_that_texts_give_them() -> None:
    two = tuple(Author(name=name) for name in ("Ann Lee", "Bo Kim"))
    paper = Paper(id="a", title="T", authors=two)
    assert {"Lee and Kim", "Lee & Kim", "Lee", "Ann Lee"} <= set(names_of(paper))
    assert names_of(Paper(id="b", title="On moths")) == ("“On moths”",)


SAID = "Bright lamps may raise the catch of some moths by 40 % within 30 minutes, more than dim lamps draw owls."
PLAIN = "Dense retrieval finds more papers than keyword search in small libraries."


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("may raise", "may lower"), "“lower” where these words have “raise”"),
        (("may raise", "may never raise"), "“never”, which these words have not"),
        (("40 %", "45 %"), "“45” where these words have “40”"),
        (("30 minutes", "30 seconds"), "“seconds” where these words have “minutes”"),
        (("some moths", "all moths"), "“all” where these words have “some”"),
        (("some moths", "moths"), "without “some”"),
        (("may raise", "raise"), "without “may”"),
    ],
)
def test_one_thing_changed_in_a_near_copy_is_told(change: tuple[str, str], told: str) -> None:
    assert differences(SAID.replace(*change), SAID) == [told]


def test_same_words_in_another_order_are_told() -> None:
    turned = "Keyword search finds more papers than dense retrieval in small libraries."
    assert differences(turned, PLAIN)[0] == "it has the same words in another order"


@pytest.mark.parametrize(
    "sentence",
    [
        SAID,
        SAID.upper(),
        SAID.replace("40 %", "40%").replace("minutes,", "minutes –"),
        "Bright lamps may raise the catch of some moths by 40 %",
        "Interest rates follow the price of barley, and never raise it.",
        "In the dark, no owl comes where people light their gardens.",
        "",
    ],
)
def test_other_spelling_a_clause_left_out_and_words_of_ones_own_are_no_difference(
    sentence: str,
) -> None:
    assert differences(sentence, SAID) == []


def test_clause_more_and_as_many_denials_are_no_difference() -> None:
    beside = "The lamps were tried in one garden. We call for more trials."
    more = f"{SAID[:-1]}, but the lamps were tried in one garden."
    assert differences(more, f"{SAID} {beside}") == []
    assert differences(more, SAID) == []
    changed = more.replace("may raise", "may lower")
    assert "“lower” where these words have “raise”" in differences(changed, f"{SAID} {beside}")
    rules = "Rules of thumb give no guarantee about the owls that nobody has seen so far."
    turned = rules.replace("give no guarantee", "guarantee nothing")
    assert differences(turned, rules) == []
    assert differences(rules.replace("give no", "give a"), rules) != []


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_read_and_differs_in_nothing_from_itself(text: str, other: str) -> None:
    assert differences(text, text) == []
    assert isinstance(differences(text, other), list)


SAME = [
    ("L’Yi draws it", "LYi draws it"),
    ("L'Yi et al. draw it", "L’Yi draws"),
    ("D’Angelo et al. say", "DAngelo says"),
    ("over 440,000 births", "443,198 births"),
    ("about 1.2M tweets", "1,204,331 tweets"),
    ("1.2 million tweets", "1200000 tweets"),
    ("1.2M tweets", "1.2 million tweets"),
    ("3k runs", "3,000 runs"),
    ("3 thousand runs", "3000 runs"),
    ("10–20 days", "10-20 days"),
    ("10-20 days", "between 10 and 20 days"),
    ("10 to 20 days", "10–20 days"),
    ("11-16 days", "11 to 16 days"),
    ("p < 0.05", "p < .05"),
    ("p<.05", "p < 0.05"),
    ("P = .003", "p=0.003"),
    ("1.234,5 mg", "1,234.5 mg"),
    ("12,5 %", "12.5 %"),
    ("1 234 mice", "1234 mice"),
    ("1 234 mice", "1,234 mice"),
    ("50 % of mice", "half of the mice"),
    ("25% of mice", "a quarter of mice"),
    ("one in three: 33 %", "a third of"),
    ("0.5 of them", "50%"),
    ("75% of mice", "three quarters of mice"),
    ("67% of mice", "two thirds of mice"),
    ("12 percent", "12%"),
    ("12 per cent", "12 %"),
    ("12%", "0.12"),
    ("F4/80 marks them", "F4-80 marks them"),
    ("F4/80+ cells", "F4/80(+) cells"),
    ("RecQ-class helicases", "RecQ helicases"),
    ("RecQ-like helicases", "the RecQ family"),
    ("BERT's heads", "the heads of BERT"),
    ("BERTs", "BERT"),
    ("BERT’s heads", "BERT"),
    ("LLMs", "large language models"),
    ("the LLM", "LLMs"),
    ("Müller et al. say", "Muller"),
    ("Muller et al. say", "Müller"),
    ("Søgaard et al. say", "Sogaard"),
    ("Łukasz et al. say", "Lukasz"),
    ("Strauß et al. say", "Strauss"),
    ("Mueller et al. say", "Müller"),
    ("β-catenin by 30%", "beta-catenin by 30%"),
    ("TNF-α rises", "TNF-alpha rises"),
    ("TNFα rises", "TNF-alpha rises"),
    ("TNF-alpha rises", "tumor necrosis factor alpha"),
    ("IFN-γ rises", "interferon-γ"),
    ("IFN-γ", "IFNgamma"),
    ("NF-κB", "nuclear factor kappa B"),
    ("Ca2+ levels", "Ca²⁺ levels"),
    ("Ca2+ levels", "Ca(2+) levels"),
    ("10⁶ cells", "10^6 cells"),
    ("10^6 cells", "1 million cells"),
    ("106 cells/ml", "10⁶ cells/ml"),
    ("CD4+ T cells", "CD4(+) T cells"),
    ("CD4+", "CD4⁺"),
    ("CD4+ cells", "CD4 cells"),
    ("CD8- cells", "CD8 cells"),
    ("IL4R", "IL-4R"),
    ("Th2", "T(H)2 cells"),
    ("TH2", "Th2"),
    ("N-methyl-D-aspartate", "N-methyl-D-aspartate"),
    ("NMDA receptors", "N-methyl-D-aspartate receptors"),
    ("2,4-dinitrophenol", "2,4-dinitrophenol"),
    ("DNP", "2,4-dinitrophenol"),
    ("H2O2", "H₂O₂"),
    ("5-HT2A", "5-HT(2A)"),
    ("CO2", "CO₂"),
    ("the 21st century", "the twenty-first century"),
    ("the twenty-first century", "the 21st century"),
    ("the 12th day", "the twelfth day"),
    ("the 20th day", "the twentieth day"),
    ("the 30th day", "thirtieth day"),
    ("in the 1990s", "in the nineties"),
    ("in the 90s", "in the 1990s"),
    ("in '19", "in 2019"),
    ("since ’98", "since 1998"),
    ("in the 1990s", "in 1990"),
    ("in the mid-1990s", "the 1990s"),
    ("in 2019–20", "in 2019-2020"),
    ("in 1990-91", "1990 to 1991"),
    ("in 1990-1991", "1990–91"),
    ("phase III trial", "phase 3 trial"),
    ("phase 3 trial", "phase III"),
    ("type II diabetes", "type 2 diabetes"),
    ("Article XII", "Article 12"),
    ("chapter 12", "chapter XII"),
    ("World War II", "second world war"),
    ("twelve mice", "12 mice"),
    ("12 mice", "twelve mice"),
    ("twenty-four mice", "24 mice"),
    ("24 mice", "twenty-four mice"),
    ("24 mice", "two dozen mice"),
    ("three hundred mice", "300"),
    ("300 mice", "three hundred mice"),
    ("1,500 mice", "fifteen hundred mice"),
    ("250 mice", "two hundred and fifty mice"),
    ("1,200 mice", "one thousand two hundred mice"),
    ("2 million people", "two million people"),
    ("2,000,000 people", "two million"),
    ("5-fold", "fivefold"),
    ("12-fold", "twelvefold"),
    ("12-fold", "12 fold"),
    ("20x faster", "20 times faster"),
    ("20× faster", "20 times"),
    ("twice", "2"),
    ("30ms", "30 ms"),
    ("30 ms", "30ms"),
    ("16GB", "16 GB"),
    ("$1.5bn", "1.5 billion dollars"),
    ("€20", "20 euros"),
    ("£20m", "20 million pounds"),
    ("MRR@10", "MRR at 10"),
    ("F1 of 0.91", "an F1 score of .91"),
    ("91% F1", "an F1 of 0.91"),
    ("0.9", "0.901"),
    ("93%", "93.7%"),
    ("94%", "93.7%"),
    ("94 %", "93.65"),
    ("−5.3 dB", "-5.3 dB"),
    ("minus 12 dB", "-12 dB"),
    ("±12", "+/- 12"),
    ("~12", "12.3"),
    ("≈440 mice", "443 mice"),
    ("more than 60%", "61.3%"),
    ("nearly 60%", "59.1 %"),
    ("fewer than 20", "19"),
    ("around 1990", "1989"),
    ("at least 90%", "92%"),
    ("ﬁve hundred 500", "500"),
    ("ﬂuoxetine SSRIs", "fluoxetine SSRI"),
    ("naïve CD4", "naive CD4"),
    ("café NYC", "cafe NYC"),
    ("US patients", "United States patients"),
    ("U.S. patients", "US patients"),
    ("USA", "U.S.A."),
    ("the UK", "the United Kingdom"),
    ("EU", "European Union"),
    ("WHO", "World Health Organization"),
    ("WHO", "World Health Organisation"),
    ("HIV", "human immunodeficiency virus"),
    ("SARS-CoV-2", "SARS-CoV-2"),
    ("COVID-19", "Covid-19"),
    ("AIDS", "acquired immunodeficiency syndrome"),
    ("miRNAs", "microRNAs"),
    ("hES cells", "human embryonic stem cells"),
    ("VSMCs", "vascular smooth muscle cells"),
    ("KO mice", "knockout mice"),
    ("WT mice", "wild-type mice"),
    ("PLHIV", "people living with HIV"),
    ("ART", "antiretroviral therapy"),
    ("QoL", "quality of life"),
    ("GBM", "glioblastoma multiforme"),
    ("GBM", "glioblastoma"),
    ("DOACs", "direct oral anticoagulants"),
    ("mRNP", "messenger ribonucleoprotein"),
    ("IL-6", "interleukin-6"),
    ("IL-6", "interleukin (IL) 6"),
    ("PTSD", "post-traumatic stress disorder"),
    ("ADHD", "attention-deficit/hyperactivity disorder"),
    ("BMI", "body mass index"),
    ("MRI", "magnetic resonance imaging"),
    ("T2D", "type 2 diabetes"),
    ("T2DM", "type 2 diabetes mellitus"),
    ("3D", "three-dimensional"),
    ("2D", "two-dimensional"),
    ("ICU", "intensive care unit"),
    ("RCTs", "randomised controlled trials"),
    ("PubMed and MEDLINE", "PubMed, Medline"),
    ("GPT-4", "GPT4"),
    ("GPT4", "GPT-4"),
    ("GPT‑4", "GPT-4"),
    ("RoBERTa", "RoBERTa-large"),
    ("SciBERT-based", "SciBERT"),
    ("non-BERT models", "BERT models"),
    ("BERT-large", "BERT large"),
    ("BERT(large)", "BERT-large"),
    ("TREC 2019", "TREC-19"),
    ("TREC-COVID", "TREC COVID"),
    ("ImageNet-1K", "ImageNet 1k"),
    ("CIFAR-10", "CIFAR10"),
    ("ResNet-50", "ResNet50"),
    ("Llama-2-7B", "Llama 2 7B"),
    ("7B parameters", "7 billion parameters"),
    ("175B", "175 billion"),
    ("175 billion", "175B"),
    ("1.5T tokens", "1.5 trillion tokens"),
    ("Python3.11", "Python 3.11"),
    ("E. coli K-12", "E. coli K12"),
    ("p53", "p53"),
    ("Wnt/β-catenin", "Wnt and beta-catenin"),
    ("WNT5A/PCP", "WNT5A and the PCP"),
    ("CRISPR/Cas9", "CRISPR-Cas9"),
    ("CRISPR/Cas9", "CRISPR and Cas9"),
    ("PI3K/AKT/mTOR", "PI3K, AKT, and mTOR"),
    ("PD-1/PD-L1", "PD1 and PDL1"),
    ("anti-PD-1", "PD-1"),
    ("CD28-mediated", "CD28"),
    ("IFN-induced", "interferon-stimulated"),
    ("NIH 3T3", "NIH/3T3"),
    ("HEK293", "HEK 293 cells"),
    ("HER2+", "HER2-positive"),
    ("ER-positive", "ER+"),
    ("A/B tests", "A/B testing"),
    ("I/O", "I/O"),
    ("TF-IDF", "tf-idf"),
    ("TF*IDF", "TF-IDF"),
    ("BM25", "BM-25"),
    ("k=20", "k = 20"),
    ("n=120", "(n = 120)"),
    ("95% CI 1.2-3.4", "95% CI, 1.2 to 3.4"),
    ("3:1 ratio", "3 to 1"),
    ("2.5.1", "2.5.1"),
    ("v2.5", "version 2.5"),
    ("1/3 of mice", "one third"),
    ("1/4 of 200", "a quarter of 200"),
    ("12 months", "one year; 12-month"),
    ("a 20-year-old", "20 years old"),
    ("a 12-item scale", "12 items"),
    ("the 2-, 12- and 24-month visits", "2, 12 and 24 months"),
]
OTHER = [
    ("it took 900 days", "it took 100 days"),
    ("rose by 4%", "rose by 7%"),
    ("0.85 of them", "0.749"),
    ("500,000 words", "over 500 words"),
    ("over 440,000", "213,198 births"),
    ("1.2M", "1.2 thousand"),
    ("12 %", "13 %"),
    ("45 mice", "44 mice"),
    ("2018", "2019"),
    ("in 2018", "in 2019"),
    ("about 30%", "50%"),
    ("1.5", "15"),
    ("15 %", "1.5 %"),
    ("99 mice", "twenty-four mice, three hundred"),
    ("LitLLM wins", "ChatCite wins"),
    ("GPT-5", "GPT-4"),
    ("BERT", "GPT-4 alone"),
    ("MNIST", "ChatCite is an agent. It was compared"),
    ("T5 is larger", "T4"),
    ("Brandt et al. find", "Abel finds"),
    ("Smith and colleagues find", "Abel finds"),
    ("IL-10", "IL-1 and IL-6"),
    ("CD8+", "CD4+ T cells"),
    ("1,000,000", "1,000"),
    ("3.7B", "3.7 million"),
    ("SQuAD", "a dataset of questions about all the things"),
    ("CIFAR-100", "CIFAR-10"),
    ("ResNet-50", "ResNet-101"),
    ("F1 of 0.91", "an F1 of 0.81"),
    ("10–30 days", "10–20 days"),
    ("60%", "0.06"),
    ("12-fold", "2-fold"),
    ("37 items", "3 and 7 items"),
    ("47 of them", "forty and seventy"),
    ("HER3", "HER2"),
    ("SciBERT", "BERT"),
    ("NDCG", "MRR"),
    ("Llama-3", "Llama-2"),
    ("TNF-β", "TNF-α"),
    ("K-means on WikiText", "k-means"),
    ("ELMo", "BERT"),
    ("CoNLL", "other data; co-nominal"),
]


@pytest.mark.parametrize(("claim", "source"), SAME)
def test_what_is_written_in_another_way_stands_there(claim: str, source: str) -> None:
    assert standing_nowhere(claim, ["", source]) == []


@pytest.mark.parametrize(("claim", "source"), OTHER)
def test_what_nobody_wrote_is_told(claim: str, source: str) -> None:
    assert standing_nowhere(claim, [source])


def test_each_is_told_once_and_as_what_it_is() -> None:
    claim = "Smith et al. train LitLLM on 900 texts; LitLLM wins by 12.5 %, GPT-4’s 3 rivals lose."
    assert standing_nowhere(claim, ["We compare GPT-4 and others.", "Lee 2020"]) == [
        "the number 900",
        "the number 12.5%",
        "the name Smith",
        "the name LitLLM",
    ]


def test_small_numbers_versions_and_words_like_any_other_are_no_facts() -> None:
    claim = (
        "On theme 2 of 3, Mamba 2.5.1 and GPT–4 are seen in Paris; phase III, A. In part I: v2.5."
    )
    assert standing_nowhere(claim, ["GPT-4"]) == []


@pytest.mark.parametrize(
    ("claim", "source"), [("over 440,000", "443,198"), ("nearly 60 %", "59.1 %"), ("~12", "12.3")]
)
def test_number_that_is_only_near_may_be_off_a_little(claim: str, source: str) -> None:
    assert standing_nowhere(claim, [source]) == []
    bare = claim.removeprefix("over ").removeprefix("nearly ").removeprefix("~")
    assert standing_nowhere(bare, [source.replace("12.3", "13.4").replace("59.1", "57.1")])


def test_abbreviation_does_not_stand_for_itself() -> None:
    assert standing_nowhere("The LLM (LLM) is large.", ["Nothing of it."]) == ["the name LLM"]
    assert standing_nowhere("Large language models (LLMs) grow.", ["Nothing of it."]) == []


UGLY = st.text("ABab1.,-/'’^() %smkβ²ßİ\u0308", max_size=60)


@given(st.text(max_size=300) | UGLY, st.text(max_size=60) | UGLY)
def test_any_text_is_read_and_has_all_that_it_says_itself(text: str, other: str) -> None:
    assert standing_nowhere(text, [text]) == []
    assert standing_nowhere(text, [other, text]) == []
    assert isinstance(standing_nowhere(text, [other]), list)


def test_hostile_text_is_read_at_once() -> None:
    for piece in (
        "1",
        "1,",
        "A",
        "A-",
        "A/",
        "a ",
        "IL-1 ",
        "12,000 ",
        "Ab et al. ",
        "1^",
        "hundred and ",
    ):
        assert standing_nowhere(piece * 4000, [f"x {piece * 4000}"]) == []
        assert isinstance(standing_nowhere("ABABAB wins by 9.5", [piece * 4000]), list)
