"""Whether two names are names of one venue: 'J. Mach. Learn. Res.', 'NeurIPS', '2022 IEEE/CVF Conference on ...'."""

import re
import unicodedata

from tools.text.words import written_words

_SERIES = re.compile(
    r"lecture notes|communications in computer|conference proceeding series|proceedings of machine learning research"
    r"|\bpmlr\b|\bceur\b|\bjmlr workshop|frontiers in artificial|\bifip\b|studies in"
    r"|\w*[rx]iv\b|\bcorr\b|preprint|ssrn|zenodo"
)
"""Series in which volumes of many venues appear, and places of preprints: they tell nothing of the venue."""
_OF_A_MEETING = frozenset(
    {"proc", "proceedings", "conf", "conference", "symposium", "workshop", "meeting"}
)
_GENERIC = frozenset(
    [
        "proceedings",
        "proc",
        "conference",
        "conf",
        "annual",
        "international",
        "intl",
        "int",
        "symposium",
        "meeting",
        "ieee",
        "acm",
        "cvf",
        "usenix",
        "the",
        "of",
        "on",
        "in",
        "for",
        "and",
        "to",
        "a",
        "an",
        "de",
        "la",
        "der",
        "at",
        "with",
        "its",
        "joint",
        "th",
        "st",
        "nd",
        "rd",
        "volume",
        "vol",
        "part",
        "first",
        "second",
        "third",
    ]
)
NAMES = {
    "aaai": "AAAI Conference on Artificial Intelligence",
    "acl": "Association for Computational Linguistics",
    "acmmm": "International Conference on Multimedia",
    "aistats": "Artificial Intelligence and Statistics",
    "cav": "Computer Aided Verification",
    "ccs": "Computer and Communications Security",
    "chi": "Human Factors in Computing Systems",
    "cikm": "Information and Knowledge Management",
    "coling": "Computational Linguistics",
    "colt": "Computational Learning Theory",
    "conll": "Computational Natural Language Learning",
    "corl": "Robot Learning",
    "cscw": "Computer Supported Cooperative Work",
    "cvpr": "Computer Vision and Pattern Recognition",
    "eacl": "European Chapter of the Association for Computational Linguistics",
    "eccv": "European Conference on Computer Vision",
    "ecml": "Machine Learning and Knowledge Discovery in Databases",
    "emnlp": "Empirical Methods in Natural Language Processing",
    "icassp": "Acoustics, Speech and Signal Processing",
    "iccv": "International Conference on Computer Vision",
    "icde": "Data Engineering",
    "icdm": "Data Mining",
    "iclr": "Learning Representations",
    "icml": "International Conference on Machine Learning",
    "icra": "Robotics and Automation",
    "icse": "Software Engineering",
    "ijcai": "International Joint Conference on Artificial Intelligence",
    "ijcnlp": "Natural Language Processing",
    "infocom": "Computer Communications",
    "interspeech": "International Speech Communication Association",
    "iros": "Intelligent Robots and Systems",
    "jmlr": "Journal of Machine Learning Research",
    "kdd": "Knowledge Discovery and Data Mining",
    "lrec": "Language Resources and Evaluation",
    "miccai": "Medical Image Computing and Computer Assisted Intervention",
    "mlsys": "Machine Learning and Systems",
    "naacl": "North American Chapter of the Association for Computational Linguistics",
    "neurips": "Neural Information Processing Systems",
    "nips": "Neural Information Processing Systems",
    "osdi": "Operating Systems Design and Implementation",
    "pami": "Pattern Analysis and Machine Intelligence",
    "pldi": "Programming Language Design and Implementation",
    "pnas": "Proceedings of the National Academy of Sciences",
    "popl": "Principles of Programming Languages",
    "sigcomm": "Data Communication",
    "sigir": "Research and Development in Information Retrieval",
    "sigmod": "Management of Data",
    "tacl": "Transactions of the Association for Computational Linguistics",
    "tmlr": "Transactions on Machine Learning Research",
    "tpami": "Pattern Analysis and Machine Intelligence",
    "tvcg": "Visualization and Computer Graphics",
    "uai": "Uncertainty in Artificial Intelligence",
    "uist": "User Interface Software and Technology",
    "vis": "Visualization",
    "vldb": "Very Large Data Bases",
    "wacv": "Applications of Computer Vision",
    "wsdm": "Web Search and Data Mining",
    "www": "World Wide Web",
}
"""Acronyms of venues, by which they are cited more often than by their names, each with what its name holds."""
_WITHOUT_DOIS = (
    "NeurIPS",
    "ICML",
    "ICLR",
    "JMLR",
    "TMLR",
    "AISTATS",
    "UAI",
    "COLT",
    "CoRL",
    "MLSys",
)
_MOST = 0.7
"""Share of the words of the longer name that the shorter one must have to be it."""


