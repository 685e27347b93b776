"""Plans: a user's, those that docs/planning.md shows, and a mind's that names the wrong papers."""

import re
from collections import Counter
from contextlib import suppress
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.write.plan_language.read_plan import MAX_LINES, named_papers, parse_plan, plan_text
from nodes.write.plan_section import (
    PlannedLine,
    PlannedPaper,
    PlannedTheme,
    SectionPlan,
    extract,
    lay_lines,
    repaired,
)
from state.writing import Plan, PlanLine
from tests.support import ROOT
from tools.errors import InputError

PAPERS = ["arxiv:2005.11401", "local:lewis2020", "doi:10.1000/a", "local:kim"]
ALIASES = {"doi:10.1145/alias": "local:kim", "openalex:W4": "local:kim"}
KEYS = {f"P{number}": paper for number, paper in enumerate(PAPERS, start=1)}
NUMBERS = {key: number for number, key in enumerate(KEYS, start=1)}


def parse(plan: str) -> Plan:
    return parse_plan(plan, PAPERS, ALIASES, KEYS)


@pytest.mark.parametrize(
    ("plan", "expected", "why"),
    [
        (
            "1. Open with [1]\n2) Go on with [2]\n- and [3]\nLine 4: [2, 1] and [1; 3]",
            "P1|P2|P3|P2 P1 P3",
            "one row for each sentence, however it is numbered",
        ),
        ("\nSay why it matters\n\n \n[1]", "|P1", "a line may cite nothing; empty lines are none"),
        (
            "[arXiv:2005.11401v2] and [https://doi.org/10.1000/A]\n[lewis2020] then [@kim]\n[10.1145/ALIAS]",
            "P1 P3|P2 P4|P4",
            "ids of all kinds",
        ),
        ("Contrast 2 lines of work: [1]\n[2]: Say that it does not cite [1]", "P1|P2 P1", "notes"),
        (
            "5 sentences in 120 words. Cite [1] on lines 1 and 3, [2] on line 2",
            "P1|P2|P1||",
            "directions",
        ),
        ("Cite [1] on lines 1, 3–4 & 6", "P1||P1|P1||P1", "lists and ranges"),
        ("3 sentences: [1-3] and [@kim] on line 2", "|P1 P2 P3 P4|", "several papers"),
        ("[1] on line 1\nContrast [2]\nwith [3] on line 2", "P1|P2 P3", "over several rows"),
        ("2 sentences. Cite [1] on each line. [2] on line 2", "P1|P1 P2", "each"),
        (
            "Generate the output in 200 words using 3 sentences. Cite @cite.1 at line 1 and 3.",
            "P1||P1",
            "as in LitLLM's prompts",
        ),
        ("2 paragraphs of 2 sentences. Cite [1] on line 3", "||P1|", "counted over the whole plan"),
    ],
)
def test_papers_stand_on_the_lines_that_are_said(plan: str, expected: str, why: str) -> None:
    assert "|".join(" ".join(line.keys) for line in parse(plan).lines) == expected, why


@pytest.mark.parametrize(
    ("plan", "paragraphs", "words", "whole"),
    [
        (
            "2 paragraphs, 2 sentences each, 20 words per line. [1] on line 1",
            "1122",
            [20] * 4,
            None,
        ),
        ("five sentences in two paragraphs", "11122", [None] * 5, None),
        (
            "# A\n\n[1] (20 words)\nTheme:\n[2]\n[3]\n\n[4]\n120 words in all",
            "1223",
            [20, None, None, None],
            120,
        ),
        ("2 sentences in 1,200 words. Cite [1] on line 1 (20 words)", "11", [20, None], 1200),
        ("3 sentences of 20 words", "111", [20] * 3, None),
    ],
)
def test_lines_have_their_paragraphs_and_words(
    plan: str, paragraphs: str, words: list[int | None], whole: int | None
) -> None:
    read = parse(plan)
    assert "".join(str(line.paragraph) for line in read.lines) == paragraphs
    assert [line.words for line in read.lines] == words
    assert read.words == whole


