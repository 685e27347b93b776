"""The picture of `review` that LangGraph Studio draws: its steps tell the story of a review."""

from graphs.review import graph

STORY = {
    "find:generate_queries",
    "find:search_source",
    "find:judge_papers",
    "find:expand_citations",
    "find:reflect_on_sufficiency",
    "writing:write_draft",
    "writing:compare_papers",
    "writing:choose_draft",
    "writing:check_citations",
    "writing:audit_citations",
}


def test_every_step_of_the_picture_is_reached_and_leads_on() -> None:
    picture = graph.get_graph(xray=True)
    assert picture.nodes.keys() >= STORY
    begin, end = picture.first_node(), picture.last_node()
    assert begin is not None
    assert end is not None
    assert {edge.target for edge in picture.edges} == picture.nodes.keys() - {begin.id}
    assert {edge.source for edge in picture.edges} == picture.nodes.keys() - {end.id}
