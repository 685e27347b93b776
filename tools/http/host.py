"""A host of a source: where it is, who we are there, and how often it may be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr


@dataclass(frozen=True, kw_only=True)
class Host:
    """One source's host as configured."""

    name: str
    """The source's name, as in the ledger and in messages."""
    url: str
    """Base URL with no slash at its end."""
    setting: str
    """The setting that holds the URL, for messages."""
    rate: float
    """Requests a second, over all runs of the process."""
    concurrency: int = 8
    """Requests under way at once."""
    headers: Mapping[str, str] = field(default_factory=dict)
    secret_headers: Mapping[str, SecretStr] = field(default_factory=dict)
    """Sent, and never logged, cached or shown."""
    secret_params: Mapping[str, SecretStr] = field(default_factory=dict)
    """Added to the query of every request when it is sent; treated as `secret_headers` are."""
    key_advice: str = ""
    """What to set where the host rejects the caller, or asks for a key, such as
    'set OPENALEX_API_KEY (free at openalex.org/settings/api)'."""
    timeout: float = 20.0
    """Seconds for one try."""
    patience: float = 90.0
    """Seconds of trying before a request counts as failed."""
