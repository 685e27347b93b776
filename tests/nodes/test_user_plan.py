"""nodes/write/user_plan.py: the researcher's plan is followed to the letter, or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.write.user_plan import MAX_LINES, named_papers, parse_plan
from state.writing import Plan
from tools.errors import InputError

PAPERS = ["arxiv:2005.11401", "local:lewis2020", "doi:10.1000/a", "local:kim"]
ALIASES = {"doi:10.1145/alias": "local:kim", "openalex:W4": "local:kim"}
KEYS = {f"P{number}": paper for number, paper in enumerate(PAPERS, start=1)}


def parse(plan: str) -> Plan:
    return parse_plan(plan, PAPERS, ALIASES, KEYS)


def keys(plan: str) -> list[str]:
    return [" ".join(line.keys) for line in parse(plan).lines]


@pytest.mark.parametrize(
    ("plan", "expected", "why"),
    [
        ("Open with [1]\nContrast [2] with [3]", ["P1", "P2 P3"], "one line for each sentence"),
        ("1. Open with [1]\n2) Go on with [2]\n- and [3]", ["P1", "P2", "P3"], "numbered lines"),
        ("\n[1]\n\n \n[2]\n", ["P1", "P2"], "empty lines are none"),
        ("[2, 1] and [1; 3]", ["P2 P1 P3"], "several in one bracket, each once"),
        ("Say why it matters\n[1]", ["", "P1"], "a line may cite nothing"),
        ("[arXiv:2005.11401v2]", ["P1"], "an arXiv id"),
        ("[https://doi.org/10.1000/A]", ["P3"], "the address of a DOI"),
        ("[lewis2020] then [@kim]", ["P2 P4"], "a library's ids, with and without @"),
        ("[10.1145/ALIAS] or [https://openalex.org/W4]", ["P4"], "other ids of one paper"),
        ("Contrast 2 lines of work: [1]\nEnd with [2]", ["P1", "P2"], "'lines of work' is a note"),
        ("Line 1: [1]\nLine 2: [2]", ["P1", "P2"], "labelled lines"),
    ],
)
def test_line_form_names_the_papers_of_each_sentence(
    plan: str, expected: list[str], why: str
) -> None:
    assert keys(plan) == expected, why


def test_line_form_keeps_each_lines_instruction() -> None:
    plan = parse("1. Open broadly with [1]\n* Contrast [2] with [3]")
    assert [line.note for line in plan.lines] == ["Open broadly with [1]", "Contrast [2] with [3]"]
    assert [line.role for line in plan.lines] == ["open", "develop"]
    assert [line.number for line in plan.lines] == [1, 2]
    assert (plan.origin, plan.words) == ("user", None)


@pytest.mark.parametrize(
    ("plan", "expected", "why"),
    [
        ("5 sentences in 120 words. Cite [1] on lines 1 and 3, [2] on line 2",
         ["P1", "P2", "P1", "", ""], "the example of the guide"),
        ("Cite [1] on lines 2-4", ["", "P1", "P1", "P1"], "a range"),
        ("Cite [1] on lines 2–4", ["", "P1", "P1", "P1"], "with a dash"),
        ("Cite [1] on lines 2 to 4", ["", "P1", "P1", "P1"], "in words"),
        ("Cite [1] on lines 4-2", ["", "P1", "P1", "P1"], "from its end"),
        ("Cite [1] on lines 1, 2, and 4", ["P1", "P1", "", "P1"], "a list with a serial comma"),
        ("Cite [1] on lines 1, 3-4 & 6", ["P1", "", "P1", "P1", "", "P1"], "lists and ranges"),
        ("3 sentences: [1], [2] and [@kim] on line 2", ["", "P1 P2 P4", ""], "several papers"),
        ("[1] in sentence 1. [2] at sentence 1.", ["P1 P2"], "two directives for one line"),
        ("[1] on line 1\n[2] on line 2", ["P1", "P2"], "over several lines of text"),
        ("3 lines", ["", "", ""], "only a count"),
    ],
)  # fmt: skip
def test_directives_put_papers_on_their_lines(plan: str, expected: list[str], why: str) -> None:
    assert keys(plan) == expected, why


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("2 sentences in 120 words. [1] on line 1", 120),
        ("[1] on line 1 in 1,200 words", 1200),
        ("Open with [1]\nAll in 80 words", 80),
        ("1 sentence in 3 words", 10),
        ("1 sentence", None),
    ],
)
def test_words_asked_for_are_read(plan: str, words: int | None) -> None:
    assert parse(plan).words == words


@pytest.mark.parametrize(
    ("plan", "message", "why"),
    [
        ("", "has 0 lines", "nothing"),
        (" \n ", "has 0 lines", "white space"),
        ("2 sentences. [1] on line 3", "cites on line 3, but asks for 2", "beyond the count"),
        ("[1] on line 0", "cites on line 0", "lines count from one"),
        ("0 sentences", "has 0 lines", "a count of none"),
        ("\n".join(["[1]"] * 100), "has 100 lines", "too many lines"),
        ("100 sentences", "has 100 lines", "too many asked for"),
        ("[1] on lines 1-9999", "has 9999 lines", "too many by a range"),
        ("[9] opens", r"\[9\], which is not among", "no such number"),
        ("a [²] b", r"\[²\], which is not among", "a digit that is no number"),
        ("5 sentences. Cite [1] and [2]. [3] on line 1", r"\[1\], \[2\] but no line",
         "papers that would be lost"),
    ],
)  # fmt: skip
def test_plan_that_cannot_be_followed_is_refused(plan: str, message: str, why: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(plan)
    assert why


def test_paper_that_is_not_to_be_cited_is_refused() -> None:
    with pytest.raises(InputError, match=r"\[2\], which is not among the papers to cite"):
        parse_plan("[2] opens", PAPERS, {}, {"P1": PAPERS[0]})


def test_named_papers_come_in_the_order_of_the_list() -> None:
    assert named_papers("[@kim], [1] and [2] and [1]", PAPERS, ALIASES) == [
        PAPERS[0], PAPERS[1], PAPERS[3],
    ]  # fmt: skip
    assert named_papers("no paper at all", PAPERS, ALIASES) == []


def test_unknown_papers_are_all_listed_in_one_error() -> None:
    with pytest.raises(InputError) as caught:
        named_papers("[1], [7], [@nobody; 0] and [10.1000/zzz], [7] again", PAPERS, ALIASES)
    assert "[7], [@nobody], [0], [10.1000/zzz], but there are 4 papers" in str(caught.value)
    assert "use [1] to [4]" in str(caught.value)


def test_only_paper_is_counted_as_one() -> None:
    with pytest.raises(InputError, match="there is 1 paper to cite"):
        named_papers("[2]", PAPERS[:1], {})


@pytest.mark.parametrize("plan", ["[1]" * 10_000, "[" + "9" * 30_000 + "]", "1 " * 50_000])
def test_endless_plan_is_refused(plan: str) -> None:
    with pytest.raises(InputError, match="at most 20,000"):
        named_papers(plan, PAPERS, ALIASES)


def test_endless_number_is_no_paper() -> None:
    with pytest.raises(InputError, match="but there are 4 papers"):
        named_papers("[" + "9" * 10_000 + "]", PAPERS, ALIASES)


DIRECTIVES = st.lists(
    st.sampled_from(
        ["[1]", "[2],", "[@kim]", "on line", "on lines", "1", "2", "3-4", "and", ",", "5 sentences",
         "120 words", "\n", "- ", "999999999 sentences", "on lines 1-", "[", "]", "9" * 5000, "²"]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


@given(DIRECTIVES)
def test_any_plan_is_read_or_refused(plan: str) -> None:
    try:
        lines = parse(plan).lines
    except InputError:
        return
    assert 1 <= len(lines) <= MAX_LINES
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(key in KEYS for line in lines for key in line.keys)
