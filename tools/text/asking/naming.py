"""Names of systems, data sets and papers: in a question, and whether a text speaks of one."""

import re
from functools import lru_cache

from tools.text.prose import COMMON_NOUNS, is_prose
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS

_WORD = re.compile(r"[^\W_]+(?:(?:[-/.+]|['’](?!s\b))[^\W_]+)*\+*")
_QUOTED = re.compile(r"[\"“‘]([^\"“”‘’]{3,200})[\"”’]")
_AUTHORED = re.compile(r"\b([A-Z][\w'’-]+ et al)\b")
_SHORTEST, _LONGEST = 3, 6
"""Letters of an abbreviation that may stand for the words of a text."""
_PARTICIPLE = re.compile(r"^[A-Z][a-z]+(?:ed|ing|ly|ive|ous|ful)$")
_LINKS = frozenset({"of", "the"})
"""Words that may stand inside a name: 'Web of Science'."""
# Kinds of things, not things: a text speaks of them under their long names, too.
LONG_FORMS = {
    "ai": "artificial intelligence", "ir": "information retrieval", "kb": "knowledge base",
    "kg": "knowledge graph", "lm": "language model", "llm": "large language model",
    "ml": "machine learning", "mt": "machine translation", "ner": "named entity recognition",
    "nlg": "natural language generation", "nli": "natural language inference",
    "nlp": "natural language processing", "plm": "pre-trained language model",
    "qa": "question answering", "rag": "retrieval-augmented generation",
    "rct": "randomised controlled trial", "rl": "reinforcement learning",
    "slr": "systematic literature review", "tar": "technology-assisted review",
}  # fmt: skip
_NOT_NAMES = frozenset(
    """i i'm i'd i've a ok api apis pdf pdfs cpu cpus gpu gpus html xml json doi dois url urls faq us uk eu phd
    english chinese german french spanish american european january february march april may june july august
    september october november december monday""".split()  # noqa: SIM905
)


def names(text: str) -> list[str]:
    """Return the names in a question as it writes them, in order: 'LitLLM', 'MS MARCO', quoted titles."""
    found: list[tuple[int, str]] = [(item.start(), item[1]) for item in _QUOTED.finditer(text)]
    bare = _QUOTED.sub(lambda item: " " * len(item[0]), text)
    found += [(item.start(), item[1]) for item in _AUTHORED.finditer(bare)]
    bare = _AUTHORED.sub(lambda item: "," * len(item[0]), bare)
    run: list[re.Match[str]] = []
    words = list(_WORD.finditer(bare))
    for place, word in enumerate(words):
        joined = not run or bare[run[-1].end() : word.start()].strip() == ""
        if not joined:
            found += _closed(run, bare)
            run = []
        following = words[place + 1][0] if place + 1 < len(words) else ""
        inside = bool(run) and (word[0].isdigit() or (word[0] in _LINKS and _capital(following)))
        if _is_name(word[0], first=_starts(bare, word.start())) or inside:
            run.append(word)
        else:
            found += _closed(run, bare)
            run = []
    found += _closed(run, bare)
    return list(dict.fromkeys(name for _, name in sorted(found)))


def is_strong(name: str) -> bool:
    """Whether a name can be nothing else: it has capitals or figures inside, or is quoted whole."""
    return any(_odd(part) for part in name.split()) or len(name.split()) > 1


def kinds(text: str) -> list[str]:
    """Return the long forms of the field's acronyms that a text has once it is spelled out."""
    small = re.sub(r"[\W_]+", " ", text.lower())
    found = [form for form in LONG_FORMS.values() if re.sub(r"[\W_]+", " ", form) in small]
    return [form for form in found if not any(form != other and form in other for other in found)]


