"""`citeloom dev`, and `citeloom app` for other machines: the graphs behind LangGraph's development server.

The terminal shows where to go; what the server and its libraries print goes into a file.
"""

import json
import logging
import os
import socket
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, TextIO

from citeloom.service.entry import asks_for_keys, has_own_auth, is_loopback
from tools.errors import PROGRAM, InputError
from tools.settings import SettingsError, foreign_variable, settings

_PACKAGE = Path(str(files("citeloom")))


def main() -> None:
    """Serve until Ctrl-C or SIGTERM; refuse what could not be served before anything is started."""
    parser = ArgumentParser(prog=f"{PROGRAM} dev", add_help=False, allow_abbrev=False)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=foreign_variable("PORT") or "2024")
    given, others = parser.parse_known_args()
    try:
        check_place(given.host, given.port)
        log = settings().home / "server" / f"dev-{given.port}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch(mode=0o600)
        with _printed_into(log) as terminal:
            _serve(given.host, given.port, others, terminal, log, opened=given.open)
    except (InputError, SettingsError) as error:
        sys.exit(f"citeloom: {error}")
    except OSError as error:
        sys.exit(
            f"citeloom: {error.filename or settings().home} cannot be used ({error.strerror}): set CITELOOM_HOME to "
            "a folder of yours"
        )


def check_place(host: str, port: int) -> None:
    """See that a server can be started here: its address is free, and something says who may call.

    Of the servers one would take another port for one in use, and the other would take runs over from
    a server that uses the port.

    Raises:
        InputError: It cannot be.
    """
    try:
        family, _, _, _, (address, *_) = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((host, port))
    except (OSError, OverflowError) as error:
        raise InputError(
            f"CiteLoom cannot listen on {host}, port {port} ({error}): stop the program that "
            "uses it, or choose another port with --port NUMBER"
        ) from error
    if not (is_loopback(str(address).partition("%")[0]) or asks_for_keys() or has_own_auth()):
        raise InputError(
            f"other machines can reach {host}, but there are no keys yet: make one with "
            f"`{PROGRAM} keys add NAME`, or serve only this machine by leaving out --host"
        )


@contextmanager
def _printed_into(log: Path) -> Iterator[TextIO]:
    """Lead what is printed, below Python too, into a file; give the terminal to write to.

    Standard error stays where it was if CITELOOM_LOG asks for log lines there.
    """
    with (
        log.open("wb") as sink,
        os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8", errors="replace") as terminal,
    ):
        for stream in (1, 2) if settings().log is None else (1,):
            os.dup2(sink.fileno(), stream)
        yield terminal


def _serve(
    host: str, port: int, others: Sequence[str], terminal: TextIO, log: Path, *, opened: bool
) -> None:
    from click.exceptions import Abort, ClickException
    from langgraph_cli.cli import cli

    terminal.write(f"Starting CiteLoom; its log is {log}\n")
    logging.getLogger("langgraph_api.cli").setLevel(logging.WARNING)  # its banner
    scheme = "https" if any(option.startswith("--ssl") for option in others) else "http"
    Thread(target=_welcome, args=((host, port), scheme, terminal, opened), daemon=True).start()
    at = ("--host", host, "--port", str(port))
    try:
        # Without the number of jobs LangGraph's server runs one at a time, whatever its help says.
        cli.main(
            [
                "dev",
                *("--no-browser", "--no-reload", "--n-jobs-per-worker", "25"),
                *at,
                *_config(log),
                *others,
            ],
            standalone_mode=False,
        )
    except (Abort, KeyboardInterrupt):
        pass
    except ClickException as error:
        sys.exit(_told(terminal, f"citeloom: {error.format_message()}", 2))
    except SystemExit as error:
        if error.code:
            sys.exit(_told(terminal, _failed(log), 1))
    except Exception:
        logging.getLogger(__name__).exception("the server failed")
        sys.exit(_told(terminal, _failed(log), 1))
    terminal.write("Stopped.\n")


def _config(log: Path) -> Sequence[str]:
    """Enter the folder in which the server keeps its threads: a checkout's own, or for a wheel that of the log."""
    path = graphs_file()
    if path.parent != _PACKAGE:
        os.chdir(path.parent)
        return ()
    made = log.absolute().with_suffix(".json")
    made.write_text(json.dumps(graph_config(path)), encoding="utf-8")
    os.chdir(made.parent)
    return ("--config", str(made))


def graphs_file() -> Path:
    """Return where langgraph.json is: in the package of a wheel, in the working folder, or in the checkout."""
    paths = [place / "langgraph.json" for place in (_PACKAGE, Path.cwd(), _PACKAGE.parent)]
    return next((path for path in paths if path.is_file()), paths[-1])


def graph_config(path: Path) -> dict[str, Any]:
    """Return a langgraph.json that can be served from any folder; raises OSError and ValueError."""
    config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for graph in config["graphs"].values():
        graph["path"] = str(path.resolve().parent / graph["path"])
    return config


def _told(terminal: TextIO, text: str, code: int) -> int:
    terminal.write(f"{text}\n")
    return code


def _failed(log: Path) -> str:
    """Return what to tell of a server that ended: the last line that it printed, and where the others are."""
    sys.stdout.flush()
    sys.stderr.flush()
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    last = f": {lines[-1].strip()[:300]}" if lines else ""
    return f"citeloom: the server has stopped{last}\nciteloom: its log says why: {log}"


def _welcome(place: tuple[str, int], scheme: str, terminal: TextIO, opened: bool) -> None:
    """Say where to go once the server answers, and open the page if it is to be opened."""
    import webbrowser

    # Where this machine reaches a server that listens everywhere.
    host, port = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(place[0], place[0]), place[1]
    while not _answers((host, port)):
        sleep(0.25)
    url = f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
    told = [f"The page: {url}/app/"]
    if opened:
        told[0] = f"Open {url}/app/ in your browser if it did not open."
    else:
        told += [
            f"Studio: https://smith.langchain.com/studio/?baseUrl={url}",
            f"Agents: MCP at {url}/citeloom/mcp; docs/agents.md has A2A and HTTP",
        ]
    terminal.write("\n".join([*told, "Ctrl-C stops the server.", ""]))
    if opened:
        webbrowser.open(f"{url}/app/")


def _answers(place: tuple[str, int]) -> bool:
    """Whether the server takes calls: it listens only once its graphs are loaded."""
    try:
        socket.create_connection(place, timeout=5).close()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
