"""Words that point to a sentence before: what has them is not understood alone."""

import re

DANGLING = re.compile(
    r"^(?:it|they|this|these|that|those|such|both|its|their|he|she|there|one|each|another|other|others|"
    r"here|so|but|and|or|the (?:former|latter|second|third|same|other|resulting|two|three)|we|i|let us|to (?:the best of )?(?:our|my) knowledge|for example|for instance|"
    r"unlike|compared|in (?:contrast|comparison)|by contrast|as such|again|instead|similarly|rather)\b",
    re.IGNORECASE,
)
# What a sentence says of 'these methods' is lost on who has not read the one before it.
_POINTS_BACK = re.compile(
    r"\b(?:this|these|those|such(?! as\b)|aforementioned|above|latter|former|that it)\b",
    re.IGNORECASE,
)
# The same of a start that stands for something before it: 'formulate it as', 'study their effect'.
STARTS_BACK = re.compile(
    r"(?:and \w+ )?(?:(?:on|to|of|in|with|how|for|whether|by|over|upon|from|at|about|into|between) )?"
    r"(?:it|its|them|their|they|this|that (?=by|with|in|as)|these|those|such (?!as)|both (?!the|a|an)|so\b|the same|him|her)\b",
    re.IGNORECASE,
)
_GENERIC_BACK = re.compile(
    r"\bthe (?:problem|issue|approach|situation|challenge|question|idea|topic|technique|gap|phenomenon)s?(?=[,.;:]|$)"
    r"|\bthe (?:two|three|four|latter|former|first|second|third|above|other|resulting) "
    r"(?:approach(?:es)?|methods?|models?|issues?|problems?|techniques?|groups?|factors?|cases?|aspects?|ones?)\b"
    r"|\b(?:do|does|doing) so\b|\bsuch\b(?! as\b)",
    re.IGNORECASE,
)


def points_back(text: str) -> bool:
    """Whether a text speaks of 'these methods' or the like, which an earlier sentence named."""
    return bool(_POINTS_BACK.search(text) or _GENERIC_BACK.search(text))
