"""A library finds, merges, cites and survives."""

import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from citeloom.settings import Settings
from state.paper import Author, published_before
from tests.library.words import WordEmbedder, paper
from tools.errors import InputError
from tools.library.library import Library
from tools.library.open import open_library
from tools.library.report import AddReport

ROOT = Path(__file__).parents[2]


def ids(library: Library, text: str, **options: object) -> list[str]:
    found = library.search(text, limit=50, **options)  # type: ignore[arg-type]
    return [hit.paper for hit in found]


def test_second_load_of_the_same_records_changes_nothing(
    library: Library, embedder: WordEmbedder
) -> None:
    papers = [paper(number) for number in range(30)]
    assert library.add(papers) == AddReport(added=30)
    texts = embedder.texts
    assert library.add(papers) == AddReport(unchanged=30)
    assert embedder.texts == texts


def test_search_obeys_limit_rank_and_exclusion(library: Library) -> None:
    library.add([paper(number) for number in range(30)])
    hits = library.search("topic3 with method3", limit=5)
    assert [hit.rank for hit in hits] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    best = hits[0].paper
    assert best not in ids(library, "topic3 with method3", exclude=[best.removeprefix("doi:")])
    assert library.search("topic3", limit=0) == []
    assert library.search("  ", limit=5) == []


@pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
def test_each_mode_finds_the_paper_that_says_it(library: Library, mode: str) -> None:
    library.add([paper(1, "Folding of proteins", abstract=None), *map(paper, range(2, 20))])
    assert ids(library, "proteins folding", mode=mode)[0] == "doi:10.1000/p1"


@pytest.mark.parametrize(
    "cutoff", [date(2019, 12, 31), date(2020, 1, 1), date(2020, 6, 1), date(2021, 1, 1)]
)
def test_cutoff_agrees_with_published_before(library: Library, cutoff: date) -> None:
    papers = [
        paper(1, "alpha one", year=2019),
        paper(2, "alpha two", year=2020),
        paper(3, "alpha three", year=2020, published=date(2020, 5, 31)),
        paper(4, "alpha four", year=2020, published=date(2020, 6, 1)),
        paper(5, "alpha five", year=None),
    ]
    library.add(papers)
    wanted = {one.id for one in papers if published_before(one, cutoff)}
    assert set(ids(library, "alpha", before=cutoff)) == wanted
    assert set(ids(library, "alpha", before=cutoff, mode="keyword")) == wanted


def test_ids_are_taken_in_any_form_and_answered_by_the_form_asked(library: Library) -> None:
    library.add([paper(1, aliases=("arxiv:2005.11401", "local:my key"))])
    asked = [
        "10.1000/P1",
        "https://doi.org/10.1000/p1",
        "arXiv:2005.11401v3",
        "my key",
        "10.1/none",
        " ",
    ]
    assert list(library.get(asked)) == asked[:4]
    assert set(library.vectors(asked)) == set(asked[:4])


def test_references_resolve_whatever_the_order_and_form(library: Library) -> None:
    citing = paper(
        1, references=("10.1000/P2", "https://arxiv.org/abs/2005.11401", "10.1000/not-here")
    )
    cited = paper(3, id="doi:10.1000/p3", aliases=("arxiv:2005.11401",))
    library.add([citing])
    assert library.references(["doi:10.1000/p1"]) == {"doi:10.1000/p1": ()}
    library.add([cited, paper(2)])
    assert library.references(["10.1000/p1"]) == {
        "10.1000/p1": ("doi:10.1000/p2", "doi:10.1000/p3")
    }
    assert library.citations(["arxiv:2005.11401", "doi:10.1000/p1", "unknown"]) == {
        "arxiv:2005.11401": ("doi:10.1000/p1",),
        "doi:10.1000/p1": (),
    }


def test_vectors_are_those_of_title_and_abstract(library: Library, embedder: WordEmbedder) -> None:
    one = paper(1)
    library.add([one])
    stored = library.vectors([one.id])[one.id]
    np.testing.assert_allclose(
        stored, embedder.embed([f"{one.title}. {one.abstract}"])[0], atol=1e-6
    )