def spelled_out(text: str) -> str:
    """Return a text with the long forms of its acronyms of kinds in their place."""

    def long(word: re.Match[str]) -> str:
        bare = word[0].removesuffix("s")
        form = LONG_FORMS.get(bare.lower()) if bare.isupper() else None
        return word[0] if form is None else form + "s" * word[0].endswith("s")

    return _WORD.sub(long, text)


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name, whatever its case, hyphens and plural, or what it abbreviates."""
    if _pattern(name).search(text):
        return True
    # 'RCTs' are many of what an RCT is; in 'pLSI' the first letter is one of the letters, too.
    letters = name.removesuffix("s") if name[:-1].isupper() else name
    short = letters.isalpha() and letters[1:].isupper() and _SHORTEST <= len(letters) <= _LONGEST
    return short and _spells(text, letters)


def hints(text: str, name: str) -> bool:
    """Whether a text has a name, a later version of it, or the telling part of a longer one.

    'SPECTER2' is a later version of 'SPECTER'; 'Daily Mail' is a part of 'CNN/Daily Mail'.
    """
    if is_version(text, name):
        return True
    parts = [part for part in re.split(r"[\s/]+", name) if len(part) >= _SHORTEST]
    return mentions(text, name) or (len(parts) > 1 and any(mentions(text, part) for part in parts))


def is_version(text: str, name: str) -> bool:
    """Whether a text speaks of a version of what has this name: 'SPECTER2', 'ColBERTv2'."""
    if " " in name or not is_strong(name) or name[-1].isdigit():
        return False
    return (
        re.search(rf"(?<![^\W_]){re.escape(name)}[ -]?v?\d+(?!\w)", text, re.IGNORECASE) is not None
    )


def _closed(run: list[re.Match[str]], text: str) -> list[tuple[int, str]]:
    while run and run[-1][0] in _LINKS:
        run = run[:-1]
    # 'Experienced Wikipedia editors' are no name, though the sentence begins with a capital.
    while len(run) > 1 and _PARTICIPLE.search(run[0][0]) and _starts(text, run[0].start()):
        run = run[1:]
    return [(run[0].start(), text[run[0].start() : run[-1].end()])] if run else []


def _starts(text: str, place: int) -> bool:
    before = text[:place].rstrip()
    return not before or before[-1] in ".?!:"


def _capital(word: str) -> bool:
    return word[:1].isupper()


def _odd(word: str) -> bool:
    return any(char.isupper() for char in word[1:]) or (
        any(char.isdigit() for char in word) and any(char.isalpha() for char in word)
    )


def _is_name(word: str, *, first: bool) -> bool:
    small = word.lower()
    if small.endswith(("-like", "-style", "-based")):
        return False
    if small in _NOT_NAMES or small in LONG_FORMS or small.removesuffix("s") in LONG_FORMS:
        return False
    if _odd(word):
        return True
    if not _capital(word) or small in STOP_WORDS:
        return False
    common = small in ACADEMIC_WORDS or small in COMMON_NOUNS or is_prose(small)
    return not (first and common)


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in re.findall(r"[^\W\d_]+|\d+|\++", name)]
    joined = r"[\W_]{0,2}".join(parts)
    # 'LitLLMs' is another system than LitLLM, but RCTs are many of what an RCT is.
    plural = "s?" if name.isupper() or name.islower() else ""
    # ColBERT-PRF is not ColBERT, and Sentence-BERT not BERT; 'BERT-based' is of BERT.
    alone = rf"(?<![^\W_])(?<!(?-i:[A-Za-z]-)){joined}{plural}(?![^\W_])(?!(?-i:-[A-Z]))"
    return re.compile(alone, re.IGNORECASE)


@lru_cache(maxsize=4096)
def _initials(text: str) -> str:
    return "".join(
        part[0] for word in _WORD.findall(text) for part in word.split("-")
        if part and part.lower() not in {"of", "the", "and", "for", "in"}
    ).lower()  # fmt: skip


def _spells(text: str, letters: str) -> bool:
    return letters.lower() in _initials(text)
