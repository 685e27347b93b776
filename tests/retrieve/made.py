"""A small library of made-up papers, in reading order and with sections."""

from pathlib import Path

from tests.library.words import document, paper
from tools.embed.embedder import Embedder
from tools.library.library import Library
from tools.library.open_library import create_library
from tools.settings import Settings

Sections = dict[str, list[str]]

PAPERS: dict[str, Sections] = {
    "Waggle dances of honey bees": {
        "1 Introduction": [
            "Honey bees tell their nestmates where flowers are. A forager that comes home runs a "
            "figure of eight on the comb, which is called the waggle dance.",
            "The angle of the waggle run against gravity is the direction of the flowers against "
            "the sun, and its duration is the distance.",
        ],
        "2 Magnetic sense": [
            "Iron granules in the abdomen may give honey bees a magnetic sense. Colonies kept in a "
            "compensated magnetic field danced without the usual small errors.",
        ],
        "3 Results": [
            "Foragers whose dances were disturbed by light brought home less pollen. The mean "
            "error of the waggle run was fifteen degrees.",
        ],
    },
    "Harbours of the northern sea": {
        "1 Introduction": [
            "Medieval harbours on the northern sea silted up when rivers changed their course. "
            "Merchants then moved their warehouses to deeper water.",
        ],
        "2 Sediment cores": [
            "Sediment cores from the old harbour basin show four floods. Grain sizes tell how fast "
            "the water ran, and radiocarbon dating gives their years.",
            "Pollen in the sediment cores shows that rye was grown near the harbour.",
        ],
    },
    "Bread made with sourdough": {
        "1 Methods": [
            "Sourdough was fed with rye flour every day. Lactic acid bacteria and wild yeast were "
            "counted on plates after each feeding.",
        ],
    },
}


def parts(sections: Sections) -> list[tuple[str, str]]:
    return [(heading, text) for heading, group in sections.items() for text in group]


def filled(
    home: Path, embedder: Embedder, papers: dict[str, Sections] = PAPERS, *, index: bool = True
) -> Library:
    library = create_library("small", Settings(home=home, qdrant_url=None), embedder)
    for number, (title, sections) in enumerate(papers.items(), start=1):
        library.add([paper(number, title, abstract=None)], index=False)
        library.texts.put(*document(number, *parts(sections)))
    if index:
        library.index()
    return library


def holding(library: Library, words: str) -> str:
    """Return the id of the one passage that holds these words."""
    (found,) = [p.id for page in library.texts.pages(100) for p in page if words in p.text]
    return found
