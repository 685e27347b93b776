"""The fakes of the scholarly services: their records' keys, and what the real packages make of them."""

import re
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
import pytest

from tests.fakes.scholar.server import ScholarServer

# The shapes: each record's keys are among those seen in real answers.


def keys_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPENALEX = keys_in("""
abstract_inverted_index abstract_inverted_index_v3 apc_list apc_paid authorships best_oa_location biblio
citation_normalized_percentile cited_by_api_url cited_by_count cited_by_percentile_year concepts
corresponding_author_ids corresponding_institution_ids countries_distinct_count counts_by_year created_date
datasets display_name doi fulltext_origin fwci grants has_fulltext id ids indexed_in institution_assertions
institutions_distinct_count is_paratext is_retracted keywords language locations locations_count mesh
open_access primary_location primary_topic publication_date publication_year referenced_works
referenced_works_count related_works relevance_score sustainable_development_goals title topics type
type_crossref updated_date versions
affiliations author author_position countries institutions is_corresponding raw_affiliation_strings
raw_author_name orcid openalex is_accepted is_oa is_published landing_page_url license license_id pdf_url
source version host_organization host_organization_lineage host_organization_lineage_names
host_organization_name is_core is_in_doaj is_indexed_in_scopus issn issn_l any_repository_has_fulltext
oa_status oa_url first_page issue last_page volume
""")
SEMANTIC_SCHOLAR = keys_in("""
abstract authors citationCount citationStyles corpusId externalIds fieldsOfStudy influentialCitationCount
isOpenAccess journal matchScore openAccessPdf paperId publicationDate publicationTypes publicationVenue
referenceCount s2FieldsOfStudy title url venue year authorId name ArXiv CorpusId DOI MAG license status
category source bibtex
""")
CROSSREF = keys_in("""
DOI ISSN URL abstract author container-title content-domain created deposited indexed is-referenced-by-count
issued link member original-title prefix published published-online published-print publisher reference
reference-count references-count relation resource score short-container-title short-title source subject
subtitle title type updated-by family given sequence affiliation name article-title doi-asserted-by key
unstructured year label updated content-type content-version intended-application date-parts date-time
timestamp domain crossmark-restriction primary
""")
ATOM = keys_in("""
arxiv:doi arxiv:journal_ref arxiv:primary_category author category entry feed id link name
opensearch:itemsPerPage opensearch:startIndex opensearch:totalResults published summary title updated
""")


def keys(value: object) -> set[str]:
    if isinstance(value, dict):
        inner = [one for name, one in value.items() if name != "abstract_inverted_index"]
        return set(value).union(*map(keys, inner))
    found: set[str] = set()
    return found.union(*map(keys, value)) if isinstance(value, list) else found


def test_records_have_the_keys_of_real_ones(server: ScholarServer, client: httpx.Client) -> None:
    page = client.get(f"{server.openalex_url}/works?search=citation&per_page=100").json()
    assert set(page) == {"meta", "results", "group_by"}
    assert keys(page["results"]) <= OPENALEX
    ids = {"ids": [work.s2 for work in server.world.held("semantic_scholar")[:200]]}
    fields = "abstract,authors,citationCount,citationStyles,corpusId,externalIds,fieldsOfStudy," \
        "isOpenAccess,journal,openAccessPdf,publicationDate,publicationTypes,publicationVenue," \
        "referenceCount,s2FieldsOfStudy,title,url,venue,year"  # fmt: skip
    graph = f"{server.semantic_scholar_url}/graph/v1/paper"
    papers = client.post(f"{graph}/batch?fields={fields}", json=ids).json()
    assert keys(papers) <= SEMANTIC_SCHOLAR
    items = client.get(f"{server.crossref_url}/works?rows=1000").json()["message"]["items"]
    # No notice of retraction was recorded; 'update-to' is as Crossref documents it.
    assert keys(items) <= CROSSREF | {"update-to"}
    feed = client.get(f"{server.arxiv_url}/api/query?search_query=all:citation&max_results=50").text
    assert set(re.findall(r"<([\w:]+)", feed)) <= ATOM


# The real packages


