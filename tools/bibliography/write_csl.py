"""Write references as CSL-JSON (https://citeproc-js.readthedocs.io/en/latest/csl-json/markup.html)."""

import re
from collections.abc import Sequence
from string import ascii_lowercase, digits
from typing import Any

from state.paper import Author, Paper
from state.results import Reference
from tools.bibliography.names import csl_name
from tools.bibliography.publication_kinds import KINDS, kind_of_work
from tools.bibliography.read_record import is_retracted_note
from tools.bibliography.record_as_csl import csl_of
from tools.bibliography.text_runs import clean
from tools.text.markup import retracted_title


def to_csl(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return one CSL item for each reference, in the order of their numbers."""
    return [csl_item(item.paper, item.key) for item in references]


def csl_item(paper: Paper, key: str) -> dict[str, Any]:
    """Return a paper as a CSL item: what its record says, and what of the paper that lacks."""
    own = _own(paper)
    if not paper.record:
        return {"id": key, "citation-key": key} | own
    said = csl_of(paper.record)
    if {"author", "editor"} & said.keys():
        own.pop("author", None)
    if {"publisher", "collection-title", "event-title"} & said.keys():
        own.pop("container-title", None)
    if {"archive_location", "number"} & said.keys():
        for name in ("number", "archive", "archive_location"):
            own.pop(name, None)
    if not paper.url or paper.record.format == "csl":
        own.pop("URL", None)
    own.pop("publisher", None)
    note = own.pop("note", None)
    told = is_retracted_note(said.get("note")) or retracted_title(str(said.get("title")))
    if note and not told:
        said["note"] = "\n".join(filter(None, (str(said.get("note") or ""), note)))
    if not said.get("type"):
        said.pop("type")
    return own | said | {"id": key}


def _own(paper: Paper) -> dict[str, Any]:
    kind, day = kind_of_work(paper), paper.published
    names = [csl_name(author) for author in paper.authors]
    if names and not paper.authors_complete:
        names.append({"literal": "et al."})  # CSL has no other way to say so
    dated = [day.year, day.month, day.day] if day else [paper.year]
    item: dict[str, Any] = {
        "type": KINDS[kind],
        "title": paper.title,
        "author": names,
        "container-title": paper.venue,
        "volume": paper.volume,
        "issue": paper.issue,
        "page": paper.pages,
        "DOI": paper.doi,
        "publisher": "arXiv" if paper.arxiv and kind == "preprint" else None,
        "number": f"arXiv:{paper.arxiv}" if paper.arxiv and not paper.doi else None,
        "archive": "arXiv" if paper.arxiv and paper.doi else None,
        "archive_location": paper.arxiv if paper.doi else None,
        "URL": web_address(paper) or address(paper),
        "note": "Retracted" if paper.retracted else None,
        "issued": {"date-parts": [dated]} if dated[0] else None,
    }
    return {name: value for name, value in item.items() if value}


_SHORT = 60  # characters of a title that stands for the authors


def address(paper: Paper) -> str | None:
    """Return a resolvable address of a paper, where an identifier gives one."""
    if paper.doi:
        return f"https://doi.org/{paper.doi}"
    if paper.arxiv:
        return f"https://arxiv.org/abs/{paper.arxiv}"
    return web_address(paper)


def web_address(paper: Paper) -> str | None:
    """Return the address in a paper's record, unless following it could do more than show a page."""
    scheme, colon, _ = (paper.url or "").strip().partition(":")
    name = scheme.lower()
    named = colon and name[:1].isalpha() and set(name) <= {*ascii_lowercase, *digits, *"+.-"}
    return None if named and name not in {"http", "https", "ftp"} else paper.url


def short_title(title: str) -> str:
    """Return a title as it stands for missing authors: its main part, cut between words."""
    main = clean(title)
    head = re.split(r"(?<=\w): ", main, maxsplit=1)[0] if len(main) > _SHORT else main
    if len(head) <= _SHORT:
        return head
    return head[:_SHORT].rsplit(" ", 1)[0].rstrip(" ,;:-–—") + "…"


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
