"""Whether an entry of a list of references is a paper of the library: rather no link than a wrong one."""

from rapidfuzz import fuzz

from state.bibliography import ReferenceEntry
from state.paper import Paper, canonical_id, title_key

_TELLING, _ALONE = 15, 30
"""Letters of a title that names a work together with its first author or year, and by itself."""
_SPELT = 96.0
"""Percent of equal letters from which a title is that of the paper whose id is printed."""


def keys_of(entry: ReferenceEntry) -> tuple[str | None, str | None]:
    """Return under which id, and which title's key, an entry's work may be found."""
    given = f"doi:{entry.doi}" if entry.doi else f"arxiv:{entry.arxiv}" if entry.arxiv else None
    title = title_key(entry.title or "")
    return given and canonical_id(given), title if len(title) >= _TELLING else None


def cites(printed: str, record: str) -> bool:
    """Whether an entry names a paper, both in JSON; as an SQL function it chooses among candidates.

    An id may be printed or read wrongly, so that the title must be the paper's, too. Without a shared
    id titles are equal, first author and year do not differ (a year apart is allowed, for preprints
    two), and no two DOIs of publications do.
    """
    entry = ReferenceEntry.model_validate_json(printed)
    paper = Paper.model_validate_json(record)
    title, own = title_key(entry.title or entry.text), title_key(paper.title)
    if keys_of(entry)[0] in (paper.id, *paper.aliases):
        one, other = sorted((title, own), key=len)
        return fuzz.ratio(title, own) >= _SPELT or (len(one) >= _TELLING and one in other)
    families = [_family(work) for work in (entry, paper)]
    years = [year for year in (entry.year, paper.year) if year is not None]
    apart = max(years, default=0) - min(years, default=0)
    preprint = bool(entry.arxiv or paper.arxiv)
    dois = entry.doi and paper.doi and not preprint
    known = all(families) or len(years) == 2 or len(own) >= _ALONE
    return (
        title == own and known and not dois and apart <= 1 + preprint
        and (families[0] == families[1] or not all(families))
    )  # fmt: skip


def _family(work: ReferenceEntry | Paper) -> str:
    """Return the last word of the first author's family name, without particles."""
    words = work.authors[0].family.split() if work.authors else []
    return title_key("".join(words[-1:]))
