"""Names that a claim gives and its source does not: of systems, models, data sets, organisations."""

import re
from functools import lru_cache

_TOKEN = re.compile(r"[^\W\d_][\w]*(?:[-–][\w]+)*")
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 8
"""Letters of an abbreviation that is looked for among the initials of words."""


def unsupported_entities(claim: str, source: str) -> list[str]:
    """Return the names written like 'LitLLM', 'BERT' or 'GPT-4' that a claim has and its source has not.

    A name counts as there in any case and number, and an abbreviation also where words with its
    initials stand together, there or in the claim: 'LLMs' in a text on large language models. Names written like other
    words ('Mamba') are not seen.
    """
    there, joined = _words_of(source)
    initials: str | None = None
    strange: list[str] = []
    for found in _TOKEN.finditer(claim):
        name = found.group()
        if not _is_name(name) or _is_there(name, there, joined):
            continue
        if initials is None:
            words = [*_WORD.findall(source), " ", *_WORD.findall(claim)]
            initials = "".join(word[0].lower() for word in words)
        letters = "".join(char for char in name if char.isupper()).lower()
        if 2 <= len(letters) <= _LONGEST and name.rstrip("s").isupper() and letters in initials:
            continue
        strange.append(name)
    return list(dict.fromkeys(strange))


@lru_cache(maxsize=1024)
def _words_of(source: str) -> tuple[frozenset[str], str]:
    """Return the words of a source, which is compared with many claims, and all its letters."""
    there = {word.lower() for word in _WORD.findall(source)}
    there |= {"".join(_WORD.findall(word)).lower() for word in _TOKEN.findall(source)}
    return frozenset(there), "".join(_WORD.findall(source.lower()))


def _is_name(word: str) -> bool:
    capitals = sum(char.isupper() for char in word)
    return capitals >= 2 or (capitals == 1 and any(char.isdigit() for char in word))


def _is_there(name: str, there: frozenset[str], joined: str) -> bool:
    parts = [part.lower() for part in _WORD.findall(name)]
    if all(part in there or part.rstrip("s") in there or f"{part}s" in there for part in parts):
        return True
    whole = "".join(parts).rstrip("s")
    return len(whole) >= 5 and whole in joined  # 'RoBERTa-large' in 'RoBERTa large', 'Lit-LLM'
