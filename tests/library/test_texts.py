"""Documents, passages and files are kept, read, searched and follow their papers."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from state.passage import passage_id
from tests.library.words import WordEmbedder, document, paper
from tools.errors import InputError
from tools.library.library import Library
from tools.library.library_care import verify
from tools.library.search_types import PassageFilter
from tools.library.texts import LibraryFiles, Texts

INTRODUCTION = ("1 Introduction", "Proteins fold into shapes that decide what they do.")
RESULTS = ("4 Results > 4.1 Folding", "Our network folds nine proteins of ten as nature does.")
LIMITS = ("5 Limitations", "Membrane \x00 proteins were not tried.")
KEY = "10.1000/p1"


@pytest.fixture
def texts(library: Library) -> Texts:
    library.add([paper(number) for number in range(1, 5)])
    return library.texts


def found(texts: Texts, query: str, **options: object) -> list[str]:
    hits = texts.search(query, limit=50, **options)  # type: ignore[arg-type]
    return [texts.get([hit.passage])[hit.passage].text for hit in hits]


def own(texts: Texts, key: str = KEY) -> list[str]:
    """The words of a paper's passages after its abstract."""
    return [one.text for one in texts.of_paper(key) if one.section != ("Abstract",)]


def test_document_is_read_back_as_it_was_put_found_and_removed_with_its_paper(
    library: Library, texts: Texts
) -> None:
    entry, text, passages = document(1, INTRODUCTION, RESULTS, LIMITS, tags=("biology",), pages=3)
    assert texts.put(entry, text, passages) == "added"
    known = entry.model_copy(update={"passages": 3})
    assert texts.documents("10.1000/P1") == texts.documents() == [known]
    assert texts.text(entry.sha256) == text
    given = {"title": paper(1).title, "document": entry.sha256}
    same = [one.model_copy(update=given) for one in passages]
    assert texts.of_paper(KEY)[1:] == same
    assert list(texts.get([same[1].id, "unknown", same[0].id]).values()) == [same[1], same[0]]
    pages = list(texts.pages(4))
    assert [len(page) for page in pages] == [4, 3]
    library.index()
    for mode in ("hybrid", "dense", "keyword"):
        hits = texts.search("membrane proteins", mode=mode, limit=3)
        assert hits[0].passage == same[2].id
    assert texts.search("  ", limit=5) == texts.search("topic1", limit=0) == []
    library.remove([KEY])
    assert texts.known(entry.sha256) is None
    assert not texts.get([one.id for one in passages])
    assert not {INTRODUCTION[1], RESULTS[1]} & set(found(texts, "proteins fold"))


def test_document_is_put_again_changed_and_moved_to_another_paper(
    library: Library, texts: Texts
) -> None:
    entry, text, passages = document(1, INTRODUCTION, RESULTS)
    texts.put(entry, text, passages)
    assert library.index() == 2
    assert texts.put(entry, text, passages) == "unchanged"
    tagged = entry.model_copy(update={"tags": ("new",)})
    assert [texts.put(tagged, text, passages) for _ in range(2)] == ["updated", "unchanged"]
    changed = document(1, ("1 Introduction", "Proteins are long."), RESULTS)
    assert texts.put(*changed) == "updated", "a new version under the same name"
    assert INTRODUCTION[1] not in found(texts, INTRODUCTION[1]), "even before the index has it"
    assert len(texts.search("proteins network paper", limit=3)) == 3, "it leaves room for others"
    assert library.index() == 1, "the passage that stayed keeps its vector"
    again = changed[0].model_copy(update={"reader": "pdf 2"})
    assert texts.put(again, changed[1], changed[2][1:]) == "updated", "another reading of the file"
    assert texts.documents(KEY) == [again.model_copy(update={"passages": 1, "tags": ("new",)})]
    other, text, passages = document(1, RESULTS, LIMITS, name="other.pdf")
    texts.put(other, text, passages)
    assert own(texts) == [RESULTS[1], LIMITS[1]], "words that two files share are here once"
    assert texts.remove_documents([again.sha256]) == 1
    assert own(texts) == [RESULTS[1], LIMITS[1]], "and stay when one goes"
    texts.put(*document(1, INTRODUCTION))
    named = other.model_copy(update={"name": again.name})
    assert texts.put(named, text, passages) == "updated", "a known file under another's name"
    assert [item.sha256 for item in texts.documents()] == [named.sha256]
    moved = named.model_copy(update={"paper": "doi:10.1000/p2"})
    assert texts.put(moved, text, passages) == "updated", "it turned out to be of another paper"
    library.index()
    assert (own(texts), own(texts, "10.1000/p2")) == ([], [RESULTS[1], LIMITS[1]])
    assert found(texts, LIMITS[1]).count(LIMITS[1]) == 1
    assert verify(library) == []


