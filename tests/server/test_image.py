"""What containers are made of, as far as it can be tried without Docker."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.server.hosting import copy, image
from tests.support import ROOT, clean_environment

LOADS = """
import importlib.util, json, os, sys
from pathlib import Path
for name, graph in json.loads(os.environ["LANGSERVE_GRAPHS"]).items():
    path, _, wanted = graph["path"].partition(":")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    getattr(module, wanted).get_input_jsonschema()
from tools.library.open_library import starter_papers
with starter_papers() as papers:
    assert papers.stat().st_size
strayed = [
    module.__file__ for name, module in sys.modules.items()
    if name.split(".")[0] in {"citeloom", "graphs", "nodes", "state", "tools"}
    and getattr(module, "__file__", None) and not Path(module.__file__).is_relative_to(Path.cwd())
]
assert not strayed, strayed
"""


def test_image_of_langgraph_and_ours_hold_all_graphs_and_nothing_else_of_the_folder(
    tmp_path: Path,
) -> None:
    subprocess.run(
        [sys.executable, "-m", "langgraph_cli", "dockerfile", str(tmp_path / "Dockerfile")],
        cwd=ROOT,
        check=True,
        capture_output=True,
        env={**clean_environment(tmp_path), "LANGGRAPH_CLI_NO_ANALYTICS": "1"},
    )
    made = (tmp_path / "Dockerfile").read_text(encoding="utf-8")
    (line,) = (line for line in made.splitlines() if line.startswith("ENV LANGSERVE_GRAPHS="))
    # Docker takes quotation marks off as a shell does: one in a description would change the JSON.
    (value,) = shlex.split(line.removeprefix("ENV LANGSERVE_GRAPHS="))
    graphs: dict[str, Any] = json.loads(value)
    asked = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    assert {name: graph["description"] for name, graph in graphs.items()} == {
        name: graph["description"] for name, graph in asked.items()
    }
    (added,) = (line for line in made.splitlines() if line.startswith("ADD "))
    target = added.split()[2]
    tree = tmp_path / "deps"
    tree.mkdir()
    for name in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if name.startswith("!"):
            (tree / name[1:]).parent.mkdir(exist_ok=True)
            copy(ROOT / name[1:], tree / name[1:])
    assert {"pyproject.toml", "README.md"} <= {path.name for path in tree.iterdir()}
    # Ours has the same graphs and no file more: what loads from it does so from both.
    ours = image(tmp_path / "app")
    assert {(tree / file.relative_to(ours)).exists() for file in ours.rglob("*")} == {True}
    assert {name: graph["path"].removeprefix(target) for name, graph in graphs.items()} == {
        name: graph["path"].removeprefix(".") for name, graph in asked.items()
    }
    assert not {".env", ".git", ".venv", "tests"} & {path.name for path in ours.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", LOADS],
        cwd=ours,
        capture_output=True,
        text=True,
        check=False,
        env={
            **clean_environment(tmp_path),
            "PYTHONPATH": str(ours),
            "LANGSERVE_GRAPHS": json.dumps(asked),
        },
    )
    assert done.returncode == 0, done.stderr


def test_compose_publishes_to_this_machine_only_and_has_no_passwords_of_its_own() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    services = yaml.safe_load(text)["services"]
    assert set(services) == {"citeloom", "postgres", "redis", "qdrant"}
    published = {name: given["ports"] for name, given in services.items() if "ports" in given}
    assert published == {"citeloom": ["127.0.0.1:${PORT:-2024}:2024"]}
    for given in services.values():
        assert given["volumes"]
        for name, value in given.get("environment", {}).items():
            if any(word in name for word in ("PASSWORD", "KEY", "DATABASE_URL")):
                assert ":?" in value, f"{name} has a default"


@pytest.mark.parametrize("line", ["USER citeloom", "--require-hashes", "--only-binary :all:"])
def test_image_runs_as_nobody_special_from_hashed_wheels(line: str) -> None:
    assert line in (ROOT / "Dockerfile").read_text(encoding="utf-8")
