"""Words and the sentences that they stand in: tokens, stop words, stems, and the language that they are in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from string import ascii_letters

# sentencex ends a sentence after these although a number or name follows.
_NO_END = frozenset(
    (
        "Sect.",
        "Sects.",
        "Sec.",
        "Eq.",
        "Eqs.",
        "Tab.",
        "Ref.",
        "Refs.",
        "Alg.",
        "Def.",
        "resp.",
        "approx.",
        "cf.",
        "vs.",
        "Figs.",
    )
)
NUMBERS = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
"""A citation of references by their numbers: '[3, 4]'."""
_MARK = r"\s*(?:\[\d[\d\s,;–-]{0,40}\]|\(\d[\d\s,;–-]{0,40}\)|\{P\d+\})"
_MARKS = re.compile(rf"(?:{_MARK})*\s*")
_MARKED = re.compile(rf"{_MARK}\s*\Z")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: `source[start:end] == text`."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def split_sentences(text: str) -> tuple[Span, ...]:
    """Return the sentences of an English text, without the white space around them."""
    from sentencex import get_sentence_boundaries

    spans: list[Span] = []
    begin: int | None = None
    for boundary in get_sentence_boundaries("en", text):
        start, end = boundary["start_index"], boundary["end_index"]
        begin = start if begin is None else begin
        piece = text[begin:end]
        last = piece.rstrip().rpartition(" ")[2].rpartition("-")[2]
        if last.lstrip("([“\"'") in _NO_END or _goes_on(text, end):
            continue
        _append(spans, text, begin, end)
        begin = None
    if begin is not None:
        _append(spans, text, begin, len(text))
    return tuple(spans)


def _goes_on(text: str, end: int) -> bool:
    """Whether citations stand at a boundary, and behind them the same sentence: 'Rossi et al. [14] found ...'."""
    marks = _MARKS.match(text, end)
    after = marks.end() if marks else end
    follows = text[after : after + 1]
    if text[end:after].strip():  # '{P2} say so' is a sentence of its own
        return not follows or follows in ".,;:)"
    behind = _MARKED.search(text, max(end - 50, 0), end)
    return bool(behind) and (follows.islower() or follows in set(".,;:)"))


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if stripped := piece.strip():
        left = start + len(piece) - len(piece.lstrip())
        spans.append(Span(stripped, left, left + len(stripped)))


_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")

STOP_WORDS = frozenset(
    """a about above after again against all also although am among an and another any are as at be
    because been before being below between both but by can cannot could did do does doing done down
    due during each either etc even every few for from further furthermore get give given had has
    have having he hence her here hers him his how however i if in instead into is it its itself just
    least less let like made make many may me might more moreover most much must my near need needs
    neither no nor not now of off often on once one only onto or other others our ours out over own
    per quite rather same several shall she should since so some such than that the their theirs them
    themselves then there thereby therefore these they this those though through thus to together too
    toward towards under until unlike up upon us use used using usually very via was we well were what
    when where whereas whether which while who whom whose why will with within without would yet you
    your first second third finally e g i.e e.g et al two three""".split()  # noqa: SIM905
)

# Words every paper uses of itself: no sign of what it is about.
ACADEMIC_WORDS = frozenset(
    """abstract achieve achieved achieves aim aims analyse analysis analyze approach approaches
    article author authors based better case compare compared consider contribution contributions
    current demonstrate demonstrates describe describes different discuss effective effectiveness
    efficient enable enables evaluate evaluated evaluation evidence existing experiment experimental
    experiments explore find findings finds focus framework goal help high identify important improve
    improved improves include including indicate indicates introduce introduces investigate key large
    limitation limitations main major method methods multiple new novel number obtain offer offers
    outperform outperforms paper papers perform performance possible potential present presented
    presents previous problem problems propose proposed proposes provide provides range recent
    recently require requires research result results review show shown shows significant
    significantly simple small state-of-the-art strong studies study suggest suggests support survey
    system systems task tasks technique techniques term terms time toward traditional type types
    various way ways work works""".split()  # noqa: SIM905
)


UNITS = frozenset("m km cm dm mm nm µm μm ft in yd s h kg g Hz".split())  # noqa: SIM905
"""Behind one of these a raised number is a power."""


def letters_before(text: str) -> str:
    """Return the letters in which a text ends."""
    return text[len(text.rstrip(ascii_letters + "µμχ")) :]


def written_words(text: str) -> list[str]:
    """Return the words of a text as they are written, hyphenated ones whole."""
    return _TOKEN.findall(text)


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, hyphenated ones whole."""
    return [word.lower() for word in written_words(text)]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the Snowball (English) stem of a word, which must be in lower case."""
    import snowballstemmer

    return str(snowballstemmer.stemmer("english").stemWord(word))


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that carry meaning, hyphenated words in their parts."""
    return [
        stem(part)
        for word in tokens(text)
        for part in word.replace("’", "'").split("-")
        if len(part) > 1 and part not in STOP_WORDS and not part.endswith("'s")
    ]


