"""A debate stands beside the paper it is about, in whatever order the result presents them.

The fifth fault of the attribution check in LitLLM's code: see tests/nodes/rankers.
"""

from typing import Any

from graphs.find import graph
from tests.fakes.openai_server import Reply
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, Scripted
from tools.settings import Settings


async def test_fault_5_debates_belong_to_their_papers_after_ordering_by_score(
    llm_settings: Settings,
) -> None:
    said: dict[str, float] = {}

    def upside_down(answer: Any, inputs: dict[str, Any]) -> Reply:
        """Score so that the order of the result is not the one of the questions; shuffle."""
        titles = {item["id"]: item["title"] for item in inputs["candidates"]}
        for debate in answer["debates"]:
            title = titles[debate["id"]]
            debate["score"] = said.setdefault(title, 40.0 + len(said) * 5 % 60)
        return {"debates": answer["debates"][::-1]}

    with Scripted(reviewer({"debate_papers": upside_down}), llm_settings, debate_batch=3) as llm:
        given: Any = {"text": ABSTRACT, "library": "bees"}
        result = dict(await graph.ainvoke(given, {"recursion_limit": 500}, context=llm.context))
    debated = [item for item in result["papers"] if item.debate is not None]
    assert len(debated) >= 6
    shown = [said[item.paper.title] for item in debated]
    assert shown != sorted(shown), "the result is in another order than the debates were held"
    for item in debated:
        assert item.debate.paper == item.paper.id
        assert item.debate.raw_score == said[item.paper.title]
        for argument in (*item.debate.arguments_for, *item.debate.arguments_against):
            assert argument.quote.text in item.paper.text
            assert argument.quote.paper == item.paper.id
