"""Which language a text is in."""

from tools.text.words import STOP_WORDS, tokens

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
}  # fmt: skip
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
