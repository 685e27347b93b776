"""The files that a library's documents were read from, so that the page of a quote can be shown."""

import os
import shutil
from collections.abc import Collection
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from uuid import uuid4

from tools.errors import kind_of
from tools.program import logger_of

logger = logger_of(__name__)


class LibraryFiles:
    """Files by the SHA-256 of their bytes, in a folder of a library.

    A file on the same disk is linked and takes no room of its own. All of it can be had again by adding
    the file, so that keeping one never costs its document; no snapshot holds them.
    """

    def __init__(self, folder: Path) -> None:
        """Name the folder, which is made when something is kept."""
        self._folder = folder

    def keep(self, sha256: str, source: Path) -> None:
        """Keep a file; where that fails, the log says so."""
        target = self._folder / sha256
        if target.exists():
            return
        draft = self._folder / f".{uuid4().hex}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, draft, follow_symlinks=True)
            except OSError:  # another disk, or one without links
                shutil.copyfile(source, draft)
            os.replace(draft, target)
        except OSError as error:
            logger.warning("the pages of a file cannot be shown later: %s", kind_of(error))
            with suppress(OSError):
                draft.unlink(missing_ok=True)

    def path(self, sha256: str) -> Path | None:
        """Return where a file stands, if it is here and still what it was: one that is linked may be edited."""
        place = self._folder / sha256
        try:
            with place.open("rb") as file:
                same = file_digest(file, "sha256").hexdigest() == sha256
        except OSError:
            return None
        return place if same else None

    def tidy(self, known: Collection[str]) -> None:
        """Delete what belongs to none of these documents."""
        for path in self._folder.glob("[!.]*"):
            if path.name not in known:
                path.unlink(missing_ok=True)
