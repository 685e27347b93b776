"""Entries of arXiv's Atom feeds, as papers (https://info.arxiv.org/help/api/user-manual.html)."""

import re
from datetime import datetime
from typing import Any

from state.paper import Author, Paper, canonical_id
from tools.errors import PermanentError, counted
from tools.http.response_errors import says
from tools.scholar.fields import bare_id, paper_from, text_of, year_of

SOURCE = "arxiv"

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_OUR_FAULT = ("incorrect", "malformed", "invalid", "must be", "syntax", "not allowed")
_WITHDRAWN = re.compile(
    r"^\W*withdrawn\b|\bwithdrawn (?:by|due|because|since|from arxiv)\b"
    r"|\b(?:paper|article|manuscript|submission|work|preprint|e-?print|it)\b[^.;]{0,40}\bwithdrawn\b",
    re.IGNORECASE,
)
_WITHDRAWN_TEXT = re.compile(
    r"^\W*(?:this|the) (?:paper|article|manuscript|submission|work|preprint|e-?print)\b"
    r"[^.;]{0,20}\b(?:is|was|been) withdrawn\b",
    re.IGNORECASE,
)


def read_page(body: str) -> tuple[list[Paper], int | None]:
    """Return the papers of a feed, each once, and how many records match in all, where it says.

    Raises:
        ValueError: The body is no whole Atom feed, or an empty one where there should be records,
            or says that arXiv failed: to ask again may help.
        PermanentError: arXiv rejects the query.
    """
    root = _feed_of(body)
    entries = list(root.iterfind(f"{_ATOM}entry"))
    for entry in entries:
        if "/api/errors" in (entry.findtext(f"{_ATOM}id") or ""):
            told = " ".join((entry.findtext(f"{_ATOM}summary") or "no reason given").split())
            if says(told, _OUR_FAULT):
                raise PermanentError(f"arXiv rejects the query: {told}")
            raise ValueError(f"arXiv failed: {told}")
    said = (root.findtext(_TOTAL) or "").strip()
    total = int(said) if said.isdecimal() else None
    if total and not entries:
        raise ValueError(
            f"arXiv's page is empty although {counted(total, 'record matches', 'records match')}"
        )
    papers = filter(None, map(_read_entry, entries))
    return list({paper.id: paper for paper in papers}.values()), total


def _feed_of(body: str) -> Any:
    from lxml import etree

    if not body.rstrip().endswith("</feed>"):
        raise ValueError("arXiv's answer is no whole feed")
    # It recovers from a stray character, which may stand in any abstract; it opens no entity.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(body.encode(), parser=parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"arXiv's answer is no XML: {error}") from error
    if root is None or root.tag != f"{_ATOM}feed":
        raise ValueError("arXiv's answer is no Atom feed")
    return root


def _read_entry(entry: Any) -> Paper | None:
    """Return an entry as a paper, or None without a title, an id of a paper or a date."""

    def said(name: str) -> str | None:
        return text_of(entry.findtext(name))

    key = canonical_id(f"arxiv:{(said(f'{_ATOM}id') or '').partition('/abs/')[2]}")
    try:
        published = datetime.fromisoformat(said(f"{_ATOM}published") or "").date()
    except ValueError:
        return None
    title, abstract = said(f"{_ATOM}title"), said(f"{_ATOM}summary")
    if not key.startswith("arxiv:") or title is None:
        return None
    bare, dois = key.removeprefix("arxiv:"), said(f"{_ARXIV}doi") or ""
    names = [text_of(node.text) for node in entry.iterfind(f"{_ATOM}author/{_ATOM}name")]
    has_pdf = any(link.get("title") == "pdf" for link in entry.iterfind(f"{_ATOM}link"))
    known = {
        "title": title,
        "abstract": abstract,
        "year": year_of(published.year),
        "published": published,
        "authors": tuple(Author(name=name) for name in names if name),
        "venue": said(f"{_ARXIV}journal_ref") or "arXiv",
        # Of the published version; authors may have written several, or nonsense.
        "doi": next(filter(None, (bare_id(one, "doi") for one in dois.split())), None),
        "arxiv": bare,
        "url": f"https://arxiv.org/abs/{bare}",
        "pdf": f"https://arxiv.org/pdf/{bare}" if has_pdf else None,
        "retracted": bool(
            _WITHDRAWN.search(said(f"{_ARXIV}comment") or "")
            or _WITHDRAWN_TEXT.match(abstract or "")
        ),
    }
    return paper_from(SOURCE, known)