@lru_cache(maxsize=16384)
def distinct_content_stems(text: str) -> frozenset[str]:
    """Return the distinct content stems of a text, which is compared with many others."""
    return frozenset(content_stems(text))


def topic_stems(text: str) -> list[str]:
    """Return the content stems that are not common to all academic prose."""
    academic = _academic_stems()
    return [item for item in content_stems(text) if item not in academic]


@lru_cache(maxsize=16384)
def distinct_topic_stems(text: str) -> frozenset[str]:
    """Return the distinct topic stems of a text, which a run asks for again in every round."""
    return frozenset(topic_stems(text))


@lru_cache(maxsize=1)
def _academic_stems() -> frozenset[str]:
    return frozenset(stem(part) for word in ACADEMIC_WORDS for part in word.split("-"))


def share_of_stems(claim: str, source: str) -> float:
    """Return the share of the claim's distinct content stems that the source has, 0..1."""
    wanted = distinct_content_stems(claim)
    return len(wanted & distinct_content_stems(source)) / len(wanted) if wanted else 0.0


SAME = 0.9
"""Resemblance from which two sentences count as one said twice."""


def resemblance(first: str, second: str) -> float:
    """Return the share of content stems that two texts have in common (Dice), 0..1."""
    left, right = distinct_content_stems(first), distinct_content_stems(second)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


def copied_words(text: str, source: str, least: int) -> str:
    """Return the longest row of words of a text that stand so in the source; '' where it has fewer than `least`."""
    mine = tokens(text)
    row = SequenceMatcher(None, mine, tokens(source), autojunk=False).find_longest_match()
    return " ".join(mine[row.a : row.a + row.size]) if row.size >= least else ""


def lower_case_words(texts: Sequence[str]) -> frozenset[str]:
    """Return the words that some text writes in lower case."""
    return frozenset(word for text in texts for word in written_words(text) if word.islower())


_NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_ENGLISH_ONLY = frozenset(
    """the and to that with for this by from which are our its these their be been has have not how
    what why when where between than they them there it those while whether""".split()  # noqa: SIM905
)

_ASKING = {
    "de": "wie was warum wer welche welcher welches wann wo und oder der die das ist sind nicht ein eine von zum zur",
    "fr": "comment pourquoi quel quelle quels quelles est-ce que qui où et ou le la les des une est sont pas dans du",
    "es": "cómo qué por cuál cuáles quién quiénes cuándo dónde y el la los las un una es son del para en se",
    "it": "come perché quale quali chi quando dove e il lo la gli le un una è sono della di che per",
    "pt": "como por que qual quais quem quando onde e o a os as um uma é são não da do para",
    "nl": "hoe wat waarom wie welke wanneer waar en of het een is zijn niet van voor de",
}
_FOREIGN = {code: frozenset(words.split()) for code, words in _ASKING.items()}


def question_language(text: str) -> str:
    """Return the ISO 639-1 code of a question's language.

    A question is too short for `language`, and names make most of it: its function words decide,
    and it is English unless another language has more of them, and at least two.
    """
    words = tokens(text)
    english = sum(word in STOP_WORDS or word in _ENGLISH_ONLY for word in words)
    counts = {code: sum(word in own for word in words) for code, own in _FOREIGN.items()}
    best = max(counts, key=lambda code: counts[code])
    if counts[best] >= 2 and counts[best] > english:
        return best
    return language(text)


def language(text: str) -> str:
    """Return the ISO 639-1 code of the text's language.

    A text with the function words of English, among them some that no neighbour shares, is English
    ('a', 'as' and 'no' are Portuguese, too; 'in', 'is' and 'of' are Dutch); short texts are taken as English unless
    their script says otherwise. The classifier (py3langid) decides the rest.
    """
    words = tokens(text)
    function = sum(word in STOP_WORDS for word in words)
    own = sum(word in _ENGLISH_ONLY for word in words)
    if words and function / len(words) >= 0.2 and own / len(words) >= 0.05:
        return "en"
    latin = sum(char.isascii() for char in text) >= 0.9 * len(text)
    if len(words) < 12 and latin:
        return "en"
    import py3langid

    return str(py3langid.classify(text)[0])


def language_name(code: str) -> str:
    """Return the English name of a language, or its code."""
    return _NAMES.get(code, code)
