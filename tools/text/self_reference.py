"""Name the authors where a paper speaks of itself.

'This study evaluates X.' -> 'Tang et al. evaluate X.'

This is the only change that the embedded engine makes to a paper's sentence, and whoever checks a
section can make it again and compare. It is a closed list and no grammar: what is not on it gives
None, and the sentence is then quoted as it stands.
"""

import re

_PAPER = (
    r"(?:(?:short|position|demo|review|survey|research|systematic|scoping|literature|comparative|empirical|"
    r"case|pilot|exploratory) )*"
    r"(?:paper|study|article|survey|review|thesis|dissertation|report|tutorial|chapter|work)"
)
_LABEL = (
    r"(?:background|objectives?|aims?|purpose|methods?|results?|findings|conclusions?|design|"
    r"methodology|introduction|summary)(?:/\w+| and \w+)?: "
)
_HERE = rf"(?:In (?:this|the present|our) {_PAPER}|Here),? "
_OPENING = re.compile(
    rf"(?>(?i:{_LABEL})?)(?>(?:{_HERE})?)"
    r"(?>(?i:(?P<we>we)|the (?:present )?(?P<authors>authors)(?= )"
    rf"|(?P<paper>(?:this|the present|our) {_PAPER}|the (?:paper|article))(?= )))"
    r"(?P<adverb>(?> (?:(?:also|then|further|first|next|\w+ly) )?))(?P<verb>[a-z]+)(?= )"
)
"""A self-reference and its verb, with a label ('Methods:') and words that lead to it before."""
_DOES = frozenset(
    """achieve combine employ exceed improve leverage obtain outperform reach reduce surpass use utilize address adopt aim analyse analyze apply argue assess build calculate categorise categorize
    characterise characterize choose classify collect compare compile compute conclude conduct confirm
    consider construct contribute create define demonstrate derive describe design develop devise
    discover discuss establish estimate evaluate examine explain explore extend find focus formalise
    formalize formulate give highlight hypothesise hypothesize identify illustrate implement include
    incorporate integrate interview introduce investigate make measure note observe offer outline
    perform present propose provide quantify recommend release replicate report reveal review search
    select show study suggest summarise summarize survey synthesise synthesize tackle test train
    undertake validate verify write""".split()  # noqa: SIM905
)
_IRREGULAR_PAST = frozenset(
    ("built", "chose", "found", "gave", "made", "showed", "shown", "undertook", "wrote")
)
_POINTS = re.compile(
    r"\b(?:(?P<own>we|our|ours|us|ourselves|i|my|mine|me|this|these|those|such(?! as\b)|here|"
    r"the (?:present )?(?:authors?|paper|study|article|survey|review|work|latter|former))|"
    r"(?P<it>it|its|itself)|(?P<they>they|them|their|theirs|themselves))\b",
    re.IGNORECASE,
)
"""What would point elsewhere than before: 'they' may be the authors only where it might before, too."""
_JOINED = (
    r"(?:\b(?:and|or|but|then|while|as well as)|[,;:–—])(?: (?:also|then|further|not|\w+ly))* "
)
_SECOND = re.compile(
    rf"{_JOINED}(?!(?:a|an|the|in|on|of|for|with|which|who|where)\b)(?=([a-z][a-z-]*))"
)


_TURNED_WRONG = {"we": {"own", "they"}, "authors": {"own"}, "paper": {"own", "it", "they"}}
"""By how a paper speaks of itself, which of these words would then point elsewhere."""


def name_authors(sentence: str, name: str, plural: bool, *, annotated: bool = False) -> str | None:
    """Return a sentence with its own subject in place of 'we' or 'this paper', or None in any doubt.

    'In this paper, we propose Y.' -> 'Baek et al. propose Y.' A label ('Methods:') goes, too; all
    that follows the verb stays as it is. None where the sentence does not start so; where the verb is not a listed one that
    authors can do; where a second verb would have to agree as well; where a later 'our', 'it' or
    'this approach' would point elsewhere than before. So does 'Our results show', whose subject did nothing.
    Meant for an abstract, where 'this study' is the paper's own. Of an annotation what the authors did is
    told and not what they say: 'The paper notes that' gives None, for the words after it are not theirs.

    Args:
        sentence: One sentence of the paper.
        name: What stands for the authors, which may have a marker behind it: 'Tang et al. {P1}'.
        plural: Whether the name wants the verb's plural.
        annotated: Whether somebody else wrote the sentence about the paper.
    """
    text = sentence.strip()
    found = _OPENING.match(text)
    if found is None:
        return None
    kind = next(kind for kind in _TURNED_WRONG if found[kind])
    verb, rest = found["verb"], text[found.end() :]
    agreed = _agree(verb, rest, plural, before=kind != "paper")
    if agreed is None or (annotated and rest.startswith(" that ")):
        return None
    if any(item.lastgroup in _TURNED_WRONG[kind] for item in _POINTS.finditer(rest)):
        return None
    seconds = _SECOND.findall(rest) if agreed != verb else []
    if any(second.endswith("s") or not plural for second in seconds):
        return None
    return f"{name}{found['adverb']}{agreed}{rest}"


