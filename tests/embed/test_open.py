"""Which embedder the settings name."""

import pytest
from pydantic import SecretStr

from citeloom.settings import Settings
from tools.embed.bge_m3 import BgeM3
from tools.embed.minilm import MiniLm
from tools.embed.open import embedder
from tools.embed.openai_endpoint import OPENAI, OpenAiEmbedder
from tools.errors import InputError


def settings(choice: str = "minilm", **values: str) -> Settings:
    """Settings with these values and nothing of the environment."""
    keys = {key: SecretStr(value) for key, value in values.items() if key.endswith("_key")}
    return Settings.model_construct(embedder=choice, **{**values, **keys})  # type: ignore[arg-type]


def test_each_choice_opens_its_embedder_once_for_the_process() -> None:
    assert isinstance(embedder(settings()), MiniLm)
    assert embedder(settings()) is embedder(settings())
    other = embedder(settings("bge-m3:/models/m3"))
    assert isinstance(other, BgeM3)
    assert other is not embedder(settings("bge-m3"))
    made = embedder(settings("openai:text-embedding-3-small"))
    assert made.name == "openai:text-embedding-3-small"


def place(**values: str) -> tuple[str, str]:
    made = embedder(settings("openai:m", **values))
    assert isinstance(made, OpenAiEmbedder)
    return made._url, made._key


def test_a_key_goes_only_to_the_endpoint_that_it_is_of() -> None:
    assert place(openai_api_key="mine") == (OPENAI, "mine")
    assert place(openai_api_key="mine", embeddings_base_url="http://e/v1") == ("http://e/v1", "")
    assert place(embeddings_base_url="http://e/v1", embeddings_api_key="e") == ("http://e/v1", "e")
    both = {"llm_base_url": "http://l/v1", "llm_api_key": "l"}
    assert place(**both, openai_api_key="mine") == ("http://l/v1", "l")
    assert place(**both, embeddings_base_url="http://e/v1") == ("http://e/v1", "")
    assert place(**both, embeddings_api_key="e") == (OPENAI, "e")


@pytest.mark.parametrize("choice", ["minilm:x", "openai:", "word2vec"])
def test_unknown_choice_is_an_input_error_that_lists_them(choice: str) -> None:
    with pytest.raises(InputError, match=r"minilm, bge-m3, bge-m3:FOLDER or openai:MODEL"):
        embedder(settings(choice))
