"""Libraries have names, belong to one embedder, and the starter library is always there."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.library.processes import killed_when_stuck, process
from tests.library.words import WordEmbedder, paper
from tools.errors import InputError, LibraryError
from tools.library.open_library import (
    close_libraries,
    create_library,
    delete_library,
    library_names,
    open_library,
)
from tools.settings import Settings

BUILD = """
library = open_library("starter", settings, embedder, starter=home.parent / "papers.jsonl")
print(len(library.ids()), library.stats().waiting, embedder.texts)
"""


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    return written(tmp_path / "papers.jsonl", range(5))


def written(path: Path, numbers: range, note: str = "") -> Path:
    papers = [paper(number, abstract=f"About topic{number}{note}.") for number in numbers]
    path.write_text("".join(f"{one.model_dump_json()}\n" for one in papers), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["", "../x", "A", "a\n", ".hidden", "C:"])
def test_name_that_could_be_a_path_is_refused(
    settings: Settings, embedder: WordEmbedder, name: str
) -> None:
    for action in (open_library, create_library, delete_library):
        with pytest.raises(InputError, match="cannot be a library's name"):
            action(name, settings, embedder)
    assert not settings.home.exists()


def test_library_is_made_opened_as_one_object_and_deleted(
    settings: Settings, embedder: WordEmbedder
) -> None:
    made = create_library("mine", settings, embedder)
    assert open_library("mine", settings, embedder) is made
    assert create_library("mine", settings, embedder) is made
    how = r"mine, starter.*citeloom library add`"
    with pytest.raises(LibraryError, match=how):
        open_library("other", settings, embedder)
    made.add([paper(1)])
    delete_library("mine", settings, embedder)
    assert library_names(settings) == ["starter"]
    assert create_library("mine", settings, embedder).search("topic1", limit=3) == []


def test_starter_is_built_from_its_file_and_follows_it(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    library = open_library("starter", settings, embedder, starter=starter)
    assert library.search("topic3", limit=1, mode="keyword")[0].paper == "doi:10.1000/p3"
    assert library.get(["10.1000/p3"])["10.1000/p3"].abstract_kind == "annotation"
    close_libraries()
    library = open_library("starter", settings, embedder, starter=starter)
    assert embedder.texts == 5, "what is built is not built again"
    written(starter, range(3, 8), note=" and zebras")
    assert open_library("starter", settings, embedder, starter=starter) is library
    assert library.ids() == [f"doi:10.1000/p{number}" for number in range(3, 8)]
    assert len(library.search("zebras", limit=9, mode="keyword")) == 5
    starter.write_text('{"title": ""}\n', encoding="utf-8")
    with pytest.raises(LibraryError, match="line 1"):
        open_library("starter", settings, embedder, starter=starter)


def test_library_too_old_to_be_read_is_refused_and_can_be_removed(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    create_library("old", settings, embedder)
    open_library("starter", settings, embedder, starter=starter)
    close_libraries()
    for name in ("old", "starter"):
        with closing(sqlite3.connect(settings.home / "libraries" / name / "catalog.sqlite")) as db:
            db.execute("PRAGMA user_version=2")
        with pytest.raises(LibraryError, match=r"made by an earlier CiteLoom.* remove the library"):
            open_library(name, settings, embedder, starter=starter)
        delete_library(name, settings, embedder)
    assert library_names(settings) == ["starter"]
    assert len(open_library("starter", settings, embedder, starter=starter).ids()) == 5


@pytest.mark.usefixtures("starter")
def test_two_processes_build_the_starter_once(settings: Settings) -> None:
    script = f"embedder = WordEmbedder(pause=0.5){BUILD}"
    with process(settings.home, script) as one, process(settings.home, script) as two:
        answers = [started.communicate()[0] for started in (one, two)]
    assert sorted(answers) == ["5 0 0\n", "5 0 5\n"]


def test_build_that_was_killed_is_finished_by_the_next(
    settings: Settings, embedder: WordEmbedder, starter: Path
) -> None:
    killed_when_stuck(settings.home, f"embedder = stuck(WordEmbedder(), 0){BUILD}")
    library = open_library("starter", settings, embedder, starter=starter)
    assert (len(library.ids()), library.stats().waiting) == (5, 0)
