"""How a library's collection lies on a Qdrant server: what it holds, what is compressed, where it stands.

Sources: the documentation at https://qdrant.tech/documentation, on indexing, quantization, storage and distributed
deployment (read in November 2026), and the client's own signatures (qdrant-client 1.20).
"""

import re
from dataclasses import dataclass
from typing import Any

from tools.library.port import BREADTH, DENSE, KEYWORDS, LEXICAL, MULTI, NUMBERS, SPARSE
from tools.settings import Settings

IN_MEMORY = ":memory:"
_THRESHOLD = 10_000
"""Kilobytes of a segment from which a server builds its search graph; its own default."""
_OVERSAMPLING = 2.0
"""Compressed vectors looked at for each that is scored again with its whole numbers."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A Qdrant server, and how collections are made there."""

    url: str
    """Its address, or ':memory:' for the client's own engine, which forgets."""
    api_key: str | None = None
    grpc_port: int | None = None
    quantization: str = "none"
    on_disk: bool = False
    shards: int | None = None
    replicas: int | None = None

    @classmethod
    def of(cls, settings: Settings, url: str | None = None) -> "Server":
        """Return the server of these settings, or one at another address with the same ones."""
        key = settings.qdrant_api_key
        return cls(
            url=url or settings.qdrant_url or "", api_key=key.get_secret_value() if key else None,
            grpc_port=settings.qdrant_grpc_port, quantization=settings.qdrant_quantization,
            on_disk=settings.qdrant_on_disk, shards=settings.qdrant_shards,
            replicas=settings.qdrant_replicas,
        )  # fmt: skip

    @property
    def shown(self) -> str:
        """Its address without a password that may stand in it."""
        return re.sub(r"//[^/@]*@", "//", self.url)

    @property
    def in_memory(self) -> bool:
        """Whether it is the client's own engine: that takes no parameters, and warns of them."""
        return self.url == IN_MEMORY


def shape(server: Server, size: int, multi: int | None) -> dict[str, Any]:
    """Return what a collection holds, as arguments of create_collection.

    It builds no search graph yet: see `loaded`.
    """
    from qdrant_client import models

    disk = True if server.on_disk else None
    dense = {
        DENSE: models.VectorParams(
            size=size, distance=models.Distance.COSINE, on_disk=disk,
            quantization_config=_quantization(server),
        )
    }  # fmt: skip
    kept = models.SparseIndexParams(on_disk=disk) if disk else None
    sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF, index=kept)}
    if multi is not None:
        # Only ever asked of the few best of the other rankings: a search graph would cost for nothing.
        dense[MULTI] = models.VectorParams(
            size=multi,
            distance=models.Distance.COSINE,
            on_disk=disk,
            multivector_config=models.MultiVectorConfig(
                comparator=models.MultiVectorComparator.MAX_SIM
            ),
            hnsw_config=models.HnswConfigDiff(m=0),
        )
        sparse[LEXICAL] = models.SparseVectorParams(index=kept)
    more: dict[str, Any] = {}
    if not server.in_memory:
        more = {
            "shard_number": server.shards, "replication_factor": server.replicas,
            "on_disk_payload": disk, "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=0),
        }  # fmt: skip
    return {"vectors_config": dense, "sparse_vectors_config": sparse} | {
        key: value for key, value in more.items() if value is not None
    }


def payload_indexes() -> dict[str, Any]:
    """Return the kind of index of each payload field by which passages are filtered."""
    from qdrant_client import models

    kinds = dict.fromkeys(NUMBERS, models.PayloadSchemaType.INTEGER)
    return kinds | dict.fromkeys(KEYWORDS, models.PayloadSchemaType.KEYWORD)


def loaded() -> Any:
    """Return the optimiser's settings once a collection has its points and payload indexes.

    The search graph is built then, with links between points that pass the filters.
    """
    from qdrant_client import models

    return models.OptimizersConfigDiff(indexing_threshold=_THRESHOLD)


def searching(server: Server, *, exact: bool) -> Any:
    """Return how a search goes about it; None for the client's own engine, which looks at everything."""
    from qdrant_client import models

    if server.in_memory:
        return None
    again = models.QuantizationSearchParams(rescore=True, oversampling=_OVERSAMPLING)
    return models.SearchParams(
        exact=exact, hnsw_ef=BREADTH, quantization=again if _quantization(server) else None
    )


def _quantization(server: Server) -> Any:
    """Return how dense vectors are compressed in memory; those of whole numbers stay, for scoring again."""
    from qdrant_client import models

    if server.in_memory:
        return None
    if server.quantization == "scalar":
        return models.ScalarQuantization(
            scalar=models.ScalarQuantizationConfig(
                type=models.ScalarType.INT8, quantile=0.99, always_ram=True
            )
        )
    if server.quantization == "binary":
        return models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True))
    return None
