"""What kind of thing a question asks for (limits, data, reasons, ...), and which sentences tell it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.text.roles import role_scores

_ROLE_FULL = 4.0
"""Role score (tools.text.roles) that counts as certain."""


@dataclass(frozen=True, slots=True)
class Facet:
    """A kind of thing that is asked for."""

    name: str
    """As the answer names it: 'limitations'."""
    asks: re.Pattern[str]
    """Words of a question that ask for it."""
    tells: re.Pattern[str] | None
    """Words of a sentence that tells it."""
    role: str = ""
    """The element of an abstract (tools.text.roles) that tells it, too."""
    strict: bool = False
    """Whether what does not tell it is no answer at all."""


def _facet(name: str, asks: str, tells: str = "", role: str = "", strict: bool = False) -> Facet:
    told = re.compile(tells, re.IGNORECASE) if tells else None
    return Facet(name, re.compile(asks, re.IGNORECASE), told, role, strict)


FACETS = (
    _facet(
        "limitations",
        r"\blimit(?:s|ation|ations)?\b|\bshortcomings?\b|\bdrawbacks?\b|\bweak(?:ness|nesses)?\b|\bdisadvantages?\b|\bdownsides?\b|"
        r"\bcaveats?\b|\b(?:what|where|when|how|why|does|do)\b.*\bfails?\b|\bfailures?\b|\bgo(?:es)? wrong\b|\bwhat .* (?:cannot|can't|not)\b",
        r"\blimit(?:s|ed|ation|ations)\b|\bshortcomings?\b|\bdrawbacks?\b|\bweakness|\bcaveats?\b|\bcannot\b|\bfail(?:s|ed|ure|ures)?\b|"
        r"\b(?:do|does|did|is|are) not\b|\blacks?\b|\bstill\b|\bremains?\b|\blos(?:e|es|t)\b|\balthough\b|\bhowever\b|\bdepends? on\b|"
        r"\bdifficult|\bcost(?:s|ly)?\b|\bexpensive\b|\berrors?\b|\bwrong|\bwarns?\b|\bonly\b|\bignor|\bless (?:reliable|accurate|suited)|"
        r"\bunacceptable\b|\bstruggles?\b|\bmiss(?:es|ed|ing)?\b|\bsometimes\b|\bbias|\brisks?\b|\bdegrade|\bdrops?\b|\brequires an additional\b|"
        r"\bat the cost\b|\bmay (?:lack|fail|miss|not)\b|\bsensitive to\b|\brestricted to\b|\bassumes?\b|\binconsisten|\bfabricat|\balone\b|\bunable\b",
        "limitations", strict=True,
    ),
    _facet(
        "authors", r"^who\b|\bauthors?\b|\bwho (?:wrote|made|built|proposed|introduced|developed|created|invented)\b|\bwritten by\b|\baffiliat",
        role="contribution",
    ),
    _facet(
        "year", r"^(?:since )?when\b(?! (?:does|do|should|can|is it|are))|\b(?:what|which) year\b|\bhow (?:old|recent)\b",
        role="contribution",
    ),
    _facet(
        "size", r"\bhow (?:many|large|big|long|much|often)\b|\bsizes?\b|\bnumber of\b",
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|half|dozens?|hundreds?|"
        r"thousands?|millions?|billions?|large|larger|largest|small|more than|several|many|few|one|size|number)\b",
    ),
    _facet(
        "reason",
        r"^why\b|\bwhy (?:is|are|was|were|do|does|did|should|can|would|it)\b|\breasons?\b|\bmotivat|\bpurpose\b|\b(?:what|which) problems?\b|\brationale\b|\bcauses?\b",
        r"\bbecause\b|\bsince\b|\bso that\b|\bdue to\b|\bcaus|\bproblem\b|\b(?:earlier|existing|previous|prior|current|traditional|many|most|often)\b|"
        r"\bcostly\b|\black|\bdifficult|\bhard\b|\bneeds?\b|\bhowever\b|\binefficient\b|\bfail|\bprevent|\bavoid|\bcannot\b|\bwithout\b|\bmotivat|\bthe idea\b|\bdepends?\b",
        "problem",
    ),
    _facet(
        "metrics", r"\bmetrics?\b|\bmeasures?\b|\bmeasured\b|\bscores?\b|\bscored\b",
        r"\bmetrics?\b|\bmeasur|\bscor|\bprecision\b|\brecall\b|\bF1\b|\baccuracy\b|\bagreement\b|\bROUGE|\bBLEU\b|\bcorrelat|\brat(?:e|es|ed|ings?)\b",
    ),
    _facet(
        "data",
        r"\bdata ?sets?\b|\bdata\b|\bcorpus\b|\bcorpora\b|\bbenchmarks?\b|\bcollections?\b|\btrain(?:ed|s|ing)?\b|\btested on\b|\bevaluated on\b",
        r"\bdata ?sets?\b|\bdata\b|\bcorpus\b|\bcorpora\b|\bbenchmarks?\b|\bcollections?\b|\btrain(?:ed|s|ing)?\b|\barticles\b|\bpapers from\b|\babstracts\b|"
        r"\brecords\b|\b[A-Z]{3,}\b(?-i:\S*)|\bquestions\b|\breviews\b|\bexperiments? on\b",
        "data",
    ),
    _facet(
        "evaluation", r"\bevaluat|\bassess|\btested\b|\bvalidat|\bexperiments?\b|\bjudged?\b",
        r"\bevaluat|\bexperiments?\b|\buser study\b|\bhuman\b|\bannotat|\bjudg|\btests?\b|\bcompare|\bassess|\bmeasur|\bbenchmark", "findings",
    ),
    _facet(
        "findings",
        r"\bresults?\b|\bfindings?\b|\bf(?:ind|inds|ound)\b|\boutperform|\bperforms?\b|\bperformance\b|\bbetter\b|\bbest\b|\bconclu|\beffective|\baccura|\bimprove|"
        r"\bhow (?:well|good|reliable|useful)\b|^(?:do|does|can|is|are|should|could|did)\b|\bshown?\b|\bhelp",
        r"\bresults?\b|\bfind(?:s|ings)?\b|\bfound\b|\bshows?\b|\boutperform|\bimprov|\bconclud|\bindicat|\bbetter\b|\bsuggests?\b|\breduc",
        "findings",
    ),
    _facet(
        "advantages", r"\badvantages?\b|\bbenefits?\b|\bstrengths?\b|\bpros\b",
        r"\bimprov|\bgains?\b|\boutperform|\bbetter\b|\bfast|\befficien|\bwithout\b|\brequires no\b|\badvantage|\bcompetitive\b|\bbenefit|\bavoid|\bfewer\b|\bcheap|\beas(?:y|ily)\b",
        "findings",
    ),
    _facet(
        "method",
        r"\bhow (?!many|large|big|long|much|often|well|good|old|recent|reliable|useful|accurate)|\bmethod|\bapproach|\btechnique|\bworks?\b|\barchitecture|\balgorithm|\bmechanism|\bsteps?\b|\bidea\b",
        r"\bby \w+ing\b|\buses?\b|\busing\b|\btrain|\bcombin|\bassign|\bcomput|\bextract|\bselect|\bscores?\b|\brank|\bencod|\bbuild|\bapplies\b|\bretriev|\bgenerat|\bsplit|\bfirst\b|\bthen\b",
        "method",
    ),
    _facet(
        "things",
        r"^(?:which|what|name|list)(?: \w+){0,3} (?:systems?|tools?|methods?|approach(?:es)?|models?|data ?sets?|benchmarks?|corpora|surveys?|"
        r"metrics?|algorithms?|techniques?|frameworks?|stud(?:y|ies)|papers?|works?|indexes|services|software|libraries|agents?)\b",
        role="contribution",
    ),
    _facet("definition", r"^what (?:is|are|was|were)\b|\bdefin|\bmeaning of\b|\bmeant by\b|\bwhat does .* mean\b|\bwhat does .* do\b",
           r"\bdefin|\bis an?\b|\bare\b|\bwhich\b|\bcalled\b", "contribution"),
)  # fmt: skip
_LEGACY = re.compile(
    r"\b(?:later )?(?:became|become) (?:an? |the |one )|\bwidely (?:used|adopted|known)|\bwas later\b|\blater (?:work|became|systems)|\bfoundation of\b|"
    r"\bstarting point\b|\b(?:code|data|models?) (?:is|are|was|were) (?:released|available)|\breleased to the public",
    re.IGNORECASE,
)
_BY_NAME = {facet.name: facet for facet in FACETS}


def asked(question: str) -> list[Facet]:
    """Return what kinds of things a question, or an aspect of one, asks for; the telling ones first."""
    text = question.strip()
    found = [facet for facet in FACETS if facet.asks.search(text)]
    special = [facet for facet in found if facet.name not in {"method", "definition", "findings"}]
    # 'What are the limitations' asks for no definition, 'how is it evaluated' for no more than that.
    if special and any(facet.name == "definition" for facet in found):
        found = [facet for facet in found if facet.name != "definition"]
    return found


def facet(name: str) -> Facet:
    """Return the facet of this name."""
    return _BY_NAME[name]


_EXPLICIT = re.compile(
    r"\blimitations?\b|\bshortcoming|\bdrawback|\bweakness|\bcaveat", re.IGNORECASE
)
_GAIN = re.compile(
    r"\b(?:reduc|lower|avoid|prevent|mitigat|overcom|address|improv|outperform|gain|solv|fewer|without|exceed)",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"^(?:the|this|its|their|our|one|a) (?:[\w-]+ )?(?:method|methodology|approach|model|system|framework|algorithm|pipeline|architecture|technique|tool|"
    r"procedure|data ?set|corpus|benchmark|collection|metric|measure|index|authors?|paper|study|survey|review|evaluation|analysis|results|experiments?|article|"
    r"work|technique|coverage|relation)\b|^(?:it|they|experiments|results|human|the authors)\b",
    re.IGNORECASE,
)


def limits(sentence: str, about: bool) -> bool:
    """Whether a sentence tells a limit of what is asked about, and not of the work before it.

    Args:
        sentence: A sentence of a passage.
        about: Whether it begins with what is asked about.
    """
    if _EXPLICIT.search(sentence):
        return True
    cue = _BY_NAME["limitations"].tells
    shows = bool(cue and cue.search(sentence)) and not _GAIN.search(sentence)
    return shows and (about or bool(_OWN.match(sentence)))


def tells(item: Facet, sentence: str, place: float, section: tuple[str, ...] = ()) -> float:
    """Return how surely a sentence tells a facet, 0..1; `place` is its position, 0 first to 1 last."""
    if item.name != "findings" and any(item.asks.search(heading) for heading in section):
        return 1.0
    words = 0.6 if item.tells and item.tells.search(sentence) else 0.0
    if not item.role:
        return words
    role = min(role_scores(sentence, place)[item.role] / _ROLE_FULL, 1.0)
    return max(words, role) if item.strict else min(words + 0.6 * role, 1.0)


def is_aside(sentence: str, facets: Sequence[Facet]) -> bool:
    """Whether a sentence tells of fame or limits, and the question asks for neither."""
    asks_limits = any(facet.name in {"limitations", "reason"} for facet in facets)
    return bool(_LEGACY.search(sentence) or (_EXPLICIT.search(sentence) and not asks_limits))
