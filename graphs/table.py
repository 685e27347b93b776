"""The `table` graph: questions as columns, the papers of a library as rows, a quote behind each cell.

START -> take_columns -> review_cost (where a person may be asked) -> fill_rows
fill_rows -> fill_rows     while there are papers left: each time some, after which the run is kept
          -> present_table -> END
A fatal failure leads to present_table: a run always shows the rows it has.
"""

from graphs.policies import add_cost_review, new_graph
from nodes.table.fill_rows import fill_rows
from nodes.table.present_table import present_table
from nodes.table.take_columns import take_columns
from state.run import fatal_failure
from state.table import TableInput, TableOutput, TableState


def after_rows(state: TableState) -> str:
    """Go on while papers are left."""
    ended = fatal_failure(state.get("failures", [])) or state["done"] >= len(state["row_ids"])
    return "present_table" if ended else "fill_rows"


builder = new_graph(
    "table", TableState, TableInput, TableOutput, take_columns, fill_rows, last=present_table
)
add_cost_review(
    builder,
    "table",
    lambda state: {"questions": state["columns"], "rows": len(state["row_ids"])},
    between=("take_columns", "fill_rows"),
    end="present_table",
)
builder.add_conditional_edges("fill_rows", after_rows, ["fill_rows", "present_table"])

graph = builder.compile(name="table")
