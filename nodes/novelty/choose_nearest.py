"""Choose the nearest works: of all that the search saw, not only of those kept, the few closest to each claim.

Reads `run`, `request`, `contributions`, `same`, `hidden`. Writes `near`, and `uncompared`: what else was found. A work
is as near as its nearest sentence, for a claim of one sentence may be one sentence of an earlier abstract. Works that
the text itself names come first, and of those that the search found most relevant the nearest are among them.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from nodes.find.relevance_scores import excluded_in, paper_vectors
from state.novelty import Contribution, NoveltyState, UncomparedWork
from state.paper import Paper
from tools.embed.embedder import Embedder, Vectors
from tools.errors import counted
from tools.services import NodeRuntime, open_services
from tools.text.words import content_stems, split_sentences, written_words

STAGE = "choose_nearest"
NEAREST = 8
"""Works that are compared with each claim."""
_RELEVANT, _HIGHEST = 30, 10
"""Works that the search ranked highest, of which those are that no other reason brings; and the first of them."""
_OF_NAMED, _OF_ALL, _OF_HIGHEST = 3, 3, 5
"""How many are compared with a claim in any case: of the works that the text names, of all, and of the first of those
ranked highest to which it is the nearest claim."""
_NAME, _COMMON = 2, 0.03
"""Words of a name at most, and the share of the papers that may use it."""
_LOOKED_AT = 60
"""Works of which every sentence is looked at, for each claim: so many by meaning, and so many by shared words."""


async def choose_nearest(state: NoveltyState, runtime: NodeRuntime) -> NoveltyState:
    """Rank what the search saw by each claim."""
    services = open_services(runtime, state["run"])
    claims = state["contributions"]
    seen = await services.run_store.papers.values(sorted(set(state["same"].values())))
    hidden = excluded_in(state)
    papers = [paper for paper in seen if paper.id not in hidden]
    services.progress(STAGE, 0, len(claims), counted(len(papers), "paper"))
    if not papers:
        return {"near": {}}
    vectors = await paper_vectors(services, state["request"], papers, state["same"])
    embedder = services.clients.embedder
    scores = state["scores"]
    best = sorted(scores, key=lambda key: -scores[key])[:_RELEVANT]
    named = named_works(state["request"].headed, papers)
    places = {paper.id: at for at, paper in enumerate(papers)}
    ranked = [places[key] for key in best if key in places]
    near = await asyncio.to_thread(_near, embedder, claims, papers, vectors, named, ranked)
    services.progress(STAGE, len(claims), len(claims))
    compared = {key for keys in near.values() for key in keys}
    rest = sorted(seen, key=lambda paper: (paper.id in hidden, -scores.get(paper.id, 0.0)))
    return {
        "near": near,
        "uncompared": [
            UncomparedWork(
                id=paper.id,
                title=paper.title,
                year=paper.year,
                why="your own paper, outside the days that you gave, or left out by you"
                if paper.id in hidden
                else "other works are nearer to each claim",
            )
            for paper in rest
            if paper.id not in compared
        ],
    }


def named_works(text: str, papers: Sequence[Paper]) -> set[int]:
    """Return the places of the papers whose systems a text names: 'Lyra' of 'Lyra: ...', or of 'The Models in Lyra'.

    A name that many of the papers use is a word of the field.
    """
    told = f" {' '.join(written_words(text))} "
    heads = {at: paper.title.partition(":") for at, paper in enumerate(papers)}
    names = {at: " ".join(written_words(head)) for at, (head, colon, _) in heads.items() if colon}
    names = {
        at: name
        for at, name in names.items()
        if 0 < len(name.split()) <= _NAME and f" {name} " in told
    }
    ordinary = {word for paper in papers for word in written_words(paper.text) if word.islower()}
    capital = {
        word for word in written_words(text) if word[0].isupper() and word.lower() not in ordinary
    }
    for at, paper in enumerate(papers):
        if at not in names and capital.intersection(last := written_words(paper.title)[-1:]):
            names[at] = last[0].lower()
    used = {name: sum(name in paper.text for paper in papers) for name in {*names.values()}}
    return {at for at, name in names.items() if used[name] <= max(3, _COMMON * len(papers))}


def _near(
    embedder: Embedder,
    claims: Sequence[Contribution],
    papers: Sequence[Paper],
    vectors: Vectors,
    named: Collection[int],
    ranked: Sequence[int],
) -> dict[str, list[str]]:
    asked = embedder.embed([one.quote.text for one in claims])
    stems = [frozenset(content_stems(paper.text)) for paper in papers]
    rough = (
        asked @ vectors.T
        if asked.shape[1] == vectors.shape[1]
        else np.zeros((len(claims), len(papers)))
    )
    looked: dict[int, set[int]] = {}
    for row, one in enumerate(claims):
        words = frozenset(content_stems(one.quote.text))
        shared = [len(words & found) for found in stems]
        looked[row] = {
            *named,
            *ranked,
            *np.argsort(-rough[row], kind="stable")[:_LOOKED_AT].tolist(),
            *sorted(range(len(papers)), key=lambda at: -shared[at])[:_LOOKED_AT],
        }
    wanted = sorted(set().union(*looked.values()))
    nearness = dict(
        zip(wanted, sentence_nearness(embedder, asked, [papers[at] for at in wanted]), strict=True)
    )
    own = {
        at: max(range(len(claims)), key=lambda row: nearness[at][row]) for at in ranked[:_HIGHEST]
    }
    return {
        str(one.number): [
            papers[at].id
            for at in _chosen(
                looked[row],
                nearness,
                row,
                (
                    (named, _OF_NAMED),
                    (looked[row], _OF_ALL),
                    ({at for at, mine in own.items() if mine == row}, _OF_HIGHEST),
                    (ranked, NEAREST),
                ),
            )
        ]
        for row, one in enumerate(claims)
    }


def _chosen(
    looked: Collection[int],
    nearness: Mapping[int, Sequence[float]],
    row: int,
    first: Sequence[tuple[Collection[int], int]],
) -> list[int]:
    """Return the works to compare with a claim: the nearest few of each group in `first`, and the nearest of all."""
    ranked = sorted(looked, key=lambda at: (-nearness[at][row], at))
    taken = [at for places, most in first for at in [one for one in ranked if one in places][:most]]
    return list(dict.fromkeys([*taken, *ranked]))[:NEAREST]


def sentence_nearness(
    embedder: Embedder, asked: Vectors, papers: Sequence[Paper]
) -> list[Sequence[float]]:
    """Return for each paper the cosine of its nearest sentence to each of the vectors `asked`."""
    texts: list[str] = []
    ends: list[int] = []
    for paper in papers:
        texts += [paper.title, *(span.text for span in split_sentences(paper.abstract or ""))]
        texts += [item.text for item in paper.snippets]
        ends.append(len(texts))
    cosines = embedder.embed(texts) @ asked.T
    begins: Mapping[int, int] = dict(enumerate([0, *ends[:-1]]))
    return [cosines[begins[at] : end].max(axis=0).tolist() for at, end in enumerate(ends)]
