"""A table as a person reads it. It needs nothing of the tests, which the installed command has not."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """What was measured: values by column, a row each."""

    title: str
    rows: Sequence[Mapping[str, object]]

    def markdown(self) -> str:
        """Return the table as Markdown."""
        names = list(self.rows[0])
        lines = [names, ["---"] * len(names)]
        lines += [[str(row[name]) for name in names] for row in self.rows]
        return "\n".join([f"### {self.title}", "", *(f"| {' | '.join(row)} |" for row in lines)])


def tell(text: str) -> None:
    """Say on standard error how far the benchmark is."""
    print(text, file=sys.stderr, flush=True)
