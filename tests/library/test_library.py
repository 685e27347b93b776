"""A library finds, merges, cites and survives."""

from datetime import date

import numpy as np
import pytest

from state.inputs import CheckedRequest
from state.paper import Author, published_before
from tests.library.words import WordEmbedder, paper
from tools.library.library import Library
from tools.library.search_types import AddReport


def ids(library: Library, text: str, **options: object) -> list[str]:
    found = library.search(text, limit=50, **options)  # type: ignore[arg-type]
    return [hit.paper for hit in found]


def test_papers_are_found_and_a_second_load_changes_nothing(
    library: Library, embedder: WordEmbedder
) -> None:
    assert library.search("anything", limit=5) == []
    assert library.get([]) == library.vectors([]) == library.references([]) == {}
    one = paper(1, "Folding of proteins", abstract=None, references=("10.1000/p2",))
    papers = [one, *map(paper, range(2, 30)), paper(30, year=None)]
    assert library.add(papers) == AddReport(added=30)
    texts = embedder.texts
    assert library.add(papers) == AddReport(unchanged=30)
    assert embedder.texts == texts
    for mode in ("hybrid", "dense", "keyword"):
        assert ids(library, "proteins folding", mode=mode)[0] == one.id
    hits = library.search("topic3 with method3", limit=5)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    among = {hits[0].paper, hits[3].paper}
    assert {*ids(library, "topic3 with method3", among=among)} == among
    assert ids(library, "topic3 with method3", among=[]) == []
    assert library.search("topic3", limit=0) == library.search("  ", limit=5) == []
    stored = library.vectors([papers[1].id])[papers[1].id]
    expected = embedder.embed([f"{papers[1].title}. {papers[1].abstract}"])[0]
    np.testing.assert_allclose(stored, expected, atol=1e-6)
    stats = library.stats()
    assert (stats.papers, stats.abstracts, stats.waiting, stats.links) == (30, 29, 0, 1)
    assert (stats.first_year, stats.last_year) == (2000, 2019)


def test_cutoff_agrees_with_published_before(library: Library) -> None:
    papers = [
        paper(1, "alpha one", year=2019),
        paper(2, "alpha two", year=2020),
        paper(3, "alpha three", year=2020, published=date(2020, 5, 31)),
        paper(4, "alpha four", year=2020, published=date(2020, 6, 1)),
        paper(5, "alpha five", year=None),
        paper(6, "alpha six", year=2022, arxiv="2005.11401"),
        paper(7, "alpha seven", year=2022, arxiv="cs/0005020"),
        paper(8, "alpha eight", year=None, arxiv="2013.00001"),
    ]
    library.add(papers)
    assert published_before(papers[5], date(2020, 6, 1))
    for cutoff in (
        date(2000, 6, 1),
        date(2019, 12, 31),
        date(2020, 5, 31),
        date(2020, 1, 1),
        date(2020, 6, 1),
        date(2021, 1, 1),
    ):
        wanted = {one.id for one in papers if published_before(one, cutoff)}
        for mode in ("hybrid", "keyword"):
            assert set(ids(library, "alpha", before=cutoff, mode=mode)) == wanted
        since = {one.id for one in papers if CheckedRequest(text="", after=cutoff).admits(one)}
        assert since == {one.id for one in papers} - wanted - {"doi:10.1000/p5", "doi:10.1000/p8"}
        assert set(ids(library, "alpha", after=cutoff)) == since


def test_ids_and_references_resolve_in_any_form_and_order(library: Library) -> None:
    references = ("10.1000/P2", "https://arxiv.org/abs/2005.11401", "10.1000/not-here")
    library.add([paper(1, references=references)])
    assert library.references(["doi:10.1000/p1"]) == {"doi:10.1000/p1": ()}
    library.add([paper(3, aliases=("arxiv:2005.11401", "local:my key")), paper(2)])
    forms = ["10.1000/P3", "https://doi.org/10.1000/p3", "arXiv:2005.11401v3", "my key"]
    asked = [*forms, "10.1/none", " "]
    assert list(library.get(asked)) == list(library.vectors(asked)) == forms
    assert [*library.references(["10.1000/p1"]).values()] == [("doi:10.1000/p2", "doi:10.1000/p3")]
    assert library.citations(["arxiv:2005.11401", "doi:10.1000/p1", "unknown"]) == {
        "arxiv:2005.11401": ("doi:10.1000/p1",),
        "doi:10.1000/p1": (),
    }


