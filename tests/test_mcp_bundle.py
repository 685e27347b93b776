"""How clients install the MCP server: server.json for the registry, and the bundle for desktop clients."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from runpy import run_path
from typing import Any
from zipfile import ZipFile

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from citeloom.service.tools import TOOLS
from tests.support import ROOT, clean_environment

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
VALIDATOR = "@anthropic-ai/mcpb@2.1.2"


def settings_named() -> set[str]:
    return set(re.findall(r"^#([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.M))


def test_server_json_has_what_the_registry_asks_for() -> None:
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert server["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert f"<!-- mcp-name: {server['name']} -->" in (ROOT / "README.md").read_text("utf-8")
    assert len(server["description"]) <= 100
    (package,) = server["packages"]
    assert server["version"] == package["version"] == VERSION, "set both in server.json"
    told = {name: package[name] for name in ("registryType", "identifier", "runtimeHint")}
    assert told == {"registryType": "pypi", "identifier": "citeloom", "runtimeHint": "uvx"}
    assert package["transport"] == {"type": "stdio"}
    assert [one["value"] for one in package["packageArguments"]] == ["mcp"]
    variables = {one["name"]: one for one in package["environmentVariables"]}
    assert variables.keys() <= settings_named()
    for name, one in variables.items():
        assert one["description"]
        assert one.get("isSecret", False) is name.endswith("_KEY")
        assert not {"value", "default"} & one.keys()


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, unpacked."""
    folder = tmp_path_factory.mktemp("bundle")
    with ZipFile(run_path(str(ROOT / "mcpb" / "build.py"))["build"](folder)) as packed:
        assert set(packed.namelist()) == {"manifest.json", "pyproject.toml", "server.py"}
        packed.extractall(folder / "unpacked")
    return folder / "unpacked"


def manifest_of(bundle: Path) -> dict[str, Any]:
    return dict(json.loads((bundle / "manifest.json").read_text(encoding="utf-8")))


def test_bundle_names_its_release_its_tools_and_what_its_user_sets(bundle: Path) -> None:
    manifest = manifest_of(bundle)
    project = tomllib.loads((bundle / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert manifest["version"] == VERSION
    assert project["dependencies"] == [f"citeloom=={VERSION}"]
    assert [tool["name"] for tool in manifest["tools"]] == list(TOOLS)
    config, settable = manifest["server"]["mcp_config"]["env"], manifest["user_config"]
    assert config.keys() <= settings_named()
    assert set(config.values()) == {f"${{user_config.{name}}}" for name in settable}
    for name, one in settable.items():
        assert one["title"]
        assert one["description"]
        assert one["required"] is False
        assert one.get("sensitive", False) is name.endswith("_key")
        assert "default" not in one


def test_manifest_passes_the_validator_of_the_format(bundle: Path) -> None:
    if not (npx := shutil.which("npx")):
        pytest.skip("npx is not installed")
    done = subprocess.run(
        [npx, "--yes", VALIDATOR, "validate", "manifest.json"], cwd=bundle, capture_output=True,
        text=True, timeout=300, check=False,
    )  # fmt: skip
    if done.returncode and "npm error" in done.stderr:
        pytest.skip("npm cannot fetch the validator")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "validation passes" in done.stdout


async def test_bundle_serves_though_its_user_set_nothing(bundle: Path, home: Path) -> None:
    # Some hosts hand on the placeholders of what was left empty.
    left_empty = manifest_of(bundle)["server"]["mcp_config"]["env"]
    starter = StdioServerParameters(
        command=sys.executable,
        args=[str(bundle / "server.py")],
        env={**clean_environment(home), **left_empty, "CITELOOM_HOME": str(home), "PYTHONPATH": str(ROOT),
             "OPENALEX_API_KEY": ""},
        cwd=home,
    )  # fmt: skip
    async with Client(starter) as client:
        tools = (await client.list_tools()).tools
        owls = {"name": "owls.md", "content": "# Owls\n\nOwls hear voles below snow."}
        given = {"library": "barn", "uploads": [owls]}
        done = (await client.call_tool("ingest", given)).structured_content
    assert [tool.name for tool in tools] == list(TOOLS)
    assert done
    assert done["items"][0]["status"] == "added"
