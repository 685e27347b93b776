"""The debate without a language model: whole sentences of the paper by nearness, scored by similarity."""

from collections.abc import Sequence

from nodes.find.rankers.candidates import Candidate
from nodes.find.rankers.closeness import score_of
from nodes.find.rankers.verdicts import Debates, Point, Verdict
from tools.embed.calibration import calibrated
from tools.embed.port import Embedder
from tools.text.sentences import split_sentences

FOR = "Of its sentences this is the nearest to the input in meaning."
AGAINST = "Of its sentences this is the farthest from the input in meaning."


def extract(
    embedder: Embedder, *, text: str, candidates: Sequence[Candidate], **_: object
) -> Debates:
    """Quote the sentences nearest to and farthest from the input; score by similarity.

    The title speaks only where there is no abstract to quote.
    """
    sentences = [
        [span.text for span in split_sentences(item.abstract)] or [item.title]
        for item in candidates
    ]
    wholes = [f"{item.title}. {item.abstract}" for item in candidates]
    vectors = embedder.embed([text, *wholes, *(part for group in sentences for part in group)])
    near = calibrated(embedder, vectors[1:] @ vectors[0])
    debates, at = [], len(wholes)
    for item, group, like in zip(candidates, sentences, near, strict=False):
        mine = near[at : at + len(group)]
        at += len(group)
        debates.append(
            Verdict(
                id=item.id,
                arguments_for=[Point(claim=FOR, quote=group[int(mine.argmax())])],
                arguments_against=[Point(claim=AGAINST, quote=group[int(mine.argmin())])],
                score=round(score_of(float(like)), 1),
            )
        )
    return Debates(debates=debates)
