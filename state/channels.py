"""The channels of each graph.

Papers, debates and key elements are not here: they live in the run store (tools.run_store), by id,
because a checkpoint copies every channel at each step. A graph's last node assembles what callers
need of them into its output channels.

What a caller sends is a channel for one step, declared in the graph's input (state.inputs.InputChannel).
"""

from typing import Annotated, Any

from langgraph.channels import EphemeralValue
from typing_extensions import TypedDict

from state.audit import Audit
from state.inputs import CheckedRequest, WriteChoices
from state.questions import PaperCard
from state.reducers import (
    KeptFromLastRun,
    StartsAs,
    add_drafts,
    add_failures,
    add_hits,
    add_listings,
    add_log,
    add_rejections,
    add_rounds,
    append_new_ids,
    keep_last,
    merge_scores,
    replace_by,
)
from state.results import CitedSentence, ComparisonTable, Link, PrismaCounts, RankedPaper, Reference
from state.run import Failure, RunOutcome, SourceUsage, Usage
from state.screening import Protocol, ScreeningDecision, Stage
from state.search import (
    Completeness,
    Hit,
    RankedOrder,
    SearchLogEntry,
    SearchQuery,
    SearchRound,
    Sufficiency,
)
from state.value import FrozenModel
from state.writing import CitationVerdict, Draft, Plan, Rejection

UNAUDITED = Audit(passed=False, reasons=("nothing was audited yet",))


class Shared(TypedDict, total=False):
    """What all graphs share."""

    run: str
    """Names this run's store, ledger and budget; set by the first node."""
    request: Annotated[
        CheckedRequest, StartsAs(lambda: CheckedRequest(text="")), keep_last(CheckedRequest)
    ]
    stop: Failure | None
    """Why nothing more could be done, for a person; set by the last node from `failures`."""
    failures: Annotated[list[Failure], add_failures]
    """What went wrong; a fatal one sends the run to its end."""


class Routed(Shared, total=False):
    """What routes read that depend on the settings of the run."""

    settings: dict[str, Any]
    """Those of the run that are not the defaults, for its routes.

    Steps read them from the context. A route cannot: LangGraph 1.2.22 calls it without one in
    `update_state(..., as_node=...)`, by which a person edits a run in Studio, and raises a ValueError.
    """


class Result(Shared, total=False):
    """What all graphs give."""

    usage: list[Usage]
    source_usage: list[SourceUsage]
    mind: str
    outcome: Annotated[RunOutcome, StartsAs(lambda: "nothing")]


class FindState(Routed, total=False):
    """What the nodes of `find` share: each reads some of it, and returns what it changed."""

    queries: Annotated[list[SearchQuery], keep_last(list[SearchQuery])]
    hits: Annotated[list[Hit], add_hits]
    """How papers were reached, but for links: those are in the run store."""
    trail: Annotated[list[str], append_new_ids]
    """The run store's keys of what following links led to, round by round."""
    search_log: Annotated[list[SearchLogEntry], add_log]
    same: dict[str, str]
    """The paper of this run by each id under which a source named it."""
    united: int
    """How many of `hits` have become papers."""
    followed: int
    """How many of `trail` have become papers."""
    similarity: dict[str, float]
    """Cosine of each screened paper to the input text; its keys are the papers looked at."""
    prior: dict[str, float]
    """0..100: how promising each paper is by meaning, words, links and age, or by its judge."""
    run_priors: list[dict[str, float]]
    """The same as each of several independent searches sees the papers that it reached."""
    hidden: list[str]
    """Papers that may not appear: the input's own, excluded ones, those past the cut-off."""
    past_cutoff: list[str]
    retracted: list[str]
    rounds: Annotated[list[SearchRound], add_rounds]
    batch: list[str]
    """Papers to judge in this round, best first."""
    worth: list[str]
    """Papers that are worth judging by their titles, where the run asks that."""
    judged: Annotated[dict[str, float], merge_scores]
    """0..100: what the ranker alone said of each paper."""
    settled: Annotated[list[str], append_new_ids]
    """Papers that the ranker scored without asking anyone."""
    listings: Annotated[list[RankedOrder], add_listings]
    scores: dict[str, float]
    """0..100: what the ranker said, raised or lowered by links, words and age."""
    hop_gain: int
    """How many relevant papers this hop has added."""
    collected: list[str]
    """What `bfs` has collected, in its order (P_final of Algorithm 2)."""
    frontier: list[str]
    """Those of them whose references `bfs` follows next."""
    expanded: Annotated[list[str], append_new_ids]
    """Papers whose references and citations were followed."""
    depth: int
    hop: Annotated[int, StartsAs(lambda: 1)]
    sufficiency: Annotated[list[Sufficiency], keep_last(list[Sufficiency])]
    selected: list[str]
    cards: Annotated[list[PaperCard], keep_last(list[PaperCard])]
    """The best papers so far, to be read by a person."""
    completeness: Completeness
    choices: Annotated[WriteChoices, KeptFromLastRun()]
    """How a section will be written, where one will be."""


