"""A small library of made-up papers, in reading order and with sections."""

from hashlib import sha256
from pathlib import Path

from citeloom.settings import Settings
from state.document import DocumentEntry
from state.paper import Paper
from state.passage import Passage, passage_id
from tools.embed.port import Embedder
from tools.library.library import Library
from tools.library.open import create_library

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


def paper_id(title: str) -> str:
    return f"local:{sha256(title.encode()).hexdigest()[:12]}"


def passages_of(title: str, sections: Sections) -> tuple[DocumentEntry, str, list[Passage]]:
    paper, found, start = paper_id(title), list[Passage](), 0
    texts = [(heading, text) for heading, group in sections.items() for text in group]
    whole = "\n\n".join(text for _, text in texts)
    digest = sha256(whole.encode()).hexdigest()
    for heading, text in texts:
        found.append(
            Passage(
                id=passage_id(paper, text), paper=paper, title=title, section=(heading,),
                start=start, end=start + len(text), text=text, document=digest,
            )
        )  # fmt: skip
        start += len(text) + 2
    entry = DocumentEntry(sha256=digest, paper=paper, name="p.txt", kind="text", reader="made")
    return entry, whole, found


def filled(
    home: Path, embedder: Embedder, papers: dict[str, Sections] = PAPERS, *, index: bool = True
) -> Library:
    settings = Settings(home=home, _env_file=None)  # type: ignore[call-arg]
    library = create_library("small", settings, embedder)
    years = dict(zip(papers, range(2001, 2100), strict=False))
    library.add(
        [Paper(id=paper_id(title), title=title, year=years[title]) for title in papers], index=False
    )
    for title, sections in papers.items():
        library.texts.put(*passages_of(title, sections))
    if index:
        library.index()
    return library


def holding(library: Library, words: str) -> str:
    """Return the id of the one passage that holds these words."""
    (found,) = [p.id for page in library.texts.pages(100) for p in page if words in p.text]
    return found
