"""Documents and passages are kept, read, searched and follow their papers."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from citeloom.settings import Settings
from state.passage import passage_id
from tests.library.words import WordEmbedder, document, paper
from tools.errors import InputError, LibraryError
from tools.library.library import Library
from tools.library.open import (
    close_libraries,
    create_library,
    delete_library,
    library_names,
    open_library,
)
from tools.library.texts import Texts
from tools.library.verify import verify
from tools.retrieve.port import PassageFilter

INTRODUCTION = ("1 Introduction", "Proteins fold into shapes that decide what they do.")
RESULTS = ("4 Results > 4.1 Folding", "Our network folds nine proteins of ten as nature does.")
LIMITS = ("5 Limitations", "Membrane proteins were not tried.")


@pytest.fixture
def texts(library: Library) -> Texts:
    library.add([paper(number) for number in range(1, 9)])
    return library.texts


def found(texts: Texts, query: str, **options: object) -> list[str]:
    hits = texts.search(query, limit=50, **options)  # type: ignore[arg-type]
    return [texts.get([hit.passage])[hit.passage].text for hit in hits]


def test_document_is_read_back_as_it_was_put(texts: Texts) -> None:
    entry, text, passages = document(1, INTRODUCTION, RESULTS, tags=("biology",), pages=2)
    assert texts.put(entry, text, passages) == "added"
    known = texts.known(entry.sha256)
    assert known == entry.model_copy(update={"passages": 2})
    assert texts.documents("10.1000/P1") == texts.documents() == [known]
    assert texts.text(entry.sha256) == text
    title = f"Paper number {1} on topic1 and method1"
    abstract, *others = texts.of_paper("10.1000/p1")
    assert (abstract.section, abstract.document) == (("Abstract",), "")
    own = [p.model_copy(update={"title": title, "document": entry.sha256}) for p in passages]
    assert others == own
    assert list(texts.get([own[1].id, "unknown", own[0].id]).values()) == [own[1], own[0]]


def test_putting_again_changes_nothing_and_costs_no_vector(
    library: Library, texts: Texts, embedder: WordEmbedder
) -> None:
    one = document(1, INTRODUCTION, RESULTS)
    texts.put(*one)
    assert library.index() == 2
    made = embedder.texts
    assert texts.put(*one) == "unchanged"
    assert library.index() == 0
    assert embedder.texts == made


def test_long_abstract_makes_several_passages_each_found_by_its_own_words(
    library: Library,
) -> None:
    sentences = [
        f"Sentence {n} tells of subject{n} at some length, word upon word." for n in range(60)
    ]
    record = paper(1).model_copy(update={"abstract": " ".join(sentences)})
    library.add([record])
    parts = library.texts.of_paper(record.id)
    assert len(parts) > 1
    assert max(part.words for part in parts) <= 300
    assert " ".join(part.text for part in parts) == record.abstract
    assert "subject59" in found(library.texts, "subject59")[0]


def test_new_version_of_a_file_takes_the_place_of_the_old(library: Library, texts: Texts) -> None:
    texts.put(*document(1, INTRODUCTION, RESULTS))
    library.index()
    changed = document(1, ("1 Introduction", "Proteins are long."), RESULTS)
    assert texts.put(*changed) == "updated"
    assert [one.sha256 for one in texts.documents("10.1000/p1")] == [changed[0].sha256]
    assert library.index() == 1, "the passage that stayed keeps its vector"
    assert INTRODUCTION[1] not in found(texts, INTRODUCTION[1])
    assert found(texts, "nine proteins of ten", mode="keyword")[0] == RESULTS[1]


def test_another_reading_of_the_same_file_takes_the_place_of_the_first(texts: Texts) -> None:
    entry, text, passages = document(1, INTRODUCTION, RESULTS)
    texts.put(entry, text, passages)
    again = entry.model_copy(update={"reader": "pdf 2"})
    assert texts.put(again, text, passages[:1]) == "updated"
    assert texts.known(entry.sha256) == again.model_copy(update={"passages": 1})


@pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
def test_search_finds_the_passage_that_says_it(library: Library, texts: Texts, mode: str) -> None:
    texts.put(*document(1, INTRODUCTION, RESULTS, LIMITS))
    library.index()
    hits = texts.search("membrane proteins", mode=mode, limit=3)  # type: ignore[arg-type]
    assert texts.get([hits[0].passage])[hits[0].passage].text == LIMITS[1]
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert hits == texts.search("membrane proteins", mode=mode, limit=3)  # type: ignore[arg-type]


def test_nothing_is_found_for_no_words_or_no_limit(texts: Texts) -> None:
    assert texts.search("  ", limit=5) == texts.search("topic1", limit=0) == []


def test_abstracts_are_passages_with_the_vectors_of_their_papers(
    library: Library, embedder: WordEmbedder
) -> None:
    library.add([paper(1), paper(2, abstract=None), paper(3, abstract_kind="annotation")])
    assert embedder.texts == 3
    assert library.texts.count() == 2
    assert library.texts.of_paper("10.1000/p3")[0].section == ("Annotation",)
    assert found(library.texts, "case1", mode="keyword") == [paper(1).abstract]


def test_abstract_follows_its_record(library: Library) -> None:
    library.add([paper(1), paper(2)])
    library.add([paper(1, abstract="All about zebras.")], replace=True)
    assert found(library.texts, "zebras", mode="keyword") == ["All about zebras."]
    assert found(library.texts, "case1", mode="keyword") == []
    library.add([paper(1, abstract=None)], replace=True)
    assert library.texts.of_paper("10.1000/p1") == []
    assert len(found(library.texts, "zebras")) == 1


def test_abstract_that_the_document_holds_is_no_second_passage(
    library: Library, texts: Texts
) -> None:
    abstract = paper(1).abstract or ""
    entry, text, passages = document(1, ("Abstract", abstract), RESULTS)
    before = texts.count()
    texts.put(entry, text, passages)
    library.index()
    assert texts.count() == before + 1
    assert texts.get([passage_id("doi:10.1000/p1", abstract)]).popitem()[1].page == 1
    assert found(texts, abstract).count(abstract) == 1
    texts.remove(["10.1000/p1"])
    library.index()
    assert [one.document for one in texts.of_paper("10.1000/p1")] == [""]
    assert found(texts, abstract).count(abstract) == 1


def test_words_that_two_files_share_stay_when_one_goes(library: Library, texts: Texts) -> None:
    first = document(1, INTRODUCTION, RESULTS)
    second = document(1, RESULTS, LIMITS, name="p1.html")
    texts.put(*first)
    texts.put(*second)
    assert [one.text for one in texts.of_paper("10.1000/p1")][1:] == [
        INTRODUCTION[1], RESULTS[1], LIMITS[1],
    ]  # fmt: skip
    assert texts.remove_documents([first[0].sha256]) == 1
    library.index()
    assert [one.text for one in texts.of_paper("10.1000/p1")][1:] == [RESULTS[1], LIMITS[1]]
    assert RESULTS[1] in found(texts, "nine proteins of ten")
    assert INTRODUCTION[1] not in found(texts, "shapes that decide")


def test_removed_paper_takes_its_passages_along(library: Library, texts: Texts) -> None:
    entry, text, passages = document(1, INTRODUCTION, RESULTS, tags=("biology",))
    texts.put(entry, text, passages)
    library.index()
    library.remove(["10.1000/p1"])
    assert texts.known(entry.sha256) is None
    assert texts.get([one.id for one in passages]) == {}
    assert texts.count() == 7
    assert not {INTRODUCTION[1], RESULTS[1]} & set(found(texts, "proteins fold"))
    assert texts.tags() == {}


def test_passages_follow_their_paper_to_its_better_id(library: Library) -> None:
    library.add([paper(1, "A preprint", id="arxiv:2001.00001")])
    entry, text, passages = document(1, INTRODUCTION, tags=("biology",))
    library.texts.put(entry.model_copy(update={"paper": "arxiv:2001.00001"}), text, passages)
    library.index()
    library.add([paper(1, "A preprint", id="doi:10.1000/p1", aliases=("arxiv:2001.00001",))])
    own = library.texts.of_paper("10.1000/p1")
    assert {one.paper for one in own} == {"doi:10.1000/p1"}
    assert passages[0].id in {one.id for one in own}
    wanted = PassageFilter(papers=frozenset({"doi:10.1000/p1"}))
    assert INTRODUCTION[1] in found(library.texts, "proteins", wanted=wanted)
    assert library.texts.documents("2001.00001")[0].tags == ("biology",)


def test_two_papers_that_turn_out_to_be_one_share_their_passages(library: Library) -> None:
    library.add([paper(1, "Left half"), paper(2, "Right half", id="doi:10.1000/p2")])
    library.texts.put(*document(1, INTRODUCTION, RESULTS))
    library.texts.put(*document(2, RESULTS, LIMITS))
    library.index()
    library.add([paper(1, "Left half", aliases=("doi:10.1000/p2",))])
    texts = [one.text for one in library.texts.of_paper("10.1000/p2")]
    assert sorted(texts[1:]) == sorted([INTRODUCTION[1], RESULTS[1], LIMITS[1]])
    assert sorted(found(library.texts, "proteins network membrane")) == sorted(texts)


def test_paper_that_is_not_here_is_named(texts: Texts) -> None:
    entry, text, passages = document(99, INTRODUCTION)
    with pytest.raises(InputError, match=r"no paper doi:10.1000/p99: add its record first"):
        texts.put(entry, text, passages)
    with pytest.raises(InputError, match="no paper"):
        texts.tag("10.1000/p99", ["a"])
    with pytest.raises(InputError, match="no document"):
        texts.text(entry.sha256)
    assert texts.of_paper("10.1000/p99") == []
    assert texts.documents("10.1000/p99") == []


def test_pages_hold_every_passage_once(texts: Texts) -> None:
    texts.put(*document(1, INTRODUCTION, RESULTS, LIMITS))
    pages = list(texts.pages(4))
    assert [len(page) for page in pages] == [4, 4, 3]
    assert len({one.id for page in pages for one in page}) == texts.count() == 11


def test_nul_is_no_obstacle(library: Library, texts: Texts) -> None:
    odd = ("1 \x00 Results", "Broken pair and \x00 byte.")
    texts.put(*document(1, odd))
    library.index()
    assert found(texts, "broken pair", mode="keyword") == ["Broken pair and \x00 byte."]


def test_threads_may_put_search_and_remove_at_once(library: Library, texts: Texts) -> None:
    def work(number: int) -> int:
        library.add([paper(100 + number)])
        texts.put(*document(number, (f"{number} Part", f"Words of thread{number}."), LIMITS))
        library.index()
        texts.search("membrane", limit=5)
        texts.tag(f"10.1000/p{number}", ["done"])
        library.remove([f"10.1000/p{100 + number}"])
        return texts.remove([f"10.1000/p{number}"])

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(1, 9))) == 8
    assert (texts.count(), texts.waiting(), texts.tags()) == (8, 0, {"done": 8})


def test_each_abstract_is_embedded_once_whatever_it_is_found_as(
    library: Library, embedder: WordEmbedder
) -> None:
    library.add([paper(number) for number in range(1, 6)])
    assert embedder.texts == 5
    assert library.texts.count() == 5
    engine = library.vector_index.serving().engine
    assert [one.payload["kind"] for one in engine.scroll(0, 9)] == [["paper", "passage"]] * 5
    assert library.search("topic1 method1", limit=1)[0].paper == "doi:10.1000/p1"
    hit = library.texts.search("topic1 method1", limit=1)[0]
    assert library.texts.get([hit.passage])[hit.passage].text == paper(1).abstract
    library.texts.put(*document(1, ("Abstract", str(paper(1).abstract)), RESULTS))
    assert library.index() == 2, "of the file; the paper keeps the vector of its record"
    assert library.texts.count() == 6
    assert verify(library) == []


def test_library_of_an_earlier_version_is_refused_and_the_starter_made_anew(
    settings: Settings, embedder: WordEmbedder, tmp_path: Path
) -> None:
    records = tmp_path / "papers.jsonl"
    records.write_text('{"id": "doi:10.1/x", "title": "One paper", "authors": ["A B"]}')
    create_library("old", settings, embedder).add([paper(1)])
    open_library("starter", settings, embedder, starter=records)
    close_libraries()
    for name in ("old", "starter"):
        database = sqlite3.connect(settings.home / "libraries" / name / "catalog.sqlite")
        database.execute("PRAGMA user_version=2")
        database.close()
    with pytest.raises(LibraryError, match="made by an earlier CiteLoom"):
        open_library("old", settings, embedder)
    assert len(open_library("starter", settings, embedder, starter=records).ids()) == 1
    delete_library("old", settings, embedder)
    assert library_names(settings) == ["starter"]
