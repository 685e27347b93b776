"""docs/planning.md: every plan that it shows is read, and every one that it calls refused is."""

import re
from collections import Counter

import pytest

from nodes.write.plan_language.read_plan import parse_plan, plan_text
from state.writing import Plan
from tests.support import ROOT
from tools.errors import InputError

GUIDE = (ROOT / "docs" / "planning.md").read_text()
PLANS = re.findall(r"```plan ([\d+]+)\n(.*?)```", GUIDE, re.DOTALL)
REFUSED = re.findall(r"^\| `([^`]+)` \|", GUIDE, re.MULTILINE)
PAPERS = [f"doi:10.1/{number}" for number in range(1, 6)]
KEYS = {f"P{number}": paper for number, paper in enumerate(PAPERS, start=1)}


def parse(plan: str) -> Plan:
    return parse_plan(plan, PAPERS, {}, KEYS)


def test_guide_has_examples_of_both_kinds() -> None:
    assert len(PLANS) >= 3
    assert len(REFUSED) >= 10


@pytest.mark.parametrize(("counts", "text"), PLANS, ids=[text[:30] for _, text in PLANS])
def test_plan_of_the_guide_has_its_sentences_in_their_paragraphs(counts: str, text: str) -> None:
    plan = parse(text)
    found = Counter(line.paragraph for line in plan.lines)
    assert "+".join(str(found[number]) for number in sorted(found)) == counts
    assert {key for line in plan.lines for key in line.keys} <= set(KEYS)
    numbers = {key: place for place, key in enumerate(KEYS, start=1)}
    assert parse(plan_text(plan, numbers)) == plan


@pytest.mark.parametrize("text", REFUSED)
def test_plan_that_the_guide_calls_refused_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="the plan"):
        parse(text)
