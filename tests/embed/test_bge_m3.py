"""BGE-M3: what needs no model, and the real FlagEmbedding with a tiny random one where it is there."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tools.embed.bge_m3 import BgeM3
from tools.embed.port import Embedder, MultiEmbedder, encode, multi_size
from tools.errors import PermanentError

SENTENCES = [
    "Bees find their way back to the hive by the sun.",
    "A hive of bees makes honey from the nectar of flowers.",
    "The harbour was closed in winter because of the ice.",
    "Ships carried wool and salt between the towns.",
]


def bare_folder(folder: Path, **config: int) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"hidden_size": 24, **config}))
    for name in ("sparse_linear.pt", "colbert_linear.pt", "model.safetensors"):
        (folder / name).write_bytes(name.encode())
    return folder


def test_sizes_and_name_are_known_before_the_model_is_loaded(tmp_path: Path) -> None:
    model = BgeM3(bare_folder(tmp_path / "one"))
    assert (model.size, model.multi_size) == (24, 24)
    assert model.name.startswith("bge-m3@")
    assert model.name == BgeM3(bare_folder(tmp_path / "two")).name


def test_another_version_of_the_files_has_another_name(tmp_path: Path) -> None:
    before = BgeM3(bare_folder(tmp_path)).name
    (tmp_path / "model.safetensors").write_bytes(b"x" * 3_000_000)
    longer = BgeM3(tmp_path).name
    (tmp_path / "model.safetensors").write_bytes(b"x" * 2_999_999 + b"y")
    assert len({before, longer, BgeM3(tmp_path).name}) == 3


def test_folder_that_is_not_there_or_not_whole_is_named(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"there is no folder .*CITELOOM_EMBEDDER"):
        _ = BgeM3(tmp_path / "none").size
    folder = bare_folder(tmp_path / "half")
    (folder / "colbert_linear.pt").unlink()
    with pytest.raises(PermanentError, match=r"has no colbert_linear\.pt"):
        _ = BgeM3(folder).name


def test_without_flagembedding_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PermanentError, match=r"pip install 'citeloom\[bge\]'"):
        BgeM3(bare_folder(tmp_path)).embed(["a text"])


def test_no_texts_need_no_model(tmp_path: Path) -> None:
    model = BgeM3(bare_folder(tmp_path))
    assert model.embed([]).shape == (0, 24)
    assert model.encode([]).multi == ()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> BgeM3:
    pytest.importorskip("FlagEmbedding")
    import torch  # type: ignore[import-not-found]
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import (  # type: ignore[import-not-found]
        PreTrainedTokenizerFast,
        XLMRobertaConfig,
        XLMRobertaModel,
    )

    folder = tmp_path_factory.mktemp("tiny")
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        SENTENCES * 4, trainers.BpeTrainer(vocab_size=300, special_tokens=special)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", cls_token="<s>", pad_token="<pad>",
        eos_token="</s>", sep_token="</s>", unk_token="<unk>",
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(7)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, num_hidden_layers=2,
        num_attention_heads=4, intermediate_size=64, max_position_embeddings=80, pad_token_id=1,
        bos_token_id=0, eos_token_id=2, type_vocab_size=1,
    )  # fmt: skip
    XLMRobertaModel(config).save_pretrained(folder)
    torch.save(torch.nn.Linear(32, 32).state_dict(), folder / "colbert_linear.pt")
    sparse = torch.nn.Linear(32, 1)
    torch.nn.init.constant_(sparse.bias, 0.5)
    torch.save(sparse.state_dict(), folder / "sparse_linear.pt")
    return BgeM3(folder, batch=3)


@pytest.mark.filterwarnings("ignore")
class TestRealFlagEmbedding:
    """With the package's own code."""

    def test_one_pass_gives_dense_sparse_and_token_vectors(self, tiny: BgeM3) -> None:
        found = tiny.encode([*SENTENCES, ""])
        assert found.dense.shape == (5, 32)
        assert found.dense.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(found.dense, axis=1), 1, atol=1e-5)
        assert found.sparse is not None
        assert found.multi is not None
        for weights, vectors in zip(found.sparse[:4], found.multi[:4], strict=True):
            assert weights.indices == tuple(sorted(set(weights.indices)))
            assert weights.indices
            assert all(value > 0 for value in weights.values)
            assert not set(weights.indices) & {0, 1, 2, 3}
            assert len(vectors) >= len(weights.indices)
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert found.sparse[4].indices == ()
        assert found.multi[4].shape == (1, tiny.multi_size)

    def test_rows_stand_in_input_order_whatever_the_batches(self, tiny: BgeM3) -> None:
        found = tiny.encode(SENTENCES)
        np.testing.assert_allclose(tiny.embed(SENTENCES), found.dense, atol=1e-5)
        alone = tiny.encode([SENTENCES[2]])
        np.testing.assert_allclose(alone.dense[0], found.dense[2], atol=1e-5)
        assert alone.multi is not None
        assert found.multi is not None
        np.testing.assert_allclose(alone.multi[0], found.multi[2], atol=1e-5)
        assert alone.sparse is not None
        assert found.sparse is not None
        assert alone.sparse[0].indices == found.sparse[2].indices

    def test_shared_words_weigh_in_the_sparse_likeness(self, tiny: BgeM3) -> None:
        sparse = tiny.encode(SENTENCES).sparse
        assert sparse is not None
        terms = [dict(zip(item.indices, item.values, strict=True)) for item in sparse]
        like = [sum(v * terms[0].get(k, 0.0) for k, v in other.items()) for other in terms]
        assert like[0] == max(like)
        assert like[1] > 0

    def test_odd_and_long_texts_are_cut_and_finite(self, tiny: BgeM3) -> None:
        vectors = tiny.embed(["\ud800 a", "hive " * 5000, "\x00", "蜂"])
        assert np.isfinite(vectors).all()

    def test_prints_no_progress_bars(self, tiny: BgeM3, capfd: pytest.CaptureFixture[str]) -> None:
        tiny.embed(SENTENCES)  # loads, where it is the first test
        capfd.readouterr()
        tiny.embed(SENTENCES * 3)
        assert capfd.readouterr() == ("", "")

    def test_threads_share_it(self, tiny: BgeM3) -> None:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: tiny.embed(SENTENCES), range(8)))
        for vectors in found:
            np.testing.assert_allclose(vectors, found[0], atol=1e-5)

    def test_offers_what_the_port_says(self, tiny: BgeM3) -> None:
        embedder: Embedder = tiny
        assert isinstance(embedder, MultiEmbedder)
        assert multi_size(embedder) == 32
        assert encode(embedder, SENTENCES).sparse is not None

    def test_offline_hub_says_what_to_set(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("FlagEmbedding")
        import huggingface_hub.constants

        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
        with pytest.raises(PermanentError, match=r"CITELOOM_EMBEDDER=bge-m3:FOLDER"):
            _ = BgeM3("BAAI/bge-m3-that-nobody-has").name
