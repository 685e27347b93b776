"""Benchmarks run with no settings but the defaults, in a folder of their own."""

import os
from collections.abc import Iterator

import pytest

from tests.support import RememberingEmbedder, clean_environment, is_setting


@pytest.fixture(scope="module", autouse=True)
def _no_settings(
    tmp_path_factory: pytest.TempPathFactory, embedder_with_memory: RememberingEmbedder
) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(is_setting, list(os.environ)):
            patch.delenv(name)
        for name, value in clean_environment(folder / "home").items():
            patch.setenv(name, value)
        patch.chdir(folder)
        known = {("minilm", "", ""): embedder_with_memory}
        patch.setattr("tools.embed.open_embedder._opened", known)
        yield
