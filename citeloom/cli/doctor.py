"""`citeloom doctor`: what is configured, reachable, missing, and how to fix it."""

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING

import typer

from citeloom.settings import settings
from tools.errors import CiteLoomError, InputError

if TYPE_CHECKING:
    from rich.console import Console


def examine() -> None:
    """Print a line for each part; exit with 1 when a part that is configured does not work."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    bad = 0
    for check in (_python, _home, _embedder, _libraries, _llm, _qdrant):
        try:
            mark, text = check()
        except CiteLoomError as error:
            mark, text = "bad", str(error)
        bad += mark == "bad"
        _print(console, check.__name__.strip("_"), mark, text)
    for name, mark, text in _sources():
        bad += mark == "bad"
        _print(console, name, mark, text)
    raise typer.Exit(1 if bad else 0)


def _print(console: "Console", name: str, mark: str, text: str) -> None:
    sign = {"good": "[green]✓[/green]", "off": "[yellow]–[/yellow]", "bad": "[red]✗[/red]"}[mark]
    console.print(f"{sign} {name:<16}", end=" ")
    console.print(text, markup=False)


def _python() -> tuple[str, str]:
    found = ".".join(str(part) for part in sys.version_info[:3])
    return "good", f"Python {found}"


def _home() -> tuple[str, str]:
    from citeloom.cli.files import check_folder

    home = settings().home
    try:
        check_folder(home)
    except InputError:
        return "bad", f"{home} cannot be written to: set CITELOOM_HOME to a folder of yours"
    return "good", f"libraries and runs are kept in {home} (CITELOOM_HOME)"


def _embedder() -> tuple[str, str]:
    from tools.embed.open import embedder

    started = monotonic()
    model = embedder()
    model.embed(["a short sentence"])
    return "good", f"{model.name}, {model.size} dimensions, ready in {monotonic() - started:.1f} s"


def _libraries() -> tuple[str, str]:
    from tools.library.open import library_names

    names = library_names(settings())
    return (
        "good",
        f"{', '.join(names)} (add your own with `citeloom library add FILE --library NAME`)",
    )


def _llm() -> tuple[str, str]:
    options = settings()
    if not options.llm_configured:
        return "off", (
            "no LLM is configured, so the embedded engine answers; for an LLM set CITELOOM_STRONG_MODEL and "
            "CITELOOM_LLM_BASE_URL or CITELOOM_LLM_API_KEY (any OpenAI-compatible endpoint)"
        )
    from tools.llm.minds import ping

    return "good", asyncio.run(ping(options))


def _sources() -> list[tuple[str, str, str]]:
    """Ask each source one free question; an unreachable one is a fault only where it is set up."""
    from tools.scholar.checkup import check_sources

    with TemporaryDirectory() as folder:
        checks = asyncio.run(check_sources(settings(), Path(folder)))
    return [
        (
            check.name,
            "good" if check.works else "bad" if check.asked and check.wanted else "off",
            check.text,
        )
        for check in checks
    ]


def _qdrant() -> tuple[str, str]:
    options = settings()
    if not options.qdrant_url:
        return "off", "the embedded engine is used; for a server set CITELOOM_QDRANT_URL"
    from qdrant_client import QdrantClient

    key = options.qdrant_api_key.get_secret_value() if options.qdrant_api_key else None
    try:
        client = QdrantClient(
            url=options.qdrant_url, api_key=key, timeout=5, check_compatibility=False
        )
        try:
            count = len(client.get_collections().collections)
        finally:
            client.close()
    except Exception as error:  # noqa: BLE001 - the client raises many kinds; each is the finding
        return (
            "bad",
            f"{options.qdrant_url} does not answer ({type(error).__name__}): check CITELOOM_QDRANT_URL",
        )
    return "good", f"{options.qdrant_url} has {count} collections"
