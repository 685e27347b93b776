"""`citeloom doctor`: what is configured, reachable, missing, and how to fix it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from citeloom.cli.files import check_folder
from tools.errors import PROGRAM, CiteLoomError, InputError, counted
from tools.settings import Settings, config_file, settings

_SIGNS = {"good": "[green]✓[/green]", "off": "[yellow]–[/yellow]", "bad": "[red]✗[/red]"}


def examine() -> int:
    """Print a line for each part; return 1 when a part that is configured does not work, else 0."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    bad = False
    for name, mark, text in _examined():
        bad = bad or mark == "bad"
        console.print(f"{_SIGNS[mark]} {name:<16}", end=" ")
        console.print(text, markup=False)
    return int(bad)


def _examined() -> Iterator[tuple[str, str, str]]:
    options = settings()
    for check in (_settings, _home, _embedder, _libraries, _snapshot, _llm, _qdrant):
        try:
            mark, text = check(options)
        except CiteLoomError as error:
            mark, text = "bad", str(error)
        yield check.__name__.strip("_"), mark, text
    from tools.scholar.open_source import ask_each_source

    with TemporaryDirectory() as folder:
        found = asyncio.run(ask_each_source(options, Path(folder)))
    for source in found:  # one that cannot be reached is a fault only where it is set up
        off = "bad" if source.asked and source.wanted else "off"
        yield source.name, "good" if source.works else off, source.text


def _settings(_: Settings) -> tuple[str, str]:
    path = config_file()
    if path.is_file():
        return "good", f"{path}; the environment and .env take precedence"
    return "off", f"from the environment and .env; you can also use {path}"


def _home(options: Settings) -> tuple[str, str]:
    try:
        check_folder(options.home, "set CITELOOM_HOME to a folder of yours")
    except InputError as error:
        return "bad", str(error)
    return "good", f"libraries and runs are kept in {options.home} (CITELOOM_HOME)"


def _embedder(options: Settings) -> tuple[str, str]:
    from tools.embed.open_embedder import embedder

    started = monotonic()
    model = embedder(options)
    model.embed(["a short sentence"])
    return "good", f"{model.name}, {model.size} dimensions, ready in {monotonic() - started:.1f} s"


def _libraries(options: Settings) -> tuple[str, str]:
    from tools.library.open_library import library_names

    names = ", ".join(library_names(options))
    return "good", f"{names} (add your own with `{PROGRAM} library add FILE --library NAME`)"


def _snapshot(options: Settings) -> tuple[str, str]:
    from tools.scholar.snapshot import folder_of, slice_of

    if options.snapshot is None:
        return "off", (
            f"no local copy of OpenAlex. To search offline, run `{PROGRAM} snapshot build "
            "FILES --out FOLDER` and set CITELOOM_SNAPSHOT"
        )
    folder = folder_of(options)
    found = slice_of(folder)
    day = f", of {found.day}" if found.day else ""
    return "good", f"{folder} has {counted(found.works, 'work')}{day} ({found.told})"


def _llm(options: Settings) -> tuple[str, str]:
    if not options.strong_model:
        return "off", (
            "no LLM is configured, so CiteLoom works in embedded mode. To use an LLM, set "
            "CITELOOM_STRONG_MODEL and CITELOOM_LLM_BASE_URL or CITELOOM_LLM_API_KEY (any "
            "OpenAI-compatible endpoint)"
        )
    from tools.llm.open_model import ping_models

    return "good", asyncio.run(ping_models(options))


def _qdrant(options: Settings) -> tuple[str, str]:
    if not options.qdrant_url:
        return "off", "embedded engine; to use a server, set CITELOOM_QDRANT_URL"
    from tools.library.qdrant_server import Server
    from tools.library.server_index import ServerIndex

    server = Server.of(options)
    ServerIndex(server, "none", 1).exists()
    return "good", f"{server.shown} answers"
