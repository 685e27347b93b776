"""BGE-M3: what needs no model, and the real FlagEmbedding with a tiny random one where it is there."""

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from citeloom.cli.app import app
from tests.library.qdrant_double import QdrantDouble
from tools.embed.bge_m3 import BgeM3
from tools.embed.embedder import encode, multi_size
from tools.embed.open_embedder import embedder
from tools.errors import PermanentError
from tools.library.library import Library
from tools.library.library_care import verify
from tools.library.library_index import terms_of
from tools.library.open_library import close_libraries, open_library
from tools.library.vector_index import (
    DENSE,
    LEXICAL,
    MULTI,
    IndexFilter,
)
from tools.settings import settings as of_process

SENTENCES = [
    "Bees find their way back to the hive by the sun.",
    "A hive of bees makes honey from the nectar of flowers.",
    "The harbour was closed in winter because of the ice.",
    "Ships carried wool and salt between the towns.",
]


def bare_folder(folder: Path) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text('{"hidden_size": 24}')
    for name in ("sparse_linear.pt", "colbert_linear.pt", "model.safetensors"):
        (folder / name).write_bytes(name.encode())
    return folder


def test_folder_tells_sizes_and_name_before_the_model_is_loaded(tmp_path: Path) -> None:
    folder = bare_folder(tmp_path / "one")
    model = BgeM3(folder)
    assert (model.size, model.multi_size) == (24, 24)
    assert model.name.startswith("bge-m3@")
    assert model.name == BgeM3(bare_folder(tmp_path / "two")).name
    assert (model.embed([]).shape, model.encode([]).multi) == ((0, 24), ())
    (folder / "model.safetensors").write_bytes(b"another version")
    assert model.name != BgeM3(folder).name


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PermanentError, match=r"there is no folder .*CITELOOM_EMBEDDER"):
        _ = BgeM3(tmp_path / "none").size
    folder = bare_folder(tmp_path / "half")
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PermanentError, match=r"pip install 'citeloom\[bge\]'"):
        BgeM3(folder).embed(["a text"])
    (folder / "colbert_linear.pt").unlink()
    with pytest.raises(PermanentError, match=r"has no colbert_linear\.pt"):
        _ = BgeM3(folder).name


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of BGE-M3's form whose weights are random."""
    if find_spec("FlagEmbedding") is None:  # one that is there and cannot be imported is a fault
        pytest.skip("the extra `bge` is not installed")
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
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        sep_token="</s>",
        unk_token="<unk>",
    ).save_pretrained(folder)
    torch.manual_seed(7)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=80,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        type_vocab_size=1,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    torch.save(torch.nn.Linear(32, 32).state_dict(), folder / "colbert_linear.pt")
    sparse = torch.nn.Linear(32, 1)
    torch.nn.init.constant_(sparse.bias, 0.5)
    torch.save(sparse.state_dict(), folder / "sparse_linear.pt")
    return folder


@pytest.fixture(scope="module")
def tiny(tiny_folder: Path) -> BgeM3:
    return BgeM3(tiny_folder, batch=3)


@pytest.mark.filterwarnings("ignore")
class TestRealFlagEmbedding:
    """With the package's own code."""

    def test_one_pass_gives_dense_sparse_and_token_vectors(self, tiny: BgeM3) -> None:
        found = encode(tiny, [*SENTENCES, ""])
        assert multi_size(tiny) == 32
        assert found.dense.shape == (5, 32)
        np.testing.assert_allclose(np.linalg.norm(found.dense, axis=1), 1, atol=1e-5)
        assert found.sparse is not None
        assert found.multi is not None
        for weights, vectors in zip(found.sparse[:4], found.multi[:4], strict=True):
            assert weights.indices == tuple(sorted(set(weights.indices)))
            assert weights.indices
            assert min(weights.values) > 0
            assert not set(weights.indices) & {0, 1, 2, 3}
            assert len(vectors) >= len(weights.indices)
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert (found.sparse[4].indices, found.multi[4].shape) == ((), (1, 32))

    def test_rows_stand_in_input_order_whatever_the_batches_and_threads(self, tiny: BgeM3) -> None:
        found = tiny.encode(SENTENCES)
        alone = tiny.encode([SENTENCES[2]])
        np.testing.assert_allclose(alone.dense[0], found.dense[2], atol=1e-5)
        with ThreadPoolExecutor(4) as pool:
            for vectors in pool.map(lambda _: tiny.embed(SENTENCES), range(8)):
                np.testing.assert_allclose(vectors, found.dense, atol=1e-5)

    @pytest.mark.slow
    def test_library_is_filled_searched_and_asked_on_both_engines(
        self, home: Path, tmp_path: Path
    ) -> None:
        paper = tmp_path / "hives.md"
        parts = "\n\n".join(f"## Part {at}\n\n{text}" for at, text in enumerate(SENTENCES, start=1))
        paper.write_text(f"# Hives and harbours\n\n{parts}\n", "utf-8")
        run("library", "add", paper, "--library", "hives")
        library = open_library("hives", of_process(), embedder())
        assert library.stats().embedder.startswith("bge-m3@")
        assert not list(verify(library))
        assert_each_vector_finds_its_own_passage(library)
        close_libraries()
        asked = "What makes honey from the nectar of flowers?"
        told = json.loads(run("ask", asked, "--library", "hives", "--json"))
        assert told["outcome"] == "complete"
        (quote, *_) = (claim["quote"]["text"] for claim in told["claims"])
        assert quote in " ".join(SENTENCES)


@pytest.fixture(params=["embedded", "server"])
def home(
    request: pytest.FixtureRequest,
    tiny_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """A home whose libraries lie in the embedded engine, or on a server, and are embedded by the tiny model."""
    with QdrantDouble() if request.param == "server" else nullcontext() as server:
        if server:
            monkeypatch.setenv("CITELOOM_QDRANT_URL", server.url)
        monkeypatch.setenv("CITELOOM_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("CITELOOM_EMBEDDER", f"bge-m3:{tiny_folder}")
        monkeypatch.chdir(tmp_path)
        of_process.cache_clear()
        yield tmp_path / "home"
        close_libraries()
        of_process.cache_clear()
        if server:
            assert server.asked("upsert")


def run(*arguments: object) -> str:
    """Return what a command prints; it must end well."""
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


def assert_each_vector_finds_its_own_passage(library: Library) -> None:
    """Dense vector, term weights and token vectors of a passage each find that passage first."""
    (paper,) = library.ids()
    passages = library.texts.of_paper(paper)
    found = library.vector_index.indexes.searched()
    assert found.names.multi == found.names.size == 32
    made = encode(library.embedder, [passage.text for passage in passages])
    assert made.multi is not None
    for place, passage in enumerate(passages):
        whole = library.texts.search(passage.text, limit=1)
        assert [hit.passage for hit in whole] == [passage.id]
        named = [
            (DENSE, made.dense[place]),
            (LEXICAL, terms_of(made.sparse, place)),
            (MULTI, made.multi[place]),
        ]
        best = [
            found.engine.nearest([one], 1, IndexFilter(kind="passage"), exact=True)[0][0].id
            for one in named
            if one[1] is not None
        ]
        assert (len(best), len(set(best))) == (3, 1)
