"""Present: put the rows that there are in order, and count their cells.

Reads all that the run has. Writes the output of `table`. A run that was stopped shows the rows it has.
"""

from collections import Counter
from collections.abc import Sequence

from langgraph.runtime import Runtime

from state.run import fatal_failure, outcome_of
from state.table import LibraryRow, TableState, TableUpdate
from tools.run_settings import RunSettings
from tools.services import open_services


async def present_table(state: TableState, runtime: Runtime[RunSettings]) -> TableUpdate:
    """Return the rows that were filled."""
    services = open_services(runtime, state["run"])
    rows = await services.run_store.rows.values(state["row_ids"])
    counts = count_cells(rows, len(state["row_ids"]))
    whole = len(rows) == len(state["row_ids"])
    return {
        "rows": rows,
        "counts": counts,
        "usage": await services.usage(),
        "source_usage": await services.source_usage(),
        "mind": services.mind_name,
        "outcome": outcome_of(rows, state.get("failures", []), whole=whole),
        "stop": fatal_failure(state.get("failures", [])),
    }


def count_cells(rows: Sequence[LibraryRow], papers: int) -> dict[str, int]:
    """Return how many papers were chosen and read, and how many cells are of each kind."""
    kinds = Counter[str](cell.kind for row in rows for cell in row.cells)
    return {"papers": papers, "rows": len(rows), **kinds}
