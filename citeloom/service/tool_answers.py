"""What a tool tells of a run: small, in pages, the rest as files to read by their address."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field, TypeAdapter

from citeloom.export.references import FORMS, LISTS, printed
from citeloom.runs.runs import GraphName, Runs, RunSnapshot, Status
from citeloom.service.next_step import next_step
from citeloom.service.quoted import said
from state.references import ReadReference
from state.results import Reference
from state.value import FrozenModel
from tools.errors import InputError

RunsOf = Callable[[Mapping[str, str]], Runs]
"""The runs of whoever sent a request with these headers."""
PAGE = 3600
"""Characters of a page; with all around it an answer stays under 6,000."""
_LINE = 600
_SCHEME = "citeloom://runs/"

FILES: Mapping[GraphName, Mapping[str, str]] = {
    "find": {"papers.json": "every paper judged, with its debate"},
    "write": {
        "related_work.md": "the section with its references",
        "references.bib": "the references as BibTeX",
        "audit.json": "the verdict on each citation",
    },
    "ask": {"answer.md": "the answer", "claims.json": "its claims, with their quotes"},
    "synthesize": {"answer.md": "the synthesis", "references.bib": "what it cites, as BibTeX"},
    "verify": {"audit.json": "the verdict on each citation"},
    "references": LISTS,
    "ingest": {"reports.json": "what became of each file"},
}
_WRITTEN = {**FILES["write"]}
_FILES = {**FILES, "revise": _WRITTEN, "review": {**_WRITTEN, **FILES["find"]}}
FIRST_PART = {
    "find": "papers",
    "verify": "findings",
    "references": "references",
    "ingest": "reports",
}
UNLISTED_VALUES = {
    "messages",
    "contexts",
    "links",
    "failures",
    "listings",
    "seconds",
    "selected",
    "plan_papers",
}


class ToolResult(FrozenModel):
    """What every tool gives."""

    run: str = Field(description="Names the run for get_run.")
    graph: GraphName
    status: Status = Field(description="How far the run is.")
    next: str = Field(description="What to do now.")
    outcome: str = Field(
        default="", description="'complete', 'partial' or 'nothing', once the run has ended."
    )
    problem: str = Field(
        default="", description="Why there is nothing more, and what to do about it."
    )
    question: dict[str, Any] | None = Field(
        default=None,
        description="What the run asks a person: `kind`, `instructions`, `proposal` (to be edited), `error` "
        "(why the last answer could not be used).",
    )
    part: str = Field(default="", description="What `text` or `items` are a page of.")
    page: int = 1
    pages: int = 1
    text: str = ""
    items: list[dict[str, Any]] = Field(default_factory=list)
    parts: dict[str, int] = Field(
        default={}, description="What else get_run has: lists and their length."
    )


SCHEMA = ToolResult.model_json_schema()


def to_tool_result(view: RunSnapshot, part: str = "", page: int = 1) -> ToolResult:
    """Return what a tool says of a run.

    Raises:
        InputError: The run has no such part, or the part no such page.
    """
    values = view.values
    lists = {**_lists(values), **_findings(values)}
    parts = {name: len(items) for name, items in lists.items() if items}
    chosen = part or FIRST_PART.get(view.graph, "text")
    result: dict[str, Any] = {"parts": parts}
    forms = FORMS.keys() if view.graph == "references" and "references" in parts else ()
    parts |= dict.fromkeys(forms, parts.get("references", 0))
    if view.question:
        result["question"] = _question(view.question)
    elif chosen in {"text", *forms}:
        if text := _file(values, FORMS[chosen]) if chosen in forms else _text(values):
            result |= {"part": chosen, **_page(list(_cut(text)), page)}
            result["text"] = result.pop("on_page", "")
    elif chosen in lists:
        pages = _pages([_card(chosen, item) for item in lists[chosen]])
        result |= {"part": chosen, **_page(pages, page)}
        result["items"] = result.pop("on_page", [])
    elif part:
        raise InputError(
            f"run '{view.run}' has no part '{part}'; it has: {', '.join(['text', *parts])}"
        )
    return ToolResult(
        run=view.run,
        graph=view.graph,
        status=view.status,
        next=next_step(view),
        outcome=view.outcome,
        problem=_clip(view.problem),
        **result,
    )


def _question(question: Mapping[str, Any]) -> dict[str, Any]:
    """Return a question without its details; a proposal that is too long stands in a file."""
    short = {
        name: str(question.get(name) or "") for name in ("kind", "instructions", "error", "why")
    }
    proposal = str(question.get("proposal") or "")
    if len(proposal) > PAGE:
        proposal = (
            f"{proposal[:PAGE]}\n(cut: question.json has all of it; an answer replaces all of it)"
        )
    return {**{name: _clip(words) for name, words in short.items() if words}, "proposal": proposal}


def _text(values: Mapping[str, Any]) -> str:
    return str(values.get("related_work") or values.get("answer") or "")


def _file(values: Mapping[str, Any], name: str) -> str:
    """Return the references that were read from print, as the file of this name."""
    form = next(form for form, named in FORMS.items() if named == name)
    return printed(form, TypeAdapter(list[ReadReference]).validate_python(values["references"]))


def _lists(values: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    found: dict[str, Sequence[Any]] = {
        name: item
        for name, item in values.items()
        if isinstance(item, list) and name not in UNLISTED_VALUES
    }
    if rows := (values.get("table") or {}).get("rows"):
        found["table"] = rows
    if "selected" in values and "papers" in found:
        found["papers"] = [item for item in found["papers"] if item.get("selected")]
    return found


def _findings(values: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """Return what an audit says, what is wrong first."""
    if not (audit := values.get("audit")):
        return {}
    counts = {name: item for name, item in audit.items() if isinstance(item, bool | int)}
    wrong = [*audit.get("references", ()), *audit.get("uncited_claims", ())]
    verdicts = audit.get("verdicts", ())
    ranked = sorted(verdicts, key=lambda item: item["verdict"] == "supported")
    return {"findings": [{**counts, "reasons": audit.get("reasons", [])}, *wrong, *ranked]}


def _card(part: str, item: Any) -> dict[str, Any]:
    """Return what matters of an item."""
    if not isinstance(item, Mapping):
        return {"text": _clip(str(item))}
    paper = item.get("paper")
    told: dict[str, Any] = {}
    if isinstance(paper, Mapping):
        shown = ("id", "title", "year", "venue", *(("doi",) if part == "references" else ()))
        told = {name: paper.get(name) for name in shown}
    debate = item.get("debate") or {}
    for side in ("arguments_for", "arguments_against"):
        if arguments := said(debate.get(side)):
            claim, quote = arguments[0]["claim"], arguments[0].get("quote") or ""
            told[side.removeprefix("arguments_")] = f"{claim} {quote}".rstrip()
    told |= {
        name: worth
        for name, worth in item.items()
        if name not in {"paper", "debate", "found_by", "marked"} or isinstance(worth, str)
    }
    return {
        name: _shorten_value(worth)
        for name, worth in told.items()
        if worth not in (None, "", [], {})
    }


def _shorten_value(worth: Any) -> Any:
    worth = said(worth)
    if isinstance(worth, str):
        return _clip(worth)
    if isinstance(worth, list | Mapping):
        as_json = json.dumps(worth, ensure_ascii=False)
        return worth if len(as_json) <= _LINE else _clip(as_json)
    return worth


def _clip(text: str) -> str:
    return text if len(text) <= _LINE else f"{text[: _LINE - 2]} …"


def _pages(cards: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    pages: list[list[dict[str, Any]]] = [[]]
    room = PAGE
    for card in cards:
        size = len(json.dumps(card, ensure_ascii=False)) + 2
        if size > PAGE:
            card, size = {"text": _clip(json.dumps(card, ensure_ascii=False))}, _LINE
        if size > room and pages[-1]:
            pages.append([])
            room = PAGE
        pages[-1].append(card)
        room -= size
    return pages


def _cut(text: str) -> Iterator[str]:
    """Cut at the last blank before a page's end."""
    while len(text) > PAGE:
        at = max(text.rfind("\n\n", PAGE // 2, PAGE), text.rfind(" ", PAGE // 2, PAGE))
        at = at if at > 0 else PAGE
        yield text[:at]
        text = text[at:].lstrip()
    yield text


def _page(pages: Sequence[Any], page: int) -> dict[str, Any]:
    if page > len(pages):
        raise InputError(f"there is no page {page}: the last is {len(pages)}")
    return {"page": page, "pages": len(pages), "on_page": pages[page - 1]}


# --- Files ----------------------------------------------------------------------------------------


def files_of(view: RunSnapshot) -> dict[str, str]:
    """Return the addresses of a run's files and what each is; those that it has, once it rests."""
    if view.status == "working":
        return {}
    named = {**_FILES[view.graph], "result.json": "all that the run gives"}
    if view.question:
        named = {"question.json": "the question with all its details"}
    return {f"{_SCHEME}{view.run}/{name}": words for name, words in named.items()}


def mime_of(address: str) -> str:
    """Return the type of a file by its name."""
    types = {
        "md": "text/markdown",
        "bib": "application/x-bibtex",
        "ris": "application/x-research-info-systems",
    }
    return types.get(address.rpartition(".")[2], "application/json")


def parsed(address: str) -> tuple[str, str]:
    """Return run and file of an address.

    Raises:
        InputError: It is not the address of a file of a run.
    """
    run, _, name = address.removeprefix(_SCHEME).partition("/")
    if not address.startswith(_SCHEME) or not run or not name or "/" in name:
        raise InputError(
            f"'{address}' is no address of a run's file, such as {_SCHEME}RUN/result.json"
        )
    return run, name


def read(view: RunSnapshot, name: str) -> str:
    """Return the content of a run's file.

    Raises:
        InputError: The run has no such file.
    """
    values = view.values
    stem, _, kind = name.rpartition(".")
    if name == "result.json":
        return _json(values)
    if view.graph == "references" and name in LISTS and values.get("references"):
        return _file(values, name)
    if name == "question.json" and view.question:
        return _json(view.question)
    if kind == "json" and values.get(stem) is not None:
        return _json(values[stem])
    if kind == "md" and values.get(stem):
        listed = "\n".join(_listed(item) for item in values.get("references") or ())
        return f"{values[stem]}\n" + (f"\n## References\n\n{listed}\n" if listed else "")
    if name == "references.bib":
        if bibtex := values.get("bibtex"):
            return str(bibtex)
        if references := values.get("references"):
            from tools.bibliography.write_bibtex import to_bibtex

            return to_bibtex(TypeAdapter(list[Reference]).validate_python(references))
    known = ", ".join(address.rpartition("/")[2] for address in files_of(view))
    raise InputError(f"run '{view.run}' has no file '{name}'; it may have: {known or 'none yet'}")


def _listed(item: Mapping[str, Any]) -> str:
    return f"{item.get('number', '-')}. {item.get('entry') or (item.get('paper') or {}).get('title', '')}"


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
