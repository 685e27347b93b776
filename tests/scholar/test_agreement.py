"""tools/scholar/agreement.py: whether a reference is of a record's work, and in which fields it differs."""

from datetime import date
from typing import Any

import pytest

from state.paper import Author, Paper
from tools.scholar.agreement import same_title, same_work, slips_in_title, wrong_fields

TITLE = "How sulphur rain reaches the lichens of tiled chapels: a field study"
PEOPLE = (Author(name="Ann Abel"), Author(name="Björn de la Cruz"), Author(name="Wei Zhang"))
RECORD = Paper(
    id="doi:10.1/lichens",
    title=TITLE,
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
        ({"title": TITLE.partition(":")[0]}, ""),
        ({"title": f"<i>{TITLE.upper()}</i>"}, ""),
        ({"title": f"RETRACTED: {TITLE}"}, ""),
        ({"title": TITLE.replace("sulphur", "acid")}, "title"),
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
    told = wrong_fields(RECORD.model_copy(update=changes), RECORD)
    assert [one.field for one in told] == ([field] if field else [])


def test_what_one_side_does_not_say_is_not_compared() -> None:
    bare = Paper(id="title:x", title=TITLE)
    assert wrong_fields(bare, RECORD) == wrong_fields(RECORD, bare) == []


def test_year_of_the_first_day_and_of_the_issue_are_both_right() -> None:
    online = RECORD.model_copy(
        update={"published": date(2000, 12, 1), "venue": "Annals of Lichens"}
    )
    assert wrong_fields(RECORD.model_copy(update={"year": 2000, "venue": None}), online) == []


def test_slips_in_a_title_are_seen_through_where_authors_and_year_agree() -> None:
    slips = RECORD.model_copy(
        update={"title": "How sulfur rains reached lichen of the tiled chapel"}
    )
    assert not same_title(slips, RECORD)
    assert slips_in_title(slips, RECORD)
    assert not slips_in_title(slips.model_copy(update={"authors": names("Eva Quill")}), RECORD)
    assert not slips_in_title(slips.model_copy(update={"year": 1990}), RECORD)
    other = RECORD.model_copy(update={"title": "Otters and the tidal locks of brackish harbours"})
    assert not slips_in_title(other, RECORD)


def test_other_title_of_a_record_is_its_title_too() -> None:
    both = RECORD.model_copy(
        update={"other_titles": ("Wie saurer Regen die Flechten der Kapellen erreicht",)}
    )
    assert same_title(
        Paper(id="title:x", title="Wie saurer Regen die Flechten der Kapellen erreicht"), both
    )
    assert wrong_fields(Paper(id="title:x", title=both.other_titles[0]), both) == []


def test_title_inside_an_entry_that_nobody_could_read_is_found_there() -> None:
    entry = Paper(id="title:x", title=f"Abel, A., Cruz, B. {TITLE}. Lichens 3, 2001")
    assert same_work(entry, RECORD)
    assert not same_title(entry, RECORD)
