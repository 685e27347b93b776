"""What a sentence does with the paper that it cites, by phrases that say so before the citation."""

from collections.abc import Mapping, Sequence

from state.citing import Stance
from tools.text.words import tokens

_NEAR = 10
"""Most words between a phrase and the citation that it is taken to be about."""
CUES: Mapping[Stance, Sequence[str]] = {
    "supports": (
        "consistent with", "in line with", "in agreement with", "agrees with", "agree with", "confirms", "confirm",
        "corroborate",
    ),
    "contrasts": (
        "unlike", "in contrast to", "in contrast with", "contrary to", "differs from", "differ from",
        "inconsistent with", "outperforms",
    ),
    "uses": (
        "we use", "we used", "we adopt", "we follow", "we employ", "we apply", "we build on", "we extend", "following",
    ),
}  # fmt: skip
"""Phrases by what they say; few, so that each is right more often than not."""


def stance_by_cues(sentence: str, marker: str) -> Stance | None:
    """Return what the phrase says that stands nearest before a citation; None where none stands near."""
    before = tokens(sentence.partition(marker)[0])[-_NEAR - 3 :]
    found = {
        at: stance
        for stance, cues in CUES.items()
        for cue in map(str.split, cues)
        for at in range(len(before) - len(cue) + 1)
        if before[at : at + len(cue)] == cue and len(before) - at - len(cue) <= _NEAR
    }
    return found[max(found)] if found else None
