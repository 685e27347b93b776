"""A citation graph as a file of OpenAlex's dump, and the slice of it that the source 'snapshot' searches."""

import gzip
from pathlib import Path

from evals.retrieval.corpus import Corpus
from evals.retrieval.works import Works
from tools.scholar.snapshot_building import Filters, build


def write_dump(corpus: Corpus, path: Path) -> None:
    """Write the works of a corpus as OpenAlex writes them, a line each."""
    works = Works(corpus)
    everything = works.view(None, ())
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        file.writelines(f"{works.text_of(at, everything)}\n" for at in range(len(corpus.records)))


def sliced(corpus: Corpus, folder: Path) -> Path:
    """Make a slice of all works of a corpus, and return its folder."""
    dump = folder / "works.gz"
    write_dump(corpus, dump)
    build([dump], folder / "slice", Filters(), lambda _: None)
    dump.unlink()
    return folder / "slice"
