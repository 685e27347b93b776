"""Build the wheel and use it as somebody who installs it: `python .ci/check_wheel.py`, with the tests' own Python.

The environment that it is installed into is new, and sees the dependencies of this one: nothing is downloaded.
"""

import ast
import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from try_wheel import in_words, tried

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DATA = (
    "citeloom/py.typed",
    "citeloom/page/index.html",
    "citeloom/tools/bibliography/styles/ieee.csl",
    "citeloom/tools/embed/minilm_tokenizer.json",
    "citeloom/tools/library/starter/papers.jsonl",
    "citeloom/tools/library/starter/vectors.npz",
    "citeloom/tools/references/references.crfsuite",
)
WAITS = 4
"""The exit code of a run that asks a person."""
_BUILD = (
    "import sys; sys.path[:0] = sys.argv[3:]; from importlib import import_module; "
    "print(getattr(import_module(sys.argv[1]), sys.argv[2])('.dist'))"
)


def main(work: Path) -> int:
    """Return 0 if the wheel is what the README promises, else 1."""
    try:
        wheel = built(work)
        citeloom = installed(wheel, work)
        used(citeloom, work)
    except AssertionError as fault:
        sys.stdout.write(f"wheel: {fault}\n")
        return 1
    sys.stdout.write(f"wheel: {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB) is in order\n")
    return 0


def built(work: Path) -> Path:
    """Build the wheel from the checkout and from its source distribution; see that they are the same."""
    tree = work / "tree"
    listed = run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).split("\0")
    for name in (name for name in listed if (ROOT / name).is_file()):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        copyfile(ROOT / name, tree / name)
    with tarfile.open(build(tree, "build_sdist")) as packed:
        packed.extractall(work / "unpacked", filter="data")
    (unpacked,) = (work / "unpacked").iterdir()
    with ThreadPoolExecutor() as pool:
        wheel, again = pool.map(build, (tree, unpacked), ("build_wheel",) * 2)
    assert wheel.read_bytes() == again.read_bytes(), "the wheel of the sdist is another one"
    with zipfile.ZipFile(wheel) as members:
        names = set(members.namelist())
        assert set(DATA) <= names, f"the wheel lacks {sorted(set(DATA) - names)}"
        for name in names:
            left = list(top_names(members.read(name))) if name.endswith(".py") else []
            assert not left, f"{name} imports {left}"
    return wheel


def build(tree: Path, hook: str) -> Path:
    """Build as pip does without isolation: the hooks that pyproject.toml names, in the tree."""
    system = PROJECT["build-system"]
    (tree / ".dist").mkdir(exist_ok=True)
    told = run(
        sys.executable,
        "-c",
        _BUILD,
        system["build-backend"],
        hook,
        *system["backend-path"],
        cwd=tree,
    )
    return tree / ".dist" / told.split()[-1]


def top_names(source: bytes) -> Iterator[str]:
    """Yield each import, and each string, that names a package as only a checkout has it."""
    tops = {name.partition(".")[0] for name in PROJECT["tool"]["setuptools"]["packages"]}
    tops -= {"citeloom"}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (item.name for item in names if item.name.partition(".")[0] in tops)
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in tops:
                yield module
            case ast.Constant(value=str(text)) if (parts := text.partition(":")[0].split("."))[
                0
            ] in tops - {"evals"} and ROOT.joinpath(*parts).with_suffix(".py").is_file():
                yield text


def installed(wheel: Path, work: Path) -> Path:
    """Install the wheel into a new environment, and return its command."""
    run(sys.executable, "-m", "venv", str(work / "env"))
    (packages,) = work.glob("env/lib/python*/site-packages")
    before = set(os.listdir(packages))
    python = work / "env" / "bin" / "python"
    run(
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-compile",
        str(wheel),
    )
    gained = {
        name for name in set(os.listdir(packages)) - before if not name.endswith(".dist-info")
    }
    assert gained == {"citeloom"}, f"site-packages gains {sorted(gained)}"
    # Only now, or pip would take the checkout for the version to replace.
    (packages / "dependencies.pth").write_text(
        sysconfig.get_path("purelib") + "\n", encoding="utf-8"
    )
    extras = set(distribution("citeloom").metadata.get_all("Provides-Extra") or ())
    assert extras == set(PROJECT["project"]["optional-dependencies"]), (
        f"the extras are {sorted(extras)}"
    )
    return python.with_name("citeloom")


def used(citeloom: Path, work: Path) -> None:
    """Use the wheel: a review, a run that the checkout began, what a newcomer does, the development server."""
    home = {"CITELOOM_HOME": str(work / "home")}
    where = run(
        str(citeloom.with_name("python")),
        "-c",
        "import citeloom; print(citeloom.__file__)",
        cwd=work,
    )
    assert str(work / "env") in where, f"the wheel is not what is imported, but {where}"
    version = run(str(citeloom), "--version", cwd=work, **home)
    assert PROJECT["project"]["version"] in version, version
    example = str(ROOT / "examples" / "abstract.md")
    run(str(citeloom), "review", example, "--out", "reviewed", cwd=work, **home)
    run(sys.executable, str(ROOT / ".ci" / "check_review.py"), str(work / "reviewed"))
    papers = json.loads((work / "reviewed" / "papers.json").read_text(encoding="utf-8"))["papers"]
    chosen = [word for item in papers[:3] for word in ("--paper", item["paper"]["id"])]
    ours = str(Path(sys.executable).with_name("citeloom"))
    asked = run(
        ours,
        "write",
        example,
        *chosen,
        "--review-plan",
        "--out",
        "continued",
        "--json",
        cwd=work,
        code=WAITS,
        **home,
    )
    run(str(citeloom), "runs", "resume", json.loads(asked)["run"], cwd=work, **home)
    continued = json.loads((work / "continued" / "run.json").read_text(encoding="utf-8"))
    assert continued["outcome"] == "complete", "the wheel did not finish a run of the checkout"
    (work / "empty").mkdir()
    sys.stdout.write(f"wheel: {in_words(tried([str(citeloom)], work / 'empty', home))}\n")
    served(citeloom, work, home)


def served(citeloom: Path, work: Path, home: dict[str, str]) -> None:
    """Serve the page and the graphs from the wheel, in a folder that has neither."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(citeloom), "dev", "--port", str(port)]
    elsewhere = work / "elsewhere"
    elsewhere.mkdir()
    with subprocess.Popen(
        command, cwd=elsewhere, env={**os.environ, **home}, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr
        told: list[str] = []
        while not (told and told[-1].startswith("Ctrl-C")):
            told.append(server.stderr.readline())
            assert told[-1], "".join(told)
        url = f"http://127.0.0.1:{port}"
        page = urlopen(f"{url}/app/").read()
        every = b'{"limit": 100}'
        search = Request(f"{url}/assistants/search", every, {"Content-Type": "application/json"})
        graphs = {item["graph_id"] for item in json.load(urlopen(search))}
        server.send_signal(signal.SIGINT)
        server.wait(60)
    assert b"CiteLoom" in page, "the page is not served"
    served = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    assert graphs == set(served), f"the graphs served are {sorted(graphs)}"
    assert not any(elsewhere.iterdir()), f"the server left {list(elsewhere.iterdir())}"


def run(*command: str, cwd: Path = ROOT, code: int = 0, **variables: str) -> str:
    """Run a command and return what it prints; what it says besides is shown if it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    said = f"{' '.join(command[:4])} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    assert done.returncode == code, said[-4000:]
    return done.stdout


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        sys.exit(main(Path(folder)))
