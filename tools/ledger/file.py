"""The ledger on disk: what each run has spent, so that a resumed run goes on from there."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from state.run import SourceUsage, Usage
from tools.errors import PermanentError

_TABLES = """
CREATE TABLE IF NOT EXISTS usage (
    run TEXT, task TEXT, mind TEXT, calls INTEGER, cached INTEGER, repairs INTEGER,
    input_tokens INTEGER, output_tokens INTEGER, usd REAL, seconds REAL,
    PRIMARY KEY (run, task, mind)
);
CREATE TABLE IF NOT EXISTS sources (
    run TEXT, source TEXT, calls INTEGER, cached INTEGER, failed INTEGER, usd REAL, seconds REAL,
    PRIMARY KEY (run, source)
);
CREATE TABLE IF NOT EXISTS clock (run TEXT PRIMARY KEY, seconds REAL);
"""
_ADD = """
INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run, task, mind) DO UPDATE SET
    calls = calls + excluded.calls, cached = cached + excluded.cached,
    repairs = repairs + excluded.repairs,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    usd = usd + excluded.usd, seconds = seconds + excluded.seconds
"""
_ADD_SOURCE = """
INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run, source) DO UPDATE SET
    calls = calls + excluded.calls, cached = cached + excluded.cached,
    failed = failed + excluded.failed, usd = usd + excluded.usd,
    seconds = seconds + excluded.seconds
"""
_TICK = """
INSERT INTO clock VALUES (?, ?)
ON CONFLICT (run) DO UPDATE SET seconds = seconds + excluded.seconds
"""
_READ = """
SELECT task, mind, calls, cached, repairs, input_tokens, output_tokens, usd, seconds
FROM usage WHERE run = ? ORDER BY rowid
"""
_READ_SOURCES = """
SELECT source, calls, cached, failed, usd, seconds FROM sources WHERE run = ? ORDER BY rowid
"""
_SOURCE_NAMES = ("source", "calls", "cached", "failed", "usd", "seconds")
_NAMES = (
    "task", "mind", "calls", "cached", "repairs", "input_tokens", "output_tokens", "usd", "seconds",
)  # fmt: skip


class LedgerFile:
    """Synchronous: call it in a worker thread. Safe to use from several threads and processes."""

    def __init__(self, home: Path) -> None:
        self.path = home / "ledger.sqlite"

    def read(self, run: str) -> tuple[list[Usage], list[SourceUsage], float]:
        """Return what `run` has used by task and mind and by source, and its seconds of thinking.

        Raises:
            PermanentError: The file cannot be read; no call may be paid without knowing the sum.
        """
        if not self.path.exists():
            return [], [], 0.0
        try:
            with self._open() as db:
                rows = db.execute(_READ, (run,)).fetchall()
                asked = db.execute(_READ_SOURCES, (run,)).fetchall()
                clock = db.execute("SELECT seconds FROM clock WHERE run = ?", (run,)).fetchone()
        except sqlite3.Error as error:
            raise PermanentError(
                f"the record of what runs have spent cannot be read ({error}): "
                f"move {self.path} away and start again"
            ) from error
        used = [Usage.model_validate(dict(zip(_NAMES, row, strict=True))) for row in rows]
        sources = [
            SourceUsage.model_validate(dict(zip(_SOURCE_NAMES, row, strict=True))) for row in asked
        ]
        return used, sources, clock[0] if clock else 0.0

    def add(self, run: str, used: Usage, thinking: float) -> None:
        """Add to what `run` has used, and `thinking` seconds to its clock, in one transaction."""
        with self._open() as db:
            db.execute(_ADD, (run, *(getattr(used, name) for name in _NAMES)))
            db.execute(_TICK, (run, thinking))

    def add_source(self, run: str, used: SourceUsage) -> None:
        """Add to what `run` has asked of a source."""
        with self._open() as db:
            db.execute(_ADD_SOURCE, (run, *(getattr(used, name) for name in _SOURCE_NAMES)))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction: nothing stays open between calls."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        db = sqlite3.connect(self.path, timeout=30)
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.executescript(_TABLES)
            with db:
                yield db
        finally:
            db.close()
