"""Judge whether claims suffice for a whole answer, and what to ask if they do not."""

import re
from collections.abc import Sequence
from itertools import pairwise

from tools.embed.port import Embedder
from tools.text.asking.bridge import bridge, is_chain, one_sided
from tools.text.asking.covering import COVERED, is_about, ratings
from tools.text.asking.keywords import keywords, plain_question
from tools.text.asking.naming import is_strong, names
from tools.text.asking.port import Held, Judgement
from tools.text.asking.relevance import all_stems, wanted
from tools.text.prose import COMMON_NOUNS, is_prose
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, stem, tokens

_SEVERAL = re.compile(
    r"^(?:which|what|name|list|compare) (?:\w+ ){0,4}?(?:\w*[^s]s) (?:are|were|have|can|exist|do|help|support|use|measure|improve|address|reduce|been)\b"
    r"|(?<!how )\b(?:several|various|different|some|many|two|three|four|alternatives?|approaches|methods|systems|tools|ways|techniques|strategies|papers|studies|surveys)\b"
    r"|\b(?:state of the art|overview|survey of|exist)\b",
    re.IGNORECASE,
)
_SUPERLATIVE = re.compile(
    r"\b(?:largest|biggest|best|first|earliest|latest|fastest|smallest|cheapest|newest|most \w+|oldest)\b",
    re.IGNORECASE,
)
_TONGUES = frozenset(
    """arabic bengali bulgarian catalan chinese croatian czech danish dutch english estonian finnish french german
    greek hebrew hindi hungarian indonesian italian japanese korean latvian lithuanian mandarin norwegian persian
    polish portuguese romanian russian serbian slovak spanish swedish tamil thai turkish ukrainian urdu vietnamese
    african american asian british european indian""".split()  # noqa: SIM905
)
_FIELDS = frozenset(
    """biomedical clinical medical legal financial scientific chemical biological educational historical
    monolingual multilingual cross-lingual synthetic proprietary commercial conversational mathematical
    agricultural pediatric paediatric veterinary industrial academic economic psychological""".split()  # noqa: SIM905
)
_COUNTS = ("no", "one thing", "two things", "three things", "four things", "five things")


def judge(
    embedder: Embedder,
    question: str,
    aspects: Sequence[str],
    claims: Sequence[Held],
    queries: Sequence[str],
) -> Judgement:
    """Judge the claims against the aspects; `queries` are those asked so far, the first one first.

    An aspect that no claim covers is missing. Claims are biased that are all of one paper though
    several are asked for, or that all have a modifier ('Chinese') which the question has not.
    """
    if not claims:
        return _nothing(question, aspects, queries)
    table = ratings(embedder, question, aspects, claims)
    covered = [
        [claim.number for claim, row in zip(claims, table, strict=True) if row[place] >= COVERED]
        for place in range(len(aspects))
    ]
    missing = tuple(text for text, numbers in zip(aspects, covered, strict=True) if not numbers)
    if not missing and one_sided(question, aspects, claims):
        # What is told of the one thing does not tell what followed from it.
        missing = (aspects[-1],)
        covered[-1] = []
    thin = [] if missing else _thin(question, aspects, covered, claims)
    bias, general = ("", "") if missing or thin else _bias(question, claims)
    wishes = [*missing, *thin]
    query = ""
    if wishes:
        query = _for(wishes, question, claims, queries, thin=bool(thin))
    elif bias:
        query = _unasked([general], queries)
    sufficient = not missing and not thin and not bias
    reasoning = _reasoning(aspects, covered, thin, bias, query, sufficient)
    return Judgement(sufficient, reasoning, missing, bias, query)


def _nothing(question: str, aspects: Sequence[str], queries: Sequence[str]) -> Judgement:
    text = plain_question(question)
    about = wanted(text)
    kept = [word for word in keywords(text).split() if all_stems(word) & about.stems or names(word)]
    bare = " ".join(kept) if len(kept) > 1 else ""
    query = _unasked([*aspects, bare, about.text, " ".join(about.names)], queries)
    again = f" A second search, for “{query}”, may find some." if query else ""
    reasoning = (
        f"Nothing that was found bears on the question, so there is no claim to answer it.{again}"
    )
    return Judgement(False, reasoning, tuple(aspects), "", query)


def _thin(
    question: str, aspects: Sequence[str], covered: Sequence[Sequence[int]], claims: Sequence[Held]
) -> list[str]:
    """Return the sides of a comparison of which only the other side's paper speaks."""
    if len(aspects) < 2:
        return []
    asked = names(question)
    by_number = {claim.number: claim for claim in claims}
    found = []
    for aspect, numbers in zip(aspects, covered, strict=True):
        own = [name for name in names(aspect) if is_strong(name) and name in asked]
        if own and not any(is_about(by_number[number], own) for number in numbers):
            found.append(aspect)
    return found


