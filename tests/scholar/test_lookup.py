"""Which record a source is found to have of a work: fields, venues, links and who is asked."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.paper import Author, Paper
from tests.graphs.sources import Asked
from tests.scholar.table import Book, Table
from tools.errors import CiteLoomError, PermanentError, TransientError
from tools.scholar.agreement import same_title, same_work, slips_in_title, wrong_fields
from tools.scholar.links import GatheredLinks, citations_of, references_of
from tools.scholar.lookup import WorkToLookUp, look_up
from tools.scholar.source import SourceOffer
from tools.scholar.venues import gives_dois, is_meeting, same_venue

TITLE = "How sulphur rain reaches the lichens of tiled chapels"
RECORD = Paper(
    id="doi:10.1/lichens",
    title=TITLE,
    year=2001,
    authors=(Author(name="Ann Abel"),),
    doi="10.1/lichens",
)
TWIN = RECORD.model_copy(
    update={"id": "doi:10.1/twin", "doi": "10.1/twin", "year": 2009, "cited_by": 900}
)
OTHER = Paper(id="doi:10.1/otters", title="How tidal locks reach the otters of harbours", year=2001)


BARE = RECORD.model_copy(update={"id": "title:x", "doi": None})
MISSPELT = BARE.model_copy(update={"title": "How sulfur rains reach lichen of the tiled chapel"})
OTHERS = RECORD.model_copy(update={"id": OTHER.id, "doi": "10.1/otters"})
LOOMS = Paper(id="doi:10.1/looms", title="On looms", year=1998, authors=(Author(name="Jo Weft"),))


@pytest.mark.parametrize(
    ("records", "ids", "stated", "loosely", "found"),
    [
        ([TWIN, RECORD], (), BARE, False, RECORD),
        ([OTHER, RECORD], (OTHER.id,), OTHERS, False, RECORD),
        ([RECORD], ("doi:10.1/nowhere",), RECORD, False, RECORD),
        ([RECORD], (RECORD.id,), RECORD, False, RECORD),
        ([OTHER, RECORD], (), MISSPELT, False, None),
        ([OTHER, RECORD], (), MISSPELT, True, RECORD),
        ([LOOMS], (), Paper(id="title:x", title="On looms", year=1998), False, LOOMS),
        ([LOOMS], (), Paper(id="title:x", title="On looms", year=2004), False, None),
        ([LOOMS], (), Paper(id="title:x", title="On looms", authors=(Author(name="Eva Quill"),)), False, None),
    ],
    ids=[
        "of two of one title the one that agrees best", "an id of another work", "an id that nobody knows", "its id",
        "a misspelt title", "a misspelt title, looked for loosely", "a short title with its year",
        "a short title of another year", "a short title of other authors",
    ],
)  # fmt: skip
async def test_work_is_found_by_its_ids_and_title_and_wrong_ids_are_told(
    records: list[Paper], ids: tuple[str, ...], stated: Paper, loosely: bool, found: Paper | None
) -> None:
    looked = await look_up(
        Asked("openalex", records), {0: WorkToLookUp(ids, stated)}, loosely=loosely
    )
    assert looked.found == ({0: found} if found else {})
    assert looked.others == ({0: OTHER} if OTHER.id in ids else {})
    assert looked.unregistered == ({0: ids} if "doi:10.1/nowhere" in ids else {})


AGREEMENT_TITLE = "How sulphur rain reaches the lichens of tiled chapels: a field study"
PEOPLE = (Author(name="Ann Abel"), Author(name="Björn de la Cruz"), Author(name="Wei Zhang"))
AGREEMENT_RECORD = Paper(
    id="doi:10.1/lichens",
    title=AGREEMENT_TITLE,
    year=2001,
    authors=PEOPLE,
    doi="10.1/lichens",
    venue="Proceedings of the 3rd Symposium on Lichens",
)


def names(*said: str) -> tuple[Author, ...]:
    return tuple(Author(name=name) for name in said)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({}, ""),
        ({"title": AGREEMENT_TITLE.partition(":")[0]}, ""),
        ({"title": f"<i>{AGREEMENT_TITLE.upper()}</i>"}, ""),
        ({"title": f"RETRACTED: {AGREEMENT_TITLE}"}, ""),
        ({"title": AGREEMENT_TITLE.replace("sulphur", "acid")}, "title"),
        ({"authors": names("Abel, A.", "de la Cruz, B.", "Zhang, W.")}, ""),
        ({"authors": names("Abel", "Cruz", "Zhang Wei")}, ""),
        ({"authors": names("Abel, A."), "authors_complete": False}, ""),
        ({"authors": names("Abel, A.", "Cruz, B.")}, "authors"),
        ({"authors": names("Abel, A.", "Cruz, B.", "Zhang, W.", "Quill, E.")}, "authors"),
        ({"authors": names("Cruz, B.", "Abel, A.", "Zhang, W.")}, "authors"),
        ({"year": 2002}, "year"),
        ({"year": 2002, "venue": None}, "year"),
        ({"year": 2002, "venue": None, "doi": None}, ""),
        ({"year": 2004, "venue": None, "doi": None}, "year"),
        ({"venue": "Symp. Lichens"}, ""),
        ({"venue": "Annals of Otters"}, "venue"),
        ({"doi": "10.1/LICHENS"}, ""),
        ({"doi": "10.1/otters"}, "doi"),
        ({"doi": "10.48550/arXiv.2001.00001"}, ""),
    ],
)
def test_each_field_is_compared_and_other_spelling_is_none(
    changes: dict[str, Any], field: str
) -> None:
    told = wrong_fields(AGREEMENT_RECORD.model_copy(update=changes), AGREEMENT_RECORD)
    assert [one.field for one in told] == ([field] if field else [])


def test_what_one_side_does_not_say_is_not_compared() -> None:
    bare = Paper(id="title:x", title=AGREEMENT_TITLE)
    assert wrong_fields(bare, AGREEMENT_RECORD) == wrong_fields(AGREEMENT_RECORD, bare) == []


def test_year_of_the_first_day_and_of_the_issue_are_both_right() -> None:
    online = AGREEMENT_RECORD.model_copy(
        update={"published": date(2000, 12, 1), "venue": "Annals of Lichens"}
    )
    assert (
        wrong_fields(AGREEMENT_RECORD.model_copy(update={"year": 2000, "venue": None}), online)
        == []
    )


def test_slips_in_a_title_are_seen_through_where_authors_and_year_agree() -> None:
    slips = AGREEMENT_RECORD.model_copy(
        update={"title": "How sulfur rains reached lichen of the tiled chapel"}
    )
    assert not same_title(slips, AGREEMENT_RECORD)
    assert slips_in_title(slips, AGREEMENT_RECORD)
    assert not slips_in_title(
        slips.model_copy(update={"authors": names("Eva Quill")}), AGREEMENT_RECORD
    )
    assert not slips_in_title(slips.model_copy(update={"year": 1990}), AGREEMENT_RECORD)
    other = AGREEMENT_RECORD.model_copy(
        update={"title": "Otters and the tidal locks of brackish harbours"}
    )
    assert not slips_in_title(other, AGREEMENT_RECORD)


def test_other_title_of_a_record_is_its_title_too() -> None:
    both = AGREEMENT_RECORD.model_copy(
        update={"other_titles": ("Wie saurer Regen die Flechten der Kapellen erreicht",)}
    )
    assert same_title(
        Paper(id="title:x", title="Wie saurer Regen die Flechten der Kapellen erreicht"), both
    )
    assert wrong_fields(Paper(id="title:x", title=both.other_titles[0]), both) == []


def test_title_inside_an_entry_that_nobody_could_read_is_found_there() -> None:
    entry = Paper(id="title:x", title=f"Abel, A., Cruz, B. {AGREEMENT_TITLE}. Lichens 3, 2001")
    assert same_work(entry, AGREEMENT_RECORD)
    assert not same_title(entry, AGREEMENT_RECORD)


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("NeurIPS", "Advances in Neural Information Processing Systems", True),
        ("NIPS", "NeurIPS", True),
        ("AAAI", "Proceedings of the AAAI Conference on Artificial Intelligence", True),
        ("Mach. Learn.", "Machine Learning", True),
        ("J. Mach. Learn. Res.", "Journal of Machine Learning Research", True),
        ("Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences", True),
        (
            "CVPR",
            "2021 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)",
            True,
        ),
        (
            "EMNLP 2020",
            "Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing",
            True,
        ),
        (
            "KDD",
            "Proceedings of the 22nd ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
            True,
        ),
        ("ICCV", "2021 IEEE/CVF Conference on Computer Vision and Pattern Recognition", False),
        ("AAAI", "International Conference on Machine Learning", False),
        ("ICML", "Mach. Learn.", False),
        ("NeurIPS Workshop on Deep Learning", "Neural Information Processing Systems", False),
        ("Nature", "Science", False),
        ("Nature", "Nature Communications", None),
        ("ECCV", "Lecture Notes in Computer Science", None),
        ("QMXR", "Annals of Lichenology", None),
        ("", "Science", None),
    ],
)
def test_names_of_one_venue_are_told_from_those_of_two(
    one: str, two: str, same: bool | None
) -> None:
    assert same_venue(one, two) is same
    assert same_venue(two, one) is same


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_compared_alike_from_both_sides(one: str, two: str) -> None:
    assert same_venue(one, two) is same_venue(two, one)


def test_what_has_no_dois_and_what_is_a_meeting_is_known() -> None:
    assert not gives_dois("Advances in Neural Information Processing Systems")
    assert not gives_dois("JMLR")
    assert gives_dois("CVPR")
    assert gives_dois("Annals of Lichenology")
    assert is_meeting("CVPR")
    assert is_meeting("Proceedings of the 3rd Symposium on Lichens")
    assert not is_meeting("Machine Learning")


CHARGING = SourceOffer(list_usd=0.0001)
DEARER = SourceOffer(list_usd=0.001)


@pytest.fixture
def book() -> Book:
    """Who was asked about what, in order."""
    return []


def paper(name: str, *references: str) -> Paper:
    return Paper(id=name, title=f"On {name}", references=references)


ONE, TWO, THREE = paper("s2:1"), paper("s2:2"), paper("s2:3")


def said_by(gathered: GatheredLinks) -> list[str]:
    return [answer.source.name for answer in gathered.answers]


async def test_source_that_charges_is_asked_after_the_free_ones_and_for_what_they_lack(
    book: Book,
) -> None:
    charging = Table(book, "openalex", CHARGING, {"s2:2": ("doi:10.1/b",)})
    first = Table(book, "semantic_scholar", links={"s2:1": ("doi:10.1/a",), "s2:2": ()})
    second = Table(book, "library:mine", links={"s2:1": ("doi:10.1/c",)})
    gathered = await references_of([ONE, TWO], [charging, first, second])
    # The free ones all, though the first had something: none of them has every link.
    assert book == [
        ("semantic_scholar", ["s2:1", "s2:2"]),
        ("library:mine", ["s2:1", "s2:2"]),
        ("openalex", ["s2:2"]),
    ]
    assert said_by(gathered) == ["semantic_scholar", "library:mine", "openalex"]
    assert (gathered.missing, gathered.failures) == ([], [])


async def test_last_source_is_asked_for_what_nobody_had_and_the_rest_is_missing(
    book: Book,
) -> None:
    free = Table(book, "semantic_scholar", links={"s2:1": ("s2:8",), "s2:2": (), "s2:3": ()})
    last = Table(book, "crossref", links={"s2:2": ("doi:10.1/b",), "s2:3": ()})
    gathered = await references_of([ONE, TWO, THREE], [free], last=last)
    assert book == [
        ("semantic_scholar", ["s2:1", "s2:2", "s2:3"]),
        ("crossref", ["s2:2", "s2:3"]),
    ]
    assert gathered.missing == ["s2:3"]


@pytest.mark.parametrize("error", [TransientError("down"), PermanentError("rejected")])
async def test_failed_source_is_told_and_no_paper_is_called_without_references(
    error: CiteLoomError, book: Book
) -> None:
    failing = Table(book, "semantic_scholar", error=error)
    charging = Table(book, "openalex", CHARGING, {"s2:1": ("openalex:W7",)})
    gathered = await references_of([ONE, TWO], [failing, charging])
    assert (gathered.failures, said_by(gathered)) == ([(failing, error)], ["openalex"])
    assert gathered.missing == []
    citing = await citations_of([ONE, TWO], [failing, charging], limit=5)
    assert (citing.failures, said_by(citing)) == ([(failing, error)], ["openalex"])


async def test_citations_come_from_the_cheapest_source_that_has_any(
    book: Book,
) -> None:
    dearer = Table(book, "dear", DEARER, {"s2:3": ("s2:7",)})
    charging = Table(book, "openalex", CHARGING, {"s2:2": ("s2:8",)})
    free = Table(book, "semantic_scholar", links={"s2:1": ("s2:9",), "s2:2": ()})
    without = Table(book, "arxiv", SourceOffer(links=False))
    gathered = await citations_of([ONE, TWO, THREE], [dearer, without, charging, free], limit=5)
    assert book == [
        ("semantic_scholar", ["s2:1", "s2:2", "s2:3"]),
        ("openalex", ["s2:2", "s2:3"]),
        ("dear", ["s2:3"]),
    ]
    assert free.limits == charging.limits == dearer.limits == [5]
    assert said_by(gathered) == ["semantic_scholar", "openalex", "dear"]
