"""Documents that change names, papers and places leave nothing of theirs behind."""

import pytest

from tests.library.test_texts import INTRODUCTION, LIMITS, RESULTS, found
from tests.library.words import document, paper
from tools.library.library import Library
from tools.library.texts import Texts
from tools.retrieve.port import PassageFilter

KEY = "10.1000/p1"


@pytest.fixture
def texts(library: Library) -> Texts:
    library.add([paper(number) for number in range(1, 4)])
    return library.texts


def test_known_document_under_the_name_of_another_takes_its_place(texts: Texts) -> None:
    old, new = document(1, INTRODUCTION), document(1, RESULTS)
    texts.put(*old)
    other = new[0].model_copy(update={"name": "other.pdf"})
    texts.put(other, *new[1:])
    named = new[0].model_copy(update={"name": old[0].name})
    assert texts.put(named, *new[1:]) == "updated"
    assert [item.sha256 for item in texts.documents()] == [named.sha256]
    assert INTRODUCTION[1] not in [item.text for item in texts.of_paper(KEY)]


def test_document_that_turns_out_to_be_of_another_paper_leaves_the_first(
    library: Library, texts: Texts
) -> None:
    entry, text, passages = document(1, INTRODUCTION, RESULTS)
    texts.put(entry, text, passages)
    library.index()
    moved = entry.model_copy(update={"paper": "doi:10.1000/p2"})
    assert texts.put(moved, text, passages) == "updated"
    library.index()
    assert [item.section for item in texts.of_paper(KEY)] == [("Abstract",)]
    assert len(texts.of_paper("10.1000/p2")) == 3
    assert found(texts, INTRODUCTION[1]).count(INTRODUCTION[1]) == 1


def test_new_title_makes_the_vectors_of_its_passages_anew(library: Library, texts: Texts) -> None:
    texts.put(*document(1, INTRODUCTION, RESULTS))
    library.index()
    library.add([paper(1, title="A wholly different title of zebras")], replace=True, index=False)
    assert library.index() == 3


def test_new_year_holds_in_searches_before_and_after_the_index_has_it(
    library: Library, texts: Texts
) -> None:
    texts.put(*document(1, INTRODUCTION, RESULTS))
    library.index()
    library.add([paper(1, year=1987)], replace=True, index=False)
    old, new = PassageFilter(last_year=1990), PassageFilter(first_year=1991)
    assert RESULTS[1] not in found(texts, RESULTS[1], wanted=new)
    library.index()
    assert RESULTS[1] in found(texts, RESULTS[1], wanted=old)
    assert RESULTS[1] not in found(texts, RESULTS[1], wanted=new)


def test_tag_that_comes_with_a_known_document_is_no_news_but_for_the_tag(texts: Texts) -> None:
    entry, text, passages = document(1, LIMITS)
    texts.put(entry, text, passages)
    tagged = entry.model_copy(update={"tags": ("new",)})
    assert texts.put(tagged, text, passages) == "updated"
    assert texts.put(tagged, text, passages) == "unchanged"
    assert texts.tags() == {"new": 1}


def test_passages_of_a_removed_document_are_not_found_and_leave_room_for_others(
    library: Library,
    texts: Texts,
) -> None:
    texts.put(*document(1, INTRODUCTION, RESULTS))
    library.index()
    texts.put(*document(1, LIMITS))
    hits = texts.search("proteins", limit=1)
    assert [texts.get([hit.passage])[hit.passage].text for hit in hits] != [INTRODUCTION[1]]
    assert len(texts.search("proteins network paper", limit=3)) == 3
