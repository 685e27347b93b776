"""Commands in a home with libraries, and one whole review that many tests look at."""

from pathlib import Path
from typing import Protocol

import pytest

from tests.cli.commands import Done, call
from tests.support import ABSTRACT, RememberingEmbedder, at_home


class Cite(Protocol):
    """Runs a command; `out` names its output folder below the test's own."""

    def __call__(
        self, *arguments: str | Path, out: str = "out", stdin: str | None = None
    ) -> Done: ...


@pytest.fixture
def cite(home: Path) -> Cite:
    def run(*arguments: str | Path, out: str = "out", stdin: str | None = None) -> Done:
        return call(*arguments, out=home.parent / out, stdin=stdin)

    return run


@pytest.fixture(scope="session")
def reviewed(
    tmp_path_factory: pytest.TempPathFactory, built: Path, embedder_with_memory: RememberingEmbedder
) -> Done:
    """The README's command: the example abstract reviewed on the starter library."""
    folder = tmp_path_factory.mktemp("reviewed")
    with at_home(folder / "home", built, embedder_with_memory):
        return call("review", ABSTRACT, out=folder / "out")
