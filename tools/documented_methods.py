"""The methods from the literature that a run can follow: what each is called, when to use it, which settings choose it.

One table for the page, agents, the command line and docs/options.md.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Step = Literal["search", "queries", "rank", "write", "ask", "synthesize"]
STEPS: Mapping[Step, str] = {
    "search": "How to search",
    "queries": "How to make queries",
    "rank": "How to rank",
    "write": "How to write",
    "ask": "How to answer a question",
    "synthesize": "How to write a synthesis",
}
"""The steps in the order of a run; the first method of each is what a run does by default."""


@dataclass(frozen=True)
class Method:
    """One way to do a step."""

    step: Step
    name: str
    """As the literature calls it."""
    source: str
    """Where it is described; empty for what is CiteLoom's own."""
    when: str
    """When to use it, in one sentence."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it sets; nothing where it is the default."""
    model: bool = False
    """Whether it makes a difference only with a model."""


METHODS = (
    Method(
        "search",
        "Best first",
        "random walk with restart: Page et al., 1999",
        "For most reviews: CiteLoom follows the most promising citation links and searches again for what is missing.",
    ),
    Method(
        "search",
        "Deep Research",
        "LitLLM with Deep Research, 3.2, Algorithm 2",
        "When missing a paper is costly: CiteLoom judges references level by level, up to 200 relevant papers.",
        {"expansion": "bfs"},
    ),
    Method(
        "search",
        "Independent searches",
        "reciprocal rank fusion: Cormack et al., 2009",
        "When a search must be repeatable: three searches with queries of their own, and how far they agree.",
        {"runs": 3},
    ),
    Method(
        "search",
        "One round",
        "LitLLM, 3.1",
        "For a first look: one search, no citation links, no second round.",
        {"expansion": "none", "max_hops": 1},
    ),
    Method(
        "queries",
        "One query for each aspect",
        "LitLLM with Deep Research, 3.1",
        "For most reviews: three to eight queries, each from a sentence of yours.",
    ),
    Method(
        "queries",
        "Optimized",
        "LitLLM with Deep Research, 3.1",
        "When your text has a clear problem, method and contribution: one query each, without shared terms.",
        {"queries": "optimized"},
        model=True,
    ),
    Method(
        "queries",
        "Multiple",
        "LitLLM, 3.1, strategy 2",
        "When your field has several words for the same thing: three wordings of the whole.",
        {"queries": "multiple"},
        model=True,
    ),
    Method(
        "queries",
        "Single",
        "LitLLM, 3.1, strategy 1",
        "When your topic is narrow: one query for all of it.",
        {"queries": "single"},
    ),
    Method(
        "rank",
        "Debate with quotes",
        "LitLLM, 3.3, with attribution",
        "For most reviews: reasons for and against each paper, each with a quote that CiteLoom looks up.",
    ),
    Method(
        "rank",
        "Cascade",
        "",
        "When money is short: CiteLoom debates only papers whose cheap score is not clear.",
        {"ranker": "cascade"},
        model=True,
    ),
    Method(
        "rank",
        "Permutation",
        "Sun et al., 2023; LitLLM, 3.3",
        "When you have many papers and little money: the model sorts lists and gives no reasons.",
        {"ranker": "permutation"},
        model=True,
    ),
    Method(
        "rank",
        "SPECTER2",
        "Singh et al., 2023; LitLLM, 3.3",
        "When you want no model in the ranking: papers closest to your text by their vectors.",
        {"ranker": "specter2"},
    ),
    Method(
        "write",
        "One draft, checked and revised",
        "LitLLM, section 5",
        "For most reviews: it reads best.",
    ),
    Method(
        "write",
        "Sentence plan",
        "LitLLM, section 4",
        "When the order matters: CiteLoom plans each sentence and its papers, then writes along that plan.",
        {"writer": "plan"},
        model=True,
    ),
    Method(
        "write",
        "Beam of comparative drafts",
        "ChatCite, 3.2, Algorithm 1",
        "When wording matters: CiteLoom compares drafts and votes on them, at several times the cost.",
        {"writer": "beam"},
        model=True,
    ),
    Method(
        "write",
        "Per cite",
        "LitLLM, section 5",
        "When you want each paper treated by itself.",
        {"writer": "per_cite"},
        model=True,
    ),
    Method(
        "write",
        "Sentence by sentence",
        "LitLLM, section 5",
        "When you want each sentence to follow from the one before.",
        {"writer": "sentence_by_sentence"},
        model=True,
    ),
    Method(
        "write",
        "LexRank",
        "Erkan and Radev, 2004",
        "To compare: the most central sentences of the abstracts, without a model.",
        {"writer": "lexrank"},
    ),
    Method(
        "ask",
        "Claims and a second search",
        "arXivBot, section 4",
        "For most questions: an answer of checked claims, after another search for what is missing.",
    ),
    Method(
        "ask",
        "Keyword Augmented Retrieval",
        "Keyword Augmented Retrieval, 1.1 and 1.2",
        "When speed matters: one answer from the passages that keywords find.",
        {"method": "kar"},
    ),
    Method(
        "synthesize",
        "Cascade of vectors and model",
        "",
        "For most syntheses: the model reads only paragraphs whose relevance is not clear.",
    ),
    Method(
        "synthesize",
        "Each paragraph by itself",
        "LLM-Ref, 3.2 and 3.3",
        "When every paragraph counts: the model judges and takes in each one, as in the paper.",
        {"relevance": "each", "updates": "each"},
        model=True,
    ),
)


def methods_by_step() -> list[dict[str, Any]]:
    """Return the steps with their methods, as JSON."""
    return [
        {
            "step": step,
            "title": title,
            "methods": [asdict(one) for one in METHODS if one.step == step],
        }
        for step, title in STEPS.items()
    ]