def _agree(verb: str, rest: str, plural: bool, *, before: bool) -> str | None:
    """Return the form of a verb for its new subject, `before` being whether the old one was a plural.

    None where the verb is not one that is listed.
    """
    if verb in ("have", "has"):
        _, *following = rest.split(" ")
        if len(following) < 2 or not _is_past(following[0]):
            return None
        return "have" if plural else "has"
    if _is_past(verb):
        return verb
    base = next((b for b in _DOES if verb == (b if before else _singular(b))), None)
    if base is None:
        return None
    return base if plural else _singular(base)


def _singular(base: str) -> str:
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x")) else "s")


def _is_past(verb: str) -> bool:
    bases = {verb[:-1], verb[:-2], f"{verb[:-3]}y"}
    return verb in _IRREGULAR_PAST or (verb.endswith("ed") and not _DOES.isdisjoint(bases))


_LEANS = re.compile(
    r"^(?:it|they|he|she|this|these|that|those|such|its|their|his|her|both|each|"
    r"another|others?|one|here|so|but|and|or|yet|nor|again|instead|similarly|likewise|conversely|rather|"
    r"however|nevertheless|nonetheless|moreover|furthermore|additionally|besides|meanwhile|therefore|thus|"
    r"hence|consequently|accordingly|specifically|finally|lastly|overall|then|next|afterwards|subsequently|"
    r"first|second|third|firstly|secondly|thirdly|still|otherwise|indeed|unlike|compared|"
    r"in (?:contrast|comparison|addition|particular|turn|response|other words|doing so|both|all|short|summary)|"
    r"by (?:contrast|comparison|doing)|as (?:such|a result|a consequence)|for (?:example|instance|this|that)|"
    r"on the (?:other hand|contrary)|more specifically|at the same time|to (?:do so|address|overcome|that end)|"
    r"the (?:former|latter|first|second|third|same|other|others|resulting|two|three|four|remaining|rest)|"
    r"(?:results|experiments|evaluations?|findings|tests|analys[ei]s)(?! (?:\w+ ){1,6}that\b)|"
    # 'The protocol' was told of before, 'The protocol of Lee' and 'The results show that' were not.
    r"the(?! (?:(?:present )?(?:paper|article|authors?)|(?:[\w’'-]+ ){1,4}(?:of|for|that|between|in|to))\b)|"
    r"(?:the|our) (?:proposed |resulting |new )?(?:method|system|approach|model|framework|algorithm|dataset|"
    r"corpus|task|tool|technique|idea|problem|issue|challenge|gap|limitation|question|reason|goal|aim)s?"
    r"(?! (?:of|for|in|that|to)\b))\b|"
    # Anywhere in a sentence.
    r"\b(?:this|these|those(?! (?:who|of|in|that|with|from)\b)|such(?! as\b)|aforementioned|above|latter|former|"
    r"also|that (?:it|they)|as well(?! as\b)|do(?:es|ing)? so|the (?:two|three|four|same|other) \w+s"
    r"|the (?:problem|issue|situation|challenge|question|gap)(?=[,.;:]))(?!\w)",
    re.IGNORECASE,
)
_OF_THE_PAPER = re.compile(rf"\bthis {_PAPER}\b|^the (?:paper|article)\b", re.IGNORECASE)


def needs_context(sentence: str) -> bool:
    """Whether a sentence may lean on its neighbours, and so is shown only with them or not at all.

    True in any doubt: 'This makes it fast.', 'However, it fails.', 'The system also reads tables.',
    a piece that starts in lower case or ends in a colon. 'This paper' and 'we' point to no neighbour.
    """
    text = _OF_THE_PAPER.sub("Paper", sentence.strip())
    starts_small = text[:1].islower()
    return bool(
        starts_small
        or text.startswith(tuple("([•*–-"))
        or text.endswith(":")
        or _LEANS.search(text)
    )
