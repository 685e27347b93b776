"""Write references as CSL-JSON (https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html)."""

import re
from collections.abc import Sequence
from typing import Any

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.kinds import KINDS, kind_of_work
from tools.bibliography.names import name_parts


def to_csl(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return one CSL item for each reference, in the order of their numbers."""
    return [_item(item) for item in references]


def _item(reference: Reference) -> dict[str, Any]:
    paper = reference.paper
    kind, day = kind_of_work(paper), paper.published
    names = [_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append({"literal": "et al."})  # CSL has no other way to say so
    dated = [day.year, day.month, day.day] if day else [paper.year]
    item: dict[str, Any] = {
        "id": reference.key,
        "citation-key": reference.key,
        "type": KINDS[kind].csl,
        "title": paper.title,
        "author": names,
        "container-title": paper.venue,
        "DOI": paper.doi,
        "publisher": "arXiv" if paper.arxiv and kind == "preprint" else None,
        "number": f"arXiv:{paper.arxiv}" if paper.arxiv and not paper.doi else None,
        "URL": web_address(paper) or address(paper),
        "note": "Retracted" if paper.retracted else None,
        "issued": {"date-parts": [dated]} if dated[0] else None,
    }
    return {name: value for name, value in item.items() if value}


def _name(author: Author) -> dict[str, str]:
    parts = name_parts(author)
    named = {"family": parts.family, "given": parts.given, "suffix": parts.suffix}
    return {name: value for name, value in (named | {"literal": parts.literal}).items() if value}


_SCHEME = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.-]*):")


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
    if len(names) > 6:
        names = [*names[:5], "et al."]
    elif names and not paper.authors_complete:
        names.append("et al.")
    elif len(names) > 1:
        names[-2:] = [f"{names[-2]} and {names[-1]}"]
    parts = (", ".join(names), str(paper.year or "n.d."), paper.title, paper.venue or "")
    closed = (
        part if part.endswith(("?", "!")) else part.rstrip(".") + "." for part in parts if part
    )
    return f"{' '.join(closed)} {address(paper) or ''}".strip()


def _in_order(author: Author) -> str:
    return f"{author.given} {author.family}" if "," in author.name and author.given else author.name