def test_notes_themes_and_roles_are_kept() -> None:
    plan = parse(
        "# Dense retrieval\n1. Open broadly with [1]\n* [2]\n\nSparse:\n[3] (contrast)\n\nEnd"
    )
    assert [line.theme for line in plan.lines] == ["Dense retrieval"] * 2 + ["Sparse", ""]
    assert [line.role for line in plan.lines] == ["open", "develop", "contrast", "open"]
    assert [line.note for line in plan.lines] == ["Open broadly with {P1}", "", "", "End"]
    plan = parse("2 sentences. Contrast [2] with [3] on line 2. Be critical, as in 2019.")
    assert [line.note for line in plan.lines] == [
        "Be critical, as in 2019",
        "Contrast {P2} with {P3}; Be critical, as in 2019",
    ]
    assert plan.origin == "user"


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ("", "names no paper and counts no sentences"),
        ("Write something nice", "names no paper and counts no sentences: 'Write some"),
        ("2 sentences. [1] on line 3", "cites on line 3, but asks for 2"),
        ("[1] on line 0", "cites on line 0"),
        ("100 sentences", "has 100 lines"),
        ("[1] on lines 1-9999", "has 9,999 lines"),
        (
            "[9] opens\n[8, @nobody] and [2-6] [²]",
            r"\[9\], \[8\], \[@nobody\], \[2-6\], \[²\], but there are 4",
        ),
        ("5 sentences. Cite [1] and [2]. [3] on line 1", r"'Cite \[1\] and \[2\]' without a line"),
        ("5 sentences:\n" + "[1]\n" * 7, "asks for 5 sentences, but gives 7"),
        ("2 sentences. 3 sentences. [1] on line 1", "for 2 and for 3"),
        (
            "Paragraph 1: 3 sentences. [1] on line 1",
            "a line of its own for each sentence under 'Paragraph 1",
        ),
        ("2 paragraphs of 2 sentences. 5 sentences", "5 sentences in 2 paragraphs of 2"),
        ("3 sentences, 40 words per paragraph", "of what 'per' speaks"),
        ("Paragraph 2:\n[1]", "'Paragraph 2:' has no sentence under it, or paragraph 1"),
        ("Line 2: [1]\nLine 1: [2]", "line 1 is labelled 2"),
        ("3-5 sentences. [1] on line 1", "what '3' means"),
        ("each paragraph has 3 sentences. [1] on line 1", "of what 'each' speaks"),
        ("3 sentences. [1] on line 1 of the second paragraph", "what 'paragraph' means"),
        ("5 sentences in 12 words", "12 words in 5 sentences"),
        ("[1] (2 words)", "at least 3 words"),
        ("90 words in all\n[1] (20 words)\n[2] (20 words)", "add up to 40"),
        ("[1] (20 words) and (30 words)", "two numbers of words"),
        ("[1] (open) (close)", "two roles"),
        ("[1 opens", r"never closed, or was not opened: '\[1 opens'"),
        ("opens 1]", r"was not opened: 'opens 1\]'"),
        ("Cite {P1}", "by its number"),
        ("Cite [1] on lnie 3. 4 sentences", r"'Cite \[1\] on lnie 3'"),
        ("On line 1 cite [1]", "write the papers before"),
        ("Cite on line 1", "and not what stands there"),
        ("1. Open with [1]\nCite [2] on line 3", "mixes directions"),
        ("1. Open with [1] in 20 words", "stands for one sentence"),
        ("2 sentences. Do not cite [1] on line 2", r"'Do not cite \[1\] on line 2': a paper"),
        ("[2] opens, but don't mention [1]", "a paper that is named is cited"),
        ("# About [1]\n[2]", "names a paper"),
        ("# A\n# B\n[1]", "'# A' has no sentence under it"),
    ],
)
def test_plan_that_cannot_be_followed_is_refused_with_its_words(plan: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(plan)


def test_named_papers_come_in_the_order_of_the_list_and_all_must_be_known() -> None:
    assert named_papers("[@kim], [1] and [2] and [1]", PAPERS, ALIASES) == [*PAPERS[:2], PAPERS[3]]
    assert named_papers("no paper at all", PAPERS, ALIASES) == []
    for plan, message in (
        ("[2]", "there is 1 paper to cite"),
        ("[1]" * 10_000, "the maximum is 20,000"),
        ("[" + "9" * 10_000 + "]", "there is 1 paper"),
    ):
        with pytest.raises(InputError, match=message):
            named_papers(plan, PAPERS[:1], {})
    with pytest.raises(InputError, match=r"names \[2\], but"):
        parse_plan("[2] opens", PAPERS, {}, {"P1": PAPERS[0]})


def test_made_plan_can_be_shown_edited_and_read() -> None:
    lines = (
        PlanLine(number=1, keys=("P2",), theme="dense retrieval", role="open"),
        PlanLine(number=2, keys=("P1", "P3"), theme="dense retrieval", role="contrast", words=30),
        PlanLine(
            number=3, keys=("P4",), paragraph=2, role="open", note="Cite 5 sentences on line 2"
        ),
        PlanLine(number=4, role="close", paragraph=2),
    )
    made = Plan(lines=lines, words=90, origin="made", reasoning="By meaning.")
    text = plan_text(made, NUMBERS)
    assert text == (
        "90 words in all\n\n# dense retrieval\n1. [2] (open)\n2. [1], [3] (30 words, contrast)\n"
        "\n3. [4] (open): Cite 5 sentences on line 2\n4. (close)\n"
    )
    assert parse(text) == made.model_copy(update={"origin": "user", "reasoning": ""})
    edited = parse(text.replace("3. [4]", "3. [4], [1]").replace("2. [1], [3]", "2. [3]"))
    assert [line.keys for line in edited.lines] == [("P2",), ("P3",), ("P4", "P1"), ()]


PIECES = [
    "[1]", "[2],", "[@kim]", "[1-3]", "on lines", "on every line", "1", "3-4", "and", "5 sentences",
    "120 words", "in all", "in 20 words", "\n", "\n\n", "- ", "1. ", "Paragraph 1:", "of paragraph 2",
    "# ", "Theme:", "(20 words)", "(contrast)", "each", "of", "2 paragraphs", "line 2:", "Contrast", ":",
    ".", "５", "²", "[", "]", "999999999 sentences", "9" * 5000,
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join) | st.text(max_size=60))
def test_any_text_is_refused_or_read_and_then_written_and_read_alike(text: str) -> None:
    with suppress(InputError):
        assert named_papers(text, PAPERS, ALIASES) is not None
    try:
        plan = parse(text)
    except InputError:
        return
    assert 1 <= len(plan.lines) <= MAX_LINES
    assert [line.number for line in plan.lines] == list(range(1, len(plan.lines) + 1))
    assert all(key in KEYS for line in plan.lines for key in line.keys)
    assert parse(plan_text(plan, NUMBERS)) == plan


