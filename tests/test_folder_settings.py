"""What the .env of a working folder may decide: a cloned repository brings one, and reads no key by it."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from itertools import product
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from tests.fakes.loopback import Loopback, LoopbackServer
from tests.support import KEYS, clean_environment, forget_settings, is_setting
from tools.embed.open_embedder import _endpoint
from tools.folder_settings import _REFUSED, KEYLESS, SENT_TO, SettingsError, variable_of
from tools.llm.structured_output import url_of
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


def doctor(clone: Path, env_file: dict[str, str], **environment: str) -> Result:
    """Run what asks every service that is configured, in a folder with this .env."""
    (clone / ".env").write_text("".join(f"{name}={value}\n" for name, value in env_file.items()))
    env = clean_environment(clone.parent / "home") | environment
    for name in env_file:
        if name not in environment:
            env.pop(name, None)  # the tests name sources in the environment, which outranks a .env
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name, value in env.items():
            patch.setenv(name, value)
        patch.chdir(clone)
        forget_settings()
        done = CliRunner().invoke(app, ["doctor"])
    forget_settings()
    return done


ADDRESSES = [name for name in SENT_TO if name.endswith("_url")]


@pytest.mark.parametrize("address", ADDRESSES)
def test_key_of_the_user_is_not_sent_where_a_cloned_folder_says(
    clone: Path, listener: Listener, address: str
) -> None:
    variable, secret = variable_of(address), variable_of(SENT_TO[address])
    named = {variable: listener.url, **BESIDES.get(address, {})}
    done = doctor(clone, named, **{secret: KEY})
    assert done.exit_code == 2
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
    assert done.exit_code == 2
    assert listener.requests == []


def test_folder_cannot_copy_a_key_into_an_address_or_put_a_proxy_before_it(
    clone: Path, listener: Listener
) -> None:
    named = {
        "CITELOOM_LLM_BASE_URL": listener.url + "/${OPENAI_API_KEY}",
        **AT_LLM,
        "HTTP_PROXY": listener.url,
        "OPENAI_BASE_URL": listener.url,
    }
    doctor(clone, named, OPENAI_API_KEY=KEY, NO_PROXY="", no_proxy="")
    assert listener.requests, "the address itself may be asked"
    assert not [request for request in listener.requests if KEY in request]
    # The sources are asked elsewhere, and a proxy would be sent their whole addresses.
    assert not [request for request in listener.requests if request.startswith("http://")]


Layer = Mapping[str, str]
"""Values by the names of settings."""


def in_force(
    clone: Path, environment: Layer, folder: Layer, config: Layer, *, prefixed: bool = False
) -> Settings | None:
    """Return the settings that these layers make together; None where they are refused.

    Where `prefixed`, a .env calls each variable CITELOOM_NAME, also one that has a name of its own.
    """
    home = clone.parent / "home"
    file = home / ".citeloom" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text("".join(f"{name} = {value!r}\n" for name, value in config.items()))
    env_file = clone / ".env"
    spelled = {(f"CITELOOM_{n.upper()}" if prefixed else variable_of(n)): folder[n] for n in folder}
    env_file.write_text("".join(f"{name}={value}\n" for name, value in spelled.items()))
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(is_setting, list(os.environ)):
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        for name, value in environment.items():
            patch.setenv(variable_of(name), value)
        try:
            return Settings(_env_file=env_file)  # type: ignore[call-arg]
        except SettingsError:
            return None


def plain(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


LAYERS = ("environment", "folder", "config")
TWO_NAMES = [name for name in SENT_TO if variable_of(SENT_TO[name]) in KEYS]
"""Addresses whose key is known by a name of its own, and as CITELOOM_NAME."""


@pytest.mark.parametrize(
    ("address", "prefixed"),
    [*((name, False) for name in SENT_TO), *((name, True) for name in TWO_NAMES)],
)
def test_address_and_key_of_every_two_layers(clone: Path, address: str, *, prefixed: bool) -> None:
    """A folder's address and a user's key are refused, and every other two are in force.

    Each holder of the one with each of the other; once all that the layers can hold together.
    """
    every = prefixed and address == "openalex_url"
    secret, numbered = SENT_TO[address], address.endswith("_port")
    values = {
        address: {
            layer: str(1001 + at) if numbered else f"http://{layer}.example"
            for at, layer in enumerate(LAYERS)
        },
        secret: {layer: f"{layer}@key.example" for layer in LAYERS},
    }
    alone = [(True, "", False), (False, "folder", False), (False, "", True)]
    given = list(product((True, False), ("folder", "empty", ""), (True, False))) if every else alone
    for of_address, of_secret in product(given, given):
        layers: list[dict[str, str]] = [{}, {}, {}]
        owners = {}
        for name, (above, folder, below) in {address: of_address, secret: of_secret}.items():
            if above:
                layers[0][name] = values[name]["environment"]
            if folder:
                layers[1][name] = values[name]["folder"] if folder == "folder" else ""
            if below:
                layers[2][name] = values[name]["config"]
            held = {"environment": above, "folder": folder == "folder", "config": below}
            owners[name] = next((layer for layer, there in held.items() if there), "")
        found = in_force(clone, *layers, prefixed=prefixed)
        refused = owners[address] == "folder" and owners[secret] in {"environment", "config"}
        assert (found is None) == refused, layers
        for name, owner in owners.items() if found else ():
            if owner:
                assert plain(getattr(found, name)) == values[name][owner], layers


def test_no_key_of_the_user_goes_to_an_address_of_the_folder_by_any_fallback(clone: Path) -> None:
    """Of models and embeddings, which use each other's address and key, and OpenAI's."""
    names = (
        "llm_base_url",
        "llm_api_key",
        "embeddings_base_url",
        "embeddings_api_key",
        "openai_api_key",
    )
    sent = set()
    for owners in product(("", "config", "folder"), repeat=len(names)):
        layers = {
            layer: {
                name: f"http://{layer}.example" if name.endswith("_url") else f"{layer}-key"
                for name, owner in zip(names, owners, strict=True)
                if owner == layer
            }
            for layer in ("folder", "config")
        }
        if found := in_force(clone, {}, layers["folder"], layers["config"]):
            url, key = _endpoint(found)
            sent |= {(url_of(found), plain(found.llm_api_key)), (url or "OpenAI", str(key))}
    to_folder = {key for url, key in sent if "folder" in url}
    assert to_folder == {"folder-key", "None"}
    assert "config-key" in {key for url, key in sent if "config" in url}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("server_url", "http://127.0.0.1:9"),
        ("auth", "own.auth:auth"),
        ("auth", "loopback"),
        ("shared_libraries", '["notes"]'),
        ("judge_model", "./model"),
        ("ingest_root", "/"),
        ("origins", '["https://elsewhere.example"]'),
        ("keep_runs_days", "0.001"),
        ("embedder", "st:./model"),
        ("embedder", "bge-m3:./model"),
    ],
)
def test_folder_names_no_code_opens_nothing_to_callers_and_deletes_no_runs(
    clone: Path, name: str, value: str
) -> None:
    done = doctor(clone, {variable_of(name): value})
    assert done.exit_code == 2
    assert f"may not set {variable_of(name)}" in done.stderr
    assert "config.toml" in done.stderr


def test_folder_may_lower_what_a_day_may_cost_and_not_raise_it(clone: Path) -> None:
    limit, users = "max_usd_per_day", {"max_usd_per_day": "2"}
    assert in_force(clone, {}, {limit: "1000"}, users) is None
    lower = in_force(clone, {}, {limit: "1"}, users)
    assert lower
    assert lower.max_usd_per_day == 1
    assert in_force(clone, {}, {limit: "1000"}, {}), "where the user has none, it is a limit too"


@pytest.mark.parametrize(
    ("text", "why"),
    [(b"CITELOOM_HOME=x\nCITELOOM_FAST_MODEL='x\n", "line 2 of"), (b"A=\xff\n", "cannot be read")],
)
def test_damaged_file_is_told_in_a_line(clone: Path, text: bytes, why: str) -> None:
    (clone / ".env").write_bytes(text)
    done = subprocess.run(
        [sys.executable, "-m", "citeloom", "library", "list"],
        cwd=clone,
        text=True,
        env=clean_environment(clone.parent / "home"),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_each_address_and_each_key_is_known_to_the_table() -> None:
    named = {name for name in Settings.model_fields if name.endswith(("_url", "_port", "_host"))}
    assert named == SENT_TO.keys() | KEYLESS | (_REFUSED.keys() & named)
    secret = {
        name
        for name, field in Settings.model_fields.items()
        if field.annotation == SecretStr | None
    }
    # OpenAI's own key goes to no address that a setting names.
    assert secret - {"openai_api_key"} <= set(SENT_TO.values())
