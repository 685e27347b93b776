"""Keys of BibTeX entries: stable, readable, unique within a list."""

import unicodedata
from collections.abc import Sequence
from string import ascii_lowercase

from state.paper import Paper, title_key
from state.results import Reference
from tools.bibliography.text_runs import balanced
from tools.text.words import ACADEMIC_WORDS, STOP_WORDS, tokens

_CITABLE = frozenset("_:./+*!?|<>^$&;-")
_LONGEST = 200


def citation_keys(papers: Sequence[Paper], *, verbatim: bool = False) -> list[str]:
    """Return a key for each paper, in order: its owner's, else one such as `lewis2020retrieval`.

    A made key is the family name of the first author, the year, and the first telling word of the
    title. Of papers that would have the same key all but one get a letter, by their titles and ids:
    so the same papers have the same keys in whatever order they stand.

    Args:
        papers: What to name.
        verbatim: Take any key that BibTeX can hold, else only those that any text can cite.
    """
    owned = [paper.record.key if paper.record else "" for paper in papers]
    fit = _is_bibtex if verbatim else _is_citable
    stems = [
        key if fit(key) else f"{_author(paper)}{paper.year or 'nd'}{_word(paper.title)}"
        for key, paper in zip(owned, papers, strict=True)
    ]
    in_turn = sorted(
        range(len(papers)), key=lambda at: (title_key(papers[at].title), papers[at].id, at)
    )
    keys = {stems[place]: place for place in reversed(in_turn)}
    bare = set(keys.values())
    seen: dict[str, int] = {}
    for place in (at for at in in_turn if at not in bare):
        stem = key = stems[place]
        while key in keys:
            seen[stem] = seen.get(stem, 0) + 1
            key = stem + letters(seen[stem])
        keys[key] = place
    return sorted(keys, key=keys.__getitem__)


def _is_bibtex(key: str) -> bool:
    return bool(key) and key == " ".join(key.split()) and "," not in key and balanced(key)


def _is_citable(key: str) -> bool:
    return 0 < len(key) <= _LONGEST and all(char.isalnum() or char in _CITABLE for char in key)


def numbered(papers: Sequence[Paper]) -> list[Reference]:
    """Return a list of references of these papers, numbered as they stand, with their owners' keys."""
    pairs = zip(citation_keys(papers, verbatim=True), papers, strict=True)
    return [
        Reference(number=number, key=key, paper=paper)
        for number, (key, paper) in enumerate(pairs, start=1)
    ]


def with_own_keys(
    references: Sequence[Reference], own: Sequence[Paper]
) -> tuple[list[Reference], list[Reference]]:
    """Return the references with the keys that a user's own file has for them, and those that it lacks.

    An entry is the same work by its DOI or arXiv id, else by its title with the same first author, or none, and at
    most two years apart. A reference that the file lacks gets a key that the file has not.
    """
    entries = [paper for paper in own if paper.record and paper.record.key]
    taken = {paper.record.key.lower() for paper in entries if paper.record}
    renamed: list[Reference] = []
    lacking: list[Reference] = []
    for item in references:
        found = next((it for it in entries if _share_id(it, item.paper)), None) or next(
            (it for it in entries if _share_title(it, item.paper)), None
        )
        if found and found.record:
            entries.remove(found)
            renamed.append(item.model_copy(update={"key": found.record.key}))
            continue
        tries = (item.key, *(f"{item.key}-{letters(at)}" for at in range(len(taken) + 1)))
        key = next(key for key in tries if key.lower() not in taken)
        taken.add(key.lower())
        lacking.append(item.model_copy(update={"key": key}))
        renamed.append(lacking[-1])
    return renamed, lacking


def _share_id(one: Paper, two: Paper) -> bool:
    return bool(
        (one.doi and one.doi == two.doi)
        or (one.arxiv and one.arxiv == two.arxiv)
        or two.id in (one.id, *one.aliases)
        or one.id in two.aliases
    )


def _share_title(one: Paper, two: Paper) -> bool:
    firsts = {title_key(paper.authors[0].family) for paper in (one, two) if paper.authors}
    return (
        title_key(one.title) == title_key(two.title)
        and len(firsts) < 2
        and abs((one.year or two.year or 0) - (two.year or one.year or 0)) <= 2
    )


def letters(count: int) -> str:
    """Return 'a' for 0, 'b' for 1, ..., 'z', 'aa', 'ab' and so on."""
    text = ""
    while count >= 0:
        text = ascii_lowercase[count % 26] + text
        count = count // 26 - 1
    return text


def _author(paper: Paper) -> str:
    return (_ascii(paper.authors[0].family) if paper.authors else "") or "anon"


def _word(title: str) -> str:
    words = tokens(title)
    telling = [word for word in words if word not in STOP_WORDS and word not in ACADEMIC_WORDS]
    return next((_ascii(word) for word in [*telling, *words] if _ascii(word)), "untitled")


# Letters that no normal form takes apart.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)


def _ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(char for char in folded.lower() if char.isascii() and char.isalnum())
