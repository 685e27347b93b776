"""`citeloom library add --engine ray` on a Ray of this machine: the same library, whoever is killed meanwhile."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.cli.commands import run
from tests.cli.processes import Process, started
from tests.cli.test_library_add import children_of, count, end_of, filled
from tests.graphs.dumps import openalex_work, packed, s2orc_paper
from tests.graphs.ingest_files import pdf
from tests.support import ROOT, clean_environment
from tools.embed.open_embedder import embedder
from tools.library.library import Library
from tools.library.open_library import close_libraries, open_library
from tools.settings import Settings

FILES, PAPERS, RECORDS = 16, 120, 200


def filled_with_all(folder: Path) -> Path:
    """Write files, of which one cannot be read and two are one, and both kinds of dumps."""
    filled(folder, range(FILES))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing else")
    (folder / "radar.pdf").write_bytes(pdf())
    (folder / "radar copy.pdf").write_bytes(pdf())
    packed(folder / "s2orc.jsonl.gz", [*map(s2orc_paper, range(PAPERS)), "{broken"])
    packed(folder / "works" / "part_000.gz", map(openalex_work, range(RECORDS)))
    return folder


def contents(library: Library) -> dict[str, Any]:
    """Return all that a library holds, with vectors to the fourth place."""
    papers = library.get(library.ids())
    texts = [passage for page in library.texts.pages(100) for passage in page]
    with library.catalog.database.reading() as db:
        rows = db.execute(
            "SELECT p.id || ' ' || t.id, t.point FROM texts t JOIN papers p ON p.point = t.paper"
        ).fetchall()
    found = library.vector_index.vectors([point for _, point in rows])
    return {
        "papers": {key: paper.model_dump() for key, paper in papers.items()},
        "texts": {passage.id: passage.model_dump() for passage in texts},
        "documents": sorted(
            entry.model_dump_json(exclude={"name"}) for entry in library.texts.documents()
        ),
        "references": {key: library.texts.references(key) for key in papers},
        "vectors": {
            name: [round(float(number), 4) + 0.0 for number in found[point]]
            for name, point in rows
            if point in found
        },
    }


def contents_at(home: Path) -> dict[str, Any]:
    settings = Settings(home=home)
    try:
        return contents(open_library("mine", settings, embedder(settings)))
    finally:
        close_libraries()


def on_ray(home: Path, folder: Path | str) -> Any:
    return started(
        home,
        "library",
        "add",
        folder,
        "-l",
        "mine",
        "--engine",
        "ray",
        "--workers",
        "2",
        variables={"RAY_ADDRESS": ""},
    )


def below(parent: int) -> list[int]:
    """Return the processes below one, however deep."""
    return [one for child in children_of(parent) for one in (child, *below(child))]


def at_work(process: Process, step: str) -> int:
    """Wait until a worker of the cluster is at a step, and return the worker."""
    found: list[int] = []

    def seen() -> bool:
        for one in below(process.running.pid):
            try:
                title = Path(f"/proc/{one}/cmdline").read_bytes()
            except OSError:
                continue
            if title.startswith(b"ray::") and step.encode() in title:
                found.append(one)
        return bool(found)

    process.wait_until(seen)
    return found[0]


@pytest.fixture
def alike(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """A folder, and what a library holds that one process filled from it."""
    folder, home = filled_with_all(tmp_path / "in"), tmp_path / "single"
    home.mkdir()
    with started(home, "library", "add", folder, "-l", "mine") as process:
        assert process.wait() == 0, process.stderr
    return folder, contents_at(home)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.mark.slow
def test_library_is_that_of_one_process_although_workers_are_killed(
    home: Path, alike: tuple[Path, dict[str, Any]]
) -> None:
    pytest.importorskip("ray")
    folder, single = alike
    with on_ray(home, folder) as process:
        for step in ("_read", "_encode"):
            os.kill(at_work(process, step), signal.SIGKILL)
        assert process.wait() == 0, process.stderr
    assert "Traceback" not in process.stderr
    check_whole_of_all(home)
    assert contents_at(home) == single


@pytest.mark.slow
@pytest.mark.parametrize(
    "far",
    [
        pytest.param(lambda home: count(home, "documents") >= 20, id="in the midst of reading"),
        pytest.param(
            lambda home: count(home, "texts", "indexed = 1") >= 128, id="in the midst of indexing"
        ),
    ],
)
def test_killed_command_leaves_nothing_running_and_goes_on_with_the_same_command(
    home: Path, alike: tuple[Path, dict[str, Any]], far: Callable[[Path], bool]
) -> None:
    pytest.importorskip("ray")
    folder, single = alike
    with on_ray(home, folder) as process:
        process.wait_until(lambda: far(home))
        cluster = below(process.running.pid)
        assert process.end(signal.SIGKILL) == -signal.SIGKILL
    kept = count(home, "documents")
    with on_ray(home, f"file://{folder}") as process:  # by address, the hashes are the same
        assert process.wait() == 0, process.stderr
    assert FILES <= kept <= count(home, "documents")
    check_whole_of_all(home)
    assert contents_at(home) == single
    for one in cluster:
        end_of(one, patience=120)  # Ray's agents look for it in vain for a minute


JOINED = """
import ray, sys
ray.init(address=sys.argv[1], logging_level="error")
"""
STARTED = f"""
import os, subprocess, sys
from tools.ingest.ray_workers import start_ray
start_ray(1)
import ray
address = ray.get_runtime_context().gcs_address
bare = {{name: value for name, value in os.environ.items() if not name.startswith("RAY_")}}
for known in (os.environ, bare):
    done = subprocess.run([sys.executable, "-c", {JOINED!r}, address], env=known, capture_output=True)
    print(done.returncode)
