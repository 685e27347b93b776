"""A model of inference by name, which judges citations where there is no LLM."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from nodes.judge.judge_prompts import TASK, Asked, Numbered, Source
from tools.embed.open_embedder import embedder
from tools.errors import PermanentError
from tools.ledger.budget_limits import BudgetLimits
from tools.llm.entailment import Entailment
from tools.llm.open_model import open_judge_model, open_model
from tools.settings import Settings

needs_models = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="needs the extra 'models'"
)


def test_model_judges_in_place_of_the_embedded_engine_and_of_no_llm(tmp_path: Path) -> None:
    bare = Settings(home=tmp_path)
    named = bare.model_copy(update={"judge_model": "some/model"})
    mind = open_model("r", BudgetLimits(), "extractive", bare, embedder(bare))
    assert open_judge_model("r", BudgetLimits(), mind, bare) is mind
    assert open_judge_model("r", BudgetLimits(), mind, named).name == "some/model"
    asked = named.model_copy(update={"strong_model": "m", "llm_base_url": "http://127.0.0.1:9"})
    llm = open_model("r", BudgetLimits(), "llm", asked, embedder(bare))
    assert open_judge_model("r", BudgetLimits(), llm, asked) is llm


async def test_model_that_is_not_there_is_named_with_what_to_do(tmp_path: Path) -> None:
    at = Settings(home=tmp_path, judge_model=str(tmp_path / "none"))
    mind = open_model("r", BudgetLimits(), "extractive", at, embedder(at))
    judge = open_judge_model("r", BudgetLimits(), mind, at)
    told = "give its name" if find_spec("sentence_transformers") else r"citeloom\[models\]"
    with pytest.raises(PermanentError, match=told):
        await judge.do(TASK, **_asked())


@needs_models
def test_labels_are_found_by_their_names(tmp_path: Path) -> None:
    folder = _tiny(tmp_path, ["contradiction", "entailment", "neutral"])
    ((entails, contradicts),) = Entailment(folder).judge([("owls hear", "owls")])
    assert 0 < entails < 1
    assert 0 < contradicts < 1
    other = _tiny(tmp_path, ["good", "bad"])
    with pytest.raises(PermanentError, match="no label 'entailment'"):
        Entailment(other).judge([("owls hear", "owls")])


def _asked() -> dict[str, Any]:
    source = Source(key="P1", title="Owls", abstract="Owls hear voles.")
    asked = Asked(id="1-P1", sentence=1, sources=["P1"])
    text = Numbered(number=1, text="Owls hear {P1}.")
    return {"input": "", "sources": [source], "sentences": [text], "asked": [asked]}


def _tiny(folder: Path, labels: list[str]) -> str:
    """Return a folder with a model of inference whose weights are chance."""
    from transformers import (  # type: ignore[import-not-found]
        BertConfig,
        BertForSequenceClassification,
        BertTokenizerFast,
    )

    place = folder / "-".join(labels)
    place.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "owls", "hear"]
    (place / "vocab.txt").write_text("\n".join(words))
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        id2label=dict(enumerate(labels)),
        label2id={name: at for at, name in enumerate(labels)},
    )
    BertForSequenceClassification(config).save_pretrained(place)
    BertTokenizerFast(str(place / "vocab.txt")).save_pretrained(place)
    assert json.loads((place / "config.json").read_text())["id2label"]["0"] == labels[0]
    return str(place)