def same_venue(one: str, two: str) -> bool | None:
    """Whether two names are of one venue; None where the names do not tell, as of a series.

    Abbreviated words, acronyms and what a name of proceedings has besides ('Proceedings of the 40th
    Annual ...') count for nothing; a workshop is not the conference it is held at.
    """
    first, second = _plain(one), _plain(two)
    if not first or not second or _SERIES.search(first) or _SERIES.search(second):
        return None
    if ("workshop" in first) != ("workshop" in second):
        return False
    acronyms, others = _acronyms(one), _acronyms(two)
    if acronyms & others or acronyms & set(second.split()) or others & set(first.split()):
        return True
    if not (acronyms or others):
        return _same_words(_words(first), _words(second))
    one_known, two_known = _known(acronyms, first), _known(others, second)
    if one_known and two_known:
        return bool(one_known & two_known)
    if acronyms and others:
        return None
    acronym, name = (next(iter(acronyms)), second) if acronyms else (next(iter(others)), first)
    if _stands_for(acronym, name.split()):
        return True
    return False if acronym in NAMES else None


def is_meeting(venue: str) -> bool:
    """Whether a venue is held once in a while, so that its year is that of what appears there."""
    words = set(_plain(venue).split())
    return bool(words & _OF_A_MEETING or _acronyms(venue) - {"jmlr", "tmlr", "pnas"})


def gives_dois(venue: str) -> bool:
    """Whether what appears at a venue has DOIs, as far as is known; what Crossref lacks of others is no sign."""
    return not any(same_venue(name, venue) for name in _WITHOUT_DOIS)


def _plain(name: str) -> str:
    text = unicodedata.normalize("NFKD", name).casefold().replace("&", " and ")
    text = text.partition(":")[0] if len(text.partition(":")[0].split()) > 3 else text
    return " ".join("".join(char if char.isalpha() else " " for char in text).split())


def _acronyms(name: str) -> set[str]:
    """Return the acronyms that a name is, or has in brackets."""
    told = re.findall(r"\(\s*([A-Z][A-Za-z]+)\b[^()]*\)", name)
    rest = re.sub(r"\([^()]*\)|[\d'’‘-]+(?:st|nd|rd|th)?\b|\bProc(?:eedings)?\b\.?", " ", name)
    words = [
        word for word in written_words(rest.replace("-", " ")) if word.casefold() not in _GENERIC
    ]
    if len(words) == 1 and sum(map(str.isupper, words[0])) > 1:
        told.append(words[0])
    return {word.casefold() for word in told if sum(map(str.isupper, word)) > 1}


def _known(acronyms: set[str], plain: str) -> set[str]:
    """Return the names in the table that these acronyms or this name stand for, the longest that fit."""
    if acronyms:
        return {NAMES[one] for one in acronyms if one in NAMES}
    words, meeting = _words(plain), not _OF_A_MEETING.isdisjoint(plain.split())
    fit = {
        name: len(own)
        for name in NAMES.values()
        if _within(own := _words(_plain(name)), words) and ("Conference" not in name or meeting)
        if len(own) >= _MOST * len(words)
    }
    return {name for name, size in fit.items() if size == max(fit.values())}


def _words(plain: str) -> list[str]:
    return [word for word in plain.split() if word not in _GENERIC and len(word) > 1]


def _same_words(first: list[str], second: list[str]) -> bool | None:
    short, long = sorted((first, second), key=len)
    if not short:
        return None
    if _within(short, long):
        return True if len(short) >= _MOST * len(long) else None
    shared = sum(any(_abbreviates(a, b) for b in long) for a in short)
    return None if shared >= _MOST * len(short) and len(short) > 2 else False


def _within(short: list[str], long: list[str]) -> bool:
    """Whether all words of one name stand in another in order, abbreviated perhaps."""
    rest = iter(long)
    return all(any(_abbreviates(word, other) for other in rest) for word in short)


def _abbreviates(one: str, two: str) -> bool:
    """Whether one word is another one, or its beginning, or its first and last letters: 'natl', 'national'."""
    short, long = sorted((one, two), key=len)
    if short[0] != long[0]:
        return False
    letters = iter(long)
    return long.startswith(short) or (len(short) > 2 and all(char in letters for char in short))


def _stands_for(acronym: str, words: list[str]) -> bool:
    """Whether an acronym is made of beginnings of words of a name, in order, its last word among them."""
    words = [word for word in words if word not in {"proceedings", "of", "the"}]

    def made(letters: str, at: int) -> bool:
        if at == len(words):
            return not letters
        word = words[at]
        if letters and word[0] == letters[0]:
            for size in range(len(letters), 0, -1):
                chars = iter(word)
                if all(char in chars for char in letters[:size]) and made(letters[size:], at + 1):
                    return True
        return at < len(words) - 1 and made(letters, at + 1)

    return bool(words) and len(words) <= 14 and made(acronym, 0)
