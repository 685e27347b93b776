"""arXiv's Atom feeds."""

import re
from collections.abc import Mapping
from datetime import date
from xml.sax.saxutils import escape

from tests.fakes.scholar.matching import fit, groups_of
from tests.fakes.scholar.wire import Answer, Request
from tests.fakes.scholar.world import Work, World

MOST_IN_PAGE = 2000
_ID = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+/\d{7})")
_DATES = re.compile(r"^\((.*)\) AND submittedDate:\[(\d{8})0000 TO (\d{8})2359\]$")
_FIELDS = {"": "all", "ti": "title", "abs": "abstract", "au": "authors", "all": "all"}
_FEED = """\
<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" \
xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/query</id>
  <title>arXiv Query</title>
  <updated>2026-04-12T22:09:26Z</updated>
  <opensearch:itemsPerPage>{size}</opensearch:itemsPerPage>
  <opensearch:totalResults>{total}</opensearch:totalResults>
  <opensearch:startIndex>{start}</opensearch:startIndex>
{entries}</feed>
"""
_ERROR = """\
  <entry>
    <id>https://arxiv.org/api/errors</id>
    <title>Error</title>
    <summary>{said}</summary>
  </entry>
"""
_ENTRY = """\
  <entry>
    <id>http://arxiv.org/abs/{name}</id>
    <title>{title}</title>
    <updated>{day}T17:42:32Z</updated>
    <link href="https://arxiv.org/abs/{name}" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/{name}" rel="related" type="application/pdf" title="pdf"/>
    <summary>  {abstract}</summary>
    <category term="cs.DL" scheme="http://arxiv.org/schemas/atom"/>
    <published>{day}T17:42:32Z</published>
    <arxiv:primary_category term="cs.DL"/>
{more}  </entry>
"""


def answer(world: World, request: Request) -> Answer:
    """Answer a request; what cannot be read becomes an entry titled Error."""
    query, status = request.query, 200
    start, size = int(query.get("start", "0")), int(query.get("max_results", "10"))
    try:
        works = _found(world, query)
        if not 0 <= size <= MOST_IN_PAGE:
            raise ValueError(f"max_results must not exceed {MOST_IN_PAGE}")
        entries = "".join(map(_entry, works[start : start + size]))
    except ValueError as error:
        works, status, entries = [], 400, _ERROR.format(said=escape(str(error)))
    body = _FEED.format(size=size, total=len(works), start=start, entries=entries)
    return Answer(
        status=status, body=body.encode(), content_type="application/atom+xml", kind="arxiv"
    )


def _found(world: World, query: Mapping[str, str]) -> list[Work]:
    text, ids = query.get("search_query", ""), query.get("id_list", "")
    works = world.held("arxiv")
    if ids:
        if wrong := [name for name in ids.split(",") if not _ID.fullmatch(name)]:
            raise ValueError(f"incorrect id format for {wrong[0]}")
        found = (world.by_arxiv.get(name) for name in ids.split(","))
        return [work for work in found if work and "arxiv" in work.held_by]
    if dated := _DATES.match(text):
        text, first, last = dated[1], *map(date.fromisoformat, dated.groups()[1:])
        works = [work for work in works if first <= work.date <= last]
    if text.startswith("cat:"):
        return sorted(works, key=lambda work: (work.date, work.number))
    groups = groups_of(text, "OR", _FIELDS)
    fits = {work.number: fit(groups, world.searchable(work.number)) for work in works}
    best = sorted((-score, number) for number, score in fits.items() if score is not None)
    return [world.works[number] for _, number in best]


def _entry(work: Work) -> str:
    venue = f"    <arxiv:journal_ref>{escape(work.venue or '')}, {work.year}</arxiv:journal_ref>\n"
    doi = f"    <arxiv:doi>{escape(work.doi or '')}</arxiv:doi>\n"
    authors = "".join(
        f"    <author>\n      <name>{escape(f'{given} {family}')}</name>\n    </author>\n"
        for given, family in work.authors
        if family
    )
    return _ENTRY.format(
        name=f"{work.arxiv}{'v2' if work.number % 4 == 1 else 'v1'}",
        title=escape(work.title),
        day=work.date.isoformat(),
        abstract=escape(work.abstract or ""),
        more=f"{venue if work.venue else ''}{authors}{doi if work.doi else ''}",
    )
