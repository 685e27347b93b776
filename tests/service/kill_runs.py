"""The runs of the kill-and-resume matrix: for each graph so few that every node is come through."""

from dataclasses import dataclass, field
from typing import Any

from tests.fakes.made_papers import made_papers
from tests.fakes.openai_server import Reply
from tests.fakes.reviewer import reviewer
from tests.graphs.conftest import ABSTRACT, bee_papers
from tests.graphs.ingest_files import markdown
from tests.graphs.stacks import QUESTION, SECOND, THIRD

FIVE = [paper.id for paper in bee_papers() if paper.abstract][:5]
SMALLER = {"pool": 4, "results": 8, "debate_batch": 2, "max_hops": 1, "votes": 1}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A graph, what it is given, and the run whose home it goes on in, if any."""

    graph: str
    inputs: dict[str, Any]
    context: dict[str, Any] = field(default_factory=dict)
    after: str = ""
    own: frozenset[str] = frozenset()
    """What of its result tells of the process that ended it."""


RUNS = {
    "find": Scenario(
        graph="find", inputs={"text": ABSTRACT, "library": "bees", "keep": 3}, context=SMALLER
    ),
    "write": Scenario(
        graph="write",
        inputs={"text": ABSTRACT, "library": "bees", "papers": FIVE[:4], "cite": 3},
        context=SMALLER,
    ),
    "review": Scenario(
        graph="review",
        inputs={"text": ABSTRACT, "library": "bees", "keep": 3, "cite": 2},
        context=SMALLER,
    ),
    "novelty": Scenario(
        graph="novelty", inputs={"text": ABSTRACT, "library": "bees", "keep": 3}, context=SMALLER
    ),
    "screen": Scenario(
        graph="screen",
        inputs={
            "question": "How do bees find home?",
            "include": ["Studies bees"],
            "papers": FIVE,
            "library": "bees",
        },
    ),
    "references": Scenario(
        graph="references",
        inputs={
            "text": "Moth, D. (2019). Moths steer by the moon. Journal of Moths, 3(2), 4-9.",
        },
    ),
    "revise as told": Scenario(
        graph="revise",
        inputs={"section": "RUN", "instruction": "Make it shorter."},
        context=SMALLER,
        after="write",
    ),
    "revise to a plan": Scenario(
        graph="revise",
        inputs={"section": "RUN", "plan": f"On a new one [{FIVE[3]}].\nOn another [{FIVE[0]}]."},
        context=SMALLER,
        after="write",
    ),
    "verify": Scenario(
        graph="verify",
        inputs={
            "text": "In brackish harbours the estuary weirs of otters cross under tidal locks [1].",
            "papers": [made_papers(2)[1]],
            "library": "bees",
        },
    ),
    "ask": Scenario(
        graph="ask", inputs={"question": "How do honey bees measure distance?", "library": "bees"}
    ),
    "ask at once": Scenario(
        graph="ask",
        inputs={"question": "How do honey bees measure distance?", "library": "bees"},
        context={"method": "kar"},
    ),
    "table": Scenario(
        graph="table",
        inputs={"questions": ["How were bees tracked?", "What did they do?"], "library": "bees"},
    ),
    "synthesize": Scenario(
        graph="synthesize",
        inputs={
            "question": QUESTION,
            "uploads": [
                {"name": "feathers.md", "content": SECOND, "encoding": "text"},
                {"name": "young.md", "content": THIRD, "encoding": "text"},
            ],
        },
    ),
    "ingest": Scenario(
        graph="ingest",
        inputs={
            "library": "mine",
            "uploads": [{"name": "bees.md", "content": markdown(), "encoding": "text"}],
        },
        own=frozenset({"counts", "status", "confidence"}),  # the library had the file by then
    ),
}
ASKING = frozenset({"review_cost", "review_queries", "review_papers", "review_text"})
"""Nodes that are entered only where a person may be asked, whom these runs have none of."""
NOT_REACHED = {
    ("review", "writing|review_plan"): "the default writer makes no plan",
    ("write", "review_plan"): "the default writer makes no plan",
    ("ingest", "read_on_cluster"): "it wants a Ray cluster",
    ("references", "resolve_references"): "it asks sources on the network",
    (
        "revise",
        "revise_draft",
    ): "what is written along a user's plan or as told is not drafted in one go",
}
"""Nodes that no run comes through, and why."""


def _deny(answer: Any, _: dict[str, Any]) -> Reply:
    """Find the first citation of a section unsupported, so that it is rewritten."""
    answer["findings"][0]["verdict"] = "not_in_source"
    return dict(answer)


script = reviewer({"judge_claims": _deny})
"""How the LLM answers."""
