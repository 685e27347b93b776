"""Present: put the rows that there are in order, and count their cells.

Reads all that the run has. Writes the output of `table`. A run that was stopped shows the rows it has.
"""

from collections import Counter
from collections.abc import Sequence

from state.run import fatal_failure, outcome_of
from state.table import LibraryRow, TableState, TableUpdate
from tools.services import NodeRuntime, open_services


async def present_table(state: TableState, runtime: NodeRuntime) -> TableUpdate:
    """Return the rows that were filled."""
    services = open_services(runtime, state["run"])
    rows = await services.run_store.rows.values(state["row_ids"])
    failures, papers = state.get("failures", []), len(state["row_ids"])
    return {
        "rows": rows,
        "counts": count_cells(rows, papers),
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome_of(rows, failures, whole=len(rows) == papers),
        "stop": fatal_failure(failures),
    }


def count_cells(rows: Sequence[LibraryRow], papers: int) -> dict[str, int]:
    """Return how many papers were chosen and read, and how many cells are of each kind."""
    kinds = Counter[str](cell.kind for row in rows for cell in row.cells)
    return {"papers": papers, "rows": len(rows), **kinds}
