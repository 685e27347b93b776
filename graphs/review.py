"""The `review` graph: from an abstract to a related-work section, by `find` and then `write`.

START -> begin_review -> find -> writing -> END

A fatal failure before or in `find` leads to END: there is nothing to write about.
"""

from langgraph.graph import END

from graphs.find import build_find
from graphs.policies import connect, new_graph, or_end, unchecked_input_type
from graphs.write import writing
from nodes.write.begin_review import begin_review
from state.channels import ReviewOutput, ReviewState
from state.inputs import FindInput, ReviewInput, WriteChoices


class FindForReview(FindInput):
    """What `find` takes where a section will be written of what it finds."""

    choices: WriteChoices = WriteChoices()


builder = new_graph("review", ReviewState, ReviewInput, ReviewOutput, begin_review)
builder.add_node(
    "find",
    build_find(FindForReview).compile(name="find"),
    input_schema=unchecked_input_type(builder),
)
builder.add_node("writing", writing.compile(name="writing"))
connect(
    builder,
    or_end("begin_review", "find", END),
    or_end("find", "writing", END),
    ("writing", END),
)

graph = builder.compile(name="review")
