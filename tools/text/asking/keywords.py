"""Make keywords of a question: without politeness, question words and what compares."""

import re
from collections.abc import Mapping, Sequence

from tools.text.asking.naming import names
from tools.text.words import STOP_WORDS

_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|dear \w+|thanks|thank you|ok|okay|so|well|now|also|and|but|please)[,!. ]+)+"
    r"|^(?:please |kindly )?(?:(?:can|could|would|will) you (?:please |kindly )?|i(?: would|'d|’d)? (?:like|want|need|love) (?:to know|to understand|"
    r"to learn|you to)(?: about)? ?|do you (?:know|have any idea) |i(?: am|'m|’m) (?:curious|interested|wondering)(?: about| in)? ?|i wonder )"
    r"|^(?:please )?(?:tell|show|give|teach) (?:me|us) (?:(?:more |something |a bit )?about |an? (?:overview|summary) of |an? |some )?"
    r"|^(?:please )?(?:explain|describe|summari[sz]e|outline|list|discuss)(?: to me| briefly)? "
    r"|^please |^if ",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"[\s,]*(?:,? please|,? thanks|,? thank you|,? in detail|,? briefly|,? in short)?[\s?.!]*$",
    re.IGNORECASE,
)
_AT_WORK = re.compile(r"(?<=\w) works?$(?<!related work)", re.IGNORECASE)
_WELL = re.compile(r"\bhow (?:well|good|accurate|reliable|useful|effective)\b", re.IGNORECASE)
HOW = re.compile(
    r"\bhow (?!many\b|much\b|large\b|big\b|long\b|often\b|old\b|recent\b|well\b|good\b|accurate\b|reliable\b|useful\b|effective\b|"
    r"(?:is|are|does|do|did|was|were) .{2,60} (?:differ|compare|different|related)\b)",
    re.IGNORECASE,
)
WHY = re.compile(r"\bwhy\b", re.IGNORECASE)
_MANY = re.compile(r"\bhow (?:many|large|big|long)\b", re.IGNORECASE)
_WHO = re.compile(r"^who\b|\bwho (?:wrote|proposed|introduced|developed|created)\b", re.IGNORECASE)
WORD = re.compile(r"[^\W_]+(?:[-'’/.+][^\W_]+)*\+*")
_AUTHORED = re.compile(rf"[A-Z][\w'’-]+ et al\b|{WORD.pattern}")
EMPTY = frozenset(
    """difference differences differ differs compare compares compared comparing comparison versus vs
    different similarity similarities exist exists tell know explain describe please mean means say
    says said write wrote written paper papers question answer thing things works working one
    ones kind kinds sort sorts way ways best better good exactly actually really there anything something
    paper's according terms respect regard i'd i'm i've like said""".split()  # noqa: SIM905
)
LEAST = 2
"""Words without which a query says too little, and the question itself is asked."""


def corrected(question: str, spellings: Mapping[str, str]) -> str:
    """Return the question with its wrong words put right, a first capital kept."""
    right = {wrong.casefold(): word for wrong, word in spellings.items()}

    def put(found: re.Match[str]) -> str:
        word = right.get(found[0].casefold())
        if word is None:
            return found[0]
        return word[0].upper() + word[1:] if found[0][0].isupper() and word.islower() else word

    return WORD.sub(put, question)


def plain_question(question: str) -> str:
    """Return a question without politeness around it."""
    text = " ".join(question.split())
    while (bare := _POLITE.sub("", text, count=1)) != text and bare:
        text = bare
    return _ENDING.sub("", text) or question.strip()


def keywords(text: str) -> str:
    """Return the words of a question to search for, in its order; the text itself where few are left."""
    kept = telling(text)
    if len(kept) < LEAST and not names(text):
        return text
    return " ".join([*kept, *implied(text, kept)]) or text


def in_line(text: str, kept: Sequence[str]) -> str:
    """Return kept words in one line; two names of the text that come together are still two."""
    known = [name.split() for name in names(text)]
    ends = {(first[-1], second[0]) for first in known for second in known if first != second}
    line: list[str] = []
    for word in kept:
        if line and (line[-1], word) in ends:
            line.append("and")
        line.append(word)
    return " ".join(line)


def telling(text: str) -> list[str]:
    """Return the words of a question that tell what it is about, and what is asked of it."""
    bare = re.sub(r"['’]s\b", "", _AT_WORK.sub("", text))
    return [
        word for word in _AUTHORED.findall(bare)
        if word.lower() not in STOP_WORDS and word.lower() not in EMPTY
    ]  # fmt: skip


def implied(text: str, kept: Sequence[str], *, lead: bool = True) -> list[str]:
    """Return the words that a question word stands for; `lead` where it is not kept itself."""
    there = {word.lower() for word in kept}
    implied = []
    if lead and HOW.search(text) and not there & {"method", "methods", "approach", "technique"}:
        implied.append("method")
    if lead and WHY.search(text) and not there & {"reason", "reasons", "motivation"}:
        implied.append("reason")
    if _MANY.search(text):
        implied.append("number" if "many" in text.lower() else "size")
    if _WELL.search(text) and not there & {"results", "performance", "accuracy"}:
        implied.append("results")
    if _WHO.search(text):
        implied.append("authors")
    return implied
