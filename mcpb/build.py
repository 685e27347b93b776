"""Builds citeloom.mcpb, the bundle that a desktop client installs: `python mcpb/build.py [FOLDER]`.

It holds three files: the manifest, the starter and a pyproject.toml, by which uv installs the release of
the same version. The tools in the manifest are those of the server.
"""

import json
import sys
import tomllib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

PROJECT = """\
[project]
name = "citeloom-bundle"
version = "{version}"
requires-python = "{python}"
dependencies = ["citeloom=={version}"]
"""


def build(folder: Path) -> Path:
    """Write the bundle into a folder and return its path."""
    from citeloom.service.tools import TOOLS

    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    manifest = json.loads((HERE / "manifest.json").read_text(encoding="utf-8"))
    manifest["version"] = project["version"]
    manifest["tools"] = [{"name": one.name, "description": one.title} for one in TOOLS.values()]
    files = {
        "manifest.json": json.dumps(manifest, indent=2) + "\n",
        "pyproject.toml": PROJECT.format(
            version=project["version"], python=project["requires-python"]
        ),
        "server.py": (HERE / "server.py").read_text(encoding="utf-8"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "citeloom.mcpb"
    with ZipFile(place, "w", ZIP_DEFLATED) as bundle:
        for name, text in files.items():
            bundle.writestr(name, text)
    return place


if __name__ == "__main__":
    sys.stdout.write(f"{build(Path(*sys.argv[1:2] or ['dist']))}\n")
