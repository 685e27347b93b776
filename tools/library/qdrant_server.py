"""A Qdrant server, as the settings name it; what is asked of it stands in tools.library.server_index."""

from dataclasses import dataclass

from tools.errors import LibraryError
from tools.http.hosts import without_password
from tools.settings import Settings


class OtherServerError(LibraryError):
    """The vectors are on a server, and no setting says where that is."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A Qdrant server, and the key to it."""

    url: str
    api_key: str | None = None

    @classmethod
    def of(cls, settings: Settings) -> "Server":
        """Return the server of these settings."""
        key = settings.qdrant_api_key
        return cls(url=settings.qdrant_url or "", api_key=key.get_secret_value() if key else None)

    @property
    def shown(self) -> str:
        """Its address without a password that may stand in it."""
        return without_password(self.url)
