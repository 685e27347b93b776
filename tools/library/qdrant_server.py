"""A Qdrant server, as the settings name it; what is asked of it stands in tools.library.server_index."""

from dataclasses import dataclass

from tools.errors import LibraryError
from tools.http.hosts import without_password
from tools.settings import Settings

IN_MEMORY = ":memory:"


class OtherServerError(LibraryError):
    """The vectors are on a server, and no setting says where that is."""


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
            url=url or settings.qdrant_url or "",
            api_key=key.get_secret_value() if key else None,
            grpc_port=settings.qdrant_grpc_port,
            quantization=settings.qdrant_quantization,
            on_disk=settings.qdrant_on_disk,
            shards=settings.qdrant_shards,
            replicas=settings.qdrant_replicas,
        )

    @property
    def shown(self) -> str:
        """Its address without a password that may stand in it."""
        return without_password(self.url)

    @property
    def in_memory(self) -> bool:
        """Whether it is the client's own engine: that takes no parameters, and warns of them."""
        return self.url == IN_MEMORY
