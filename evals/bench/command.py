"""`citeloom eval bench`: what graphs cost beside the calls of an LLM, and `find` as it keeps more papers."""

from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evals.bench.part import Given, Row, rows_of
from evals.report import dict_table, left_out, shown
from evals.runner import Options, Suite, choose, say
from tools.errors import InputError, PermanentError

PARTS = {name: f"evals.bench.{name}:measure" for name in ("graphs", "finding")}
"""By name: the module and the function of it that yields the rows."""


@dataclass(frozen=True, kw_only=True)
class BenchOptions(Options):
    """The command as given."""

    parts: Annotated[
        str, typer.Option(metavar="A,B", help=f"Which parts ({', '.join(PARTS)}); all if left out.")
    ] = ""
    data: Annotated[
        Path | None,
        typer.Option(help="A folder with citation_graph/; made data if left out."),
    ] = None


class Bench(Suite[BenchOptions]):
    """Measure what graphs cost beside the calls of an LLM: read the ratios, for seconds are this machine's."""

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
        return " ".join(shown(asdict(row)).values())

    def found(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the rows."""
        return {"rows": [asdict(row) for row in rows], "left_out": self.left_out}

    def markdown(self, found: dict[str, Any]) -> str:
        """Return one table."""
        rows = dict_table("Speed and cost", [shown(row) for row in found["rows"]])
        return "\n\n".join([rows, *(f"- {told}" for told in left_out(found, ()))])
