"""The file .env of the working folder: how it is read, and what it may not decide.

The environment and ~/.citeloom/config.toml are the user's own. A .env may have come with a cloned
repository, so it can neither lead a key of the user's to an address of its own, nor name code, nor
open files to callers of a server.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dotenv.main import DotEnv
from dotenv.parser import parse_stream
from pydantic_settings import BaseSettings, EnvSettingsSource

SENT_TO = {
    "llm_base_url": "llm_api_key",
    "embeddings_base_url": "embeddings_api_key",
    "qdrant_url": "qdrant_api_key",
    "openalex_url": "openalex_api_key",
    "semantic_scholar_url": "semantic_scholar_api_key",
    "serpapi_url": "serpapi_api_key",
    "zotero_api_url": "zotero_api_key",
    "crossref_url": "contact_email",
    "unpaywall_url": "contact_email",
    "smtp_host": "smtp_password",
    "smtp_port": "smtp_password",
}
"""Each address that receives something of the user's, and what: a key, or an e-mail address."""
KEYLESS = frozenset(
    {
        "arxiv_url",
        "arxiv_html_url",
        "ar5iv_url",
        "arxiv_pdf_url",
        "europe_pmc_url",
        "grobid_url",
        "zotero_url",
    }
)
"""Addresses that receive no key; a test holds that each address stands here, above or below."""
_REFUSED = {
    "server_url": "it receives the keys of the server's callers",
    "auth": "it names code to run, or lets others than holders of a key call a server",
    "judge_model": "a model's folder may hold code to run",
    "prompts": "it tells the model what to do",
    "ingest_root": "it lets callers of a server read files",
    "shared_libraries": "it lets callers of a server read libraries",
    "origins": "it lets pages of other sites call a server",
    "keep_runs_days": "it deletes runs",
    "mail_to": "your digests would be sent there",
    "smtp_tls": "your password could be sent readable",
}
"""Settings that a .env may not have, and why."""
_LIMITS = frozenset({"max_usd_per_day", "max_tokens_per_day", "max_calls_per_day"})
"""What a day may cost: a .env may only lower it."""


class SettingsError(ValueError):
    """A setting cannot be used; the text is for a person and names it."""


class Variables(EnvSettingsSource):
    """Settings out of variables: those of the environment, or those given."""

    def __init__(
        self, settings_cls: type[BaseSettings], given: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(settings_cls)
        if given is not None:
            self.env_vars = {name.lower(): value for name, value in given.items()}

    def decode_complex_value(self, field_name: str, field: Any, value: Any) -> Any:
        """Return a list out of its JSON; a value that is no JSON is returned unchanged, and validation refuses it."""
        try:
            return super().decode_complex_value(field_name, field, value)
        except ValueError:
            return value


def read_env_file(path: Path) -> dict[str, str]:
    """Return the variables of a .env that have a value.

    A `${NAME}` in one is not replaced, since it could name a key. One without a value sets nothing: it would take an
    address away, and send the user's key to another one.

    Raises:
        SettingsError: It cannot be read.
    """
    if not path.is_file():
        return {}
    try:
        with path.open(encoding="utf-8") as file:
            bad = [item.original.line for item in parse_stream(file) if item.error]
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path.absolute()} cannot be read: {error}") from error
    if bad:
        raise SettingsError(
            f"line {bad[0]} of {path.absolute()} cannot be read: write NAME=VALUE, and close each quote"
        )
    given = DotEnv(path, interpolate=False, encoding="utf-8").dict()
    return {name: value for name, value in given.items() if value}


def check_env_file(
    path: Path, folder: Mapping[str, Any], above: Mapping[str, Any], below: Mapping[str, Any]
) -> None:
    """See that a .env decides nothing that it may not.

    Args:
        path: The file.
        folder: What it sets, by the names of the settings.
        above: What the user sets that outranks it: in the environment.
        below: What holds without it: the user's file, then the defaults.

    Raises:
        SettingsError: It does.
    """
    decided = {
        name: value
        for name, value in folder.items()
        if name not in above and value != below.get(name)
    }
    for name, value in decided.items():
        if name in _REFUSED and value != "keys":
            raise _refused(path, name, _REFUSED[name])
    for name in sorted(_LIMITS & decided.keys()):
        if _is_more(decided[name], than=below.get(name)):
            raise _refused(path, name, f"your own limit is {below[name]}")
    embedder = str(decided.get("embedder", "minilm"))
    if embedder not in {"minilm", "bge-m3"} and not embedder.startswith("openai:"):
        raise _refused(path, "embedder", _REFUSED["judge_model"])
    for address, secret in SENT_TO.items():
        users = above.get(secret) or (secret not in folder and below.get(secret))
        if address in decided and users:
            raise _refused(path, address, f"your own {variable_of(secret)} would be sent there")


def _is_more(value: object, *, than: object) -> bool:
    try:
        return than is not None and float(str(value)) > float(str(than))
    except ValueError:  # it is refused for what it is
        return False


def _refused(path: Path, name: str, why: str) -> SettingsError:
    return SettingsError(
        f"{path.absolute()} may not set {variable_of(name)}: {why}. Delete that line, or set it in the "
        "environment or in ~/.citeloom/config.toml, if you want it"
    )


def variable_of(name: str) -> str:
    """Return the variable that sets a setting: some are known by the name that others gave them."""
    foreign = {"openai_api_key", "openalex_api_key", "semantic_scholar_api_key", "serpapi_api_key"}
    return name.upper() if name in foreign else f"CITELOOM_{name.upper()}"