def test_preprint_and_article_become_one_under_the_better_id(library: Library) -> None:
    title = "Attention to the details of merging"
    who = (Author(name="Vaswani, Ashish"), Author(name="Shazeer, Noam"))
    preprint = paper(1, title, id="arxiv:1706.03762", arxiv="1706.03762", year=2017, authors=who)
    article = paper(
        2,
        title.upper() + "!",
        id="doi:10.1000/nips",
        doi="10.1000/nips",
        year=2018,
        authors=(Author(name="A. Vaswani"),),
        aliases=("pmcid:PMC17060", "pmid:376"),
        venue="NeurIPS",
        abstract=None,
        references=("doi:10.1000/p9",),
    )
    assert library.add([preprint, article, paper(9)]) == AddReport(added=2, merged=1)
    merged = library.get(["arxiv:1706.03762"])["arxiv:1706.03762"]
    assert merged.id == "doi:10.1000/nips"
    assert {"pmcid:PMC17060", "pmid:376"} <= {*merged.aliases}
    assert (merged.venue, merged.authors, merged.abstract) == ("NeurIPS", who, preprint.abstract)
    assert library.citations(["10.1000/p9"]) == {"10.1000/p9": ("doi:10.1000/nips",)}
    assert ids(library, title).count("doi:10.1000/nips") == 1


@pytest.mark.parametrize(
    "change",
    [
        {"year": 2007},
        {"authors": (Author(name="Bo Other"),)},
        {"authors": ()},  # nobody to compare
        {"title": "Preface", "doi": "10.1000/b"},  # a title that many works have
    ],
)
def test_like_titles_alone_do_not_merge(library: Library, change: dict[str, object]) -> None:
    title = str(change.get("title", "One title for two quite different works"))
    first = paper(1, title, year=2005, authors=(Author(name="Al One"),), doi="10.1000/a")
    second = {"title": title, "year": 2005, "authors": (Author(name="Al One"),)} | change
    assert library.add([first, paper(2, **second)]).added == 2  # type: ignore[arg-type]


def test_local_id_of_another_paper_is_a_conflict(library: Library) -> None:
    library.add([paper(1, "Deep learning for proteins", id="12")])
    assert library.add([paper(2, "A history of typography", id="12")]).conflicts == ("12",)
    assert library.get(["12"])["12"].title == "Deep learning for proteins"


def test_record_is_changed_replaced_removed_and_added_again(
    library: Library, embedder: WordEmbedder
) -> None:
    key = "10.1000/p1"
    library.add([*map(paper, range(2, 10)), paper(1, venue="Here")])
    texts = embedder.texts
    library.add([paper(1, references=("10.1000/p2",))])
    assert library.references([key]) == {key: ("doi:10.1000/p2",)}
    assert embedder.texts == texts, "a new reference alone costs no new vector"
    assert library.add([paper(1, "Zebras in the wild")]) == AddReport(updated=1)
    assert ids(library, "zebras", mode="keyword") == ["doi:10.1000/p1"]
    assert library.get([key])[key].venue == "Here", "what the new record does not tell stays"
    assert library.add([paper(1)], replace=True) == AddReport(updated=1)
    assert library.get([key])[key].venue is None
    assert library.references([key]) == {key: ()}
    assert library.remove(["10.1000/P1", "10.1000/p4", "10.1000/p4", "unknown"]) == 2
    assert not {"doi:10.1000/p1", "doi:10.1000/p4"} & set(ids(library, "topic1 method1"))
    library.add([paper(1)])
    assert "doi:10.1000/p1" in ids(library, "topic1 method1")


ABSTRACT = (
    "We present a system that reads many papers and writes about them. It finds what they have in "
    "common, checks each quotation against its source, and drops every sentence that has no support. "
    "In a study with twelve researchers it halved the time needed, and no citation was invented."
)


def test_same_work_is_known_by_abstract_or_title(library: Library) -> None:
    assert library.same_work("A title that is long enough", "text") is None
    own = paper(
        77, "Writing about papers, with care", abstract=ABSTRACT, abstract_kind="annotation"
    )
    library.add([*map(paper, range(20)), own])
    assert library.same_work("", ABSTRACT) is None, "an annotation is not the paper's abstract"
    library.add([own.model_copy(update={"abstract_kind": "abstract"})], replace=True)
    for title, text, same in (
        ("", ABSTRACT.replace("many", "several").replace("twelve", "12").upper(), own.id),
        ("", ABSTRACT[:210], own.id),
        ("", f"Writing About Papers. {ABSTRACT}", own.id),
        ("writing about papers: with care!", "", own.id),
        ("Writing about papers", "", None),
        ("", "We present a system that reads many papers and writes about them.", None),
    ):
        assert library.same_work(title, text) == same