def test_abstract_is_one_passage_embedded_once_and_follows_its_record(
    library: Library, embedder: WordEmbedder
) -> None:
    texts = library.texts
    library.add([paper(1), paper(2, abstract=None), paper(3, abstract_kind="annotation")])
    assert (embedder.texts, texts.count()) == (3, 2)
    assert texts.of_paper("10.1000/p3")[0].section == ("Annotation",)
    assert found(texts, "case1", mode="keyword") == [paper(1).abstract]
    library.add([paper(1, abstract="All about zebras.")], replace=True)
    assert found(texts, "zebras case1", mode="keyword") == ["All about zebras."]
    library.add([paper(1, abstract=None)], replace=True)
    assert texts.of_paper(KEY) == []
    long = " ".join(f"Sentence {n} tells of subject{n}, word upon word." for n in range(60))
    library.add([paper(1, abstract=long)], replace=True)
    parts = texts.of_paper(KEY)
    assert max(part.words for part in parts) <= 300
    assert " ".join(part.text for part in parts) == long
    assert "subject59" in found(texts, "subject59")[0]


def test_abstract_that_the_document_holds_is_no_second_passage(
    library: Library, texts: Texts
) -> None:
    abstract = paper(1).abstract or ""
    texts.put(*document(1, ("Abstract", abstract), RESULTS))
    assert library.index() == 2, "of the file; the paper keeps the vector of its record"
    assert texts.get([passage_id("doi:10.1000/p1", abstract)]).popitem()[1].page == 1
    assert found(texts, abstract).count(abstract) == 1
    texts.remove([KEY])
    assert [one.document for one in texts.of_paper(KEY)] == [""]
    library.index()
    assert verify(library) == []


def test_papers_that_turn_out_to_be_one_share_their_passages_under_the_better_id(
    library: Library,
) -> None:
    texts = library.texts
    left, right = paper(1, "Left half"), paper(2, "Right half", id="arxiv:2001.00001")
    library.add([left, right, paper(3)])
    texts.put(*document(1, INTRODUCTION, RESULTS))
    entry, text, passages = document(2, RESULTS, LIMITS, tags=("biology",))
    texts.put(entry.model_copy(update={"paper": right.id}), text, passages)
    library.index()
    assert library.add([paper(1, "Left half", aliases=(right.id,))]).updated == 1
    assert library.ids() == [left.id, "doi:10.1000/p3"]
    hits = [hit.paper for hit in library.search("right half left half", limit=9)]
    assert (hits.count(left.id), hits.count(right.id)) == (1, 0)
    assert {one.paper for one in texts.of_paper("2001.00001")} == {left.id}
    assert sorted(own(texts)) == sorted([INTRODUCTION[1], RESULTS[1], LIMITS[1]])
    wanted = PassageFilter(papers=frozenset({left.id}))
    assert len(found(texts, "proteins network membrane", wanted=wanted)) == 4
    assert texts.tags() == {"biology": 1}
    assert verify(library) == []


def test_new_title_and_year_reach_the_passages(library: Library, texts: Texts) -> None:
    texts.put(*document(1, INTRODUCTION, RESULTS))
    library.index()
    library.add([paper(1, title="A wholly different title of zebras", year=1987)], index=False)
    old, new = PassageFilter(last_year=1990), PassageFilter(first_year=1991)
    assert RESULTS[1] not in found(texts, RESULTS[1], wanted=new), "before the index has it"
    assert library.index() == 3, "vectors of the words under the new title"
    assert RESULTS[1] in found(texts, RESULTS[1], wanted=old)
    assert RESULTS[1] not in found(texts, RESULTS[1], wanted=new)


def test_paper_that_is_not_here_is_named(texts: Texts) -> None:
    with pytest.raises(InputError, match=r"no paper doi:10.1000/p99: add its record first"):
        texts.put(*document(99, INTRODUCTION))


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
        assert sum(pool.map(work, range(1, 5))) == 4
    assert (texts.count(), texts.waiting(), texts.tags()) == (4, 0, {"done": 4})


CONTENT = b"%PDF-1.4 owls"
NAME = sha256(CONTENT).hexdigest()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "owls.pdf"
    path.write_bytes(CONTENT)
    return path


def test_file_is_kept_without_room_of_its_own_and_outlives_the_other_name(
    tmp_path: Path, source: Path
) -> None:
    files = LibraryFiles(tmp_path / "files")
    files.keep(NAME, source)
    kept = files.path(NAME)
    assert kept is not None
    assert kept.stat().st_ino == source.stat().st_ino
    source.unlink()
    assert kept.read_bytes() == CONTENT
    files.keep(NAME, source)  # it is here already, and its source is not asked for


def test_file_on_another_disk_is_copied(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    files = LibraryFiles(tmp_path / "files")
    files.keep(NAME, source)
    kept = files.path(NAME)
    assert kept is not None
    assert kept.stat().st_ino != source.stat().st_ino


def test_file_that_was_edited_since_is_not_shown_as_what_it_was(
    tmp_path: Path, source: Path
) -> None:
    files = LibraryFiles(tmp_path / "files")
    files.keep(NAME, source)
    source.write_bytes(b"%PDF-1.4 voles")
    assert files.path(NAME) is None
    assert files.path("0" * 64) is None


def test_what_belongs_to_no_document_is_deleted(tmp_path: Path, source: Path) -> None:
    files = LibraryFiles(tmp_path / "files")
    files.tidy({NAME})
    files.keep(NAME, source)
    files.tidy({NAME})
    assert files.path(NAME)
    files.tidy(set())
    assert list((tmp_path / "files").iterdir()) == []


def test_file_that_cannot_be_kept_is_a_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "files").write_text("in the way")
    LibraryFiles(tmp_path / "files").keep(NAME, tmp_path / "none.pdf")
    assert "the pages of a file cannot be shown later" in caplog.text