"""


@pytest.mark.slow
def test_ray_of_the_command_takes_work_from_nobody_else(home: Path) -> None:
    pytest.importorskip("ray")
    done = subprocess.run(
        [sys.executable, "-c", STARTED],
        env=clean_environment(home) | {"RAY_ADDRESS": ""},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["0", "1"], done.stderr


def check_whole_of_all(home: Path) -> None:
    assert count(home, "documents") == FILES + PAPERS + 1
    assert count(home, "papers") == FILES + PAPERS + 1 + RECORDS
    assert count(home, "texts", "role > 0 AND indexed != 1") == 0


@pytest.mark.slow
def test_library_is_embedded_anew_by_workers(
    tmp_path: Path, alike: tuple[Path, dict[str, Any]]
) -> None:
    pytest.importorskip("ray")
    home = tmp_path / "single"
    settings = Settings(home=home)
    open_library("mine", settings, embedder(settings)).vector_index.renew()
    close_libraries()
    assert count(home, "texts", "indexed = 1") == 0
    command = ("library", "index", "mine", "--engine", "ray", "--workers", "2")
    with started(home, *command, variables={"RAY_ADDRESS": ""}) as process:
        assert process.wait() == 0, process.stderr
    assert contents_at(home) == alike[1]


def test_cluster_that_is_not_there_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", ModuleType("ray"))
    monkeypatch.setenv("RAY_ADDRESS", "ray://127.0.0.1:9")
    (tmp_path / "a.txt").write_text("Bees.", encoding="utf-8")
    for command in (["add", str(tmp_path / "a.txt"), "-l", "mine"], ["index", "starter"]):
        told = run("library", *command, "--engine", "ray", code=2)
        assert "no Ray cluster answers at ray://127.0.0.1:9" in " ".join(told.stderr.split())


def test_without_ray_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "")
    (tmp_path / "a.txt").write_text("Bees.", encoding="utf-8")
    told = run("library", "add", tmp_path / "a.txt", "-l", "mine", "--engine", "ray", code=2)
    assert "pip install 'citeloom[ray]'" in told.stderr
