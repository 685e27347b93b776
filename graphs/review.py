"""The `review` graph: from an abstract to a related-work section, by `find` and then `write`.

START -> begin_review -> find -> writing -> END

A fatal failure before or in `find` leads to END: there is nothing to write about.
"""

from langgraph.graph import END, START

from graphs.calling import Graph
from graphs.find import build_find
from graphs.policies import add_first_step, or_end, unchecked_input_type
from graphs.write import writing
from nodes.write.begin_review import begin_review
from state.channels import ReviewOutput, ReviewState
from state.inputs import FindInput, ReviewInput, WriteChoices
from tools.run_settings import settings_class_of


class FindForReview(FindInput):
    """What `find` takes where a section will be written of what it finds."""

    choices: WriteChoices = WriteChoices()


builder = Graph(
    ReviewState,
    context_schema=settings_class_of("review"),
    input_schema=ReviewInput,
    output_schema=ReviewOutput,
)
add_first_step(builder, begin_review)
builder.add_node(
    "find",
    build_find(FindForReview).compile(name="find"),
    input_schema=unchecked_input_type(builder),
)
builder.add_node("writing", writing.compile(name="writing"))
builder.add_edge(START, "begin_review")
builder.add_conditional_edges("begin_review", or_end("find", END), ["find", END])
builder.add_conditional_edges("find", or_end("writing", END), ["writing", END])
builder.add_edge("writing", END)

graph = builder.compile(name="review")
