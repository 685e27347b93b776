"""What one run may be told, besides its input."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from state.questions import ApprovalMode
from state.search import Expansion, QueryStrategy, RankerName, SearchStrategy
from state.writing import Schedule, WriterName
from tools.errors import InputError, did_you_mean
from tools.library.search_types import RetrieverName
from tools.settings import settings

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from tools.clients import Clients


@dataclass(frozen=True, kw_only=True)
class CommonSettings:
    """Settings of every run."""

    mind: Annotated[
        Literal["auto", "llm", "extractive"],
        Field(
            description="Who reads, judges and writes: your LLM ('llm'), embedded mode, which only "
            "quotes ('extractive'), or the LLM if one is configured ('auto')."
        ),
    ] = "auto"
    max_usd: Annotated[
        float | None, Field(description="Maximum cost of LLM calls and sources, USD.", ge=0)
    ] = None
    max_usd_by_source: Annotated[
        dict[str, float] | None, Field(description="Maximum cost per source, USD.")
    ] = None
    max_tokens: Annotated[
        int | None, Field(description="Maximum number of LLM tokens, in and out.", ge=0)
    ] = None
    max_calls: Annotated[int | None, Field(description="Maximum number of model calls.", ge=0)] = (
        None
    )
    max_minutes: Annotated[
        float | None, Field(description="Maximum minutes for model calls.", ge=0)
    ] = None
    refresh: Annotated[
        bool, Field(description="Ask the sources again instead of using cached answers.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class CostApprovalSettings:
    """Settings of `find`, `novelty`, `write`, `review`, `ask`, `table` and `synthesize`."""

    review_cost: Annotated[
        ApprovalMode,
        Field(
            description="Ask for approval of the cost before spending anything: never ('off'), always "
            "('on'), or ('auto') if the run may cost more than half of `max_usd` (1 USD "
            "without it) or has no known price."
        ),
    ] = "off"


@dataclass(frozen=True, kw_only=True)
class HopSettings:
    """Settings of `find`, `review` and `ask`."""

    max_hops: Annotated[
        int, Field(description="Number of search rounds, including the first.", ge=1)
    ] = 2


@dataclass(frozen=True, kw_only=True)
class FindSettings:
    """Settings of `find` and `review`."""

    queries: Annotated[
        QueryStrategy,
        Field(
            description="Keyword queries: three to eight, one for each aspect of the input ('several'); "
            "one ('single'); three wordings of the whole ('multiple'); or one each for "
            "problem, method and contribution without shared terms ('optimized')."
        ),
    ] = "several"
    search: Annotated[
        SearchStrategy,
        Field(description="Search by keywords, by the meaning of the whole input, or both."),
    ] = "both"
    runs: Annotated[
        int,
        Field(
            description="Independent searches, each with its own queries and papers to follow; CiteLoom unites "
            "what they find, judges each paper once and says how many searches found it.",
            ge=1,
            le=5,
        ),
    ] = 1
    expansion: Annotated[
        Expansion,
        Field(
            description="How to follow citation links: most promising first ('best_first'), references "
            "level by level ('bfs', LitLLM's Algorithm 2), or not at all ('none')."
        ),
    ] = "best_first"
    ranker: Annotated[
        RankerName,
        Field(
            description="How to judge papers: by arguments with checked quotes ('debate'), only for "
            "contested papers ('cascade'), by ordered lists ('permutation'), or by a cheap "
            "score."
        ),
    ] = "debate"
    results: Annotated[
        int,
        Field(
            description="Papers to take from each source per search round: all keyword queries share "
            "this number equally; search by meaning takes a third of it.",
            ge=1,
        ),
    ] = 90
    pool: Annotated[
        int | None,
        Field(
            description="Maximum papers to judge per search round; 1.5 times `keep` by default.",
            ge=1,
        ),
    ] = None
    triage: Annotated[
        bool,
        Field(
            description="With a model and 'debate': ask once, before judging, which of the 120 most promising papers "
            "are worth it by their titles. The best quarter of each round is judged anyway."
        ),
    ] = True
    debate_batch: Annotated[int, Field(description="Papers judged in one model call.", ge=1)] = 8
    bar: Annotated[
        float | None,
        Field(
            description="Lowest score of a relevant paper, 0 to 100; by default 20 where a model judges, and 35 in "
            "embedded mode.",
            ge=0,
            le=100,
        ),
    ] = None
    max_depth: Annotated[
        int, Field(description="Rounds of following links per search round (D_max of 'bfs').", ge=0)
    ] = 4
    max_papers: Annotated[
        int, Field(description="Maximum papers that 'bfs' collects (N_max of Algorithm 2).", ge=1)
    ] = 200
    citing: Annotated[
        int, Field(description="Maximum citing works to take for each paper.", ge=0)
    ] = 50
    read_copies: Annotated[
        int,
        Field(
            description="Open copies to read per round of following links, for papers whose references "
            "no source knows. CiteLoom fetches each and looks up the works it lists.",
            ge=0,
            le=50,
        ),
    ] = 0
    review_queries: Annotated[
        ApprovalMode,
        Field(
            description="Let a person edit the queries before each search; 'auto': if the input has "
            "fewer than 15 words, or CiteLoom found no keyword query."
        ),
    ] = "off"
    review_papers: Annotated[
        ApprovalMode,
        Field(
            description="Let a person choose and order the kept papers; 'auto': if too few are relevant, "
            "a required paper is judged irrelevant, or a paper was retracted."
        ),
    ] = "off"


@dataclass(frozen=True, kw_only=True)
class WriteSettings:
    """Settings of `write`, `revise` and `review`."""

    writer: Annotated[
        WriterName,
        Field(
            description="How to write the section: draft it whole, check and revise ('whole'); plan "
            "first ('plan'); compare drafts and vote ('beam'); paper by paper ('per_cite'); "
            "sentence by sentence ('sentence_by_sentence'); or by an extractive baseline "
            "('lexrank', 'one_line')."
        ),
    ] = "whole"
    schedule: Annotated[
        Schedule,
        Field(
            description="What each round of 'beam' adds: a paragraph of the plan ('themed'), one "
            "paper, rewriting the text for it ('incremental'), or all in one round ('at_once')."
        ),
    ] = "themed"
    review_plan: Annotated[
        ApprovalMode,
        Field(
            description="Let a person edit papers and plan before writing; 'auto': if CiteLoom cannot "
            "follow your plan. Without this, such a plan ends the run."
        ),
    ] = "off"
    review_text: Annotated[
        ApprovalMode,
        Field(
            description="Let a person edit the section before it is printed (CiteLoom checks the edits); "
            "'auto': if the check does not pass, or CiteLoom removed sentences."
        ),
    ] = "off"
    samples: Annotated[int, Field(description="Continuations of each draft (n_s).", ge=1)] = 2
    votes: Annotated[int, Field(description="Votes on the drafts of a round (n_v).", ge=1)] = 3
    every_vote: Annotated[
        bool,
        Field(
            description="Cast all votes of a round, and keep as many drafts after each, as ChatCite does; "
            "otherwise voting stops at a majority, and a unanimous vote ends the other drafts."
        ),
    ] = False
    key_elements: Annotated[
        bool,
        Field(description="Whether 'beam' shows papers by the words of their seven key elements."),
    ] = True
    beam: Annotated[int, Field(description="Drafts that survive a round (n_c).", ge=1)] = 2
    seed: Annotated[int, Field(description="Random seed for the order of drafts.")] = 0


@dataclass(frozen=True, kw_only=True)
class Checking:
    """Settings of `write`, `revise`, `review`, `verify`, `novelty` and `screen`."""

    full_text: Annotated[
        bool,
        Field(
            description="Read the full text where the abstract does not decide: from the library and, "
            "with an online source, from open copies; Semantic Scholar searches its own."
        ),
    ] = True
    max_copies: Annotated[
        int, Field(description="Maximum open copies to fetch for checking citations.", ge=0)
    ] = 20


@dataclass(frozen=True, kw_only=True)
class AskSettings:
    """Settings of `ask`."""

    method: Annotated[
        Literal["claims", "kar"],
        Field(
            description="How `ask` answers: from checked claims, with a second search for what is "
            "missing ('claims'), or in one call from the passages that keywords find ('kar', "
            "Keyword Augmented Retrieval)."
        ),
    ] = "claims"
    retriever: Annotated[
        RetrieverName,
        Field(
            description="How `ask` finds passages: by meaning ('vectors'), by keywords ('keywords'), or "
            "by both and the words themselves ('hybrid')."
        ),
    ] = "hybrid"
    retrieved: Annotated[
        int | None,
        Field(
            description="Passages that a search of `ask` finds; unset: 20, or for 'kar' as many as the "
            "model's window holds.",
            ge=1,
            le=200,
        ),
    ] = None
    passages: Annotated[
        int,
        Field(description="Passages that claims are taken from, at most, per search.", ge=1, le=20),
    ] = 3
    claims: Annotated[
        int, Field(description="Maximum number of claims in an answer.", ge=1, le=30)
    ] = 6
    snippets: Annotated[
        bool,
        Field(
            description="With `papers`: also search their full texts at Semantic Scholar, one request per search."
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class SynthesizeSettings:
    """Settings of `synthesize`."""

    relevance: Annotated[
        Literal["cascade", "each"],
        Field(
            description="How to judge paragraphs: vectors decide the clear ones and the model the rest "
            "in batches ('cascade'), or the model one by one ('each', as in LLM-Ref)."
        ),
    ] = "cascade"
    updates: Annotated[
        Literal["packed", "each"],
        Field(
            description="How paragraphs enter the synthesis: as many at once as fit the model's window "
            "('packed'), or one by one ('each', as in LLM-Ref)."
        ),
    ] = "packed"


@dataclass(frozen=True, kw_only=True)
class IngestSettings:
    """Settings of `ingest`."""

    keywords_by_mind: Annotated[
        bool,
        Field(
            description="Whether the model names the keywords of passages in `ingest` (an LLM costs "
            "money); otherwise vectors find them."
        ),
    ] = False


# A caller of the server sends the fields as JSON, and /assistants/{id}/schemas describes them: a
# field that holds a client turns that route into a 500. Hence the cached property.
@dataclass(frozen=True, kw_only=True)
class RunSettings(
    IngestSettings,
    SynthesizeSettings,
    AskSettings,
    Checking,
    WriteSettings,
    FindSettings,
    HopSettings,
    CostApprovalSettings,
    CommonSettings,
):
    """Settings of one run; every field has a default that suits a first try."""

    @cached_property
    def clients(self) -> "Clients":
        """Opened on first use and shared by the process; a test fills the cache beforehand."""
        from tools.clients import open_clients

        return open_clients(settings())

    @property
    def effective_bar(self) -> float:
        """Lowest score of a relevant paper, 0..100: the setting `bar`, or what suits the scale of who judges."""
        if self.bar is not None:
            return self.bar
        asks = self.mind == "llm" or (self.mind == "auto" and self.clients.settings.strong_model)
        return 20.0 if asks else 35.0


_PRICED = (CommonSettings, CostApprovalSettings)
_FINDING = (*_PRICED, HopSettings, FindSettings)
SETTINGS_BY_GRAPH: Mapping[str, tuple[type, ...]] = {
    "find": _FINDING,
    "write": (*_PRICED, WriteSettings, Checking),
    "review": (*_FINDING, WriteSettings, Checking),
    "novelty": (*_FINDING, Checking),
    "revise": (CommonSettings, WriteSettings, Checking),
    "verify": (CommonSettings, Checking),
    "screen": (CommonSettings, Checking),
    "references": (CommonSettings,),
    "ask": (*_PRICED, HopSettings, AskSettings),
    "table": _PRICED,
    "synthesize": (*_PRICED, SynthesizeSettings),
    "ingest": (CommonSettings, IngestSettings),
}
"""Which settings each graph has."""


@cache
def settings_class_of(name: str) -> type[RunSettings]:
    """Return the settings as a caller of one graph sees them; those of other graphs keep their defaults.

    A server describes and takes the fields of a graph's context, and drops what is not among them.
    """
    known = {item.name for group in SETTINGS_BY_GRAPH[name] for item in fields(group)}
    shown = {item.name: item for item in fields(RunSettings) if item.name in known}
    own = {"__doc__": f"Settings of one run of `{name}`.", "__dataclass_fields__": shown}
    return type(f"{name.capitalize()}Settings", (RunSettings,), own)


@cache
def preload_packages() -> None:
    """Read the settings and load the packages that steps use, once in a process: half a second."""
    settings()
    for name in ("tools.clients", "sentencex"):
        import_module(name)


@cache
def setting_fields() -> dict[str, FieldInfo]:
    """Return what each setting of a run is: its type with its limits, its default, its meaning."""
    hints = get_type_hints(RunSettings, include_extras=True)
    return {
        item.name: FieldInfo.from_annotated_attribute(hints[item.name], item.default)
        for item in fields(RunSettings)
    }


@cache
def setting_fields_by_group() -> dict[str, dict[str, FieldInfo]]:
    """Return the settings of a run by the graphs that have them."""
    groups = dict.fromkeys(group for graph in SETTINGS_BY_GRAPH.values() for group in graph)
    return {
        (group.__doc__ or "").rstrip("."): {
            item.name: setting_fields()[item.name] for item in fields(group)
        }
        for group in groups
    }


def parse_setting(name: str, value: str) -> object:
    """Return the value of a setting that is given as text: 'pool', '120' -> 120.

    Raises:
        InputError: There is no such setting, or the value is not of its type or outside its range.
    """
    if name not in setting_fields():
        meant = did_you_mean(name, setting_fields())
        raise InputError(
            f"there is no setting '{name}'{meant}; there are: {', '.join(setting_fields())}"
        )
    try:
        return _adapter(name).validate_strings(value)
    except ValidationError as error:
        why = error.errors()[0]["msg"].lower()
        raise InputError(f"'{value}' cannot be the value of '{name}': {why}") from error


def check_settings(context: RunSettings) -> None:
    """Check the settings that a caller of a server sent, which LangGraph takes as they are.

    Raises:
        InputError: One is of the wrong type, outside its range, or none of the words allowed.
    """
    for name in setting_fields():
        value = getattr(context, name)
        try:
            _adapter(name).validate_python(value, strict=True)
        except ValidationError as error:
            raise InputError(
                f"the setting {name} cannot be {repr(value)[:80]}: {error.errors()[0]['msg'].lower()}"
            ) from error


@cache
def _adapter(name: str) -> TypeAdapter[object]:
    return TypeAdapter(get_type_hints(RunSettings, include_extras=True)[name])


def route_options_of(context: RunSettings) -> dict[str, Any]:
    """Return the settings that differ from their defaults, to be kept in a run's state.

    A route reads them there: where a person edits the state of a run that stopped, LangGraph asks the
    routes with the state alone.
    """
    items = {item.name: (getattr(context, item.name), item.default) for item in fields(context)}
    return {name: value for name, (value, default) in items.items() if value != default}


def read_route_options(state: Mapping[str, Any]) -> RunSettings:
    """Return the settings that a run keeps in its state."""
    return RunSettings(**state.get("settings", {}))


def settings_of_runtime(runtime: "Runtime[RunSettings]") -> RunSettings:
    """Return the run's context; a caller who sent none gets none from LangGraph, not the defaults."""
    return cast(RunSettings | None, runtime.context) or RunSettings()