def test_preprint_and_article_become_one_under_the_better_id(library: Library) -> None:
    title = "Attention to the details of merging"
    who = (Author(name="Vaswani, Ashish"), Author(name="Shazeer, Noam"))
    preprint = paper(1, title, id="arxiv:1706.03762", arxiv="1706.03762", year=2017, authors=who)
    article = paper(
        2, title.upper() + "!", id="doi:10.1000/nips", doi="10.1000/nips", year=2018,
        authors=(Author(name="A. Vaswani"),), venue="NeurIPS", abstract=None,
        references=("doi:10.1000/p9",),
    )  # fmt: skip
    assert library.add([preprint, article, paper(9)]) == AddReport(added=2, merged=1)
    merged = library.get(["arxiv:1706.03762"])["arxiv:1706.03762"]
    assert merged.id == "doi:10.1000/nips"
    assert (merged.venue, merged.authors, merged.abstract) == ("NeurIPS", who, preprint.abstract)
    assert library.citations(["10.1000/p9"]) == {"10.1000/p9": ("doi:10.1000/nips",)}
    assert ids(library, title).count("doi:10.1000/nips") == 1
    assert library.add([preprint, article]) == AddReport(unchanged=2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"year": 2007}, "years too far apart"),
        ({"authors": (Author(name="Bo Other"),)}, "another first author"),
        ({"authors": ()}, "nobody to compare"),
        ({"title": "Preface", "doi": "10.1000/b"}, "a title that many works have"),
    ],
)
def test_like_titles_alone_do_not_merge(
    library: Library, change: dict[str, object], why: str
) -> None:
    title = str(change.get("title", "One title for two quite different works"))
    first = paper(1, title, year=2005, authors=(Author(name="Al One"),), doi="10.1000/a")
    second = {"title": title, "year": 2005, "authors": (Author(name="Al One"),)} | change
    library.add([first, paper(2, **second)])  # type: ignore[arg-type]
    assert library.stats().papers == 2, why


def test_record_that_joins_two_known_papers_leaves_one(library: Library) -> None:
    library.add([paper(1, "Left half"), paper(2, "Right half", id="arxiv:2001.00001"), paper(3)])
    report = library.add([paper(1, "Left half", aliases=("arxiv:2001.00001",))])
    assert report == AddReport(updated=1)
    assert library.stats().papers == 2
    assert set(library.get(["10.1000/p1", "2001.00001"])) == {"10.1000/p1", "2001.00001"}
    assert ids(library, "right half left half").count("doi:10.1000/p1") == 1
    assert "arxiv:2001.00001" not in ids(library, "right half left half")


def test_changed_record_is_searched_by_its_new_words(library: Library) -> None:
    library.add([paper(1, venue="Here"), paper(2)])
    assert library.add([paper(1, "Zebras in the wild", venue=None)]) == AddReport(updated=1)
    assert ids(library, "zebras", mode="keyword") == ["doi:10.1000/p1"]
    assert library.get(["10.1000/p1"])["10.1000/p1"].venue == "Here"


def test_replacing_leaves_nothing_of_the_old_record(library: Library) -> None:
    old = paper(1, venue="Here", references=("10.1000/p2",))
    library.add([old, paper(2)])
    library.add([paper(1)], replace=True)
    assert library.get(["10.1000/p1"])["10.1000/p1"].venue is None
    assert library.references(["10.1000/p1"]) == {"10.1000/p1": ()}
    assert library.add([old], replace=True) == AddReport(updated=1)


def test_new_reference_alone_costs_no_new_vector(library: Library, embedder: WordEmbedder) -> None:
    library.add([paper(1), paper(2)])
    texts = embedder.texts
    library.add([paper(1, references=("10.1000/p2",))])
    assert embedder.texts == texts
    assert library.references(["10.1000/p1"]) == {"10.1000/p1": ("doi:10.1000/p2",)}


