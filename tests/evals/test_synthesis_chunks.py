"""evals/synthesis/chunks.py: the baselines' chunks."""

from pathlib import Path
from typing import get_args

import pytest

from evals.synthesis.chunks import ChunkMethod, retrieving
from state.synthesis import Paragraph
from tests.nodes.synthesize.support import HEMP, PEARS, SAILS, bench, paragraph

METHODS = get_args(ChunkMethod)
ANSWER = "Drought makes the roots of pears grow deeper, for the roots change where water is."
FILLER = "The wind over the bay turned twice that day and the crew slept below. "


def words(count: int, prefix: str = "w") -> str:
    return " ".join(f"{prefix}{number}" for number in range(count))


def stack() -> list[Paragraph]:
    return [
        paragraph(1, FILLER * 30),
        paragraph(2, ANSWER),
        paragraph(3, FILLER * 25),
        paragraph(1, FILLER * 20, SAILS),
        HEMP,
    ]


@pytest.mark.parametrize("method", METHODS)
async def test_chunk_becomes_contexts_of_the_paragraphs_it_touches(
    method: ChunkMethod, tmp_path: Path
) -> None:
    paragraphs = {item.id: item for item in stack()}
    answer = next(item for item in paragraphs.values() if item.text == ANSWER)
    with bench(tmp_path) as place:
        state = await place.stack(list(paragraphs.values()))
        contexts = (await retrieving(method, 2)(state, place.runtime))["contexts"]
        assert place.server.requests == []
    ids = [context.paragraph for context in contexts]
    assert len(set(ids)) == len(ids)
    assert answer.id in ids
    assert {context.by for context in contexts} == {"retriever"}
    assert next(one for one in contexts if one.paragraph == answer.id).spans == ()
    for context in contexts:
        length = len(paragraphs[context.paragraph].text)
        assert all(0 <= start < end <= length for start, end in context.spans)
        assert context.spans == tuple(sorted(context.spans))
        assert context.spans != ((0, length),)
    neighbours = [paragraphs[key] for key in ids if paragraphs[key].text != ANSWER]
    assert {item.paper for item in neighbours} >= {PEARS}
