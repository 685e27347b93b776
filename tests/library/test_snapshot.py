"""A snapshot holds the whole library, and a restore is whole or does nothing."""

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from citeloom.settings import Settings
from tests.library.words import WordEmbedder, document, paper
from tools.errors import InputError, LibraryError
from tools.library.compact import compact
from tools.library.library import Library
from tools.library.open import close_libraries, create_library, library_names, open_library
from tools.library.restore import restore_snapshot
from tools.library.snapshot import take_snapshot
from tools.library.verify import verify

ROOT = Path(__file__).parents[2]
PARTS = (("1 Results", "The first result of all."), ("2 Limits", "The limits of what was done."))


@pytest.fixture
def filled(library: Library) -> Library:
    library.add(map(paper, range(20)))
    library.texts.put(*document(1, *PARTS, tags=("all",)))
    library.index()
    return library


@pytest.fixture
def taken(filled: Library, tmp_path: Path) -> Path:
    path = tmp_path / "mine.tar.gz"
    assert take_snapshot(filled, path).vectors
    return path


def test_restored_library_is_the_one_that_was_taken(
    filled: Library, taken: Path, settings: Settings, embedder: WordEmbedder
) -> None:
    made = embedder.texts
    assert restore_snapshot(taken, settings, name="again") == ("again", True)
    again = open_library("again", settings, embedder)
    assert again.ids() == filled.ids()
    assert [*again.texts.pages(99)] == [*filled.texts.pages(99)]
    assert again.search("topic3", limit=9) == filled.search("topic3", limit=9)
    assert again.texts.search("limits", limit=9) == filled.texts.search("limits", limit=9)
    assert again.texts.tags() == {"all": 1}
    assert embedder.texts == made + 4, "four questions, and no vector made anew"
    assert verify(again) == []
    assert again.add([paper(99)]).added == 1