NOTES = st.lists(st.sampled_from(["{P1}", "contrast", "word", *PIECES[7:30]]), max_size=5).map(
    lambda pieces: " ".join(" ".join(pieces).replace("[", "(").replace("]", ")").split())
)


@given(
    st.lists(
        st.tuples(
            NOTES,
            st.sampled_from(["open", "develop", "contrast", "close"]),
            st.sampled_from(["", "trees", "bees (wild)"]),
            st.sampled_from([None, 12, 40]),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_any_note_role_theme_and_length_survives(rows: list[Any]) -> None:
    lines: list[PlanLine] = []
    for note, role, theme, words in rows:
        opens = bool(lines) and theme != lines[-1].theme
        bare = note if any(char.isalnum() for char in note.replace("{P1}", "")) else ""
        lines.append(
            PlanLine(
                number=len(lines) + 1,
                keys=("P2", "P1"),
                note=bare,
                role=role,
                theme=theme,
                paragraph=(lines[-1].paragraph if lines else 1) + opens,
                words=words,
            )
        )
    plan = Plan(lines=tuple(lines), origin="user")
    assert parse(plan_text(plan, NUMBERS)) == plan


@pytest.mark.parametrize(
    "piece",
    [
        "(",
        "((1 words ",
        "1 ",
        "on line 1 and ",
        "lines 1, ",
        "each ",
        "# ",
        "a:",
        " ",
        "[1] and ",
        "(1 words)",
        "2 paragraphs of ",
        "@cite.1",
        "paragraph 1 ",
        "in paragraph 1: ",
        ". line 1: ",
        "1,000,",
        "[1;2]",
        "{",
        "[",
        "]",
    ],
)
def test_hostile_plan_of_the_greatest_length_is_read_or_refused(piece: str) -> None:
    with suppress(InputError):
        assert parse((piece * 20_000)[:20_000]).lines


# nodes/write/plan_section.py: what becomes of a plan that names the wrong papers.


THEMED_KEYS = ["P1", "P2", "P3", "P4"]


def theme(*lines: PlannedLine, label: str = "Dense retrieval") -> PlannedTheme:
    return PlannedTheme(label=label, claim="They agree.", axis="aims", gap="Costs.", lines=[*lines])


def line(*keys: str, says: str = "", compares: bool = False) -> PlannedLine:
    return PlannedLine(keys=[*keys], says=says, compares=compares)


def test_list_without_a_model_has_the_themes_of_the_map() -> None:
    themes = ["ranking", "agents", "ranking", "summaries", "agents", "ranking", ""]
    papers = [
        PlannedPaper(key=f"P{at}", title="", year=2026 - at, abstract="", theme=name)
        for at, name in enumerate(themes, start=1)
    ]
    plan = extract(cast(Any, None), text="", papers=papers)
    assert [(one.label, [*lines_of(one)]) for one in plan.themes] == [
        ("ranking", ["P6", "P3", "P1"]),
        ("agents", ["P5", "P2"]),
        ("summaries", ["P4"]),
        ("other subjects", ["P7"]),  # one that the search did not find
    ]


def lines_of(planned: PlannedTheme) -> list[str]:
    return [key for item in planned.lines for key in item.keys]


def test_invented_papers_go_and_a_line_of_theirs_alone_goes_with_them() -> None:
    plan = SectionPlan(themes=[theme(line("P9"), line("P1", "P9"), line()), theme(line("P8"))])
    (kept,) = repaired(plan, THEMED_KEYS, (), 4, ["dense retrieval of texts"]).themes
    assert [item.keys for item in kept.lines] == [["P1"], []]
    assert kept.label == "dense retrieval", "its papers write it without a capital"


def test_papers_too_many_go_from_the_end_and_those_insisted_on_stay_or_come() -> None:
    plan = SectionPlan(themes=[theme(line("P1"), line("P2"), line("P3"))])
    kept = repaired(plan, THEMED_KEYS, {"P3", "P4"}, 3, [])
    assert [item.keys for item in kept.themes[0].lines] == [["P1"], ["P3"], ["P4"]]


def test_plan_of_no_paper_becomes_a_line_for_each() -> None:
    kept = repaired(SectionPlan(themes=[theme(line("P9"))]), THEMED_KEYS, (), 2, [])
    assert [item.keys for item in kept.themes[0].lines] == [["P1"], ["P2"]]


def test_lines_are_laid_out_by_paragraph_and_notes_reach_the_writer() -> None:
    themes = [
        theme(line("P1", "P2", says="Both agree.")),
        theme(line("P3", compares=True), label="costs"),
    ]
    plan = lay_lines(SectionPlan(themes=themes), counted=False)
    assert [(item.number, item.paragraph, item.keys) for item in plan.lines] == [
        (1, 1, ("P1", "P2")),
        (2, 2, ("P3",)),
    ]
    assert plan.lines[0].note == "Both agree"
    assert "authors' own work" in plan.lines[1].note
    assert [item.claim for item in plan.themes] == ["They agree."] * 2


# docs/planning.md: every plan that it shows is read, and every one that it calls refused is.


GUIDE = (ROOT / "docs" / "planning.md").read_text()
PLANS = re.findall(r"```plan ([\d+]+)\n(.*?)```", GUIDE, re.DOTALL)
REFUSED = re.findall(r"^\| `([^`]+)` \|", GUIDE, re.MULTILINE)
GUIDE_PAPERS = [f"doi:10.1/{number}" for number in range(1, 6)]
GUIDE_KEYS = {f"P{number}": paper for number, paper in enumerate(GUIDE_PAPERS, start=1)}


def parse_guide(plan: str) -> Plan:
    return parse_plan(plan, GUIDE_PAPERS, {}, GUIDE_KEYS)


def test_guide_has_examples_of_both_kinds() -> None:
    assert len(PLANS) >= 3
    assert len(REFUSED) >= 10


@pytest.mark.parametrize(("counts", "text"), PLANS, ids=[text[:30] for _, text in PLANS])
def test_plan_of_the_guide_has_its_sentences_in_their_paragraphs(counts: str, text: str) -> None:
    plan = parse_guide(text)
    found = Counter(line.paragraph for line in plan.lines)
    assert "+".join(str(found[number]) for number in sorted(found)) == counts
    assert {key for line in plan.lines for key in line.keys} <= set(GUIDE_KEYS)
    numbers = {key: place for place, key in enumerate(GUIDE_KEYS, start=1)}
    assert parse_guide(plan_text(plan, numbers)) == plan


@pytest.mark.parametrize("text", REFUSED)
def test_plan_that_the_guide_calls_refused_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="the plan"):
        parse_guide(text)
