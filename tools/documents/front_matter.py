"""What stands at the top of a Markdown file about it: YAML, or pandoc's title block."""

import re
from collections.abc import Sequence

from state.paper import Author, canonical_id
from tools.documents.blocks import clean
from tools.documents.html_head import Head, year_of

_KEY = re.compile(r"([A-Za-z][\w -]{0,40}):(?:\s+(.*)|\s*)")
_LIST_ITEM = re.compile(r"\s*-\s+(.*)")
_NAME = re.compile(r"(?:name|literal):\s*(.+)")
_MOST_LINES = 500


def read_front_matter(text: str) -> tuple[Head, str]:
    """Return what a file says of itself, and the text behind that."""
    text = text.lstrip("\ufeff")
    lines = text.split("\n", _MOST_LINES)
    if lines[0].rstrip() == "---":
        for end, line in enumerate(lines[1:], start=1):
            if line.rstrip() in {"---", "..."} and end < _MOST_LINES:
                return _head(_values(lines[1:end])), "\n".join(lines[end + 1 :])
    if lines[0].startswith("% "):
        block = [line[2:] for line in lines[:3] if line.startswith("%")]
        title, authors, date = [*block, "", ""][:3]
        values = {"title": [title], "author": authors.split(";"), "date": [date]}
        return _head(values), "\n".join(lines[len(block) :])
    return Head(), text


def _values(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return the values by key; of nested ones only names, which is what authors have."""
    values: dict[str, list[str]] = {}
    key, folded = "", False
    for line in lines:
        if found := _KEY.fullmatch(line.rstrip()):
            key, value = found[1].strip().lower(), (found[2] or "").strip()
            folded = bool(re.fullmatch(r"[|>][+-]?\d?", value))
            values[key] = [] if folded or not value else _listed(value)
        elif key and line.strip() and folded:
            values[key] = [" ".join([*values[key], line.strip()])]
        elif (key and (found := _LIST_ITEM.fullmatch(line))) or (
            key and line.startswith(" ") and (found := _NAME.fullmatch(line.strip()))
        ):
            values[key].append(_named(found[1]))
        elif key and line.startswith(" ") and values[key] and ":" not in line:
            values[key][-1] += f" {line.strip()}"
    return values


def _listed(value: str) -> list[str]:
    if value.startswith("[") and value.endswith("]"):
        return [_bare(one) for one in value[1:-1].split(",")]
    return [_bare(value)]


def _named(value: str) -> str:
    found = _NAME.fullmatch(value.strip())
    return _bare(found[1] if found else value)


def _bare(value: str) -> str:
    text = value.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _head(values: dict[str, list[str]]) -> Head:
    def one(*names: str) -> str:
        return next((clean(" ".join(values[name])) for name in names if values.get(name)), "")

    named = values.get("author") or values.get("authors") or values.get("by") or []
    if len(named) == 1:
        named = re.split(r"\s*;\s*|\s+and\s+", named[0])
    names = [clean(re.sub(r"\[?\^\w+\]?", "", name)) for name in named]
    doi, arxiv = canonical_id(one("doi") or "-"), canonical_id(one("arxiv", "eprint") or "-")
    return Head(
        title=one("title") or None,
        authors=tuple(
            Author(name=name) for name in dict.fromkeys(names) if name and ":" not in name
        ),
        abstract=one("abstract") or None,
        year=year_of(one("date", "year", "published")),
        venue=one("journal", "venue", "booktitle") or None,
        doi=doi.removeprefix("doi:") if doi.startswith("doi:") else None,
        arxiv=arxiv.removeprefix("arxiv:") if arxiv.startswith("arxiv:") else None,
    )
