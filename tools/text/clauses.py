"""Turn a sentence of a paper into a clause about the paper: 'We propose X' -> 'Lee et al. propose X'.

Only the subject and its agreement change, first person becomes third, and a trailing relative
clause may be dropped; what the sentence claims stays in its own words, so that the clause can be
traced back to it. A sentence that cannot stand alone ('It also ...') gives no clause.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tools.text.verbs import to_plural, to_singular

LONGEST = 34
"""Words of a clause beyond which a trailing clause is dropped where the grammar allows it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a clause is about, as the text names it, and whether its verb is plural."""

    name: str
    plural: bool

    def verb(self, form: str) -> str:
        """Return the form of a verb, given in either number, that agrees."""
        return to_plural(form) if self.plural else to_singular(to_plural(form))


_LABEL = re.compile(r"^[A-Z][A-Za-z /&]{3,24}: (?=[A-Z])")
_UNFIT = re.compile(r"\?$|https?:|www\.|[a-z)]\. [A-Z(]|^\(\d|\b[Cc]ode (?:is|are) available")
_LEAD = re.compile(
    r"^(?:(?:in|with|through) (?:this|the present|our) (?:\w+ )?(?:paper|work|study|article|survey|review|thesis|"
    r"contribution|research|report|tutorial|proposal)|here|to this end|to that end|in this regard|"
    r"specifically|more specifically|in particular|furthermore|moreover|in addition|additionally|"
    r"however|nevertheless|nonetheless|still|meanwhile|besides|indeed|notably|importantly|interestingly|unfortunately|therefore|thus|hence|finally|first|second|third|then|next|lastly|also|consequently|"
    r"as a result|accordingly|in response|motivated by this|overall|in summary|in contrast)(?:,\s*|\s+(?=we\b))",
    re.IGNORECASE,
)
_ADVERB = r"(?:(?:\w+ly|also|then|first|further|here|next|thus) )*"
_WE = re.compile(rf"^(?:we|i|the authors?) ({_ADVERB})(\w+) (.+)$", re.IGNORECASE | re.DOTALL)
_LEAD_WE = re.compile(
    rf"^((?:by|through|via|using|with|in|on|based on|from|after|when|to) [^,;:.]{{3,70}}),? we ({_ADVERB})(\w+) (.+)$",
    re.IGNORECASE | re.DOTALL,
)
_PAPER_NOUN = (
    r"(?:systematic |comprehensive |short |position |present |survey |empirical |comparative )*(?:paper|work|article|study|survey|review|"
    r"thesis|research|report|tutorial|contribution|overview|proposal)"
)
_WILL = re.compile(
    rf"^(?:we|i|(?:this|the|our|the present) {_PAPER_NOUN}) will ({_ADVERB})(\w+) (.+)$",
    re.IGNORECASE | re.DOTALL,
)
_PAPER = re.compile(
    rf"^(?:this|the|our|the present) {_PAPER_NOUN} ({_ADVERB})(\w+s) (.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FINDING = re.compile(
    r"^(?:(?:our|the|their|these|its|an?|extensive|comprehensive|detailed|thorough) )*(?:\w+[- ]){0,3}?"
    r"(?:experiments?|evaluations?|results?|analysis|analyses|findings|tests|simulations?|studies|study|"
    r"comparisons?|investigation)\b[^.;:]{0,110}?\b"
    r"(shows?|showed|indicates?|indicated|demonstrates?|demonstrated|suggests?|suggested|reveals?|revealed|"
    r"finds?|found|confirms?|confirmed) that (.+)$",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
# Before the verb of a finding: signs that it was not found, or not by the authors.
_NOT_THEIRS = re.compile(
    r"^(?:the )?(?:no|few|fewer|neither|previous|prior|past|earlier|existing|other|recent|related|independent)\b"
    r"|^(?:many|most|several|numerous|some|current)\b.*\bstud(?:y|ies)\b"
    r"|^results? (?:of|in|from|by) (?:\w+ )?(?:previous|prior|past|earlier|existing|other)\b"
    r"|\b(?:not|never|fail|fails|failed|cannot|nor|hardly)\b",
    re.IGNORECASE,
)
_ARTEFACT = re.compile(
    r"^(?:the|our|this|their) ((?:(?:proposed|resulting|new|whole|underlying|released) )?(?:[\w-]+ ){0,2}?"
    r"(?:method|methodology|approach|model|system|framework|algorithm|pipeline|architecture|technique|tool|procedure|"
    r"dataset|data set|corpus|benchmark|collection|evaluation|analysis|library|toolkit|agent|prototype|"
    r"interface|resource|guideline|guidelines|statement)) (?!of\b|that\b|which\b|for\b|in\b|on\b)(.+)$",
    re.IGNORECASE | re.DOTALL,
)
# What stands behind 'the model' or 'the search system' is no verb but a second noun: 'users prefer'.
_COMPOUND = re.compile(
    r"^(?:and|or|with|as|to|design|architecture|community|size|performance|quality|output|users?|parameters|"
    r"weights|statistics|outputs|components?|development|construction|section|results)\b"
    r"|^\w+ (?:is|are|was|were|has|have|had|can|could|may|might|must|should|will|would|does|do)\b"
)
_DANGLING = re.compile(
    r"^(?:it|they|this|these|that|those|such|both|its|their|he|she|there|one|each|another|other|others|"
    r"here|so|but|and|or|the (?:former|latter|second|third|same|other|resulting|two|three)|we|i|let us|to (?:the best of )?(?:our|my) knowledge|for example|for instance|"
    r"unlike|compared|in (?:contrast|comparison)|by contrast|as such|again|instead|similarly|rather)\b",
    re.IGNORECASE,
)
# What a sentence says of 'these methods' is lost on who has not read the one before it.
_POINTS_BACK = re.compile(
    r"\b(?:this|these|those|such(?! as\b)|aforementioned|above|latter|former|that it)\b",
    re.IGNORECASE,
)
_MERELY_ORDERED = frozenset(
    {"also", "then", "first", "further", "here", "next", "thus", "finally", "additionally"}
)
_NO_REPORT = frozenset(
    """of and who from in that whose is are was were has have conclude concludes discuss discusses
    we our ours ourselves us i my consist consists contain contains comprise comprises belong belongs serve serves am
    often always never sometimes all now still need live face hope hopes believe believes plan plans can will may did do does results findings participants""".split()  # noqa: SIM905
)
_FIRST_PERSON: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:in|of|by|from|throughout) (?:this|our) (paper|work|study|article|survey|review)\b", re.IGNORECASE), ""),
    (re.compile(r"\bourselves\b", re.IGNORECASE), "themselves"),
    (re.compile(r"\bours\b", re.IGNORECASE), "theirs"),
    (re.compile(r"\b(?:our|my)\b", re.IGNORECASE), "their"),
    (re.compile(r"\b[wW]e\b"), "they"),
    # Elsewhere it is a number: 'Type I errors', 'World War I'.
    (re.compile(r"(?<![Tt]ype )(?<![Pp]hase )(?<![Cc]lass )(?<![Ss]tage )(?<![Ll]evel )(?<![Gg]rade )(?<![Pp]art )(?<!War )\bI(?= [a-z])"), "they"),
    (re.compile(r"\bus\b"), "them"),
    (re.compile(r"\bthis (paper|work|study|article|survey)\b", re.IGNORECASE), r"the \1"),
)  # fmt: skip
_OWN_VOICE = re.compile(r"\b(?:[Ww]e|[Oo]urs?|[Uu]s|ourselves|my)\b")
_CUT = re.compile(
    r"(?:,? (?:thereby|thus|hence|while|whereas|where|which)\b|, (?:such as|including|making|allowing|enabling|"
    r"resulting|leading|so that|i\.e\.|e\.g\.|with|and thus|and then|and (?:we|they|it) )|;| [–—] | - |: )",
)  # fmt: skip


def clause_about(
    sentence: str, subject: Subject, lower: Callable[[str], str], *, verb: str = "note"
) -> str | None:
    """Return what the sentence says of its paper with `subject` as the subject, or None.

    Args:
        sentence: A whole sentence of the paper's abstract.
        subject: The paper's authors as the text names them.
        lower: Lowers the first letter of a sentence where that word is not a name.
        verb: The verb that introduces a sentence which says nothing of the paper itself.
    """
    body = _body(sentence)
    if body is None:
        return None
    clause = _as_report(body, subject) or _as_finding(body, subject) or _as_artefact(body, subject)
    if clause is None:
        if _DANGLING.match(body) or _WE.match(body) or _PAPER.match(body):
            return None
        told = _told(body, lower)
        if told is None:
            return None
        clause = f"{subject.name} {subject.verb(verb)} that {told}"
    return None if _OWN_VOICE.search(clause.replace(subject.name, "")) else shorten(clause)


def own_clause(sentence: str) -> str | None:
    """Return what a sentence of the researcher's own text says of their work, or None.

    It keeps its own subject ('we propose', 'this paper presents'), since the section is theirs.
    """
    body = _body(sentence)
    found = (_WE.match(body) or _PAPER.match(body)) if body else None
    if body is None or found is None or found[2].lower() in _NO_REPORT:
        return None
    first, _, rest = body.partition(" ")
    return shorten(f"{first.lower()} {rest}")


def problem_clause(sentence: str, subject: Subject, lower: Callable[[str], str]) -> str | None:
    """Return a clause that says which problem the paper starts from, or None."""
    body = _body(sentence)
    if body is None or _DANGLING.match(body) or _WE.match(body) or _PAPER.match(body):
        return None
    told = _told(body, lower)
    lead = f"{subject.name} {subject.verb('start')} from the observation that"
    return shorten(f"{lead} {told}") if told else None


def _told(body: str, lower: Callable[[str], str]) -> str | None:
    told = lower(_third_person(body))
    return told if len(told.split()) >= 3 and not points_back(told) else None


def points_back(text: str) -> bool:
    """Whether a text speaks of 'these methods' or the like, which an earlier sentence named."""
    return bool(_POINTS_BACK.search(text))


def _body(sentence: str) -> str | None:
    text = _LABEL.sub("", " ".join(sentence.split()))
    if _UNFIT.search(text) or len(text.split()) < 5:
        return None
    text = text.rstrip(" .!")
    while stripped := _LEAD.match(text):
        text = text[stripped.end() :]
    return text


def _as_report(body: str, subject: Subject) -> str | None:
    lead = ""
    if found := _WILL.match(body) or _WE.match(body) or _PAPER.match(body):
        adverb, verb, rest = found.groups()
    elif found := _LEAD_WE.match(body):
        lead, adverb, verb, rest = found.groups()
        lead = "" if points_back(lead) else f", {_third_person(lead[0].lower() + lead[1:])},"
    else:
        return None
    if verb.lower() in _NO_REPORT:
        return None
    manner = " ".join(word for word in adverb.lower().split() if word not in _MERELY_ORDERED)
    words = [f"{subject.name}{lead}", manner, subject.verb(verb.lower()), _third_person(rest)]
    return " ".join(word for word in words if word)


def _as_finding(body: str, subject: Subject) -> str | None:
    found = _FINDING.match(body)
    if not found or _NOT_THEIRS.search(body[: found.start(1)]):
        return None
    stem = found[1].lower()[:5]
    verb = {"sugge": "suggest", "indic": "find", "revea": "find", "finds": "find", "found": "find", "find": "find",
            "confi": "confirm"}.get(stem, "show")  # fmt: skip
    return f"{subject.name} {subject.verb(verb)} that {_third_person(found[2])}"


def _as_artefact(body: str, subject: Subject) -> str | None:
    found = _ARTEFACT.match(body)
    if not found or _COMPOUND.match(found[2]):
        return None
    return f"the {_third_person(found[1])} of {subject.name} {_third_person(found[2])}"


def _third_person(text: str) -> str:
    for pattern, replacement in _FIRST_PERSON:
        text = pattern.sub(replacement, text)
    return " ".join(text.split()).replace(" ,", ",")


def shorten(clause: str, longest: int = LONGEST) -> str:
    """Drop trailing clauses until at most `longest` words are left, where grammar allows it."""
    while len(clause.split()) > longest:
        cuts = [
            found.start()
            for found in _CUT.finditer(clause)
            if len(clause[: found.start()].split()) >= 10
            and clause[: found.start()].count("(") == clause[: found.start()].count(")")
        ]
        if not cuts:
            return clause
        clause = clause[: cuts[-1]].rstrip(" ,;:")
    return clause


def lowering(background: frozenset[str]) -> Callable[[str], str]:
    """Return a function that lowers a first letter when the word is known in lower case.

    Args:
        background: Lower-case words that the texts at hand use inside sentences.
    """

    def lower(text: str) -> str:
        first = text.split(maxsplit=1)[0].strip(",;:") if text.split() else ""
        known = first[:1].isupper() and first[1:].islower() and first.lower() in background
        return text[0].lower() + text[1:] if known or first == "A" else text

    return lower


def lower_case_words(texts: list[str]) -> frozenset[str]:
    """Return the words that some text writes in lower case."""
    return frozenset(
        word for text in texts for word in re.findall(r"[A-Za-z][\w-]*", text) if word.islower()
    )