def test_snapshot_does_not_replace_a_file(filled: Library, taken: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is a file"):
        take_snapshot(filled, taken)
    with pytest.raises(InputError, match="there is no folder"):
        take_snapshot(filled, tmp_path / "none" / "mine.tar.gz")
    assert [path.name for path in taken.parent.glob("*mine*")] == ["mine.tar.gz"]


def test_library_is_replaced_only_by_force_and_notices_it(
    filled: Library, taken: Path, settings: Settings
) -> None:
    filled.remove(["10.1000/p1", "10.1000/p2"])
    filled.add([paper(50, "Zebras in the wild")])
    with pytest.raises(InputError, match="--force"):
        restore_snapshot(taken, settings)
    assert restore_snapshot(taken, settings, force=True) == ("mine", True)
    assert filled.stats().papers == 20
    assert filled.texts.search("limits of what was done", limit=1)
    assert filled.search("zebras", limit=1, mode="keyword") == []
    assert len(filled.search("topic1", limit=99)) == 20
    filled.tidy()
    assert len([path for path in filled.folder.iterdir() if path.is_dir()]) == 2
    assert verify(filled) == []


def test_snapshot_of_a_server_has_no_vectors(
    settings: Settings, embedder: WordEmbedder, tmp_path: Path
) -> None:
    memory = settings.model_copy(update={"qdrant_url": ":memory:"})
    library = create_library("served", memory, embedder)
    library.add([paper(1)])
    assert not take_snapshot(library, tmp_path / "served.tar.gz").vectors
    assert restore_snapshot(tmp_path / "served.tar.gz", settings, name="here") == ("here", False)
    here = open_library("here", settings, embedder)
    with pytest.raises(LibraryError, match="citeloom library index here"):
        here.search("topic1", limit=1)
    here.index()
    assert here.search("topic1", limit=1)


def rewritten(taken: Path, change: str) -> Path:
    """The snapshot with one thing wrong."""
    target = taken.with_name("bad.tar.gz")
    with tarfile.open(taken) as source, tarfile.open(target, "w:gz") as tar:
        for info in source:
            stream = source.extractfile(info)
            assert stream
            content = stream.read()
            if change == "flipped" and info.name == "catalog.sqlite":
                content = content[:5000] + bytes([content[5000] ^ 1]) + content[5001:]
            if change == "format" and info.name == "manifest.json":
                content = json.dumps({**json.loads(content), "format": "other 9"}).encode()
            if change == "missing" and info.name == "catalog.sqlite":
                continue
            if change == "no manifest" and info.name == "manifest.json":
                continue
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        name = {"outside": "../../evil", "absolute": "/evil", "odd": "evil.py"}.get(change)
        if name or change == "link":
            info = tarfile.TarInfo(name or "papers/link")
            if change == "link":
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            tar.addfile(info, io.BytesIO())
    return target


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("flipped", "catalog.sqlite' is not what its hash"),
        ("format", "its format is 'other 9'"),
        ("missing", "is in only one of its manifest and its members"),
        ("no manifest", "it has no manifest"),
        ("outside", "does not belong there"),
        ("absolute", "does not belong there"),
        ("odd", "does not belong there"),
        ("link", "does not belong there"),
    ],
)
def test_bad_snapshot_is_refused_before_anything_changes(
    settings: Settings, embedder: WordEmbedder, tmp_path: Path, change: str, said: str
) -> None:
    memory = settings.model_copy(update={"qdrant_url": ":memory:"})
    filled = create_library("mine", memory, embedder)
    filled.add(map(paper, range(20)))
    take_snapshot(filled, tmp_path / "mine.tar.gz")
    bad = rewritten(tmp_path / "mine.tar.gz", change)
    before = sorted(path.name for path in filled.folder.iterdir())
    for name in ("mine", "other"):
        with pytest.raises(LibraryError, match=said):
            restore_snapshot(bad, settings, name=name, force=True)
    assert sorted(path.name for path in filled.folder.iterdir()) == before
    assert library_names(settings) == ["mine", "starter"]
    assert not [path for path in filled.folder.parent.iterdir() if path.name != "mine"]


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_file_that_is_no_snapshot_is_refused(
    taken: Path, settings: Settings, content: bytes | None
) -> None:
    whole = taken.read_bytes()
    taken.write_bytes(whole[: len(whole) // 2] if content is None else content)
    with pytest.raises(LibraryError, match="is no snapshot of a library, or is damaged"):
        restore_snapshot(taken, settings, name="other")


def test_names_that_cannot_be_are_refused(taken: Path, settings: Settings) -> None:
    for name in ("../x", "starter"):
        with pytest.raises(InputError):
            restore_snapshot(taken, settings, name=name)


READ = """
import sys, time
from pathlib import Path
from citeloom.settings import Settings
from tests.library.words import WordEmbedder
from tools.library.open import open_library
library = open_library("mine", Settings(home=Path(sys.argv[1]), qdrant_url=None), WordEmbedder())
library.search("topic1", limit=5)
print("reading", flush=True)
until = time.monotonic() + 6
answers = set()
while time.monotonic() < until:
    answers.add((len(library.search("topic1", limit=50)), len(library.get(["10.1000/p1"]))))
print(sorted(answers))
"""


def test_snapshot_and_restore_while_another_process_reads(
    filled: Library, settings: Settings, tmp_path: Path
) -> None:
    close_libraries()
    command = [sys.executable, "-c", READ, str(settings.home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        assert process.stdout.readline() == "reading\n"
        library = open_library("mine", settings, WordEmbedder())
        take_snapshot(library, tmp_path / "mine.tar.gz")
        library.close()
        restore_snapshot(tmp_path / "mine.tar.gz", settings, force=True)
        assert process.stdout.read() == "[(20, 1)]\n"
        assert process.wait() == 0


def test_compacting_deletes_leftovers_and_keeps_what_serves(filled: Library) -> None:
    (filled.folder / "vectors-0000").mkdir()
    (filled.folder / ".passages-draft").mkdir()
    (filled.folder / ".catalog-1").write_bytes(b"x" * 100_000)
    (filled.folder / "mine.txt").write_text("not ours")
    filled.remove([f"10.1000/p{number}" for number in range(5, 20)])
    done = compact(filled)
    assert done.leftovers == 3
    assert done.after < done.before
    assert (filled.folder / "mine.txt").exists()
    assert verify(filled) == []
    assert len(filled.search("topic1", limit=99)) == 5
