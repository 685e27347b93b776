"""Citations judged by a model of inference: what it says becomes a verdict with words that code finds again."""

from collections.abc import Sequence

from nodes.judge.judge_prompts import TASK, Asked, JudgedItems, Numbered, Source

ABSTRACT = "Owls hear voles under snow. They catch two of three voles in the dark."


class Knowing:
    """Says what it was told of (text, statement), and neither of what it was not."""

    def __init__(self, **known: tuple[float, float]) -> None:
        self.known = known
        self.asked: list[tuple[str, str]] = []

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, float]]:
        self.asked += pairs
        return [self.known.get(text.split()[0], (0.1, 0.1)) for text, _ in pairs]


def judged(model: Knowing, *, text: str = "Owls find voles by ear {P1}.") -> JudgedItems:
    assert TASK.entail
    return TASK.entail(
        model,
        input="",
        sources=[Source(key="P1", title="Owls", abstract=ABSTRACT)],
        sentences=[Numbered(number=4, text=text)],
        asked=[Asked(id="4-P1", sentence=4, sources=["P1"])],
    )


def test_words_that_entail_a_sentence_are_its_quote() -> None:
    model = Knowing(Owls=(0.9, 0.05))
    (finding,) = judged(model).findings
    assert (finding.id, finding.verdict) == ("4-P1", "supported")
    assert finding.quotes == ["Owls hear voles under snow."]
    texts, statements = zip(*model.asked, strict=True)
    assert set(statements) == {"Owls find voles by ear."}, "without the marker"
    assert ABSTRACT in texts, "what it says over several sentences counts, too"


def test_words_that_contradict_it_and_words_that_do_neither_are_shown_as_well() -> None:
    (finding,) = judged(Knowing(They=(0.1, 0.8))).findings
    assert (finding.verdict, finding.quotes) == (
        "contradicted",
        ["They catch two of three voles in the dark."],
    )
    (finding,) = judged(Knowing()).findings
    assert finding.verdict == "not_in_source"
    assert finding.quotes
