"""How sentences are joined to one another, and how well a draft reads for it."""

from collections.abc import Sequence

from tools.text.words import content_stems, tokens

SIMILAR = ("Similarly", "In the same vein", "Along similar lines", "In a related effort")
CONTRAST = ("By contrast", "In contrast", "Taking a different route", "From another angle")
LATER = ("In later work", "Subsequently", "More recently")
FURTHER = ("In addition", "Furthermore", "Beyond this", "Likewise")
"""For what is known by its title only, which shows neither likeness nor contrast."""
NEAR_JOINTS: tuple[str, ...] = (", and, in a similar spirit, ", ", and likewise ", ", while ")
PLAIN_JOINTS: tuple[str, ...] = (", and ", "; ")
FAR_JOINTS: tuple[str, ...] = (", whereas ", ", while ", "; by comparison, ")
REPEATED = 0.9
"""Dice resemblance from which two sentences count as one said twice."""


def resemblance(first: str, second: str) -> float:
    """Return the share of content stems that two texts have in common (Dice), 0..1."""
    left, right = set(content_stems(first)), set(content_stems(second))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def fluency(sentences: Sequence[str]) -> float:
    """Rate a draft: comparison and variety count for it, repetition and bad length against it."""
    if not sentences:
        return 0.0
    links = (*SIMILAR, *CONTRAST, *LATER, "whereas", "while", "in a similar spirit", "and they")
    linked = sum(any(link.lower() in text.lower() for link in links) for text in sentences)
    starts = [" ".join(tokens(text)[:2]) for text in sentences]
    repeated = len(starts) - len(set(starts))
    lengths = [len(text.split()) for text in sentences]
    off = sum(max(length - 42, 0) + max(12 - length, 0) for length in lengths) / len(lengths)
    alike = max(
        (resemblance(a, b) for i, a in enumerate(sentences) for b in sentences[:i]), default=0.0
    )
    return linked / len(sentences) - 0.3 * repeated - 0.05 * off - 0.5 * max(alike - 0.5, 0.0)
