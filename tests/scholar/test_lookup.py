"""tools/scholar/lookup.py: which record a source is found to have of a work."""

from state.paper import Author, Paper
from tests.graphs.sources import Asked
from tools.scholar.lookup import WorkToLookUp, look_up

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


async def test_of_records_with_one_title_the_one_that_agrees_best_is_taken() -> None:
    stated = RECORD.model_copy(update={"id": "title:x", "doi": None})
    looked = await look_up(Asked("openalex", [TWIN, RECORD]), {0: WorkToLookUp((), stated)})
    assert looked.found[0].id == RECORD.id


async def test_id_of_another_work_is_told_and_the_title_is_looked_for() -> None:
    stated = RECORD.model_copy(update={"id": OTHER.id, "doi": "10.1/otters"})
    looked = await look_up(
        Asked("openalex", [OTHER, RECORD]), {0: WorkToLookUp((OTHER.id,), stated)}
    )
    assert looked.others == {0: OTHER}
    assert looked.found == {0: RECORD}


async def test_id_that_a_source_would_know_and_does_not_is_told() -> None:
    wanted = {0: WorkToLookUp(("doi:10.1/nowhere",), RECORD), 1: WorkToLookUp((RECORD.id,), RECORD)}
    looked = await look_up(Asked("openalex", [RECORD]), wanted)
    assert looked.unregistered == {0: ("doi:10.1/nowhere",)}
    assert looked.found == {0: RECORD, 1: RECORD}


async def test_misspelt_title_is_found_only_where_one_looks_loosely() -> None:
    stated = RECORD.model_copy(
        update={
            "id": "title:x",
            "doi": None,
            "title": "How sulfur rains reach lichen of the tiled chapel",
        }
    )
    source = Asked("openalex", [OTHER, RECORD])
    assert (await look_up(source, {0: WorkToLookUp((), stated)})).found == {}
    assert (await look_up(source, {0: WorkToLookUp((), stated)}, loosely=True)).found == {0: RECORD}


async def test_short_title_names_a_work_only_with_its_authors_and_year() -> None:
    looms = Paper(
        id="doi:10.1/looms", title="On looms", year=1998, authors=(Author(name="Jo Weft"),)
    )
    source = Asked("openalex", [looms])
    for stated, found in (
        (Paper(id="title:x", title="On looms", year=1998), True),
        (Paper(id="title:x", title="On looms", year=2004), False),
        (Paper(id="title:x", title="On looms", authors=(Author(name="Eva Quill"),)), False),
    ):
        assert bool((await look_up(source, {0: WorkToLookUp((), stated)})).found) is found