def _for(
    wishes: Sequence[str],
    question: str,
    claims: Sequence[Held],
    queries: Sequence[str],
    *,
    thin: bool,
) -> str:
    """Return a query for what is missing: with a name that the claims bring in, if one does."""
    first = wishes[0]
    both = " ".join(dict.fromkeys(" ".join(wishes[:2]).split()))
    bridged = "" if thin or not is_chain(question) else bridge(question, first, claims)
    return _unasked(
        [
            bridged, both if len(wishes) == 2 else "", first, *wishes[1:],
            " ".join(names(question)), plain_question(question),
        ],
        queries,
    )  # fmt: skip


def _bias(question: str, claims: Sequence[Held]) -> tuple[str, str]:
    """Return how the claims are one-sided, and a query for the general case."""
    words = keywords(plain_question(question))
    if modifier := _modifier(question, claims):
        general = "all languages" if modifier.lower() in _TONGUES else "general domain"
        return (
            f"All claims are about “{modifier}”, which the question does not ask for.",
            f"{words} in {general}" if general == "all languages" else f"{words} {general}",
        )
    papers = {claim.paper or claim.title for claim in claims}
    open_question = not names(question)
    if len(papers) > 1 or not open_question:
        return "", ""
    several = _SEVERAL.search(question) or _SUPERLATIVE.search(question)
    if not several:
        return "", ""
    return (
        f"All claims come from one paper, “{claims[0].title}”, though the question asks for the field.",
        f"{words} other approaches comparison",
    )


def _modifier(question: str, claims: Sequence[Held]) -> str:
    """Return a word that narrows all claims and that the question has not."""
    if len(claims) < 2 or names(question):
        return ""
    asked = {stem(word) for word in tokens(f"{question} {wanted(question).text}")}
    heads = wanted(question).stems | {
        stem(word) for word in tokens(question) if word in COMMON_NOUNS
    }
    shared = set.intersection(*({*tokens(f"{claim.title} {claim.text}")} for claim in claims))
    for word in tokens(claims[0].text + " " + claims[0].title):
        if word not in shared or stem(word) in asked or len(word) < 4:
            continue
        if word in _TONGUES or word in _FIELDS:
            said = re.findall(r"[\w-]+", f"{claims[0].text} {claims[0].title}")
            return next((found for found in said if found.lower() == word), word)
        common = (
            word in STOP_WORDS or word in ACADEMIC_WORDS or word in COMMON_NOUNS or is_prose(word)
        )
        if not common and len(claims) > 2 and all(_before(word, heads, claim) for claim in claims):
            return word
    return ""


def _before(word: str, heads: frozenset[str] | set[str], claim: Held) -> bool:
    said = tokens(f"{claim.title} {claim.text}")
    return any(first == word and stem(second) in heads for first, second in pairwise(said))


def _unasked(drafts: Sequence[str], queries: Sequence[str]) -> str:
    asked = {frozenset(tokens(query)) for query in queries}
    bare = [re.sub(r"^(?:how|why) (?!.* (?:i|we|you) )", "", draft) for draft in drafts]
    return next((draft for draft in bare if draft and frozenset(tokens(draft)) not in asked), "")


def _reasoning(
    aspects: Sequence[str],
    covered: Sequence[Sequence[int]],
    thin: Sequence[str],
    bias: str,
    query: str,
    enough: bool,
) -> str:
    told = []
    for aspect, numbers in zip(aspects, covered, strict=True):
        if not numbers:
            told.append(f"No claim tells of “{aspect}”.")
        elif aspect in thin:
            told.append(f"Of “{aspect}” only other papers speak ({_claims(numbers)}).")
        else:
            told.append(
                f"{_claims(numbers).capitalize()} {'tells' if len(numbers) == 1 else 'tell'} of “{aspect}”."
            )
    count = _COUNTS[len(aspects)] if len(aspects) < len(_COUNTS) else f"{len(aspects)} things"
    parts = [f"The question asks for {count}.", *told]
    if bias:
        parts.append(bias)
    if enough:
        parts.append("That suffices.")
    elif query:
        parts.append(f"So a search for “{query}” should follow.")
    else:
        parts.append("No other query is left to try.")
    return " ".join(parts)


def _claims(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"claim {numbers[0]}"
    return f"claims {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
