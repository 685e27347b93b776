"""Which model answers a run, and which judges: the embedded engine, an LLM, or one of inference by name."""

import json
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nodes.judge.judge_prompts import TASK, Asked, JudgedSentence, Source
from tests.fakes.openai_server import OpenAIServer, Status, Text
from tests.llm.support import RATE, Rating, settings_for
from tools.embed.embedder import Embedder, Vectors
from tools.embed.open_embedder import embedder
from tools.errors import BudgetError, InputError, PermanentError, TransientError
from tools.ledger.budget_limits import BudgetLimits
from tools.ledger.run_ledger import ledger_of_run
from tools.llm.entailment import Entailment
from tools.llm.open_model import Kind, open_judge_model, open_model, ping_models
from tools.llm.task import Task
from tools.settings import Settings


class LengthEmbedder:
    """A tiny embedder: the direction tells the text's length."""

    name = "length"
    size = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        angles = np.array([len(text) for text in texts], dtype=np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


EMBEDDER: Embedder = LengthEmbedder()


@pytest.mark.parametrize(
    ("kind", "model", "name"),
    [
        ("auto", "m", "m"),
        ("llm", "m", "m"),
        ("extractive", "m", "extractive"),
        ("auto", None, "extractive"),
    ],
)
def test_the_mind_follows_kind_and_settings(
    tmp_path: Path, kind: Kind, model: str | None, name: str
) -> None:
    settings = settings_for("http://127.0.0.1:9/v1", tmp_path, strong_model=model)
    assert open_model("run", BudgetLimits(), kind, settings, EMBEDDER).name == name


def test_an_llm_that_is_not_configured_is_told_with_the_settings(tmp_path: Path) -> None:
    settings = settings_for("http://127.0.0.1:9/v1", tmp_path, strong_model=None)
    with pytest.raises(PermanentError, match=r"CITELOOM_STRONG_MODEL.*CITELOOM_LLM_API_KEY"):
        open_model("run", BudgetLimits(), "llm", settings, EMBEDDER)
    with pytest.raises(InputError, match="auto, llm, extractive"):
        open_model("run", BudgetLimits(), "oracle", settings, EMBEDDER)


def test_a_model_to_which_nothing_leads_is_no_reason_to_ask_another_mind(tmp_path: Path) -> None:
    bare = settings_for("http://127.0.0.1:9/v1", tmp_path, llm_base_url=None, llm_api_key=None)
    for kind in ("auto", "llm"):
        with pytest.raises(PermanentError, match="the model m is set without a key or endpoint: "):
            open_model("run", BudgetLimits(), kind, bare, EMBEDDER)
    assert open_model("run", BudgetLimits(), "extractive", bare, EMBEDDER).name == "extractive"


def test_a_limit_in_dollars_needs_prices_before_anything_is_asked(tmp_path: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    bare = settings_for(url, tmp_path)
    with pytest.raises(PermanentError, match="CITELOOM_STRONG_PRICE"):
        open_model("run", BudgetLimits(usd=1), "auto", bare, EMBEDDER)
    one_price_for_one_model = settings_for(url, tmp_path, strong_price=(1.0, 2.0))
    assert (
        open_model("run", BudgetLimits(usd=1), "auto", one_price_for_one_model, EMBEDDER).name
        == "m"
    )
    free = settings_for(url, tmp_path, strong_model=None)
    assert open_model("run", BudgetLimits(usd=1), "auto", free, EMBEDDER).name == "extractive"


async def test_the_tier_chooses_the_model(tmp_path: Path) -> None:
    fast = Task(name="fast", prompt="Rate.", answer=Rating, tier="fast", extract=RATE.extract)
    with OpenAIServer([{"score": 1}]) as server:
        settings = settings_for(server, tmp_path, fast_model="f", strong_model="s")
        mind = open_model("run", BudgetLimits(), "auto", settings, EMBEDDER)
        assert mind.name == "s + f"
        await mind.do(RATE, text="x")
        await mind.do(fast, text="x")
    assert [request["model"] for request in server.requests] == ["s", "f"]


async def test_the_extractive_mind_answers_in_a_worker_thread_and_is_counted(
    tmp_path: Path,
) -> None:
    threads: list[int] = []

    def extract(embedder: Embedder, *, text: str) -> Rating:
        threads.append(threading.get_ident())
        return Rating(score=embedder.embed([text]).shape[1])

    task = Task(name="size", prompt="", answer=Rating, tier="fast", extract=extract)
    settings = settings_for("http://127.0.0.1:9/v1", tmp_path)
    mind = open_model("extracting", BudgetLimits(calls=1), "extractive", settings, EMBEDDER)
    assert (await mind.do(task, text="four", sample=3, temperature=0.9)).score == 2
    assert threads[0] != threading.get_ident()
    (row,) = ledger_of_run("extracting", BudgetLimits(calls=1), tmp_path).usage()
    assert (row.task, row.mind, row.calls, row.input_tokens) == ("size", "extractive", 1, 0)
    with pytest.raises(BudgetError, match="max_calls"):
        await mind.do(task, text="four")


async def test_ping_asks_each_model_once_and_names_it(tmp_path: Path) -> None:
    with OpenAIServer([Text("ready")]) as server:
        one = await ping_models(settings_for(server, tmp_path))
        both = await ping_models(settings_for(server, tmp_path, fast_model="f", strong_model="s"))
    assert one.startswith("m answered in ")
    assert "s answered" in both
    assert "f answered" in both
    assert [request["model"] for request in server.requests] == ["m", "s", "f"]


async def test_ping_raises_the_typed_error_at_once(tmp_path: Path) -> None:
    with OpenAIServer([Status(401), Status(503)]) as server:
        settings = settings_for(server, tmp_path)
        with pytest.raises(PermanentError, match="CITELOOM_LLM_API_KEY"):
            await ping_models(settings)
        with pytest.raises(TransientError):
            await ping_models(settings)
    assert len(server.requests) == 2
    with pytest.raises(PermanentError, match="no LLM is configured"):
        await ping_models(settings_for(server, tmp_path, strong_model=None))


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
    text = JudgedSentence(number=1, text="Owls hear {P1}.")
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
