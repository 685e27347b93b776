"""The cards of the A2A agents: what each graph does for whoever sends it a message."""

from collections.abc import Mapping
from importlib.metadata import version

from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)

from state.run import GraphName

PATH = "/citeloom/a2a"
TAKE_FILES = frozenset({"references", "synthesize", "ingest"})
_MODES = ["text/plain", "application/json"]
_FILE_MODES = ["application/pdf", "text/html", "text/markdown", "application/octet-stream"]

_SERVICE = (
    "Literature reviews with real citations, each claim backed by a checked quote. "
    "Send an abstract or an idea as text for a review. For another skill, name it in "
    f'data: {{"skill": "ask"}}. Each skill is also an agent of its own, at '
    f"{PATH}/SKILL."
)
_SKILLS: Mapping[GraphName, tuple[str, str, tuple[str, ...]]] = {
    "review": (
        "Write a related-work section",
        "Send an abstract, an idea or a question as text: finds prior work and writes a related-work "
        "section in which every citation is checked. Data may name `library`, `sources`, `before`, `keep`, "
        "`cite`, `plan`, `style`. Takes minutes with an LLM.",
        ("We propose a system that finds prior work and checks each citation. Compare it with what there is.",),
    ),
    "find": (
        "Find prior work",
        "Send an abstract, an idea or a question as text: gives papers, ranked, with reasons and checked "
        "quotes. Data may name `library`, `sources`, `before`, `keep`.",
        ("Which papers check the citations that language models write?",),
    ),
    "novelty": (
        "Find what was done before",
        "Send an abstract, an idea or a draft's claims as text: shows the earlier works nearest to each claim, and "
        "whether they say the same, by words of both. Data may name `library`, `sources`, `before`, `keep`.",
        ("We propose to rank papers by arguing for and against each with checked quotes.",),
    ),
    "screen": (
        "Screen papers",
        "Send the question of a systematic review as text and, as data, {\"include\": [...], \"exclude\": [...], "
        "\"papers\": [...]}: decides on each paper by these criteria, with its words.",
        (),
    ),
    "write": (
        "Write about given papers",
        "Send your abstract as text and the papers as data: "
        "{\"papers\": [\"arxiv:2402.01788\", ...]}. Does not search.",
        (),
    ),
    "revise": (
        "Revise a section",
        "Send what to change as text and, as data, {\"section\": the `run` of an earlier result}.",
        ("Make it shorter.",),
    ),
    "verify": (
        "Check citations",
        "Send a text with citations; data may give `papers` (records or ids), `library`, `sources`. Gives a "
        "verdict for each citation.",
        (),
    ),
    "references": (
        "Read references",
        "Send printed references of any style as text, or a file that lists them: gives "
        "a record for each, as BibTeX, CSL JSON and RIS. Data may name `sources` to look "
        "them up in.",
        ("[1] D. Moth. Moths steer by the moon. Journal of Moths 3 (2019): 4-9.",),
    ),
    "ask": (
        "Answer from a library",
        "Send a question as text; the answer shows its sources, or says what is missing. "
        "The same context allows follow-up questions. Data may name `library`.",
        ("How does LitLLM rank papers?",),
    ),
    "table": (
        "Fill a table from a library",
        "Send a question as text, or several as data: {\"questions\": [...], \"library\": ...}. Each is put to each "
        "paper; gives a cell with its quote for each. Data may name `papers`, `tags`.",
        ("Which data set was used?",),
    ),
    "synthesize": (
        "Synthesise papers",
        "Send a question as text, and papers as files or, as data, as ids: {\"library\": ..., \"papers\": [...]}.",
        (),
    ),
    "ingest": (
        "Add papers to a library",
        "Send papers as files, and the library's name as data: {\"library\": \"mine\"}; or ids: {\"ids\": [...]}.",
        (),
    ),
}  # fmt: skip


def card_of(graph: GraphName | None, base: str = "", *, needs_key: bool = False) -> AgentCard:
    """Return the card of a graph's agent, or of the whole service, for the server at `base`."""
    graphs = [graph] if graph else list(_SKILLS)
    files = _FILE_MODES if TAKE_FILES.intersection(graphs) else []
    bearer = HTTPAuthSecurityScheme(
        scheme="bearer", description="Needed if the server's operator gave out keys."
    )
    return AgentCard(
        name=f"CiteLoom {graph}" if graph else "CiteLoom",
        description=_SKILLS[graph][1] if graph else _SERVICE,
        version=version("citeloom"),
        supported_interfaces=[
            AgentInterface(
                url=f"{base}{path_of(graph)}", protocol_binding="JSONRPC", protocol_version=each
            )
            # The preferred one first.
            for each in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=False),
        default_input_modes=[*_MODES, *files],
        default_output_modes=["text/markdown", "application/json"],
        skills=[_skill(each) for each in graphs],
        security_schemes={"bearer": SecurityScheme(http_auth_security_scheme=bearer)},
        security_requirements=[SecurityRequirement(schemes={"bearer": StringList()})]
        if needs_key
        else [],
    )


def path_of(graph: GraphName | None) -> str:
    """Return where the agent of a graph, or of the whole service, is served."""
    return f"{PATH}/{graph}" if graph else PATH


def _skill(graph: GraphName) -> AgentSkill:
    name, told, examples = _SKILLS[graph]
    return AgentSkill(
        id=graph,
        name=name,
        description=told,
        tags=["literature review", "citations"],
        examples=examples,
        input_modes=[*_MODES, *(_FILE_MODES if graph in TAKE_FILES else ())],
    )
