"""Turn a sentence of a paper into a clause about the paper: 'We propose X' -> 'Lee et al. propose X'.

Only the subject and its agreement change, first person becomes third, and a trailing relative
clause may be dropped; what the sentence claims stays in its own words, so that the clause can be
traced back to it. A sentence that cannot stand alone ('It also ...') gives no clause.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tools.text.pointing import DANGLING, STARTS_BACK, points_back
from tools.text.trim import is_whole, shorten
from tools.text.verbs import common_forms, has_verb, is_past, to_plural, to_singular


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a clause is about, as the text names it, and whether its verb is plural."""

    name: str
    plural: bool

    def verb(self, form: str) -> str:
        """Return the form of a verb, given in either number, that agrees."""
        return to_plural(form) if self.plural else to_singular(to_plural(form))


_LABEL = re.compile(r"^[A-Z][A-Za-z /&]{3,24}: (?=[A-Z])")
_UNFIT = re.compile(
    r"\?$|https?:|www\.|[a-z)]\. [A-Z(]|(?:^|[\s:])\(?(?:1|i|a)\)\s|\b[Cc]ode (?:is|are) available"
    r"|\bavailable (?:at|from|on|online|under)\b"
)
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
    rf"^((?:by|through|via|with|in|on|based on|from|after|when|to|for|at|given|under|within|across|during|as part of|"
    rf"inspired by|motivated by|(?!follow|accord|noth|anyth|everyth|someth|dur)[a-z]{{2,12}}ing) [^,;:.]{{3,80}}),? we ({_ADVERB})(\w+) (.+)$",
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
_SHOWING = re.compile(
    r"^(?:(?:our|the|these|an?|extensive|comprehensive|detailed|thorough) )*(?:\w+[- ]){0,3}?"
    r"(?:experiments?|evaluations?|results?|analysis|analyses|findings|simulations?|comparisons?)\b[^,.;:]{0,80}?\b"
    r"(?:also |thus |clearly |further )?(shows?|showed|demonstrates?|demonstrated|suggests?|suggested|reveals?|revealed|confirms?|"
    r"confirmed|verify|verifies|validates?) (?!how |whether |why |what |it\b)(\w.+)$",
    re.IGNORECASE | re.DOTALL,
)
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
_AFTERTHOUGHT = re.compile(r"^(?:thus|therefore|also|hence|then|further|consequently|accordingly) ")
_SUBORDINATE = re.compile(
    r"\b(?:that|which|who|whose|whether|how|where|when|if|because|while|why|what)\b"
)
_VERB_FORM = rf"(?:{'|'.join(sorted(common_forms(), key=len, reverse=True))})"
_JOINED_FIRST = re.compile(rf"^((?:and|or) (?:\w+ly )?)({_VERB_FORM})\b")
# Behind a noun the same form may be a noun, too ('the design and use of'): an object must follow.
_JOINED_VERB = re.compile(
    rf"((?:,|\band|\bor|, and|, or|\bbut) (?:then |also |further |\w+ly )?)({_VERB_FORM})"
    r"(?= (?:the|an?|that|how|whether|its|their|our|my|his|her|several|some|new|novel|two|three|four|five|many|on|to|it|them|"
    r"what|which|why|\w+ly)\b)"
)
_AND_SHOWS = re.compile(
    r"\b(and (?:also |further |\w+ly )?)(shows?|demonstrates?|indicates?|suggests?|reveals?|finds?|confirms?)(?= (?:that|how)\b)",
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
_FIRST = re.compile(r"(?:we|i)\b", re.IGNORECASE)
_OWN_VOICE = re.compile(r"\b(?:[Ww]e|[Oo]urs?|[Uu]s|ourselves|my)\b")


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
    ways = (_as_report, _as_finding, _as_showing, _as_artefact)
    clause = next((made for way in ways if (made := way(body, subject))), None)
    if clause is None:
        if DANGLING.match(body) or _WE.match(body) or _PAPER.match(body):
            return None
        told = _told(body, lower)
        if told is None:
            return None
        clause = f"{subject.name} {subject.verb(verb)} that {told}"
    if _OWN_VOICE.search(clause.replace(subject.name, "")):
        return None
    clause = shorten(clause)
    return clause if is_whole(clause) else None


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
    if body is None or DANGLING.match(body) or _WE.match(body) or _PAPER.match(body):
        return None
    told = _told(body, lower)
    lead = f"{subject.name} {subject.verb('start')} from the observation that"
    clause = shorten(f"{lead} {told}") if told else ""
    return clause if clause and is_whole(clause) else None


def _told(body: str, lower: Callable[[str], str]) -> str | None:
    told = lower(_third_person(body))
    whole = len(told.split()) >= 3 and has_verb(told)
    return told if whole and not points_back(told) else None


def refers_back(sentence: str) -> bool:
    """Whether what is said of the paper begins with a word for something before: 'formulate it as'."""
    body = _body(sentence)
    if body is None:
        return False
    found = _WILL.match(body) or _LEAD_WE.match(body) or _WE.match(body) or _PAPER.match(body)
    found = found or _FINDING.match(body)
    rest = found[found.lastindex or 0] if found else ""
    return bool(STARTS_BACK.match(rest) or STARTS_BACK.match(rest.partition(" that ")[2]))


def stands_alone(sentence: str) -> bool:
    """Whether a sentence can be understood without the one before it."""
    body = _body(sentence)
    if body is None or points_back(body):
        return False
    return _FIRST.match(body) is not None or DANGLING.match(body) is None


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
        lead = (
            ""
            if points_back(lead) or STARTS_BACK.match(lead.partition(" ")[2])
            else f", {_third_person(lead[0].lower() + lead[1:])},"
        )
    else:
        return None
    if verb.lower() in _NO_REPORT:
        return None
    rest = _agreeing(rest, subject)
    manner = " ".join(word for word in adverb.lower().split() if word not in _MERELY_ORDERED)
    words = [f"{subject.name}{lead}", manner, subject.verb(verb.lower()), _third_person(rest)]
    return " ".join(word for word in words if word)


def _agreeing(rest: str, subject: Subject) -> str:
    """Give the verbs that are joined to the first by 'and' the subject's number, too."""
    end = _SUBORDINATE.search(rest)
    head, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")

    def agree(found: re.Match[str]) -> str:
        return found[0] if is_past(found[2]) else found[1] + subject.verb(found[2])

    return _JOINED_VERB.sub(agree, _JOINED_FIRST.sub(agree, head)) + tail


def _as_finding(body: str, subject: Subject) -> str | None:
    found = _FINDING.match(body)
    if not found or _NOT_THEIRS.search(body[: found.start(1)]):
        return None
    stem = found[1].lower()[:5]
    verb = {"sugge": "suggest", "indic": "find", "revea": "find", "finds": "find", "found": "find", "find": "find",
            "confi": "confirm"}.get(stem, "show")  # fmt: skip
    told = _AND_SHOWS.sub(lambda more: more[1] + subject.verb(more[2].lower()), found[2])
    return f"{subject.name} {subject.verb(verb)} that {_third_person(told)}"


def _as_showing(body: str, subject: Subject) -> str | None:
    found = _SHOWING.match(body)
    if not found or _NOT_THEIRS.search(body[: found.start(1)]) or STARTS_BACK.match(found[2]):
        return None
    stem = next(verb for verb in _SHOWN if found[1].lower().startswith(verb[:5]))
    return f"{subject.name} {subject.verb(stem)} {_third_person(found[2])}"


_SHOWN = ("show", "demonstrate", "suggest", "reveal", "confirm", "verify", "validate")


def _as_artefact(body: str, subject: Subject) -> str | None:
    found = _ARTEFACT.match(body)
    if not found or _COMPOUND.match(found[2]):
        return None
    told = _AFTERTHOUGHT.sub("", found[2])
    return f"the {_third_person(found[1])} of {subject.name} {_third_person(told)}"


def _third_person(text: str) -> str:
    for pattern, replacement in _FIRST_PERSON:
        text = pattern.sub(replacement, text)
    return " ".join(text.split()).replace(" ,", ",")
