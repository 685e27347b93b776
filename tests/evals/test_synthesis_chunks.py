"""evals/synthesis/chunks.py: the baselines' chunks."""

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.synthesis.chunks import ChunkMethod, cut, retrieving
from graphs.synthesize import wired
from state.synthesis import Paragraph
from tests.graphs.stacks import QUESTION, uploads
from tests.graphs.test_synthesize import assert_traced
from tests.nodes.synthesize.support import HEMP, PEARS, SAILS, bench, paragraph
from tools.run_settings import RunSettings

METHODS = get_args(ChunkMethod)
ANSWER = "Drought makes the roots of pears grow deeper, for the roots change where water is."
FILLER = "The wind over the bay turned twice that day and the crew slept below. "


def words(count: int, prefix: str = "w") -> str:
    return " ".join(f"{prefix}{number}" for number in range(count))


@settings(max_examples=60)
@given(
    texts=st.lists(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip), max_size=6),
    size=st.integers(2, 40),
    overlap=st.integers(0, 10),
)
def test_chunks_keep_every_word_and_know_where_it_stands(
    texts: list[str], size: int, overlap: int
) -> None:
    places = list(enumerate(texts))
    chunks = cut(places, size, min(overlap, (size - 1) // 2))
    covered: dict[int, set[int]] = {place: set() for place, _ in places}
    for chunk in chunks:
        assert len(chunk.text) <= size
        for place, start, end in chunk.parts:
            assert texts[place][start:end] in chunk.text
            covered[place].update(range(start, end))
    for place, text in places:
        lost = [at for at, char in enumerate(text) if at not in covered[place]]
        assert not "".join(text[at] for at in lost).strip()


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


@pytest.mark.parametrize("method", METHODS)
async def test_baselines_answer_from_chunks(home: Path, method: ChunkMethod) -> None:
    graph = wired(retrieving(method, 2)).compile()
    given: Any = {"question": QUESTION, "uploads": uploads()}
    result = dict(await graph.ainvoke(given, context=RunSettings()))
    assert {item.by for item in result["contexts"]} == {"retriever"}
    assert_traced(result)
    assert "summarize_paragraphs" not in result["seconds"]