@pytest.fixture
def alex(server: ScholarServer, monkeypatch: pytest.MonkeyPatch) -> Any:
    import pyalex
    import pyalex.api

    real = pyalex.api.BaseOpenAlex.url

    def url(self: Any) -> str:
        asked, base = urlsplit(real.fget(self)), urlsplit(server.openalex_url)
        found = base.scheme, base.netloc, base.path + asked.path, asked.query, ""
        return str(urlunsplit(found))

    monkeypatch.setattr(pyalex.api.BaseOpenAlex, "url", property(url))
    monkeypatch.setitem(pyalex.config, "api_key", "a-key")
    return pyalex


def test_pyalex_searches_filters_pages_and_decodes(server: ScholarServer, alex: Any) -> None:
    work = server.world.ordinary("openalex")
    one = alex.Works()[work.openalex]
    assert one["abstract"] == work.abstract
    assert alex.Works()[f"doi:{work.doi}"]["id"] == one["id"]
    several = alex.Works()[[other.openalex for other in server.world.held("openalex")[:100]]]
    assert len(several) == 100
    landmark = server.world.works[server.world.landmark]
    citing = alex.Works().filter(cites=landmark.openalex).select(["id"])
    pages = list(citing.paginate(per_page=100, n_max=None))
    found = [record["id"] for page in pages for record in page]
    assert (
        len(found) == len(set(found)) == len(server.world.citing(server.world.landmark, "openalex"))
    )
    assert {record["id"].rsplit("/", 1)[1] for record in one and alex.Works().filter(
        cited_by=work.openalex).get(per_page=100)} == {
        server.world.works[n].openalex for n in work.references
        if isinstance(n, int) and "openalex" in server.world.works[n].held_by
    }  # fmt: skip
    assert alex.Works().search("citation graph").get(per_page=5)
    assert alex.Works().similar(work.abstract).get(per_page=1)[0]["id"] == one["id"]
    assert server.charged.usd == pytest.approx(
        0.0001 * server.charged.by_kind["list"] + 0.001 + 0.01
    )


def test_pyalex_reads_the_refusals(server: ScholarServer, alex: Any) -> None:
    with pytest.raises(alex.api.QueryError, match="not a valid field"):
        alex.Works().filter(colour="red").get()
    with pytest.raises(alex.api.QueryError, match="Decrease values to 100"):
        alex.Works().filter(openalex="|".join(f"W{n}" for n in range(101))).get()
    server.bad_keys.add("a-key")
    with pytest.raises(alex.api.QueryError, match="valid API key"):
        alex.Works().search("citation").get()


async def test_semanticscholar_searches_batches_and_pages(server: ScholarServer) -> None:
    from semanticscholar import AsyncSemanticScholar
    from semanticscholar.SemanticScholarException import (
        BadQueryParametersException,
        ObjectNotFoundException,
    )

    scholar = AsyncSemanticScholar(api_url=server.semantic_scholar_url, timeout=10)
    work = server.world.ordinary("semantic_scholar")
    fields = ["title", "abstract", "externalIds", "references.title", "embedding.specter_v2"]
    for name in (work.s2, f"DOI:{work.doi}", f"CorpusId:{work.corpus}", work.doi):
        assert (await scholar.get_paper(name, fields=["title"])).title == work.title
    known = [other.s2 for other in server.world.held("semantic_scholar")[:300]]
    papers, missing = await scholar.get_papers(
        [work.s2, "0" * 40, *known], fields=fields, return_not_found=True
    )
    assert missing == ["0" * 40]
    assert papers[0].abstract == work.abstract
    assert len(papers[0].references) == len(work.references)
    assert len(papers[0].embedding["vector"]) == 768
    page = await scholar.search_paper("citation graph", fields=["title"], limit=10)
    assert len({paper.paperId async for paper in page}) == page.total
    landmark = server.world.works[server.world.landmark]
    citing = await scholar.get_paper_citations(landmark.s2, fields=["title"], limit=1000)
    assert len(citing.items) == len(server.world.citing(server.world.landmark, "semantic_scholar"))
    cited = await scholar.get_paper_references(work.s2, fields=["title", "contexts"], limit=1000)
    assert any(item.paper.paperId is None for item in cited.items)
    alike = await scholar.get_recommended_papers_from_lists(
        [work.s2], [], fields=["title"], limit=7
    )
    assert len(alike) == 7
    with pytest.raises(ObjectNotFoundException):
        await scholar.get_paper("DOI:10.1/none", fields=["title"])
    with pytest.raises(BadQueryParametersException, match="Unrecognized"):
        await scholar.get_paper(work.s2, fields=["colour"])
