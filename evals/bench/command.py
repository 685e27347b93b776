"""`citeloom eval bench`: what each stage costs beside the bare libraries, in one table."""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.bench.part import rows_of
from evals.bench.row import Given, Row, lines_of, rows_table
from evals.runner import Options, Suite, choose, say
from tools.errors import InputError, PermanentError

PARTS = {
    name: f"evals.bench.{name}"
    for name in (
        "startup",
        "embedding",
        "pdf",
        "ingest",
        "cluster",
        "graphs",
        "finding",
        "vectors",
    )
}
"""By name: the module whose `measure` yields the rows."""


@dataclass(frozen=True, kw_only=True)
class BenchOptions(Options):
    """The command as given."""

    parts: Annotated[
        str, typer.Option(metavar="A,B", help=f"Which parts ({', '.join(PARTS)}); all if left out.")
    ] = ""
    data: Annotated[
        Path | None,
        typer.Option(help="A folder with citation_graph/ and pdf/; made data if left out."),
    ] = None


class Bench(Suite[BenchOptions]):
    """Measure speed and cost beside the bare libraries: read the ratios, for seconds are this machine's."""

    def prepare(self) -> None:
        """Choose the parts."""
        options = self.options
        if options.data is not None and not options.data.is_dir():
            raise InputError(f"there is no folder '{options.data}'")
        self.chosen = choose(options.parts, PARTS, "part")
        self.left_out: dict[str, str] = {}

    def rows(self) -> Generator[Row]:
        """Measure part by part."""
        given = Given(data=self.options.data, n=self.options.n, seed=self.options.seed)
        for name in self.chosen:
            try:
                yield from rows_of(name, PARTS[name], given)
            except PermanentError as error:
                self.left_out[name] = str(error)
                say(f"{name} is left out: {error}")

    def outcome(self, row: Row) -> str:
        """Say what was measured."""
        return " ".join(lines_of([row])[0])

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the rows."""
        return {"rows": [asdict(row) for row in rows], "left_out": self.left_out}

    def markdown(self, found: dict[str, Any]) -> str:
        """Return one table."""
        rows = [Row(**row) for row in found["rows"]]
        lines = [f"- {name} was left out: {why}" for name, why in found["left_out"].items()]
        return "\n\n".join([rows_table(rows), *lines])
