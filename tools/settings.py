"""Settings of the process: from the environment, then a .env file, then the user's config.toml.

What one run may be told (budgets, depth, samples) is not here but in tools.run_settings.RunSettings.
"""

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from tools.folder_settings import SettingsError as SettingsError
from tools.folder_settings import Variables, check_env_file, read_env_file, variable_of


class Settings(BaseSettings):
    """Process settings; each is the environment variable CITELOOM_<NAME> unless it says otherwise."""

    model_config = SettingsConfigDict(
        env_prefix="CITELOOM_",
        env_file=".env",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,  # a trace of a server must show no key either
    )

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], *sources: Any, **named: PydanticBaseSettingsSource
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Return one source: what was given, the environment, .env and the user's file, the first of them first."""
        above = _named(Variables(settings_cls)()) | _named(named["init_settings"]())
        below, folder = _read_config(config_file()), {}
        if name := getattr(named["dotenv_settings"], "env_file", None):
            path = Path(str(name))
            folder = _named(Variables(settings_cls, read_env_file(path))())
            defaults = {name: field.default for name, field in settings_cls.model_fields.items()}
            check_env_file(path, folder, above, defaults | below)
        return (InitSettingsSource(settings_cls, below | folder | above),)

    home: Path = Field(
        default_factory=lambda: Path.home() / ".citeloom",
        description="Folder for libraries, runs and caches.",
    )
    keep_runs_days: float | None = Field(
        default=None,
        gt=0,
        description="Delete runs idle for this many days when another starts; their results stay. "
        "Unset: keep all runs.",
    )
    cache_mb: int = Field(
        default=1000,
        ge=10,
        description="Maximum size of the cache of model answers, and of that of source answers, in "
        "MB; the least recently used go first.",
    )
    llm_base_url: str | None = Field(
        default=None, description="An OpenAI-compatible endpoint; unset: OpenAI."
    )
    llm_api_key: SecretStr | None = Field(
        default=None,
        description="Key of the endpoint. Without a base URL, OPENAI_API_KEY works too.",
    )
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_API_KEY"), repr=False
    )
    fast_model: str | None = Field(default=None, description="Model for the many small tasks.")
    strong_model: str | None = Field(default=None, description="Model for judging and writing.")
    fast_price: tuple[float, float] | None = Field(
        default=None, description="USD for a million input and output tokens, as a JSON list."
    )
    strong_price: tuple[float, float] | None = Field(default=None, description="As fast_price.")
    fast_reasoning_effort: str | None = Field(
        default=None,
        description="Reasoning effort of the fast model, in the endpoint's terms (low, high); unset: "
        "not sent.",
    )
    strong_reasoning_effort: str | None = Field(
        default=None, description="As fast_reasoning_effort."
    )
    llm_timeout: float = Field(
        default=300.0, gt=0, description="Time limit for one call, in seconds."
    )
    llm_concurrency: int = Field(default=8, ge=1, description="Maximum calls at once.")
    llm_context_tokens: int = Field(
        default=32_000, ge=1024, description="Context window of the models, in tokens."
    )
    qdrant_url: str | None = Field(
        default=None, description="URL of a Qdrant server; unset: the embedded engine."
    )
    qdrant_api_key: SecretStr | None = None
    server_url: str | None = Field(
        default=None,
        description="Where the service's own routes (MCP, A2A) find the LangGraph API; unset: in the "
        "same process, as with langgraph dev.",
    )
    embedder: str = Field(
        default="minilm",
        description="Embedding model: minilm, bge-m3, bge-m3:FOLDER, st:MODEL or openai:MODEL.",
    )
    judge_model: str | None = Field(
        default=None,
        description="A cross-encoder for natural language inference, by name or folder, to check "
        "citations without an LLM (extra models).",
    )
    prompts: Path | None = Field(
        default=None,
        description="A folder with your own prompts, one file TASK.txt each (`citeloom prompts` "
        "lists them).",
    )
    embeddings_base_url: str | None = Field(
        default=None,
        description="An OpenAI-compatible endpoint for embeddings; unset: the LLM's, or OpenAI.",
    )
    embeddings_api_key: SecretStr | None = Field(default=None, description="Its key.")
    ingest_seconds: float = Field(
        default=300.0, gt=0, description="Time limit for reading one file, in seconds."
    )
    ingest_memory_mb: int = Field(
        default=2048, ge=256, description="Memory limit of a process that reads files, in MB."
    )
    ingest_root: Path | None = Field(
        default=None,
        description="A folder whose files callers of a server may name by path; unset: none.",
    )
    auth: str = Field(
        default="",
        description="Who may call a server: 'keys' (callers with a key), 'loopback' (this machine), "
        "module:object (your own langgraph_sdk.Auth); unset: keys if there are any, "
        "otherwise this machine.",
        pattern=r"^(keys|loopback|[\w.]+:\w+)?$",
    )
    origins: tuple[str, ...] = Field(
        default=("https://smith.langchain.com",),
        description="Web origins that may call a server, as a JSON list; Studio's by default.",
    )
    request_mb: int = Field(
        default=64, ge=1, description="Maximum size of a request to a server, in MB."
    )
    shared_libraries: tuple[str, ...] = Field(
        default=(),
        description="Libraries that every caller of a server may read, as a JSON list.",
    )
    grobid_url: str | None = Field(
        default=None,
        description="A GROBID service to read PDFs, such as http://127.0.0.1:8070; unset: CiteLoom's "
        "own reader.",
    )
    grobid_timeout: float = Field(
        default=120.0, gt=0, description="Time limit for GROBID per file, in seconds."
    )
    arxiv_html_url: str = Field(
        default="https://arxiv.org", description="Base URL of arXiv papers as HTML, below /html/."
    )
    ar5iv_url: str = Field(
        default="https://ar5iv.labs.arxiv.org",
        description="Base URL of older arXiv papers as HTML, below /html/.",
    )
    arxiv_pdf_url: str = Field(
        default="https://arxiv.org", description="Base URL of arXiv papers as PDF, below /pdf/."
    )
    unpaywall_url: str = Field(
        default="https://api.unpaywall.org",
        description="Unpaywall, to find open copies by DOI; used if contact_email is set.",
    )
    europe_pmc_url: str = Field(
        default="https://www.ebi.ac.uk/europepmc/webservices/rest",
        description="Europe PMC, which has open articles as XML, or a proxy of it.",
    )
    speech_model: Path | None = Field(
        default=None,
        description="A folder with a Whisper model in CTranslate2 format; unset: the packaged one.",
    )
    speech_voice: str | None = Field(
        default=None, description="A voice of eSpeak NG, such as 'en-gb'."
    )

    snapshot: Path | None = Field(
        default=None,
        description="The folder that `citeloom snapshot build` made, for the source 'snapshot'.",
    )
    openalex_url: str = Field(
        default="https://api.openalex.org", description="OpenAlex, or a mirror or proxy of it."
    )
    openalex_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENALEX_API_KEY"), repr=False
    )
    openalex_rate: float = Field(default=50.0, gt=0, description="Maximum requests per second.")
    semantic_scholar_url: str = Field(
        default="https://api.semanticscholar.org", description="Semantic Scholar, or a proxy of it."
    )
    semantic_scholar_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("SEMANTIC_SCHOLAR_API_KEY"), repr=False
    )
    semantic_scholar_rate: float = Field(
        default=1.0,
        gt=0,
        description="Maximum requests per second; raise it only if your key allows more.",
    )
    arxiv_url: str = Field(
        default="https://export.arxiv.org", description="arXiv's API, or a mirror of it."
    )
    arxiv_rate: float = Field(
        default=0.33,
        gt=0,
        description="Maximum requests per second; arXiv's terms ask for one in three seconds.",
    )
    crossref_url: str = Field(
        default="https://api.crossref.org", description="Crossref, or a proxy of it."
    )
    crossref_rate: float = Field(default=5.0, gt=0, description="Maximum requests per second.")
    serpapi_url: str = Field(
        default="https://serpapi.com", description="SerpAPI, for searches with Google Scholar."
    )
    zotero_url: str = Field(
        default="http://127.0.0.1:23119",
        description="Address of Zotero on this machine, to send it references.",
    )
    zotero_api_url: str = Field(
        default="https://api.zotero.org", description="Zotero's web API, or a proxy of it."
    )
    zotero_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("ZOTERO_API_KEY"), repr=False
    )
    serpapi_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("SERPAPI_API_KEY"), repr=False
    )
    serpapi_price: float = Field(
        default=0.025, ge=0, description="USD for one search with your SerpAPI plan."
    )
    max_usd_per_day: float | None = Field(
        default=None,
        ge=0,
        description="Maximum cost of all runs of one caller per UTC day, USD; unset: no limit.",
    )
    max_tokens_per_day: int | None = Field(
        default=None, ge=0, description="Maximum LLM tokens of one caller per UTC day, in and out."
    )
    max_calls_per_day: int | None = Field(
        default=None, ge=0, description="Maximum model calls of one caller per UTC day."
    )
    log: Literal["json", "text"] | None = Field(
        default=None,
        description="Log to standard error as JSON or text; unset: warnings only.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Lowest level to log; 'debug' logs each call."
    )
    contact_email: str | None = Field(
        default=None,
        description="Sent to Crossref, which serves known callers faster, and to Unpaywall.",
    )
    smtp_host: str | None = Field(
        default=None,
        description="Your mail server, to send digests of `citeloom watch`; unset: none are mailed.",
    )
    smtp_port: int = Field(default=587, ge=1, le=65535, description="Its port.")
    smtp_tls: Literal["starttls", "tls", "none"] = Field(
        default="starttls",
        description="How the connection is secured: 'starttls', 'tls' from the start (port 465), 'none'.",
    )
    smtp_user: str | None = Field(default=None, description="Your account there; unset: no login.")
    smtp_password: SecretStr | None = Field(default=None, description="Its password.")
    mail_from: str | None = Field(
        default=None, description="Address that sends digests; unset: smtp_user."
    )
    mail_to: str | None = Field(
        default=None, description="Addresses that receive digests, separated by commas."
    )
    source_timeout: float = Field(
        default=20.0,
        gt=0,
        description="Time limit for one attempt at a request to a source, in seconds.",
    )
    source_patience: float = Field(
        default=90.0,
        gt=0,
        description="Seconds to keep trying a request before it counts as failed.",
    )

    @model_validator(mode="after")
    def _fill_in(self) -> "Settings":
        if self.llm_api_key is None and self.llm_base_url is None:
            # Never sent to an endpoint that is not OpenAI's own: it is no key of theirs.
            object.__setattr__(self, "llm_api_key", self.openai_api_key)
        fast, strong = self.fast_model or self.strong_model, self.strong_model or self.fast_model
        object.__setattr__(self, "fast_model", fast)
        object.__setattr__(self, "strong_model", strong)
        object.__setattr__(self, "home", self.home.expanduser().absolute())
        return self

    @property
    def llm_configured(self) -> bool:
        """Whether an LLM answers: a model is named, and an endpoint or a key leads to it.

        A key alone does not: OPENAI_API_KEY is often set for other programs, and a run must not
        spend money that nobody asked it to spend.
        """
        return bool(self.strong_model and (self.llm_base_url or self.llm_api_key))


