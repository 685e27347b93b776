"""Which paper a web link leads to, read from the link itself: only where it certainly says so."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from state.paper import canonical_id

_DOI = r"(?P<id>10\.\d{4,9}/[^\s?#]+)"
# What publishers append to a DOI for the forms of a text.
_TAILS = re.compile(
    r"(?:/(?:abstract|epdf|epub|full|full-?text(?:\.html|\.pdf)?|fulltext|html|meta|pdf|ref|"
    r"references|summary|supplementary)|\.full|\.full\.pdf|\.pdf|/)$",
    re.IGNORECASE,
)
_VIEWS = (
    r"(?:abs|book|epdf|epub|figure|full|fullhtml|pdf|pdfdirect|pdfplus|proceedings|reader|ref|"
    r"suppl)"
)


@dataclass(frozen=True)
class _Site:
    hosts: str
    """Regular expression of whole host names, without 'www.'."""
    path: str
    """Regular expression of the path, with the group 'id'."""
    form: str = "doi:{}"
    """How the group becomes an id."""


_SITES = (
    _Site(r"(?:dx\.)?doi\.org", rf"/{_DOI}"),
    _Site(
        r"dl\.acm\.org|pubs\.acs\.org|(?:\w+\.)?onlinelibrary\.wiley\.com|journals\.sagepub\.com|"
        r"tandfonline\.com|science\.org|science\.sciencemag\.org|pnas\.org|annualreviews\.org|"
        r"royalsocietypublishing\.org|pubsonline\.informs\.org|liebertpub\.com|nejm\.org|"
        r"worldscientific\.com|journals\.uchicago\.edu|ascelibrary\.org|epubs\.siam\.org|"
        r"journals\.physiology\.org|psychiatryonline\.org|thelancet\.com|ahajournals\.org|"
        r"direct\.mit\.edu|mitpressjournals\.org|pubs\.rsna\.org|jamanetwork\.com|asmedigitalcollection\.asme\.org|"
        r"cdnsciencepub\.com|ajronline\.org|atsjournals\.org|degruyter\.com",
        rf"/doi/(?:{_VIEWS}/)?{_DOI}",
    ),
    _Site(
        r"link\.springer\.com",
        r"/(?:article|chapter|book|protocol|referencework|content/pdf)/(?P<id>10\.\d{4,9}/[^/\s]+)(?:/.*)?",
    ),
    _Site(r"degruyter\.com", rf"/document/doi/{_DOI}"),
    _Site(r"emerald\.com", rf"/insight/content/doi/{_DOI}"),
    _Site(r"iopscience\.iop\.org", rf"/article/{_DOI}"),
    _Site(r"journals\.aps\.org", rf"/\w+/(?:abstract|pdf|references)/{_DOI}"),
    _Site(r"link\.aps\.org", rf"/doi/{_DOI}"),
    _Site(r"frontiersin\.org", rf"(?:/journals/[\w-]+)?/articles/{_DOI}"),
    _Site(
        r"(?:biorxiv|medrxiv)\.org",
        r"/content/(?:biorxiv/early/[\d/]+/)?(?P<id>10\.(?:1101|64898)/(?:\d{4}\.\d\d\.\d\d\.)?\d{6,8})"
        r"(?:v\d+)?(?:\..+|/.*)?",
    ),
    _Site(r"nature\.com", r"/articles/(?P<id>[a-z]*\d[a-z0-9-]+?)(?:\.pdf|/.*)?", "doi:10.1038/{}"),
    _Site(
        r"aclanthology\.org|aclweb\.org",
        r"/(?:anthology/)?(?P<id>20\d\d\.[a-z0-9_]+-[a-z0-9_]+\.\d+)(?:v\d+)?(?:\.pdf|\.bib)?/?",
        "doi:10.18653/v1/{}",
    ),
    _Site(
        r"(?:\w+\.)?arxiv\.org|ar5iv\.labs\.arxiv\.org|ar5iv\.org",
        r"/(?:abs|pdf|html|format|ps|e-print)/(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})"
        r"(?:v\d+)?(?:\.pdf)?/?",
        "arxiv:{}",
    ),
    _Site(
        r"semanticscholar\.org|api\.semanticscholar\.org",
        r"/paper/(?:[^/]+/)?(?P<id>[0-9a-f]{40})(?:/.*)?",
        "s2:{}",
    ),
    _Site(r"(?:api\.)?openalex\.org", r"/(?:works/)?(?P<id>W\d+)/?", "openalex:{}"),
)
_PATTERNS = tuple(
    (re.compile(site.hosts, re.IGNORECASE), re.compile(site.path, re.IGNORECASE), site.form)
    for site in _SITES
)


def id_in(link: str) -> str | None:
    """Return the canonical id of the paper behind a link, or None where the link does not say it."""
    try:
        parts = urlsplit(link.strip())
        site = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"}:
        return None
    path = unquote(parts.path)
    for hosts, pattern, form in _PATTERNS:
        if hosts.fullmatch(site) and (found := pattern.fullmatch(path)):
            return _checked(form, found["id"])
    if site == "journals.plos.org" and (
        found := re.search(r"(?:^|&)id=(10\.[^&]+)", unquote(parts.query))
    ):
        return _checked("doi:{}", found[1])
    if site == "papers.ssrn.com" and (
        found := re.search(r"(?:^|&)abstract_?id=(\d+)", parts.query)
    ):
        return _checked("doi:10.2139/ssrn.{}", found[1])
    return None


def _checked(form: str, bare: str) -> str | None:
    if form == "doi:{}":
        while (shorter := _TAILS.sub("", bare)) != bare:
            bare = shorter
    wanted = form.format(bare)
    found = canonical_id(wanted)
    # A DOI of arXiv is an arXiv id; anything else of another kind was no id after all.
    return found if found.split(":")[0] in {wanted.split(":")[0], "arxiv"} else None
