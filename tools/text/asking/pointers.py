"""Put what 'it' or 'this system' stands for in its place in a question."""

import re

from tools.text.asking.keywords import plain_question
from tools.text.asking.naming import is_strong, names
from tools.text.asking.turns import GENERIC, KIND, THEIRS
from tools.text.words import STOP_WORDS, stem, tokens

ALSO = re.compile(
    r"^(?:(?:and|but|ok(?:ay)?|so|also|then|now|thanks|thank you|great|good|i see|interesting)\b[,.!]? *)+",
    re.IGNORECASE,
)
LEAD = re.compile(
    r"^(?:(?:in|on|by|for|with|to|from|of) )?(?:how|what|which|why|who|whom|whose|when|where|do|does|did|is|are|was|were|can|could|should|has|"
    r"have|had|will|would|compare|explain|describe|list|name|tell|give|show|summari[sz]e)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"\b(?:is|was|would|can|could|should|does|may|might) it (?:be |really |still |always |ever )?(?:\w+ )?(?:\w+ )?(?:to|that|for|when|if|whether)\b"
    r"|\bit (?:is|was|takes?|makes? sense|seems?)\b (?:\w+ )?(?:to|that)\b",
    re.IGNORECASE,
)
_POINTER = re.compile(
    rf"\b(?P<that>(?:this|these|those|that(?! works?\b)|the same|such an?|such) (?P<kind>{KIND}))\b"
    rf"|\b(?P<the>the (?P<kind2>{KIND}))\b(?! (?:of|that|which|for|in|by|on|called|named|behind|with|to)\b)"
    r"|\b(?P<its>its|their)\b|\b(?P<it>it|they|them|this|these|those|that)\b(?=\s*(?:[?.,;!]|$|\b(?:do|does|did|is|are|was|were|can|could|has|have|"
    r"use|uses|used|compare|compares|differ|differs|work|works|perform|performs|and|or|on|in|with|to|for|from|against|than|better|worse|as|"
    r"help|helps|need|needs|evaluate|evaluates|find|finds|handle|handles|train|trained|evaluated|tested|built|be|only|also|not|still|actually|"
    r"fail|fails|improve|improves|rank|ranks|retrieve|retrieves|score|scores|cite|cites|apply|applies|measure|measures|relate|relates|\w+)\b))",
    re.IGNORECASE,
)  # fmt: skip


def pointed(text: str, before: str, subject: str) -> str | None:
    """Put the subject where the question points to it; None where it does not.

    Args:
        text: The question.
        before: The question before it, standing alone.
        subject: What that one was about.
    """
    hidden = _EXPLETIVE.sub(lambda found: "\0" * len(found[0]), text)
    found = next((item for item in _POINTER.finditer(hidden) if _points(text, item)), None)
    if found is None:
        return None
    several = THEIRS.search(plain_question(before))
    plural = (found["it"] or "").lower() in {"these", "those", "they", "them"}
    put = f"the {several[0]}" if several and plural else _filled(found, subject)
    made = text[: found.start()] + put + text[found.end() :]
    owned = rf"(?<!^)\b{re.escape(subject)}['’]s? ((?:[\w-]+ ){{0,2}}[\w-]+)(?=[ ?.!]*$)"
    made = ALSO.sub("", re.sub(owned, lambda item: f"the {item[1]} of {subject}", made))
    bare = made.strip(" ?.!")
    if LEAD.match(bare):
        return made[0].upper() + made[1:]
    return _what_of(bare, subject) if _noun_only(text) else f"{plain_question(before)}: {bare}?"


def _points(text: str, found: re.Match[str]) -> bool:
    """Whether a pronoun points out of the question."""
    if _antecedent(text[: found.start()], found):
        return False
    unsure = (found["it"] or "").lower() in {"that", "this", "these", "those"}
    return not unsure or _stands(text, found)


def _filled(found: re.Match[str], subject: str) -> str:
    if found["its"]:
        several = subject.endswith("s") and not is_strong(subject)
        return f"{subject}’" if several else f"{subject}’s"
    kind = found["kind"] or found["kind2"]
    if kind and re.match(r"paper|work|stud|article", kind, re.IGNORECASE):
        return f"the {subject} {kind}" if names(subject) else f"the {kind} on {subject}"
    return subject


def _noun_only(text: str) -> bool:
    return bool(re.match(r"(?:its|their)\b", ALSO.sub("", text), re.IGNORECASE))


def _what_of(bare: str, subject: str) -> str:
    rest = re.sub(rf"^{re.escape(subject)}['’]s?\s+", "", bare, flags=re.IGNORECASE)
    rest = re.sub(rf"^the | of {re.escape(subject)}$", "", rest, flags=re.IGNORECASE)
    return f"What are the {rest} of {subject}?"


def _stands(text: str, found: re.Match[str]) -> bool:
    """Whether 'this' or 'that' stands for something, and does not begin a clause or go with a noun."""
    after = text[found.end() :].strip(" ?.!,;")
    if not after:
        return True
    return bool(
        re.match(
            r"(?:work|works|compare|differ|do|does|is|are|be|mean|help|different|better|use|in|for|with|to)\b",
            after,
        )
    ) and not (
        found["it"].lower() == "that"
        and re.search(r"\w+s?\s*$", text[: found.start()])
        and not re.search(
            r"\b(?:does|do|did|is|was|how|why|like|of|than|with|to)\s*$",
            text[: found.start()],
            re.IGNORECASE,
        )
    )


def _antecedent(before: str, found: re.Match[str]) -> bool:
    """Whether the question itself names, before a pronoun, what it stands for."""
    if names(before):
        return True
    said = (found["its"] or found["it"] or "").lower()
    words = tokens(before)
    if said in {"it", "its", "this", "that"}:
        # What stands right before the pronoun is its verb or preposition.
        return any(
            _is_topic(word) and not word.endswith("s") and _noun_like(word) for word in words[:-1]
        )
    if said in {"they", "their", "them", "these", "those"}:
        return any(
            len(word) > 3 and word.endswith("s") and word not in STOP_WORDS
            and (stem(word) not in GENERIC or _is_topic(first))
            for first, word in zip(["", *words], words, strict=False)
        )  # fmt: skip
    return False


def _is_topic(word: str) -> bool:
    return len(word) > 3 and word not in STOP_WORDS and stem(word) not in GENERIC


def _noun_like(word: str) -> bool:
    return not word.endswith(("ed", "ly", "ing"))
