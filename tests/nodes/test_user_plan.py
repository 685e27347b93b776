"""nodes/write/user_plan.py: the researcher's plan is followed to the letter, or refused."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.write.user_plan import MAX_LINES, named_papers, parse_plan, plan_text
from state.writing import Plan, PlanLine
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
    assert [line.note for line in plan.lines] == [
        "Open broadly with {P1}",
        "Contrast {P2} with {P3}",
    ]
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
        ("1 sentence in 10 words", 10),
        ("[1] opens, 80 words in all\n[2]", 80),
        ("Open with [1] in 20 words", None),
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


NUMBERS = {key: number for number, key in enumerate(KEYS, start=1)}


@pytest.mark.parametrize(
    ("plan", "expected", "why"),
    [
        ("2 paragraphs of 2 sentences. Cite [1] on line 3", [1, 1, 2, 2], "a count for each"),
        ("2 paragraphs, 2 sentences each. [1] on line 1", [1, 1, 2, 2], "with 'each'"),
        ("five sentences in two paragraphs", [1, 1, 1, 2, 2], "shared out, the first take more"),
        ("Paragraph 1: 1 sentence. [1] on line 1. Paragraph 2: 2 sentences. [2] on line 2",
         [1, 2, 2], "counts of their own"),
        ("3 sentences in 2 paragraphs. Paragraph 1: 1 sentence", [1, 2, 2], "the rest is the other's"),
        ("Paragraph 1: [1] on line 2. Second paragraph: [2] on line 1", [1, 1, 2], "as far as cited"),
        ("[1]\n[2]\n\n\n[3]", [1, 1, 2], "blank lines"),
        ("Paragraph 1:\n[1]\nParagraph 2:\n[2]\n[3]", [1, 2, 2], "headed lines"),
        ("# A\n\n[1]\n# B\n[2]", [1, 2], "headings"),
        ("2 paragraphs:\n\n[1]\n\n[2]", [1, 2], "announced and given"),
    ],
)  # fmt: skip
def test_lines_stand_in_their_paragraphs(plan: str, expected: list[int], why: str) -> None:
    assert [line.paragraph for line in parse(plan).lines] == expected, why


@pytest.mark.parametrize(
    ("plan", "expected", "why"),
    [
        ("2 paragraphs of 2 sentences. Cite [1] on line 3", ["", "", "P1", ""], "over the whole plan"),
        ("Paragraph 1: 2 sentences. Paragraph 2: 2 sentences. Cite [1] on line 1",
         ["", "", "P1", ""], "within its paragraph"),
        ("2 paragraphs of 2 sentences. Cite [1] on line 1 of paragraph 2", ["", "", "P1", ""], "said"),
        ("2 paragraphs of 2 sentences. [1] on the last line of the first paragraph",
         ["", "P1", "", ""], "in words"),
        ("2 sentences. Cite [1] on each line, [2] on the second line", ["P1", "P1 P2"], "each"),
        ("3 sentences. Cite [1-3] on line 2", ["", "P1 P2 P3", ""], "a range of papers"),
        ("On line 1 cite [1], on line 2 [2] and [3]", ["P1", "P2 P3"], "the line first"),
        ("Line 2 cites [2].", ["", "P2"], "the line as subject"),
        ("Generate the output in 200 words using 3 sentences. Cite @cite.1 at line 1 and 3.",
         ["P1", "", "P1"], "as in LitLLM's prompts"),
        ("Contrast [2]\nwith [3] on line 1", ["P2 P3"], "all before the line, over the end of a row"),
        ("Cite [1] on line 1 and on line 3, [2] on line 2", ["P1", "P2", "P1"], "two places"),
    ],
)  # fmt: skip
def test_papers_stand_on_the_line_that_is_said(plan: str, expected: list[str], why: str) -> None:
    assert keys(plan) == expected, why


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("Open with [1] (20 words)\nThen [2] in 30 words\n[3]", [20, 30, None]),
        ("3 sentences of 20 words. [1] on line 1", [20, 20, 20]),
        ("[1], [2]: Set them apart (20 words)\n[3], 30 words", [20, 30]),
        ("Paragraph 1: 3 sentences in 61 words. [1] on line 1", [21, 20, 20]),
        ("2 sentences. Cite [1] on line 1 (20 words), [2] on line 2 (30 words)", [20, 30]),
        ("2 paragraphs of 2 sentences, 40 words per paragraph", [20, 20, 20, 20]),
    ],
)
def test_words_of_a_line_are_read(plan: str, expected: list[int | None]) -> None:
    assert [line.words for line in parse(plan).lines] == expected


def test_headings_name_the_theme_of_their_paragraph() -> None:
    plan = parse("# Dense retrieval\n[1]\n[2]\n\nSparse retrieval:\n[3]\n\nClose on our work")
    assert [line.theme for line in plan.lines] == ["Dense retrieval"] * 2 + ["Sparse retrieval", ""]
    assert [line.role for line in plan.lines] == ["open", "develop", "open", "open"]


def test_what_is_no_direction_is_kept_as_a_note() -> None:
    assert parse("[2]: Say that it does not cite [1]").lines[0].keys == ("P2", "P1")
    plan = parse("2 sentences. Contrast [2] with [3] on line 2. Be critical, as in 2019.")
    assert [line.note for line in plan.lines] == [
        "Be critical, as in 2019", "Contrast {P2} with {P3}; Be critical, as in 2019",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("plan", "message", "why"),
    [
        ("5 sentences:\n" + "[1]\n" * 7, "asks for 5 sentences, but gives 7 lines", "a list of another length"),
        ("2 sentences. 3 sentences. [1] on line 1", "'2 sentences' and for '3 sentences'", "two counts"),
        ("2 paragraphs.\n[1]\n\n[2]\n\n[3]", "announces 2 paragraphs, but gives 3", "paragraphs"),
        ("2 paragraphs of 1 sentence. Paragraph 3: [1] on line 1", "speaks of paragraph 3", "paragraphs"),
        ("Paragraph 1: 2 sentences. [1] on line 3", "line 3 of paragraph 1", "beyond its paragraph"),
        ("4 sentences. Paragraph 1: 1 sentence. Paragraph 2: 1 sentence", "have 2", "a sum"),
        ("Paragraph 1: 1 sentence. Paragraph 2: be brief. [1] on every line",
         "how many sentences paragraph 2 has", "no count"),
        ("Paragraph 2:\n[1]", "'Paragraph 2:' where paragraph 1 begins", "out of order"),
        ("Line 2: [1]\nLine 1: [2]", "line 1 is labelled 2", "out of order"),
        ("3-5 sentences. [1] on line 1", "'3-5 sentences': give one number", "a range"),
        ("5 sentences in 12 words", "12 words in 5 sentences", "impossible words"),
        ("1 sentence in 3 words", "3 words in 1 sentence", "impossible words"),
        ("[1] (2 words)", "a sentence of 2 words", "impossible words"),
        ("90 words in all\n[1] (20 words)\n[2] (20 words)", "add up to 40", "words that do not add up"),
        ("[1] (20 words) and (30 words)", "20 and for 30 words", "two numbers of words"),
        ("[1] (open) (close)", "'open' and 'close'", "two roles"),
        ("[1 opens", r"never closed: '\[1 opens'", "an open bracket"),
        ("[[1] opens", r"never closed: '\[", "a bracket in a bracket"),
        ("opens 1]", r"without its '\[': 'opens 1\]'", "a bracket that was not opened"),
        ("cite []", r"empty bracket", "no name"),
        ("Cite {P1}", "by its number", "a marker of ours"),
        ("Write something nice", "names no paper and counts no sentences: 'Write some", "nothing"),
        ("5 sentences. Cite [1] on line 1. Use 3 paragrafs", "'Use 3 paragrafs', and what '3'", "a slip"),
        ("Cite [1] on lnie 3. 4 sentences", r"'Cite \[1\] on lnie 3'", "a slip"),
        ("2 sentences. Say how [1] differs. [1] on line 1", r"'Say how \[1\] differs' without a line", "where"),
        ("On line 1 cite [1], [2] on line 2", "and not what stands there", "two orders"),
        ("[1]: 2 sentences\n[2]: 3 sentences", r"'\[1\]: 2 sentences' stands for one", "papers with counts"),
        ("1. Open with [1]\nCite [2] on line 3", "mixes directions", "two forms"),
        ("2 sentences. Do not cite [1] on line 2", r"'Do not cite \[1\] on line 2': a paper", "a denial"),
        ("[2] opens, but don't mention [1]", "a paper that is named is cited", "a denial in a list"),
        ("# About [1]\n[2]", "names a paper", "a heading that cites"),
        ("# A\n# B\n[1]", "'# A' has no sentence under it", "an empty paragraph"),
        ("[9] opens\n[8, @nobody] and [2-6]", r"\[9\], \[8\], \[@nobody\], \[5-6\], which are", "all unknown"),
    ],
)  # fmt: skip
def test_contradictory_or_unclear_plan_is_refused_with_its_words(
    plan: str, message: str, why: str
) -> None:
    with pytest.raises(InputError, match=message):
        parse(plan)
    assert why


def test_made_plan_can_be_shown_edited_and_read() -> None:
    lines = (
        PlanLine(number=1, keys=("P2",), theme="dense retrieval", role="open"),
        PlanLine(number=2, keys=("P1", "P3"), theme="dense retrieval", role="contrast", words=30),
        PlanLine(number=3, keys=("P4",), theme="judging", role="open", note="Cite 5 sentences on line 2"),
        PlanLine(number=4, role="close", paragraph=2),
    )  # fmt: skip
    made = Plan(lines=lines, words=90, origin="made", reasoning="By meaning.")
    text = plan_text(made, NUMBERS)
    assert text == (
        "90 words in all\n\n# dense retrieval\n1. [2]\n2. [1], [3] (30 words, contrast)\n"
        "# judging (same paragraph)\n3. [4] (open): Cite 5 sentences on line 2\n\n4. (close)\n"
    )
    assert parse(text) == made.model_copy(update={"origin": "user", "reasoning": ""})
    edited = parse(text.replace("3. [4]", "3. [4], [1]").replace("2. [1], [3]", "2. [3]"))
    assert [line.keys for line in edited.lines] == [("P2",), ("P3",), ("P4", "P1"), ()]


def test_plan_without_papers_is_written_with_its_count() -> None:
    plan = parse("2 paragraphs of 2 sentences in 60 words")
    assert parse(plan_text(plan, NUMBERS)) == plan


NOTES = st.lists(
    st.sampled_from(
        ["{P1}", "{P2}", "contrast", "5 sentences", "on line 2", "(close)", "(9 words)", ":", "-", "1.",
         "in 20 words", "Paragraph 2:", "#", "120 words in all", "and", "2 paragraphs"]
    ),
    max_size=5,
).map(" ".join)  # fmt: skip


@given(st.lists(st.tuples(NOTES, st.sampled_from(["open", "develop", "contrast", "close"]),
                          st.booleans(), st.sampled_from(["", "trees", "bees (wild)"]),
                          st.sampled_from([None, 12, 40])), min_size=1, max_size=6))  # fmt: skip
def test_any_note_role_theme_and_paragraph_survives(rows: list[Any]) -> None:
    lines: list[PlanLine] = []
    for note, role, breaks, theme, words in rows:
        paragraph = (lines[-1].paragraph if lines else 1) + (breaks and bool(lines))
        bare = (
            note
            if any(char.isalnum() for char in note.replace("{P1}", "").replace("{P2}", ""))
            else ""
        )
        lines.append(
            PlanLine(number=len(lines) + 1, keys=("P2", "P1"), note=bare, role=role, theme=theme,
                     paragraph=paragraph, words=words)
        )  # fmt: skip
    plan = Plan(lines=tuple(lines), origin="user")
    assert parse(plan_text(plan, NUMBERS)) == plan


@pytest.mark.parametrize(
    "piece",
    ["(", "((1 words ", "1 ", "on line 1 and ", "lines 1, ", "each ", "# ", "a:", " ", "\t", "[1] and ", "(1 words)",
     "2 paragraphs of ", "@cite.1", "paragraph 1 ", "in paragraph 1: ", ". line 1: ", "1,000,", "[1;2]", "1-",
     "{", "()"],
)  # fmt: skip
def test_hostile_plan_of_the_greatest_length_is_read_or_refused(piece: str) -> None:
    with suppress(InputError):
        assert parse((piece * 20_000)[:20_000]).lines


DIRECTIVES = st.lists(
    st.sampled_from(
        ["[1]", "[2],", "[@kim]", "on line", "on lines", "1", "2", "3-4", "and", ",", "5 sentences",
         "120 words", "\n", "- ", "999999999 sentences", "on lines 1-", "[", "]", "9" * 5000, "²"]
    ),
    max_size=12,
).map(" ".join)  # fmt: skip


PIECES = [
    "[1]", "[2],", "[@kim]", "[1-3]", "on lines", "on every line", "the last line", "1", "3-4", "and", "5 sentences",
    "120 words", "in all", "in 20 words", "\n", "\n\n", "- ", "1. ", "Paragraph 1:", "of paragraph 2", "# ", "Theme:",
    "(20 words)", "(contrast)", "each", "of", "2 paragraphs", "line 2:", "Contrast", ":", ".", "５", "(same paragraph)",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join))
def test_plan_that_was_read_can_be_written_and_read_again(text: str) -> None:
    try:
        plan = parse(text)
    except InputError:
        return
    assert parse(plan_text(plan, NUMBERS)) == plan


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InputError):
        assert named_papers(text, PAPERS, ALIASES) is not None
    with suppress(InputError):
        assert parse(text).lines


def test_plan_without_lines_is_no_text() -> None:
    assert plan_text(Plan(lines=()), NUMBERS).strip() == ""


@given(DIRECTIVES)
def test_any_plan_is_read_or_refused(plan: str) -> None:
    try:
        lines = parse(plan).lines
    except InputError:
        return
    assert 1 <= len(lines) <= MAX_LINES
    assert [line.number for line in lines] == list(range(1, len(lines) + 1))
    assert all(key in KEYS for line in lines for key in line.keys)
