"""`./run serve`: the graphs behind Aegra (Apache-2.0), over Postgres and Redis. Needs the extra `hosting`."""

import asyncio
import json
import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from citeloom.service import health
from citeloom.service.dev import check_place, graph_config, graphs_file
from tools.errors import InputError
from tools.settings import SettingsError, foreign_variable, settings

_STOP_SECONDS = 5
"""For open streams to end after SIGTERM, and then as long for runs; what is not done by then goes on at
the next start."""
_DEFAULTS = {
    "ENV_MODE": "PRODUCTION",
    "LOG_LEVEL": "WARNING",
    "LANGSMITH_TRACING": "false",
    "CRON_ENABLED": "false",  # a schedule spends while nobody looks
    "WORKER_DRAIN_TIMEOUT": str(_STOP_SECONDS),
    "BG_JOB_TIMEOUT_SECS": str(6 * 3600),  # else Aegra ends a run after one hour
}
"""Of Aegra's own settings; the environment may say otherwise."""


class _RefusedError(Exception):
    """Nothing is served; the text is for whoever started it."""


def main() -> None:
    """Serve until SIGTERM."""
    parser = ArgumentParser(prog="./run serve", description="Serve the graphs, to stay up.")
    parser.add_argument("--host", default="127.0.0.1", help="Address; 127.0.0.1 by default.")
    parser.add_argument("--port", type=int, default=foreign_variable("PORT") or "2024")
    parser.add_argument("--config", type=Path, default=graphs_file(), help="The graphs.")
    given = parser.parse_args()
    try:
        config = _config(given.config)
        check_place(given.host, given.port)
        _prepare(config, given.host, given.port)
        from aegra_api.core.auth_middleware import get_auth_instance
        from aegra_api.main import app

        # Aegra serves everybody when it cannot load the auth that it was told of.
        if config.get("auth") and get_auth_instance() is None:
            raise _RefusedError("the auth of langgraph.json cannot be loaded: see above")
    except (_RefusedError, InputError, SettingsError) as error:
        sys.exit(f"run: {error}")
    import uvicorn

    sys.stderr.write(
        f"run: serving on {settings().server_url}; docs/hosting.md says what is there\n"
    )
    uvicorn.run(
        app,
        host=given.host,
        port=given.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )


def _config(path: Path) -> dict[str, Any]:
    """Return langgraph.json as Aegra takes it: from any folder, and with its kind of application."""
    try:
        config = graph_config(path)
    except (OSError, ValueError) as error:
        raise _RefusedError(
            f"{path} cannot be read: start in CiteLoom's folder ({error})"
        ) from error
    config["dependencies"] = [str(path.resolve().parent)]
    # Before our routes stands our own gate (citeloom.service.gate), of which Aegra knows nothing.
    own = {"app": "citeloom.service.hosted:app", "enable_custom_route_auth": False}
    config["http"] = {**config.get("http", {}), **own}
    return config


def _prepare(config: dict[str, Any], host: str, port: int) -> None:
    """Set what Aegra and our own routes read from the environment when they are imported."""
    if not foreign_variable("DATABASE_URL"):
        raise _RefusedError(
            "DATABASE_URL is not set: name a Postgres database, as in "
            "postgresql://citeloom:PASSWORD@127.0.0.1:5432/citeloom (docs/hosting.md)"
        )
    if foreign_variable("REDIS_URL"):
        os.environ.setdefault("REDIS_BROKER_ENABLED", "true")
    else:
        sys.stderr.write(
            "run: REDIS_URL is not set: a run that a crash interrupts stays where it was\n"
        )
    failed = [part for part in asyncio.run(health.examine(at_start=True)) if part.state == "failed"]
    if failed:
        raise _RefusedError("; ".join(part.text for part in failed))
    folder = settings().home / "server"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"aegra-{port}.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    inside = "127.0.0.1" if host in {"0.0.0.0", "::"} else host
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    os.environ |= {
        "AEGRA_CONFIG": str(path),
        "HOST": host,
        "PORT": str(port),
        "CITELOOM_SERVER_URL": f"http://{f'[{inside}]' if ':' in inside else inside}:{port}",
    }
    settings.cache_clear()


if __name__ == "__main__":
    main()
