"""Write references as CSL-JSON (https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html)."""

from collections.abc import Sequence
from typing import Any

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.kinds import kind_of_work


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
        "author": [_name(author) for author in paper.authors],
        "container-title": paper.venue,
        "DOI": paper.doi,
        "number": f"arXiv:{paper.arxiv}" if paper.arxiv and not paper.doi else None,
        "URL": paper.url or address(paper),
    }
    if paper.published:
        day = paper.published
        item["issued"] = {"date-parts": [[day.year, day.month, day.day]]}
    elif paper.year:
        item["issued"] = {"date-parts": [[paper.year]]}
    return {name: value for name, value in item.items() if value}


_KINDS = {"preprint": "article", "journal": "article-journal", "proceedings": "paper-conference"}


def _name(author: Author) -> dict[str, str]:
    if not author.given:
        return {"literal": author.name}
    return {"family": author.family, "given": author.given}


def address(paper: Paper) -> str | None:
    """Return a resolvable address of a paper, where an identifier gives one."""
    if paper.doi:
        return f"https://doi.org/{paper.doi}"
    if paper.arxiv:
        return f"https://arxiv.org/abs/{paper.arxiv}"
    return paper.url


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
