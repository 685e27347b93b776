"""Write references as CSL-JSON (https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html)."""

import re
from collections.abc import Sequence
from typing import Any

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.kinds import kind_of_work
from tools.bibliography.names import name_parts


def to_csl(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return one CSL item for each reference, in the order of their numbers."""
    return [_item(item) for item in references]


def _item(reference: Reference) -> dict[str, Any]:
    paper = reference.paper
    item: dict[str, Any] = {
        "id": reference.key,
        "citation-key": reference.key,
        "type": _KINDS[kind_of_work(paper)],
        "title": paper.title,
        "author": _names(paper),
        "container-title": paper.venue,
        "DOI": paper.doi,
        "publisher": "arXiv" if paper.arxiv and kind_of_work(paper) == "preprint" else None,
        "number": f"arXiv:{paper.arxiv}" if paper.arxiv and not paper.doi else None,
        "URL": web_address(paper) or address(paper),
        "note": "Retracted" if paper.retracted else None,
    }
    if paper.published:
        day = paper.published
        item["issued"] = {"date-parts": [[day.year, day.month, day.day]]}
    elif paper.year:
        item["issued"] = {"date-parts": [[paper.year]]}
    return {name: value for name, value in item.items() if value}


_SCHEME = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.-]*):")
_KINDS = {"preprint": "article", "journal": "article-journal", "proceedings": "paper-conference"}


def _names(paper: Paper) -> list[dict[str, str]]:
    names = [_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append({"literal": "et al."})  # CSL has no other way to say so
    return names


def _name(author: Author) -> dict[str, str]:
    parts = name_parts(author)
    if parts.literal:
        return {"literal": parts.literal}
    named = {"family": parts.family, "given": parts.given}
    return named | ({"suffix": parts.suffix} if parts.suffix else {})


def address(paper: Paper) -> str | None:
    """Return a resolvable address of a paper, where an identifier gives one."""
    if paper.doi:
        return f"https://doi.org/{paper.doi}"
    if paper.arxiv:
        return f"https://arxiv.org/abs/{paper.arxiv}"
    return web_address(paper)


def web_address(paper: Paper) -> str | None:
    """Return the address in a paper's record, unless following it could do more than show a page."""
    found = _SCHEME.match(paper.url or "")
    return None if found and found[1].lower() not in {"http", "https", "ftp"} else paper.url


def reference_line(paper: Paper) -> str:
    """Return a reference as one line of plain text: authors, year, title, venue, address."""
    names = [_in_order(author) for author in paper.authors]
    if len(names) > 6 or not paper.authors_complete:
        authors = ", ".join(names[: 5 if len(names) > 6 else len(names)]) + ", et al."
    else:
        authors = (
            ", ".join(names[:-1])
            + (" and " if len(names) > 1 else "")
            + (names[-1] if names else "")
        )
    parts = [
        authors.rstrip(".") if authors else "",
        str(paper.year or "n.d."),
        paper.title,
        paper.venue or "",
    ]
    text = " ".join(_closed(part) for part in parts if part)
    return f"{text} {address(paper) or ''}".strip()


def _in_order(author: Author) -> str:
    return f"{author.given} {author.family}" if "," in author.name and author.given else author.name


def _closed(part: str) -> str:
    return part if part.endswith(("?", "!")) else part.rstrip(".") + "."
