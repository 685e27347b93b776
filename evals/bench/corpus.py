"""The papers that `find` searches in a bench: a citation graph of this machine, or a made one."""

import random

from evals.bench.row import Given
from evals.retrieval.corpus import Corpus, Record, read_corpus
from state.paper import Paper
from tools.bibliography.read_records import read_records
from tools.library.starter_library import starter_papers

_MADE = 3000
_ABOUT = 60
"""Papers whose abstracts are long enough for a text are tried up to here."""


def corpus_of(given: Given) -> Corpus:
    """Return the papers of the data, or made ones where it has none."""
    graph = given.data / "citation_graph" if given.data else None
    return read_corpus(graph) if graph and graph.is_dir() else made(given.n or _MADE, given.seed)


def text_of(corpus: Corpus) -> str:
    """Return the text with which a bench begins: the longest of the first abstracts."""
    return max((one.abstract or "" for one in corpus.records[:_ABOUT]), key=len)


def made(size: int, seed: int) -> Corpus:
    """Return papers of the starter library, from the beginning again under other ids and titles.

    Each has a sentence more, of another paper, so that no two texts are the same; each round cites itself.
    """
    with starter_papers() as path:
        papers = [one for one in read_records(path) if isinstance(one, Paper) and one.abstract]
    chance = random.Random(seed)
    places = {paper.id: at for at, paper in enumerate(papers)}

    def record(at: int) -> Record:
        turn, place = divmod(at, len(papers))
        paper, start = papers[place], at - place
        more = str(chance.choice(papers).abstract).split(". ")[0]
        cited = [start + places[key] for key in paper.references if key in places]
        return Record(
            id=f"10.5555/made.{at}",
            title=f"{paper.title}, again {turn}" if turn else paper.title,
            abstract=f"{paper.abstract} {more}.",
            year=paper.year,
            authors=tuple(author.name for author in paper.authors),
            venue=paper.venue,
            references=tuple(f"10.5555/made.{one}" for one in cited if one < size),
        )

    return Corpus(records=tuple(map(record, range(size))))
