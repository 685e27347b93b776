"""The `review` graph: from an abstract to a related-work section, by `find` and then `write`.

START -> begin_review -> find -> writing -> END

A fatal failure before or in `find` leads to END: there is nothing to write about.
"""

from langgraph.graph import END, START

from graphs.calling import Graph
from graphs.find import wired
from graphs.policies import add_first_step, as_sent, unless_stopped
from graphs.write import writing
from nodes.write.begin_review import begin_review
from state.channels import ReviewOutput, ReviewState
from state.inputs import Choices, FindInput, ReviewInput
from tools.run_settings import context_of_graph


class FindToWrite(FindInput):
    """What `find` takes where a section will be written of what it finds."""

    choices: Choices = Choices()


builder = Graph(
    ReviewState,
    context_schema=context_of_graph("review"),
    input_schema=ReviewInput,
    output_schema=ReviewOutput,
)
add_first_step(builder, begin_review)
builder.add_node("find", wired(FindToWrite).compile(name="find"), input_schema=as_sent(builder))
builder.add_node("writing", writing.compile(name="writing"))
builder.add_edge(START, "begin_review")
builder.add_conditional_edges("begin_review", unless_stopped("find", END), ["find", END])
builder.add_conditional_edges("find", unless_stopped("writing", END), ["writing", END])
builder.add_edge("writing", END)

graph = builder.compile(name="review")
