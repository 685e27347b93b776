"""What the .env of a working folder may decide: a cloned repository brings one, and reads no key by it."""

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.fakes.loopback import Loopback, LoopbackServer
from tests.support import clean_environment
from tools.folder_settings import _REFUSED, KEYLESS, SENT_TO, variable_of
from tools.settings import Settings

KEY = "a-key-of-the-user"
AT_LLM = {"CITELOOM_STRONG_MODEL": "m"}
AT_EMBEDDINGS = {"CITELOOM_EMBEDDER": "openai:e"}
BESIDES = {"llm_base_url": AT_LLM, "embeddings_base_url": AT_EMBEDDINGS}
"""What makes an address be asked at all."""


class Listener(Loopback):
    """Keeps all that is sent to it."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        super().__init__(LoopbackServer, _Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: LoopbackServer

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.fake.requests.append(f"{self.path}\n{self.headers}\n{body!r}")
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_GET = do_POST = do_PUT = do_CONNECT = _answer  # noqa: N815 - names of http.server

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as listening:
        yield listening


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder that came from elsewhere."""
    folder = tmp_path / "clone"
    folder.mkdir()
    return folder


def doctor(
    clone: Path, env_file: dict[str, str], **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run what asks every service that is configured, in a folder with this .env."""
    (clone / ".env").write_text("".join(f"{name}={value}\n" for name, value in env_file.items()))
    env = clean_environment(clone.parent / "home") | environment
    env["CITELOOM_SOURCE_PATIENCE"] = "1"
    for name in env_file:
        if name not in environment:
            env.pop(name, None)  # the tests name sources in the environment, which outranks a .env
    return subprocess.run(
        [sys.executable, "-m", "citeloom", "doctor"], cwd=clone, env=env, text=True,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip


ADDRESSES = [name for name in SENT_TO if name.endswith("_url")]


@pytest.mark.parametrize("address", ADDRESSES)
def test_key_of_the_user_is_not_sent_where_a_cloned_folder_says(
    clone: Path, listener: Listener, address: str
) -> None:
    variable, secret = variable_of(address), variable_of(SENT_TO[address])
    named = {variable: listener.url, **BESIDES.get(address, {})}
    done = doctor(clone, named, **{secret: KEY})
    assert done.returncode == 2
    assert (
        f"{clone / '.env'} may not set {variable}: your own {secret} would be sent" in done.stderr
    )
    assert KEY not in done.stdout + done.stderr
    assert listener.requests == []


@pytest.mark.parametrize("address", ["llm_base_url", "embeddings_base_url", "openalex_url"])
def test_key_that_the_folder_brings_itself_is_sent(
    clone: Path, listener: Listener, address: str
) -> None:
    secret = variable_of(SENT_TO[address])
    named = {variable_of(address): listener.url, secret: "own-key", **BESIDES.get(address, {})}
    doctor(clone, named)
    assert any("own-key" in request for request in listener.requests)


def test_users_file_is_the_users_too(clone: Path, listener: Listener) -> None:
    config = clone.parent / "home" / ".citeloom" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'openalex_api_key = "{KEY}"\n')
    config.chmod(0o600)
    done = doctor(clone, {"CITELOOM_OPENALEX_URL": listener.url})
    assert "your own OPENALEX_API_KEY would be sent" in done.stderr
    assert listener.requests == []
    config.write_text(f'openalex_api_key = "{KEY}"\nopenalex_url = "{listener.url}"\n')
    doctor(clone, {"CITELOOM_OPENALEX_URL": listener.url})
    assert any(KEY in request for request in listener.requests), "the address is the user's as well"


def test_folder_that_also_names_a_key_does_not_get_the_one_that_outranks_it(
    clone: Path, listener: Listener
) -> None:
    named = {"CITELOOM_OPENALEX_URL": listener.url, "OPENALEX_API_KEY": "own-key"}
    done = doctor(clone, named, OPENALEX_API_KEY=KEY)
    assert done.returncode == 2
    assert listener.requests == []


def test_folder_cannot_copy_a_key_into_an_address_or_put_a_proxy_before_it(
    clone: Path, listener: Listener
) -> None:
    named = {
        "CITELOOM_LLM_BASE_URL": listener.url + "/${OPENAI_API_KEY}", **AT_LLM,
        "HTTP_PROXY": listener.url, "OPENAI_BASE_URL": listener.url,
    }  # fmt: skip
    doctor(clone, named, OPENAI_API_KEY=KEY, NO_PROXY="", no_proxy="")
    assert listener.requests, "the address itself may be asked"
    assert not [request for request in listener.requests if KEY in request]
    # The sources are asked elsewhere, and a proxy would be sent their whole addresses.
    assert not [request for request in listener.requests if request.startswith("http://")]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("server_url", "http://127.0.0.1:9"), ("auth", "own.auth:auth"), ("judge_model", "./model"),
        ("ingest_root", "/"), ("origins", '["https://elsewhere.example"]'), ("embedder", "st:./model"),
        ("embedder", "bge-m3:./model"),
    ],
)  # fmt: skip
def test_folder_names_no_code_and_opens_nothing_to_callers(
    clone: Path, name: str, value: str
) -> None:
    done = doctor(clone, {variable_of(name): value})
    assert done.returncode == 2
    assert f"may not set {variable_of(name)}" in done.stderr
    assert "config.toml" in done.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [(b"CITELOOM_HOME=x\nCITELOOM_FAST_MODEL='x\n", "line 2 of"), (b"A=\xff\n", "cannot be read")],
)
def test_damaged_file_is_told_in_a_line(clone: Path, text: bytes, why: str) -> None:
    (clone / ".env").write_bytes(text)
    done = subprocess.run(
        [sys.executable, "-m", "citeloom", "library", "list"], cwd=clone, text=True,
        env=clean_environment(clone.parent / "home"), capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_each_address_and_each_key_is_known_to_the_table() -> None:
    named = {name for name in Settings.model_fields if name.endswith(("_url", "_port"))}
    assert named == SENT_TO.keys() | KEYLESS | (_REFUSED.keys() & named)
    secret = {
        name
        for name, field in Settings.model_fields.items()
        if field.annotation == SecretStr | None
    }
    # OpenAI's own key goes to no address that a setting names.
    assert secret - {"openai_api_key"} <= set(SENT_TO.values())
