"""Which works the lists of references of several papers name: each once, whoever cites it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain

from state.bibliography import Bibliography, ReferenceEntry
from state.paper import Author, Paper, identify, title_key
from state.synthesis import EntryWorks
from tools.scholar.same_work import EQUAL_LETTERS, merge, unite_records

ORIGIN = "reference list"
"""What `Paper.origin` says of a record that was read from an entry."""
_CUT = 200
_LONG_TITLE = 30
"""Fewest letters of a title that is enough to know a source by of which nothing else could be read."""


def merge_works(
    bibliographies: Mapping[str, Bibliography], sources: Sequence[Paper]
) -> tuple[EntryWorks, list[Paper]]:
    """Return which work each entry is, and the works cited, each once, in the order of first mention.

    Entries are one work by the grounds of `tools.scholar.same_work.unite_records`: a shared DOI or arXiv id, or
    titles that are equal or nearly so with the first author and the year; a title that is short or
    unaccompanied is no ground. Which entries come together does not depend on the order of the papers.

    Args:
        bibliographies: What each paper cites, by the paper's id.
        sources: The papers themselves: an entry that is one of them has its id, and its record.
    """
    records: dict[str, list[Paper]] = {
        paper: [paper_of_entry(entry) for entry in one.entries]
        for paper, one in bibliographies.items()
    }
    known = {paper.id: paper for paper in sorted(sources, key=lambda item: item.id, reverse=True)}
    # Entries that read the same are one record: what is left to compare are the different ones.
    listed = {item.model_dump_json(): item for items in records.values() for item in items}
    keys = sorted(listed)
    pool = [*_helped(known.values(), listed.values()), *(listed[key] for key in keys)]
    originals = [*known.values()]
    groups = unite_records(pool)
    merged = list(_distinct(_work(group, pool, originals) for group in groups))
    by_record = {
        keys[at - len(known)]: work.id
        for group, work in zip(groups, merged, strict=True)
        for at in group
        if at >= len(known)
    }
    entries = _entries(bibliographies, records, by_record)
    works = {work.id: work for work in merged}
    cited = dict.fromkeys(chain.from_iterable(entries.works.values()))
    return entries, [works[work] for work in cited]


def _entries(
    bibliographies: Mapping[str, Bibliography],
    records: Mapping[str, Sequence[Paper]],
    works: Mapping[str, str],
) -> EntryWorks:
    return EntryWorks(
        works={
            paper: tuple(works[item.model_dump_json()] for item in items)
            for paper, items in records.items()
        },
        printed={
            paper: tuple(entry.text for entry in one.entries)
            for paper, one in bibliographies.items()
        },
    )


def paper_of_entry(entry: ReferenceEntry) -> Paper:
    """Return what an entry says of its work."""
    title = entry.title or entry.text[:_CUT]
    first = entry.authors[0].name if entry.authors else None
    named = entry.title and (len(title_key(title)) >= EQUAL_LETTERS or (entry.year and first))
    local = None if named else f"title:{title_key(title)[:80]}-{_digest(title_key(entry.text))}"
    key, aliases = identify(
        doi=entry.doi,
        arxiv=entry.arxiv,
        local=None if entry.doi or entry.arxiv else local,
        title=title,
        year=entry.year,
        first_author=first,
    )
    return Paper(
        id=key,
        title=title,
        year=entry.year,
        authors=entry.authors,
        authors_complete=entry.authors_complete,
        venue=entry.venue,
        volume=entry.volume,
        issue=entry.issue,
        pages=entry.pages,
        doi=entry.doi,
        arxiv=entry.arxiv,
        url=entry.url,
        aliases=aliases,
        origin={"title": ORIGIN},
    )


def _helped(sources: Iterable[Paper], listed: Iterable[Paper]) -> Iterator[Paper]:
    """Lend sources of which only a long title is known the author and year that entries give it."""
    titled: defaultdict[str, set[tuple[str, int | None]]] = defaultdict(set)
    for item in listed:
        if item.authors and len(key := title_key(item.title)) >= _LONG_TITLE:
            titled[key].add((item.authors[0].family, item.year))
    for source in sources:
        found = titled.get(title_key(source.title), set())
        if source.authors or source.year or len(found) != 1:
            yield source
        else:
            family, year = next(iter(found))
            yield source.model_copy(update={"authors": (Author(name=family),), "year": year})


def _work(group: Sequence[int], pool: Sequence[Paper], sources: Sequence[Paper]) -> Paper:
    """Return the record of a work; of a source its own."""
    own = sorted((sources[at] for at in group if at < len(sources)), key=lambda item: item.id)
    return own[0] if own else merge([pool[at] for at in group])


def _distinct(works: Iterable[Paper]) -> Iterator[Paper]:
    """Yield the works, those of one id, which differ in what the id leaves out, under an id each."""
    taken: set[str] = set()
    for work in works:
        if work.id in taken and work.origin.get("title") == ORIGIN:
            name = f"{work.id}-{_digest(work.model_dump_json())}"
            key = name if name.startswith(("title:", "local:")) else f"local:{name}"
            work = work.model_copy(update={"id": key})
        taken.add(work.id)
        yield work


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:10]
