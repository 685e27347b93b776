"""The debate without a language model: quotes by nearness of sentences, scores by similarity."""

from collections.abc import Sequence

from nodes.find.rankers.candidates import Candidate
from nodes.find.rankers.closeness import score_of
from nodes.find.rankers.verdicts import Debates, Point, Verdict
from tools.embed.calibration import calibrated
from tools.embed.port import Embedder
from tools.text.phrases import keyphrases, phrase_stems
from tools.text.sentences import split_sentences
from tools.text.words import topic_stems


def extract(
    embedder: Embedder, *, text: str, candidates: Sequence[Candidate], **_: object
) -> Debates:
    """Quote the sentences nearest to and farthest from the input; score by similarity."""
    sentences = [
        [item.title, *(span.text for span in split_sentences(item.abstract))] for item in candidates
    ]
    wholes = [f"{item.title}. {item.abstract}" for item in candidates]
    vectors = embedder.embed([text, *wholes, *(part for group in sentences for part in group)])
    query, whole, rows = vectors[0], vectors[1 : 1 + len(wholes)], vectors[1 + len(wholes) :]
    likeness = calibrated(embedder, whole @ query)
    wanted = set(topic_stems(text))
    debates, at = [], 0
    for item, group, like in zip(candidates, sentences, likeness, strict=True):
        mine = rows[at : at + len(group)]
        at += len(group)
        near = mine @ query
        # The title speaks only where there is no abstract to quote.
        body = near[1:] if len(group) > 1 else near
        offset = len(near) - len(body)
        best, worst = offset + int(body.argmax()), offset + int(body.argmin())
        shared = [item for item in _phrases(group[best]) if set(phrase_stems(item)) & wanted]
        other = [item for item in _phrases(group[worst]) if not set(phrase_stems(item)) & wanted]
        debates.append(
            Verdict(
                id=item.id,
                arguments_for=[Point(claim=_claim(_FOR, shared), quote=group[best])],
                arguments_against=[Point(claim=_claim(_AGAINST, other), quote=group[worst])],
                score=round(score_of(float(like)), 1),
            )
        )
    return Debates(debates=debates)


_FOR = ("It shares the input's concern with {}.", "Its wording is close to the input's in meaning.")
_AGAINST = (
    "It also turns to {}, which the input does not mention.",
    "It is the least related part.",
)


def _phrases(sentence: str) -> list[str]:
    return [phrase.text for phrase in keyphrases(sentence, limit=8)]


def _claim(forms: tuple[str, str], phrases: list[str]) -> str:
    named = phrases[:2]
    return forms[0].format(" and ".join(named)) if named else forms[1]
