"""An embedder by words, so that tests of the library need no model, and papers to put in."""

import re
import time
from collections.abc import Sequence
from hashlib import sha256
from zlib import crc32

import numpy as np

from state.document import DocumentEntry
from state.paper import Author, Paper
from state.passage import Passage, passage_id
from tools.embed.embedder import Vectors
from tools.library.library import Library


class WordEmbedder:
    """Texts that share words are near each other."""

    name = "words"

    def __init__(self, size: int = 64, *, pause: float = 0.0) -> None:
        self.size = size
        self.texts = 0
        self._pause = pause

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        time.sleep(self._pause)
        vectors = np.full((len(texts), self.size), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                vectors[row, crc32(word.encode()) % self.size] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / norms, dtype=np.float32)


class OtherEmbedder(WordEmbedder):
    """One whose vectors are of no use where those of `WordEmbedder` are."""

    name = "other"


def paper(number: int, title: str = "", **fields: object) -> Paper:
    """A paper of 2000 + number % 20, unless the fields say otherwise."""
    values: dict[str, object] = {
        "id": f"doi:10.1000/p{number}",
        "title": title or f"Paper number {number} on topic{number % 7} and method{number % 11}",
        "abstract": f"We study topic{number % 7} with method{number % 11} in case{number}.",
        "year": 2000 + number % 20,
        "authors": (Author(name=f"Ann Author{number}"),),
    }
    return Paper.model_validate(values | fields)


def document(
    number: int, *parts: tuple[str, str], name: str = "", **fields: object
) -> tuple[DocumentEntry, str, list[Passage]]:
    """A document of paper `number` with a passage for each (heading, text), as `put` takes it."""
    own = f"doi:10.1000/p{number}"
    text = "\n\n".join(part for _, part in parts)
    values: dict[str, object] = {
        "sha256": sha256(f"{number} {name} {text}".encode("utf-8", "replace")).hexdigest(),
        "paper": own,
        "name": name or f"p{number}.pdf",
        "kind": "pdf",
        "reader": "pdf 1",
    }
    passages = []
    start = 0
    for page, (heading, part) in enumerate(parts, start=1):
        passages.append(
            Passage(
                id=passage_id(own, part),
                paper=own,
                title="any",
                section=tuple(heading.split(" > ")),
                page=page,
                start=start,
                end=start + len(part),
                text=part,
            )
        )
        start += len(part) + 2
    return DocumentEntry.model_validate(values | fields), text, passages


PARTS = (("1 Results", "The first result of all."), ("2 Limits", "The limits of what was done."))


def fill(library: Library, papers: int = 20, documents: int = 3) -> Library:
    """Put in papers, and documents of PARTS of the first of them."""
    library.add(map(paper, range(papers)), index=False)
    for number in range(documents):
        library.texts.put(*document(number, *PARTS, tags=("all",)))
    library.index()
    return library
