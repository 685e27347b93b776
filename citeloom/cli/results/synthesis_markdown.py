"""A synthesis as Markdown: the text, its references, and the words that each line comes from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citeloom.cli.export.escaping import escape
from citeloom.cli.export.markdown import marked_entry
from citeloom.cli.results.synthesis_text import (
    HEADINGS,
    NOTHING,
    Names,
    address_of,
    contexts_line,
    entry_of,
    source_line,
)
from state.synthesis import Line, LostLine, NumberedReference, SourcePaper

_BLOCK = re.compile(r"^[^\S\n]*(\d{0,9})([-+~=]|(?<=\d)[.)](?=\s|$))", re.MULTILINE)
"""What would begin a list, a fence or the underline of a heading; a sentence may begin so, too."""


def synthesis_text(question: str, values: Mapping[str, Any]) -> str:
    """Return synthesis.md."""
    names = Names(values)
    stopped = "answer" not in values
    parts = [
        f"# {escape(' '.join(question.split()))}",
        "> The run was stopped before the references were numbered: this is its draft so far."
        if stopped
        else "",
        _prose(str(values.get("draft") or "" if stopped else values["answer"]) or NOTHING),
    ]
    for role, heading in HEADINGS.items():
        if items := names.of_role(role):
            parts += [f"## {heading}", "\n".join(_reference(item, names) for item in items)]
    if lines := values.get("lines"):
        parts += ["## Trace", "\n".join(text for line in lines for text in _traced(line, names))]
    if stopped and values.get("used"):
        held = [f"- {escape(names.source(it.paper))}, {escape(it.place)}" for it in values["used"]]
        parts += ["## Paragraphs it holds", "\n".join(held)]
    parts += ["## How this was made", "\n".join(_account(values))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _prose(text: str) -> str:
    """Return paragraphs that stay paragraphs."""
    return _BLOCK.sub(r"\1\\\2", escape(text))


def _reference(item: NumberedReference, names: Names) -> str:
    where = address_of(item)
    cited = names.cited_in(item) if item.role == "secondary" else ""
    told = [marked_entry(entry_of(item)), f"<{where}>" if where else ""]
    told.append(f"Cited in {escape(cited)}." if cited else "")
    return f"- \\[{item.number}\\] " + " ".join(part for part in told if part)


def _traced(line: Line, names: Names) -> Iterator[str]:
    yield f"{line.number}. {_prose(line.text)} *{line.verdict.replace('_', ' ')}*"
    for origin in line.origins:
        works = names.works(origin)
        yield (
            f"    - {escape(names.source(origin.paper))}, {escape(origin.place)}: "
            f"“{escape(' '.join(origin.quote.text.split()))}”"
            + (f" cites {works}" if works else "")
        )


def _account(values: Mapping[str, Any]) -> Iterator[str]:
    stacked: Sequence[SourcePaper] = values.get("stacked") or ()
    for item in stacked:
        if item.cause:
            yield f"- Not read: {escape(f'{item.name}: {item.cause} ({item.remedy})')}"
            continue
        yield f"- Read: {escape(source_line(item))}"
        for part in item.unread:
            yield f"    - Not read: {escape(f'{part.where}: {part.cause}')}"
    if values.get("contexts"):
        yield f"- {contexts_line(values)}"
    lost: Sequence[LostLine] = values.get("lost") or ()
    for one in lost:
        yield f"- Left out: “{escape(one.text)}” ({escape(one.cause)})"
    for used in values.get("usage") or ():
        if used.input_tokens:
            yield (
                f"- {used.task}: {used.calls} calls ({used.cached} cached) to {escape(used.mind)}, "
                f"{used.input_tokens} + {used.output_tokens} tokens, {used.usd:.4f} USD"
            )
    for asked in values.get("source_usage") or ():
        yield (
            f"- Source {escape(asked.source)}: {asked.calls} requests, {asked.failed} of them failed, "
            f"{asked.cached} answers from the cache, {asked.usd:.4f} USD"
        )
    for failure in values.get("failures") or ():
        said = f"{failure.subject}: {failure.cause} ({failure.remedy})"
        yield f"- {'Stopped early' if failure.fatal else 'Not done'}: {escape(said)}"
