"""Number: replace markers by numbers, in the order of first citation, and list the references.

Reads `run`, `keys`, `final`, `verdicts`, `selected`. Writes the output of `write`.
"""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from state.channels import WriteState
from state.paper import Paper
from state.results import CitedSentence, Reference
from state.run import Failure, Outcome, SourceUsage, Usage, halt
from state.writing import MARKER, CitationVerdict, Draft, Plan, Sentence
from tools.bibliography.keys import citation_keys
from tools.context import RunContext
from tools.desk import open_desk
from tools.shelf import Shelf

STAGE = "number_references"


class Section(TypedDict):
    """The section as printed."""

    related_work: str
    sentences: list[CitedSentence]
    references: list[Reference]
    uncited: list[str]
    outline: Plan
    outcome: Outcome


class Update(Section):
    """What this node writes."""

    usage: list[Usage]
    source_usage: list[SourceUsage]
    mind: str
    stop: Failure | None


async def number_references(state: WriteState, runtime: Runtime[RunContext]) -> Update:
    """Print the section; a run that stopped early prints what it had written by then."""
    desk = open_desk(runtime, state["run"])
    return {
        **await assemble(state, desk.shelf),
        "usage": await desk.usage(),
        "source_usage": await desk.source_usage(),
        "mind": desk.mind_name,
        "stop": halt(state.get("failures", [])),
    }


async def assemble(state: WriteState, shelf: Shelf) -> Section:
    """Number what was written, as far as it was written."""
    keys = state.get("keys", {})
    draft = _best(state)
    papers = await shelf.papers(list(keys.values()))
    by_key = {key: papers[paper] for key, paper in keys.items() if paper in papers}
    order = list(
        dict.fromkeys(key for item in draft.sentences for key in item.keys if key in by_key)
    )
    numbers = {key: number for number, key in enumerate(order, start=1)}
    names = citation_keys([by_key[key] for key in order])
    checked = draft is state.get("final") or bool(state.get("checks"))
    verdicts = state.get("verdicts", []) if checked else []
    sentences = [
        _print(number, item, numbers, verdicts, by_key)
        for number, item in enumerate(draft.sentences, start=1)
    ]
    cited = {by_key[key].id for key in order}
    return {
        "related_work": paragraphs(draft.sentences, sentences, state.get("outline")),
        "sentences": sentences,
        "references": [
            Reference(number=numbers[key], key=name, paper=by_key[key])
            for key, name in zip(order, names, strict=True)
        ],
        "uncited": [paper for paper in state.get("selected", []) if paper not in cited],
        "outline": state.get("outline", Plan(lines=())),
        "outcome": _outcome(state, sentences),
    }


def _best(state: WriteState) -> Draft:
    if state.get("checks"):
        return state["final"]
    drafts = state.get("drafts", [])
    return drafts[0] if drafts else Draft(id="d")


def _outcome(state: WriteState, sentences: Sequence[CitedSentence]) -> Outcome:
    if not sentences:
        return "nothing"
    unchecked = any(
        item.verdict == "not_checkable" for text in sentences for item in text.citations
    )
    return (
        "partial"
        if halt(state.get("failures", [])) or not state.get("checks") or unchecked
        else "complete"
    )


def _print(
    number: int,
    sentence: Sentence,
    numbers: Mapping[str, int],
    verdicts: Sequence[CitationVerdict],
    papers: Mapping[str, Paper],
) -> CitedSentence:
    mine = [item for item in verdicts if item.sentence == number]
    if not verdicts:
        mine = [
            CitationVerdict(
                sentence=number, key=key, paper=papers[key].id, verdict="not_checkable",
                cause="no_verified_quote",
            )
            for key in sentence.keys
        ]  # fmt: skip
    return CitedSentence(
        number=number, text=print_numbers(sentence.text, numbers), citations=tuple(mine),
        basis=sentence.basis,
    )  # fmt: skip


def print_numbers(text: str, numbers: Mapping[str, int]) -> str:
    """Replace each marker by its number in brackets, neighbours in one: '{P2}{P1}' -> '[1, 2]'.

    Raises:
        KeyError: A marker has no number; the checks before this node make that impossible.
    """
    pieces: list[str] = []
    group: list[int] = []
    last = 0
    for found in MARKER.finditer(text):
        between = text[last : found.start()]
        if group and between.strip(" ,") == "":
            group.append(numbers[found[1]])
        else:
            _flush(pieces, group)
            pieces.append(between)
            group = [numbers[found[1]]]
        last = found.end()
    _flush(pieces, group)
    return "".join([*pieces, text[last:]])


def _flush(pieces: list[str], group: list[int]) -> None:
    if group:
        pieces.append("[" + ", ".join(str(number) for number in sorted(set(group))) + "]")


def paragraphs(
    drafted: Sequence[Sentence], printed: Sequence[CitedSentence], plan: Plan | None
) -> str:
    """Return the section, a paragraph for each theme of the plan."""
    themes = {line.number: line.theme for line in plan.lines} if plan else {}
    blocks: list[list[str]] = []
    last: str | None = None
    for sentence, text in zip(drafted, printed, strict=True):
        theme = themes.get(sentence.line, "")
        if theme != last or not blocks:
            blocks.append([])
            last = theme
        blocks[-1].append(text.text)
    return "\n\n".join(" ".join(block) for block in blocks)