def test_local_id_of_another_paper_is_a_conflict_and_not_a_merge(library: Library) -> None:
    library.add([paper(1, "Deep learning for proteins", id="12")])
    report = library.add([paper(2, "A history of typography", id="12")])
    assert report.conflicts == ("12",)
    assert library.get(["12"])["12"].title == "Deep learning for proteins"


def test_empty_id_is_an_input_error(library: Library) -> None:
    with pytest.raises(InputError, match="empty id"):
        library.add([paper(1, id="  ")])


def test_removed_papers_are_gone_and_may_come_again(library: Library) -> None:
    library.add([paper(number) for number in range(10)])
    assert library.remove(["10.1000/P3", "10.1000/p4", "10.1000/p4", "unknown"]) == 2
    assert library.stats().papers == 8
    assert not {"doi:10.1000/p3", "doi:10.1000/p4"} & set(ids(library, "topic3 method3"))
    assert library.add([paper(3)]) == AddReport(added=1)
    assert "doi:10.1000/p3" in ids(library, "topic3 method3")


def test_empty_library_finds_nothing(library: Library) -> None:
    assert library.search("anything", limit=5) == []
    assert library.same_work("A title that is long enough", "text") is None
    assert library.get([]) == library.vectors([]) == library.references([]) == {}


ABSTRACT = (
    "We present a system that reads many papers and writes about them. It finds what they have in "
    "common, checks each quotation against its source, and drops every sentence that has no support. "
    "In a study with twelve researchers it halved the time needed, and no citation was invented."
)


@pytest.mark.parametrize(
    ("title", "text", "same"),
    [
        ("", ABSTRACT, True),
        ("", ABSTRACT.replace("many", "several").replace("twelve", "12").upper(), True),
        ("", ABSTRACT[:210], True),
        ("", f"Writing About Papers. {ABSTRACT}", True),
        ("writing about papers: with care!", "", True),
        ("", "Writing about papers, with care", True),
        ("Writing about papers", "", False),
        ("", "We present a system that reads many papers and writes about them.", False),
        ("", "Typography has a long history, which begins before the press.", False),
        ("", "", False),
    ],
)
def test_same_work_is_known_by_abstract_or_title(
    library: Library, title: str, text: str, same: bool
) -> None:
    own = paper(77, "Writing about papers, with care", abstract=ABSTRACT)
    library.add([*map(paper, range(20)), own])
    assert library.same_work(title, text) == (own.id if same else None)


def test_annotation_is_never_taken_for_the_papers_abstract(library: Library) -> None:
    library.add([paper(77, abstract=ABSTRACT, abstract_kind="annotation")])
    assert library.same_work("", ABSTRACT) is None


def test_stats_count_what_is_there(library: Library) -> None:
    library.add(
        [paper(1, references=("10.1000/p2",)), paper(2, abstract=None), paper(3, year=None)]
    )
    stats = library.stats()
    assert (stats.papers, stats.abstracts, stats.waiting, stats.links) == (3, 2, 0, 1)
    assert (stats.first_year, stats.last_year, stats.embedder, stats.size) == (
        2001,
        2002,
        "words",
        64,
    )
    assert stats.bytes > 1000


LOAD = """
import sys
from pathlib import Path
from citeloom.settings import Settings
from tests.library.words import WordEmbedder, paper
from tools.library.open import create_library
library = create_library("mine", Settings(home=Path(sys.argv[1]), qdrant_url=None), WordEmbedder(pause=0.3))
library.add(map(paper, range(700)), progress=lambda done, total: print(done, total, flush=True))
"""


def test_load_that_was_killed_goes_on_and_loses_nothing(
    settings: Settings, embedder: WordEmbedder
) -> None:
    command = [sys.executable, "-c", LOAD, str(settings.home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(5)]
        process.kill()
    assert lines == ["500 None\n", "700 None\n", "0 700\n", "128 700\n", "256 700\n"]
    library = open_library("mine", settings, embedder)
    waiting = library.stats().waiting
    assert 0 < waiting <= 700 - 256
    report = library.add(map(paper, range(700)))
    assert report == AddReport(unchanged=700)
    assert embedder.texts == waiting
    assert library.stats().waiting == 0
    assert len(library.vectors(library.ids())) == 700
