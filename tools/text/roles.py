"""What a sentence of an abstract does: the seven key elements, by cue words and position.

The cues are those of argumentative zoning (Teufel and Moens, 2002) reduced to what abstracts use.
"""

import re

from state.writing import ELEMENTS
from tools.text.words import Span

_OWN = (
    r"(?:we|the (?:authors?|paper|article|study|work|survey|tutorial|thesis|project|proposal)|this "
    r"(?:paper|work|article|study|survey|review|thesis|tutorial|proposal)|our (?:work|paper|study))"
)
_CUES: dict[str, tuple[tuple[str, float], ...]] = {
    "limitations": (
        (r"\blimitations?\b|\bshortcomings?\b|\bdrawbacks?\b", 3.0),
        (r"\bdepends? on\b|\bassumes?\b|\brestricted to\b|\bcannot\b|\bremains? (?:open|hard|difficult|limited)", 1.2),
        (r"\bfuture work\b|\bstill (?:fails?|struggles?|lags?|falls? short)", 2.0),
    ),
    "findings": (
        (r"\b(?:results?|experiments?|evaluations?|findings|analysis|analyses|tests)\b.{0,60}\b(?:shows?|showed|indicates?|demonstrates?|suggests?|reveals?|finds?|confirms?)\b", 3.0),
        (rf"\b{_OWN} (?:also |further )?(?:shows?|finds?|found|observes?|demonstrates?|reveals?|reports?)\b", 2.5),
        (r"\boutperforms?\b|\bimproves? (?:over|on|upon)\b|\bstate[- ]of[- ]the[- ]art\b|\bsignificantly\b|\bachieves?\b", 1.5),
    ),
    "data": (
        (r"\b(?:data ?sets?|corpus|corpora|benchmarks?|collections?|participants?|user study)\b", 1.6),
        (r"\b(?:evaluat|experiment|annotat|test)\w*\b.{0,40}\bon\b", 1.2),
    ),
    "contribution": (
        (rf"^(?:in this \w+,? |here,? |[^,.;]{{3,70}}, )?{_OWN} (?:\w+ly )?(?:introduces?|proposes?|presents?|develops?|describes?|contributes?|offers?|provides?|reviews?|surveys?|organi[sz]es?|releases?|builds?|designs?|evaluates?|compares?|examines?|investigates?|stud(?:y|ies)|analy[sz]es?|explores?|combines?|formulates?|defines?|extends?|measures?|gives?|argues?|collects?)\b", 3.0),
        (r"\b(?:novel|new)\b", 0.4),
    ),
    "method": (
        (r"^(?:the|this|our|its|their) (?:proposed )?(?:\w+ ){0,2}(?:method|approach|model|system|framework|algorithm|pipeline|architecture|technique|tool|procedure|mechanism)\b", 2.0),
        (r"\b(?:combin|train|encod|comput|leverag|extract|retriev|generat|rank|cluster|fine-tun|learn|split|prompt|us)(?:e|es|s|ing|ed|ning|ting)\b", 0.7),
        (r"\bby (?:\w+ly )?\w+ing\b", 0.8),
    ),
    "problem": (
        (r"\b(?:however|challeng\w*|difficult\w*|problem|lack\w*|fails?|costly|expensive|time-consuming|hard to|suffers?|hampers?|hallucinat\w*|unreliable|struggl\w*|miss(?:es)?|limited)\b", 1.5),
        (r"\b(?:existing|current|previous|prior|traditional|conventional|most)\b.{0,50}\b(?:methods?|approaches|systems?|models?|work|studies|tools?)\b", 1.2),
    ),
    "background": (
        (r"\b(?:increasingly|growing|widely|has become|have become|important|essential|central|crucial|rapid\w*|recent(?:ly)?)\b", 1.0),
    ),
}  # fmt: skip
_COMPILED = {
    role: tuple((re.compile(pattern, re.IGNORECASE), weight) for pattern, weight in cues)
    for role, cues in _CUES.items()
}
# Where in an abstract (0 first, 1 last) a role is expected, and how strongly.
_PLACE = {
    "background": (0.0, 0.8),
    "problem": (0.2, 0.4),
    "contribution": (0.3, 0.3),
    "method": (0.5, 0.3),
    "data": (0.7, 0.3),
    "findings": (0.9, 0.5),
    "limitations": (1.0, 0.4),
}


def role_scores(sentence: str, place: float) -> dict[str, float]:
    """Return how well a sentence fits each element; `place` is its position, 0 first to 1 last."""
    scores = {}
    for role in ELEMENTS:
        cues = sum(weight for pattern, weight in _COMPILED[role] if pattern.search(sentence))
        centre, strength = _PLACE[role]
        scores[role] = cues + strength * (1 - abs(place - centre))
    return scores


def assign_roles(sentences: tuple[Span, ...]) -> dict[str, Span]:
    """Give each element the sentence that fits it best, no sentence to two elements.

    Elements whose best sentence shows no cue at all are left out: no guess is better than a wrong
    one. 'contribution' is chosen first, since the others are told from it.
    """
    last = max(len(sentences) - 1, 1)
    table = [role_scores(span.text, index / last) for index, span in enumerate(sentences)]
    order = ("contribution", "limitations", "findings", "method", "problem", "data", "background")
    taken: set[int] = set()
    chosen: dict[str, Span] = {}
    for role in order:
        free = [index for index in range(len(sentences)) if index not in taken]
        if not free:
            break
        best = max(free, key=lambda index: (table[index][role], -index))
        if table[best][role] >= 1.0:
            taken.add(best)
            chosen[role] = sentences[best]
    return {role: chosen[role] for role in ELEMENTS if role in chosen}
