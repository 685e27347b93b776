"""What CiteLoom asks of a Qdrant server; no server is to be had here, so the client's own engine answers."""

import re
from collections.abc import Sequence
from inspect import getsource

import numpy as np
from numpy.typing import NDArray

from tests.library.conftest import Recorded
from tests.library.words import OtherEmbedder, WordEmbedder, fill
from tools.library import server_index as calls
from tools.library.library import Library
from tools.library.open_library import create_library, open_library
from tools.library.qdrant_server import Server
from tools.library.server_self_test import check_server
from tools.settings import Settings

CLUSTER = Server(
    url="http://qdrant.invalid", quantization="scalar", on_disk=True, shards=3, replicas=2
)


def test_self_test_makes_every_call_that_the_index_makes(recorded: Recorded) -> None:
    steps = list(check_server(CLUSTER))
    assert [step.fault for step in steps] == [""] * 12
    written = set(re.findall(r"\bclient\.(\w+)\(", getsource(calls)))
    assert written == {name for name, _ in recorded.asked} - {"close"}
    assert recorded.client.get_collections().collections == [], "nothing is left behind"


def test_library_embedded_anew_is_searched_in_its_old_collection_until_the_new_is_full(
    recorded: Recorded, settings: Settings
) -> None:
    served = settings.model_copy(update={"qdrant_url": "http://qdrant.invalid"})
    fill(create_library("mine", served, WordEmbedder()), 20)
    before = open_library("mine", served, WordEmbedder())
    before.index()
    seen: list[tuple[int, int]] = []

    class Watched(OtherEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            collections = recorded.client.get_collections().collections
            seen.append((len(collections), len(before.search("topic1", limit=99))))
            return super().embed(texts)

    library = Library(before.folder, "mine", served, Watched(96))
    library.index(reembed=True)
    assert seen[0] == (2, 20)
    assert len(recorded.client.get_collections().collections) == 1
    assert len(library.vectors(library.ids())) == 20
    library.close()
