"""Two made-up papers on roofs, one numbering its citations and one naming them, and what they cite."""

from state.bibliography import Bibliography, ReferenceEntry
from state.paper import Author, Paper
from state.synthesis import Context, EntryWorks, Paragraph, ParagraphCitation
from tools.run_store import RunStore

MOSS = Paper(
    id="doi:10.5555/moss",
    title="Moss gardens on flat roofs of hot cities",
    year=2021,
    authors=(Author(name="Ida Marsh"), Author(name="Tom Weir")),
    doi="10.5555/moss",
)
RAIN = Paper(
    id="title:rainongreenroofs-2020-iver",
    title="Rain on green roofs after long dry spells",
    year=2020,
    authors=(Author(name="Nils Iver"),),
    venue="Journal of Made-up Roofs",
)
SHADE = Paper(
    id="title:shade-2019-okoro",
    title="Shade and evaporation in carpets of moss",
    year=2019,
    authors=(Author(name="Ada Okoro"), Author(name="Lev Brandt"), Author(name="Mei Tan")),
)
CRUST = Paper(
    id="doi:10.5555/crust",
    title="Lichen crusts do not cool what they cover",
    year=2011,
    authors=(Author(name="Una Quill"),),
    doi="10.5555/crust",
)
LOOSE = Paper(
    id="title:roofingguild-1987-",
    title="Roofing Guild. Handbook of slate and tin, 4th ed. Ghent, 1987",
)
WORKS = (SHADE, CRUST, LOOSE)


def paragraph(paper: Paper, number: int, text: str) -> Paragraph:
    """Return a paragraph of a text that marks citations as <<[1]|0>>: what is printed, and places."""
    plain, citations = "", []
    for piece in text.split("<<"):
        mark, found, rest = piece.partition(">>")
        if found:
            printed, _, places = mark.rpartition("|")
            entries = tuple(map(int, places.split(",")))
            start = len(plain)
            citations.append(
                ParagraphCitation(start=start, end=start + len(printed), entries=entries)
            )
            plain += printed + rest
        else:
            plain += piece
    return Paragraph(
        id=f"{paper.id} {number}",
        paper=paper.id,
        number=number,
        section=("3 Results",),
        page=4,
        text=plain,
        citations=tuple(citations),
    )


COOL = paragraph(
    MOSS,
    1,
    "Moss gardens cool flat roofs by 9.4 degrees on summer afternoons <<[1]|0>>. Earlier work on lichen "
    "crusts found no cooling at all <<[2, 4]|1,3>>. Watering the moss twice a day doubles the effect.",
)
COST = paragraph(
    MOSS,
    2,
    "A square metre of moss costs less than a square metre of gravel <<[3]|2>>. Gardeners replace a "
    "tenth of it each spring.",
)
STORM = paragraph(
    RAIN,
    1,
    "Green roofs hold back two thirds of the rain of a heavy storm. In dry spells the carpets of moss "
    "keep the rooms below cool by evaporation <<(Okoro et al., 2019)|0>>. Their weight must be borne by "
    "the beams.",
)
PARAGRAPHS = (COOL, COST, STORM)
CONTEXTS = [Context(paragraph=item.id, score=0.8, by="embedding") for item in PARAGRAPHS]
ENTRIES = EntryWorks(
    works={
        MOSS.id: (SHADE.id, CRUST.id, LOOSE.id, RAIN.id),
        RAIN.id: (SHADE.id,),
    },
    printed={
        MOSS.id: (
            "A. Okoro, L. Brandt, M. Tan. Shade and evaporation in carpets of moss. 2019.",
            "U. Quill. Lichen crusts do not cool what they cover. 2011.",
            "Roofing Guild. Handbook of slate and tin, 4th ed. Ghent, 1987. Out of print.",
            "N. Iver. Rain on green roofs after long dry spells. 2020.",
        ),
        RAIN.id: ("Okoro, A., Brandt, L., and Tan, M. (2019). Shade and evaporation in carpets.",),
    },
)
BIBLIOGRAPHIES = {
    MOSS.id: Bibliography(
        entries=tuple(
            ReferenceEntry(place=place, label=str(place + 1), text=text)
            for place, text in enumerate(ENTRIES.printed[MOSS.id])
        )
    ),
    RAIN.id: Bibliography(entries=(ReferenceEntry(place=0, text=ENTRIES.printed[RAIN.id][0]),)),
}
PAPERS = {paper.id: paper for paper in (MOSS, RAIN, *WORKS)}


async def put_stack(run_store: RunStore) -> None:
    """Put the papers, their paragraphs and what they cite in a run store."""
    await run_store.papers.put(PAPERS.values())
    await run_store.paragraphs.put(PARAGRAPHS)
    await run_store.entries.put([ENTRIES])
    for paper, bibliography in BIBLIOGRAPHIES.items():
        await run_store.bibliographies.put_as({paper: bibliography})