class FindOutput(Result, total=False):
    """What `find` gives."""

    queries: list[SearchQuery]
    search_log: list[SearchLogEntry]
    rounds: list[SearchRound]
    listings: list[RankedOrder]
    sufficiency: list[Sufficiency]
    completeness: Completeness
    selected: list[str]
    papers: list[RankedPaper]
    links: list[Link]
    counts: PrismaCounts


class CheckState(Shared, total=False):
    """What the check of citations needs and gives, whoever wrote the text."""

    keys: dict[str, str]
    """The key of each paper that is, or is to be, cited (P1, P2, ...) and the paper's id."""
    final: Annotated[Draft, StartsAs(lambda: Draft(id="d")), keep_last(Draft)]
    """The sentences with markers."""
    checks: int
    verdicts: Annotated[list[CitationVerdict], keep_last(list[CitationVerdict])]
    rejections: Annotated[list[Rejection], add_rejections]
    """What the checks kept out of the text."""
    notes: list[str]
    """What the caller should know of the writing or of the check."""
    outline: Annotated[Plan, KeptFromLastRun(), keep_last(Plan)]
    """The plan of a section that was written here; a text by someone else has no such channel."""


class WriteState(CheckState, Routed, total=False):
    """What the nodes of `write` share: each reads some of it, and returns what it changed."""

    choices: Annotated[WriteChoices, keep_last(WriteChoices)]
    selected: list[str]
    cards: Annotated[list[PaperCard], keep_last(list[PaperCard])]
    """The papers by their keys, to be read by a person: number 1 is P1."""
    sufficiency: Annotated[list[Sufficiency], keep_last(list[Sufficiency])]
    """What `find` said of the facets; absent where papers were named by the caller."""
    themes: dict[str, str]
    """The theme of each paper on the map of the search, by its id."""
    read: Annotated[list[str], append_new_ids]
    """Papers whose key elements are in the run store."""
    reviewed: bool
    """Whether a person has seen the plan, or need not."""
    refused: str
    """Why the researcher's plan cannot be followed, where a person is to be asked for another."""
    edited: bool
    """Whether a person has edited the text that is being checked."""
    settled: bool
    """Whether a person has seen the text, or need not."""
    position: int
    """How many lines are written."""
    drafts: Annotated[list[Draft], keep_last(list[Draft])]
    """The drafts that go on, the best first."""
    candidates: Annotated[list[Draft], add_drafts]
    audit: Annotated[Audit, StartsAs(lambda: UNAUDITED)]
    audited: list[str]
    """The sentences that the audit saw, with markers; a person may have edited `final` since."""
    table: ComparisonTable
    removed: list[CitationVerdict]
    """Verdicts on citations that were taken out of the text."""


class ReviseState(WriteState, total=False):
    """What the nodes of `revise` share."""

    told: str
    """The instruction, checked; empty where there is a new plan instead."""


class WriteOutput(Result):
    """What `write` gives."""

    related_work: str
    sentences: list[CitedSentence]
    references: list[Reference]
    removed: list[CitationVerdict]
    uncited: list[str]
    audit: Annotated[Audit, StartsAs(lambda: UNAUDITED)]
    table: ComparisonTable
    notes: list[str]
    outline: Annotated[Plan, StartsAs(lambda: Plan(lines=()))]
    plan_text: str
    """The plan as text, to be edited and given to `revise`, where `[n]` counts the papers of `plan_papers`."""
    plan_papers: list[PaperCard]


class WritingInput(TypedDict):
    """What the writing steps need, whoever found the papers."""

    run: str
    request: CheckedRequest
    failures: list[Failure]
    selected: list[str]
    sufficiency: list[Sufficiency]
    themes: dict[str, str]
    papers: Annotated[list[RankedPaper], EphemeralValue]
    choices: WriteChoices


class SavedSection(FrozenModel):
    """A section as a run left it: all that is needed to revise it without searching again."""

    request: CheckedRequest
    choices: WriteChoices
    selected: tuple[str, ...]
    keys: dict[str, str]
    outline: Plan
    final: Draft

    @property
    def order(self) -> list[str]:
        """The papers as `[n]` counts them in a change of this section: cited ones first, as the text cites them."""
        cited = [self.keys[key] for key in self.final.keys if key in self.keys]
        return list(dict.fromkeys([*cited, *self.keys.values(), *self.selected]))


class ReviewOutput(FindOutput, WriteOutput):
    """What `review` gives: all of `find` and all of `write`."""


class ReviewState(ReviewOutput):
    """What `review` passes between finding and writing; each keeps its own channels inside."""

    choices: Annotated[WriteChoices, keep_last(WriteChoices)]


class ScreenState(Shared, total=False):
    """What the nodes of `screen` share."""

    protocol: Annotated[Protocol | None, keep_last(Protocol | None)]
    stage_now: Stage
    doubled: bool
    """Whether each paper is screened twice."""
    selected: list[str]
    """The papers, in the caller's order."""
    decisions: Annotated[
        list[ScreeningDecision], replace_by(ScreeningDecision, lambda one: (one.paper, one.by))
    ]


class ScreenOutput(Result):
    """What `screen` gives."""

    decisions: list[ScreeningDecision]
    undecided: list[str]
    """Papers on which no model decided: a person must."""
