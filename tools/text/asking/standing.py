"""Make sentences of a passage stand alone: 'the system' becomes its name, 'we' the authors."""

import re
from dataclasses import dataclass

from tools.evidence.prompt_injection import without_injections
from tools.text.clauses import Subject, clause_about
from tools.text.plain import presentable
from tools.text.pointing import points_back
from tools.text.sentences import split_sentences
from tools.text.trim import lower_case_words, lowering
from tools.text.verbs import common_forms, has_verb, is_past
from tools.text.words import STOP_WORDS

_KINDS = (
    r"(?:method|methodology|approach|model|system|framework|algorithm|pipeline|architecture|technique|tool|toolkit|procedure|"
    r"data ?set|corpus|benchmark|collection|library|agent|prototype|interface|resource|metric|measure|index|assistant|"
    r"retriever|ranker|classifier|encoder|service|project|platform|app|software|package|search engine|organi[sz]ation)"
)
_INTRODUCED = re.compile(
    r"\b(?:introduc|present|propos|develop|describ|releas|explor)(?:e|es|ed|ing|s)?,? (?:the |an? )?"
    r"((?:[^\s,.;:()]+ ?){1,6}?)(?=,| ?\(|\.|;|:| that\b| which\b| for\b| in which\b| to\b| as\b| from\b| with\b)"
)
_CALLED = re.compile(
    r"\b(?:called|named|dubbed|termed|known as) ((?:[A-Z][\w.+-]*|[\w-]*[A-Z][\w.+-]*)(?: [A-Z][\w.+-]*){0,3})"
)
_OWN_VOICE = re.compile(
    r"^(?:(?:in|here)\b[^,.]{0,30}, )?(?:we|i|the authors?|(?:this|the|our) (?:[\w-]+ )?(?:paper|study|work|survey|article|review|"
    + _KINDS[3:-1]
    + r"))\b",
    re.IGNORECASE,
)
_TITLE_NAME = re.compile(r"^([^:–—]{2,40}?)\s*[:–—] ")
_GENERIC = re.compile(
    rf"^(?:the|this|our|the proposed|the resulting) (?:(?:proposed|resulting|new|whole|best) )?({_KINDS}) (?=(\w+))",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"^(it|its|they|their) (?=(\w+))", re.IGNORECASE)
_AUTHORS = re.compile(
    r"^(?:the authors?|we|this (?:paper|study|work|survey|review|article)|the (?:paper|study|work|survey|review|article))\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:[Ww]e|[Oo]urs?|[Uu]s|ourselves)\b")
_ASIDE = re.compile(r"^(?:However|Moreover|Furthermore|In addition|Additionally|Finally|Also|Thus|Therefore|Hence|Then|Instead|Similarly|"
                    r"In particular|Specifically|Nevertheless|Nonetheless|Overall|In contrast|By contrast|For example|For instance|To this end|Second|Third|First), ")  # fmt: skip
