"""Which language a text is in."""

from tools.text.words import STOP_WORDS, tokens

_NAMES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def language(text: str) -> str:
    """Return the ISO 639-1 code of the text's language.

    A text with the function words of English is English; short texts are taken as English unless
    their script says otherwise. The classifier (py3langid) decides the rest.
    """
    words = tokens(text)
    if words and sum(word in STOP_WORDS for word in words) / len(words) >= 0.2:
        return "en"
    latin = sum(char.isascii() for char in text) >= 0.9 * len(text)
    if len(words) < 12 and latin:
        return "en"
    import py3langid

    return str(py3langid.classify(text)[0])


def language_name(code: str) -> str:
    """Return the English name of a language, or its code."""
    return _NAMES.get(code, code)
