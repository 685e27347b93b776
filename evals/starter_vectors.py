"""`python -m evals.starter_vectors` writes the vectors that come with the starter library.

They are made by the embedder of the default settings from the texts as a library indexes them.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tools.embed.minilm import MiniLm
from tools.library.library_index import index_rows
from tools.library.open_library import STARTER, close_libraries, digest, open_library
from tools.settings import Settings

TARGET = Path(__file__).parents[1] / "tools" / "library" / "starter" / "vectors.npz"


def main() -> None:
    """Write them."""
    model = MiniLm()
    with TemporaryDirectory() as home:
        texts = [
            row.text
            for row in index_rows(
                open_library(STARTER, Settings(home=Path(home)), model).catalog.database, "TRUE"
            )
        ]
        close_libraries()
    np.savez(
        TARGET,
        texts=np.array([digest(text) for text in texts], dtype=np.uint64),
        vectors=model.embed(texts),
    )
    print(f"{len(texts)} vectors in {TARGET}")


if __name__ == "__main__":
    main()