# What was tried is known from the sentences before.
_TRIAL = re.compile(
    r"^(?:(?:extensive |further |the )?experiments?|(?:the |human |an? )?(?:evaluations?|results|tests)|(?:an? |the )?(?:user|laboratory|usability|field) stud(?:y|ies))\b"
    r"(?!.*\b(?:the|this|its) (?:proposed |best |resulting |new |joint )?(?:method|approach|model|system|framework|algorithm|pipeline|technique|tool|dataset|benchmark)\b)",
    re.IGNORECASE,
)
_SUBJECT_VERB = frozenset(
    "is are was were has have can could may might will would does do did".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a passage, or one clause of it, that can be read alone."""

    text: str
    quote: str
    """The passage's own words."""
    place: float
    """Where its sentence stands in the passage, 0 first to 1 last."""
    leans: bool = False
    """Whether it points to what stands before."""


def _leans(sentence: str) -> bool:
    rest = _AUTHORS.sub("", sentence)
    return bool(_BACKWARD.match(rest) or points_back(_NO_POINTER.sub("", rest)))


_BACKWARD = re.compile(
    r"^(?:it|its|they|their|them|these|those|such|the (?:former|latter|other|same|ideas?|principle|relation))\b",
    re.IGNORECASE,
)
# 'Those of the baseline', 'those who': what they stand for is in the sentence.
_NO_POINTER = re.compile(
    r"\bthose (?:of|that|which|who|whose|in|from|with|by|already|on|for|at|to|between)\b|\bthis (?:paper|study|survey|work|review|article)\b",
    re.IGNORECASE,
)


def named_subject(title: str, text: str) -> str:
    """Return what the passage's paper calls its own system, data or method; empty if nothing tells."""
    before = _TITLE_NAME.match(title)
    if before and len(before[1].split()) <= 4 and re.search(rf"\b{re.escape(before[1])}\b", text):
        return before[1]
    # What others introduced is not the paper's own, though the passage tells of it.
    for span in split_sentences(text):
        if not _OWN_VOICE.match(span.text):
            continue
        if found := _CALLED.search(span.text):
            return found[1]
        for found in _INTRODUCED.finditer(span.text):
            name = found[1].strip()
            article = re.search(r"\b(?:an?) $", found[0][: found[0].rfind(name)])
            if not article and _looks_named(name):
                return name
    return ""


def with_article(name: str, text: str) -> str:
    """Return a name as the text uses it, with the article that it has there."""
    return f"the {name}" if name and re.search(rf"\b[Tt]he {re.escape(name)}\b", text) else name


def statements(title: str, text: str) -> list[Statement]:
    """Return what a passage states, in order, without commands to a machine and without questions."""
    spans = split_sentences(text)
    last = max(len(spans) - 1, 1)
    name = with_article(named_subject(title, text), text)
    made: list[Statement] = []
    before = ""
    for place, span in enumerate(spans):
        if not without_injections(span.text)[0]:
            before = ""
            continue
        for piece in clauses(span.text):
            told = _standing(piece, name, before, text)
            if told:
                made.append(Statement(told, piece, place / last, _leans(told)))
        before = span.text
    return made


_SPLIT = re.compile(
    r"; (?=\w)|, (?:and|but|while|whereas) (?=(?:the |an? |its |their |most |many |some |few |other |no |all )?[\w-]+(?: [\w-]+){0,4})"
)
_LEAST = 6
"""Words of a clause that stands for itself."""


def clauses(sentence: str) -> list[str]:
    """Split a sentence where a second clause with a subject of its own begins; words stay as they are."""
    for found in _SPLIT.finditer(sentence):
        left, right = sentence[: found.start()], sentence[found.end() :]
        alone = min(len(left.split()), len(right.split())) >= _LEAST and len(right) >= 25 <= len(
            left
        )
        if (
            alone
            and has_verb(left)
            and _begins_clause(right)
            and "(" not in left[left.rfind(")") + 1 :]
        ):
            return [left, *clauses(right)]
    return [sentence]


def _begins_clause(text: str) -> bool:
    """Whether a text begins with a subject and its verb: not with one more item of a list."""
    words = re.findall(r"[\w'-]+", text)
    if not re.match(
        r"(?:the|an?|its|their|most|many|some|few|other|no|all|both|[A-Z])\b", text
    ) and not (words and words[0].endswith("s")):
        return False
    return any(_is_verb(word) for word in words[1:7])


def _is_verb(word: str) -> bool:
    small = word.lower()
    return small in _SUBJECT_VERB or small in _FINITE_FORMS


_FINITE_FORMS = frozenset(
    form for form in common_forms() if form.endswith("s") or form in {"show", "remain", "need"}
)


# A list of keywords is no sentence (tools.text.plain leaves it out), a sentence on keywords is one.
_KEYWORDS = re.compile(r"\b(key ?word|index term)s\b(?!\s*[:—–])", re.IGNORECASE)


def _plain(piece: str) -> str | None:
    made = presentable(_KEYWORDS.sub(r"\1sxx", piece))
    return made and re.sub(r"(key ?word|index term)sxx", r"\1s", made, flags=re.IGNORECASE)


def _standing(piece: str, name: str, before: str, text: str) -> str | None:
    plain = _plain(piece)
    if plain is None or plain.endswith("?") or len(plain.split()) < 4 or not has_verb(plain):
        return None
    plain = _ASIDE.sub("", plain).strip(" ,;:")
    if _FIRST_PERSON.search(plain):
        plain = _third_person(plain, text)
    plain = _with_name(plain, name, before)
    return _finish(plain)


def _third_person(sentence: str, text: str) -> str:
    lower = lowering(lower_case_words([text]))
    made = clause_about(sentence, Subject("the authors", plural=True), lower)
    # 'The authors, to encode the text, use' is 'To encode the text, the authors use'.
    if (
        made
        and " note that " not in f" {made} "[:30]
        and not made.lower().startswith("the authors, ")
    ):
        return made
    for first, third in (
        (r"\b[Ww]e\b", "the authors"), (r"\b[Oo]urs\b", "theirs"), (r"\b[Oo]ur\b", "their"), (r"\b[Uu]s\b", "them"),
        (r"\bourselves\b", "themselves"),
    ):  # fmt: skip
        sentence = re.sub(first, third, sentence)
    return sentence


def _with_name(sentence: str, name: str, before: str) -> str:
    if name and (found := _GENERIC.match(sentence)) and _verb_next(found[2]):
        return f"{name} {sentence[found.end() :]}"
    if (
        name
        and _TRIAL.match(sentence)
        and name.removeprefix("the ").casefold() not in sentence.casefold()
    ):
        return f"For {name}, {sentence[0].lower()}{sentence[1:]}"
    found = _PRONOUN.match(sentence)
    if not found:
        return sentence
    pronoun = found[1].lower()
    if pronoun in {"they", "their"} and _AUTHORS.match(before):
        subject = "the authors" if pronoun == "they" else "the authors'"
        return f"{subject} {sentence[found.end() :]}"
    about = (
        _AUTHORS.match(before)
        or _GENERIC.match(before)
        or (name and before.casefold().startswith(name.casefold()))
        or _PRONOUN.match(before)
    )
    if pronoun in {"it", "its"} and about:
        if name:
            return f"{_of(name) if pronoun == 'its' else name} {sentence[found.end() :]}"
        kind = _GENERIC.match(before)
        if kind:
            return f"the {_of(kind[1]) if pronoun == 'its' else kind[1]} {sentence[found.end() :]}"
        if (
            _AUTHORS.match(before)
            and pronoun == "it"
            and re.match(r"(?:this|the) ", before, re.IGNORECASE)
        ):
            return f"{' '.join(before.split()[:2]).lower()} {sentence[found.end() :]}"
    return sentence


def _of(name: str) -> str:
    return name + ("’" if name.endswith("s") else "’s")


def _verb_next(word: str) -> bool:
    small = word.lower()
    return small in _SUBJECT_VERB or small.endswith("s") or is_past(small) or small.endswith("ly")


def _looks_named(name: str) -> bool:
    words = name.split()
    if len(words) > 5 or words[0].lower() in {
        "how",
        "whether",
        "that",
        "what",
        "to",
        "several",
        "two",
        "three",
        "new",
        "novel",
        "a",
        "an",
        "evidence",
    }:
        return False
    if words[0].lower() in STOP_WORDS or {"as", "the", "and", "or", "on", "by"} & set(words):
        return False
    capital = any(
        sum(char.isupper() for char in word) > 1 or (word[0].isupper() and word.lower() != word)
        for word in words
    )
    small = len(words) <= 4 and not words[-1].endswith(("s", "ing")) and " of " not in f" {name} "
    return capital or small


def _finish(sentence: str) -> str:
    text = " ".join(sentence.split()).rstrip(" .;,:")
    return text[:1].upper() + text[1:] + "."
