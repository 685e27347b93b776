"""Make a clause shorter, or fit for the middle of a sentence, without changing what it says."""

import re
from collections.abc import Callable

from tools.text.plain import is_balanced
from tools.text.prose import COMMON_NOUNS, is_prose
from tools.text.verbs import has_verb
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS

LONGEST = 34
"""Words of a clause beyond which a trailing clause is dropped where the grammar allows it."""


_CUT = re.compile(
    r"(?:,? (?:thereby|thus|hence|while|whereas)\b|, (?:(?:in|of|for|to|with|on|by|from|through|at|under) which|where|which)\b|"
    r", (?:such as|including|making|allowing|enabling|resulting|leading|so that|i\.e\.|e\.g\.|with|and thus|and then|"
    r"and (?:we|they|it) )|;| [–—] | - |: )",
)  # fmt: skip
_LOOSE_END = re.compile(
    r"\b(?:and|or|but|nor|of|in|on|to|for|with|by|from|at|under|through|as|than|that|which|the|an?|is|are|was|were|be|"
    r"its|their|both|either|between|predicting|namely|e\.g\.|i\.e\.)$"
)
# 'They show by an experiment' does not say what.
_UNTOLD = re.compile(
    r"\} (?:demonstrate|show|find|argue|prove|observe)s?(?: \w+ly)? "
    r"(?:(?:by|via|using) |(?:through|with|in|on|for)\b(?!.*\bthat\b))"
)


def shorten(clause: str, longest: int = LONGEST) -> str:
    """Drop trailing clauses until at most `longest` words are left, where grammar allows it."""
    while len(clause.split()) > longest:
        cuts = [clause[: found.start()].rstrip(" ,;:") for found in _CUT.finditer(clause)]
        fit = [cut for cut in cuts if len(cut.split()) >= 10 and is_whole(cut)]
        if not fit:
            return clause
        clause = fit[-1]
        # Of what a colon announces all is told or nothing.
        announced = clause.rpartition(": ")[0]
        if len(announced.split()) >= 10 and is_whole(announced):
            clause = announced
    return clause


def is_whole(clause: str) -> bool:
    """Whether a clause has its brackets closed, its verbs, and what they ask for."""
    if not is_balanced(clause) or _LOOSE_END.search(clause) or _UNTOLD.search(clause):
        return False
    # 'They show that the model, which' has lost what the model does.
    _, _, told = clause.partition(" that ")
    return not told or all(has_verb(part) for part in told.split(" and that "))


def lowering(background: frozenset[str]) -> Callable[[str], str]:
    """Return a function that lowers a first letter when the word is known in lower case.

    Args:
        background: Lower-case words that the texts at hand use inside sentences.
    """

    def lower(text: str) -> str:
        first, _, rest = text.partition(" ")
        word = first.strip(",;:")
        if first != "A" and not (word[:1].isupper() and word[1:].islower()):
            return text
        small = word.lower()
        if rest[:1].isupper() and small not in STOP_WORDS:
            return text
        known = first == "A" or small in background or small in _SMALL or is_prose(small)
        looks = _COMMON_ENDING.search(word) and not _NAME.match(word)
        return text[0].lower() + text[1:] if known or looks else text

    return lower


_SMALL = STOP_WORDS | ACADEMIC_WORDS | COMMON_NOUNS
_COMMON_ENDING = re.compile(
    r"(?:ing|[ts]ions?|ity|ities|ments?|ness|[ae]nces?|[eo]rs|ies|ists|isms?|ics|ology|ive|al|ful|ous|ic|[ai]ble|ary|ly|"
    r"ed|-[a-z]+)$"
)
# Names whose endings are those of common words.
_NAME = re.compile(
    r"\w+(?:ian|ese|ish)(?:-|$)|(?:Turing|Beijing|Nanjing|Bing|Boeing|France|Florence|Italy|Sicily|Arabic|Atlantic|Pacific|"
    r"Montreal|Nepal|Portugal|Senegal|Islamic|Icelandic|Wikipedia|Twitter|Google|Facebook|Amazon|Reddit|Markov|Monte)(?:-|$)"
)


def lower_case_words(texts: list[str]) -> frozenset[str]:
    """Return the words that some text writes in lower case."""
    return frozenset(
        word for text in texts for word in re.findall(r"[A-Za-z][\w-]*", text) if word.islower()
    )
