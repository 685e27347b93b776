"""What people say of the texts: a page on which they rate them without knowing whose they are, and what it gives.

As ChatCite's human study (six scales) and LitLLM's (ranks and marks of made-up content, figure 7).
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

from evals.judging.candidates import Candidate, lineup
from evals.judging.questions import DIMENSIONS
from evals.writing.cases import Case
from tools.errors import InputError

Key = tuple[str, str, str]


@dataclass
class Ratings:
    """What people said, by who they are."""

    scores: dict[tuple[str, Key], float] = field(default_factory=dict)
    """By rater; and case, arm, dimension."""
    best: dict[tuple[str, str], str] = field(default_factory=dict)
    """By rater and case: the arm ranked first."""
    made_up: dict[tuple[str, str, str], bool] = field(default_factory=dict)
    """By rater, case and arm: whether something in it is made up."""

    @property
    def raters(self) -> set[str]:
        """Who rated anything."""
        return {rater for rater, _ in self.scores}

    def mean_scores(self) -> dict[Key, float]:
        """Return the mean over raters of each score."""
        every: dict[Key, list[float]] = {}
        for (_, key), value in self.scores.items():
            every.setdefault(key, []).append(value)
        return {key: fmean(values) for key, values in every.items()}

    def preferences(self) -> dict[str, str]:
        """Return the arm that most raters ranked first in each case, the first by name of those equal."""
        votes: dict[str, Counter[str]] = {}
        for (_, case), arm in self.best.items():
            votes.setdefault(case, Counter())[arm] += 1
        return {
            case: min(count, key=lambda arm: (-count[arm], arm)) for case, count in votes.items()
        }


def write_sheet(
    path: Path, cases: Sequence[Case], texts: Mapping[str, Sequence[Candidate]], seed: int
) -> None:
    """Write the page, and beside it the key that tells whose texts are whose.

    Raises:
        InputError: They cannot be written.
    """
    lined = [lineup(case, texts[case.id], f"sheet-{seed}") for case in cases]
    key = {one.case.id: {label: item.arm for label, item in one.labelled.items()} for one in lined}
    page = Path(__file__).with_name("sheet.html").read_text(encoding="utf-8")
    parts = [_case(number, one.case, one.labelled) for number, one in enumerate(lined, 1)]
    try:
        path.write_text(page.replace("@cases@", "\n".join(parts)), encoding="utf-8")
        path.with_suffix(".key.json").write_text(json.dumps(key, indent=1), encoding="utf-8")
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error}") from error


def read_ratings(path: Path) -> Ratings:
    """Return what people said: the file that the page saves (several joined: a JSON list), with its key beside it.

    Raises:
        InputError: It cannot be read, its key is missing, or it names a text that the key has not.
    """
    found = Ratings()
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        saved = given if isinstance(given, list) else [given]
        place = next(iter(sorted(path.parent.glob("*.key.json"))), path.with_suffix(".key.json"))
        key: dict[str, dict[str, str]] = json.loads(place.read_text(encoding="utf-8"))
        for one in saved:
            for rated in one["ratings"]:
                _take(found, str(one["rater"]), rated, key)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"'{path}' holds no ratings of these texts ({error!r}): give the file that the sheet saves, its "
            "key (.key.json) in the same folder"
        ) from error
    return found


def _take(found: Ratings, rater: str, rated: Mapping[str, Any], key: Mapping[str, Any]) -> None:
    case, arm = str(rated["case"]), key[rated["case"]][rated["label"]]
    for name in DIMENSIONS:
        if rated.get(name) is not None:
            value = float(rated[name])
            if not 1 <= value <= 5:
                raise ValueError(f"{name} is {value}, and must be 1 to 5")
            found.scores[rater, (case, arm, name)] = value
    if rated.get("rank") == 1:
        found.best[rater, case] = arm
    if rated.get("made_up") is not None:
        found.made_up[rater, case, arm] = bool(rated["made_up"])


def _case(number: int, case: Case, labelled: Mapping[str, Candidate]) -> str:
    texts = "\n".join(_text(case.id, label, item) for label, item in labelled.items())
    return f"""<section><h2>{number}. {escape(case.title)}</h2><p>{escape(case.abstract)}</p>
<details><summary>What its authors wrote</summary><p>{escape(case.gold)}</p></details>
{texts}</section>"""


def _text(case: str, label: str, item: Candidate) -> str:
    listed = "".join(f"<li>{escape(title)}</li>" for title in item.references)
    scales = "".join(
        f"<label>{name.replace('_', ' ')} <select name={name}><option value=''></option>"
        + "".join(f"<option>{value}</option>" for value in range(1, 6))
        + "</select></label>"
        for name in DIMENSIONS
    )
    return f"""<form data-case="{escape(case)}" data-label="{label}"><h3>Text {label}</h3>
<p class=text>{escape(item.text)}</p><ol>{listed}</ol><fieldset><legend>1 poor, 5 excellent</legend>{scales}
<label>rank (1 is best; equal ones share it) <input name=rank type=number min=1 max=26></label>
<label><input name=made_up type=checkbox> something in it is made up</label></fieldset></form>"""