Foreign = Literal["PORT", "DATABASE_URL", "REDIS_URL", "RAY_ADDRESS", "OMP_NUM_THREADS"]
"""Variables that other programs read, too, and that are not settings of ours."""


def foreign_variable(name: Foreign) -> str:
    """Return the value of another program's variable, which the environment alone sets; "" where it is unset."""
    return os.environ.get(name, "")


def telemetry_exporters() -> dict[str, str]:
    """Return where OpenTelemetry's own variables send 'traces' and 'metrics': otlp, console or none.

    Not settings of ours: those who run services set them for all of them, in the environment alone.
    """
    if os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return {"traces": "none", "metrics": "none"}
    found = {}
    for kind in ("traces", "metrics"):
        places = ("OTEL_EXPORTER_OTLP_ENDPOINT", f"OTEL_EXPORTER_OTLP_{kind.upper()}_ENDPOINT")
        sent = any(os.environ.get(name) for name in places)
        found[kind] = os.environ.get(f"OTEL_{kind.upper()}_EXPORTER") or (
            "otlp" if sent else "none"
        )
    return found


def config_file() -> Path:
    """Return where a user's own settings stand, whether there is such a file or not."""
    return Path.home() / ".citeloom" / "config.toml"


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by their names, those included that variables of another name set."""
    names = {variable_of(name): name for name in Settings.model_fields}
    return {names.get(name, name): value for name, value in given.items()}


def _read_config(path: Path) -> dict[str, Any]:
    """Return what a user's file sets.

    Raises:
        SettingsError: It is no TOML, names no setting, or holds a key that others may read.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
        shared = os.name == "posix" and path.stat().st_mode & 0o077
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read as TOML: {error}") from error
    if unknown := sorted(given.keys() - Settings.model_fields.keys()):
        raise SettingsError(
            f"{path} sets {', '.join(unknown)}, which is not a setting: use the names of "
            ".env.example in lower case and without CITELOOM_, such as strong_model"
        )
    if shared and (
        secret := sorted(name for name in given if name.endswith(("_api_key", "_password")))
    ):
        raise SettingsError(
            f"{path} holds {', '.join(secret)} and others may read it: run `chmod 600 {path}`"
        )
    return given


@cache
def settings() -> Settings:
    """Return the settings of this process, read once.

    Raises:
        SettingsError: One of them cannot be used.
    """
    read_env_file(Path(".env"))  # pydantic_settings would end in a traceback over a damaged one
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError("; ".join(map(_told, error.errors()))) from error


def _told(fault: Any) -> str:
    """Say which setting is at fault and how, but not what a secret is."""
    name = str(fault["loc"][0])
    variable = variable_of(name.lower())
    value = "what it is" if variable.endswith(("_API_KEY", "_PASSWORD")) else f"'{fault['input']}'"
    return (
        f"{variable} cannot be {value}: {fault['msg'].lower()} (it is set in the environment, in .env "
        f"or, as {name.lower()}, in {config_file()})"
    )
