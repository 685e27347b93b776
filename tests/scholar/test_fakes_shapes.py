"""The fakes of the scholarly services: their records have the keys of real ones."""

import re

import httpx

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
    fields = (
        "abstract,authors,citationCount,citationStyles,corpusId,externalIds,fieldsOfStudy,"
        "isOpenAccess,journal,openAccessPdf,publicationDate,publicationTypes,publicationVenue,"
        "referenceCount,s2FieldsOfStudy,title,url,venue,year"
    )
    graph = f"{server.semantic_scholar_url}/graph/v1/paper"
    papers = client.post(f"{graph}/batch?fields={fields}", json=ids).json()
    assert keys(papers) <= SEMANTIC_SCHOLAR
    items = client.get(f"{server.crossref_url}/works?rows=1000").json()["message"]["items"]
    # No notice of retraction was recorded; 'update-to' is as Crossref documents it.
    assert keys(items) <= CROSSREF | {"update-to"}
    feed = client.get(f"{server.arxiv_url}/api/query?search_query=all:citation&max_results=50").text
    assert set(re.findall(r"<([\w:]+)", feed)) <= ATOM
