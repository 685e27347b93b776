"""How well a text reads: whether its words are words, or what a broken text layer leaves of them."""

import json
import re
from functools import cache
from importlib.resources import files

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_BROKEN = re.compile(r"\(cid:\d+\)|[\ufffd\ue000-\uf8ff]|[^\W\d_][~\\`^][^\W\d_]")
_LAST_LATIN = "\u024f"
_FUNCTION_WORDS = {
    "en": "the of and to in a is that for it as was with be by on not are this from we which or an at",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an",
    "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce l d",
    "es": "de la que el en y a los se del las un por con no una su para es al lo como más o",
    "it": "di e il la che in a per un è del non con le si da una sono i gli dei nel l come al",
    "pt": "de a que e o do da em um para com não uma os no se na por mais as dos como ao das à",
    "nl": "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar uit bij",
}
_SPEAKING = {name: frozenset(words.split()) for name, words in _FUNCTION_WORDS.items()}
_FEWEST = 25
"""Words from which a text without function words of any language is no prose."""
_SPOKEN = 0.12
"""Share of letters in function words from which a text is in their language."""
_FEW = 8
"""Words up to which one of them may be new without a doubt."""
_USUAL = 0.1
"""Share of unknown words in sound English prose that is still usual: terms, formulas, names."""
_GARBLED = 0.35
"""Share of unknown words at which nothing of a text is believed."""


def text_quality(text: str) -> float:
    """Return how well a text reads, 1 (as prose does) to 0 (nothing of it can be relied on).

    'Given the flexibility of this' gives 1; 'Giv en the exibilit y of this', as a PDF without word
    spaces gives it, much less. Looked at are characters that stand for none and, in English,
    the share of words that are in no list of words: of 22,000, which the tokenizer of the default
    embedder has, with endings taken off. Names, as words with a capital, do not count; nor do single letters and
    what is written in other letters than Latin ones.
    """
    if not text.strip():
        return 0.0
    tokens = _TOKEN.findall(text)
    broken = len(_BROKEN.findall(text)) / max(1, len(text.split()))
    sound = max(0.0, 1 - 4 * broken)
    if len(tokens) < 3 or 2 * sum(char.isalpha() and char <= _LAST_LATIN for char in text) < sum(
        map(str.isalpha, text)
    ):
        return round(sound, 2)
    low = [token.lower() for token in tokens]
    size = sum(map(len, low))  # in letters: a piece of a word may be a short word of any language
    shares = {
        name: sum(len(word) for word in low if word in words) / size
        for name, words in _SPEAKING.items()
    }
    language = max(shares, key=lambda name: shares[name])
    if len(low) >= _FEWEST:
        sound *= min(1.0, shares[language] / _SPOKEN)
    if language == "en" or shares[language] < _SPOKEN:
        # No names, which have capitals, and no variables.
        words = [token for token in tokens if token.islower() and len(token) > 1]
        unknown = sum(word not in _SPEAKING["en"] and not is_known(word) for word in words)
        share = max(0, unknown - (len(words) < _FEW)) / max(1, len(words))
        sound *= 1 - min(1.0, max(0.0, share - _USUAL) / (_GARBLED - _USUAL))
    return round(sound, 2)


def is_known(word: str) -> bool:
    """Return whether a word in small letters is in the list of English words, endings and prefixes apart."""
    words = _words()
    if word in words:
        return True
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            stem = word.removesuffix(ending)
            if any(form in words for form in (stem, stem + instead, stem[:-1])):
                return True
    return any(word.startswith(one) and word[len(one) :] in words for one in _PREFIXES)


_ENDINGS = (
    ("'s", ""), ("’s", ""), ("s", ""), ("es", "e"), ("ed", "e"), ("ing", "e"), ("er", "e"), ("ers", "e"),
    ("ly", "le"), ("ize", "y"), ("ized", "e"), ("izing", "e"), ("ization", "e"), ("ation", "e"),
    ("ations", "e"), ("ies", "y"), ("ied", "y"), ("ily", "y"), ("able", "e"), ("ability", "able"),
    ("ness", ""), ("less", ""), ("ity", "e"), ("al", "e"), ("ally", "al"), ("ise", ""), ("ised", "e"),
    ("ive", "e"), ("ments", ""), ("or", "e"), ("ors", "e"),
)  # fmt: skip
_PREFIXES = (
    "un",
    "re",
    "non",
    "pre",
    "multi",
    "sub",
    "inter",
    "over",
    "under",
    "mis",
    "co",
    "semi",
    "bi",
    "out",
    "uni",
    "meta",
    "cross",
    "hyper",
    "micro",
    "auto",
    "dis",
    "in",
    "tri",
    "anti",
)


@cache
def _words() -> frozenset[str]:
    raw = files("tools.embed").joinpath("minilm_tokenizer.json").read_bytes()
    vocabulary = json.loads(raw)["model"]["vocab"]
    return frozenset(word for word in vocabulary if word.isalpha() and len(word) > 2)
