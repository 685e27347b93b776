"""Places of sentences in the files that they were read from, and lines of paragraphs with their citations."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state.synthesis import Paragraph, ParagraphCitation
from state.value import Place
from tests.fakes.made_stack import (
    COOL,
    CRUST,
    ENTRIES,
    LOOSE,
    MOSS,
    PAPERS,
    SHADE,
    paragraph,
)
from tools.references.manuscript import is_latex, read_manuscript
from tools.text.places import PlaceFinder, words_in
from tools.text.source_lines import source_lines, works_cited
from tools.text.words import split_sentences


def stands(source: str, place: Place) -> str:
    """Return what stands at a place, by its line and column alone."""
    lines = source.replace("\r\n", "\n").split("\n")
    assert place.line
    assert place.column
    assert place.end_line
    assert place.end_column
    rows = lines[place.line - 1 : place.end_line]
    rows[-1] = rows[-1][: place.end_column - 1]
    rows[0] = rows[0][place.column - 1 :]
    return "\n".join(rows)


def found(source: str) -> list[tuple[str, str | None]]:
    """Return the sentences of a text, each with what stands at its place."""
    read = [span.text for block in read_manuscript(source).body for span in split_sentences(block)]
    finder = PlaceFinder(source, "a.tex", latex=is_latex(source))
    places = [one.place() if one else None for one in finder.find(read)]
    shown = [stands(source, place) if place else None for place in places]
    return list(zip(read, shown, strict=True))


MARKDOWN = (
    "---\r\ntitle: Owls hear moths\r\n---\r\n# Owls hear\r\n\r\n<!-- Owls hear moths in barns. -->\r\n"
    "Café owls *hear* moths\r\nin barns [@lee]. Moths 🦉 flee owls\r\n[@kim, p. 3].\r\n\r\n"
    "- Owls hear moths in barns.\r\n"
)


def test_markdown_of_windows_has_places_of_words_and_not_of_comments() -> None:
    assert [at for _, at in found(MARKDOWN)] == [
        "Café owls *hear* moths\nin barns [@lee].",
        "Moths 🦉 flee owls\n[@kim, p. 3].",
        "Owls hear moths in barns.",
    ]


LATEX = r"""\documentclass{article}
\begin{document}
% Owls hear moths in barns at night \cite{lee}.
\section{Owls hear moths}
Owls hear \emph{moths} in barns at night~\cite{lee}.
Owls \'etonn\'es sleep\footnote{Moths sleep in barns, they say.} by day.
\end{document}
"""


def test_latex_has_places_of_what_is_printed_and_notes_where_they_are_called() -> None:
    first, second, note = (at for _, at in found(LATEX))
    assert first == r"Owls hear \emph{moths} in barns at night~\cite{lee}."
    assert second
    assert second.startswith("Owls ")
    assert second.endswith("by day.")
    assert note == "Moths sleep in barns, they say."


def test_line_of_a_place_is_that_of_the_file() -> None:
    finder = PlaceFinder("One.\rTwo moths.\r\nThree owls hear.\n", "a.md")
    place = finder.find(["Three owls hear."])[0]
    assert place
    assert place.place() == Place(
        file="a.md", line=3, column=1, length=16, end_line=3, end_column=17
    )


@pytest.mark.parametrize("text", ["Bees dance in hives all day.", "", "…"])
def test_text_that_is_not_in_the_file_has_no_place(text: str) -> None:
    assert PlaceFinder("Owls hear moths in barns.").find([text]) == [None]


def test_words_far_apart_are_no_place() -> None:
    scattered = " xx ".join(["Owls", *["so"] * 200, "hear", *["so"] * 200, "moths"])
    assert PlaceFinder(scattered).find(["Owls hear moths."]) == [None]


def test_repeated_sentences_have_places_in_their_order() -> None:
    source = "Owls hear moths.\n\nOwls hear moths.\n"
    places = [one and one.place() for one in PlaceFinder(source).find(["Owls hear moths."] * 2)]
    assert [one and one.line for one in places] == [1, 3]


def test_words_are_compared_without_accents_and_unseen_characters() -> None:
    assert [word.text for word in words_in("Mu\u0308ller\u200bs x² ﬁsh")] == [
        "Mullers",
        "x",
        "2",
        "fish",
    ]


def test_paragraph_of_a_word_file_is_its_place() -> None:
    finder = PlaceFinder("Title\n\nOwls hear moths.\n", "a.docx", paragraphs=True)
    one = finder.find(["Owls hear moths."])[0]
    assert one
    assert one.place() == Place(file="a.docx", paragraph=3)


COPIED = "Moss gardens cool flat roofs by 9.4 degrees on summer afternoons."


def test_source_lines_are_slices_and_plain_without_citations() -> None:
    lines = source_lines(COOL)
    assert [COOL.text[line.start : line.end] for line in lines] == [line.text for line in lines]
    assert lines[0].plain == COPIED
    assert "[1]" in lines[0].text
    assert lines[1].plain == "Earlier work on lichen crusts found no cooling at all."


@pytest.mark.parametrize(
    "text",
    ["As in <<[8]|0>> moss cools.", "Roofs are hot. <<[1]|0>> show moss.", "Lee <<[1]|0>>, moss."],
)
def test_citation_that_a_sentence_needs_stays(text: str) -> None:
    assert ("[" in source_lines(paragraph(MOSS, 9, text))[-1].plain) == ("Lee" not in text)


@pytest.mark.parametrize(
    ("text", "works", "why"),
    [
        ("Roofs are hot <<[1]|0>>. Moss is wet <<[2]|1>>.", [[SHADE], [CRUST]], "before the stop"),
        ("Roofs are hot.<<[1]|0>> Moss is wet.<<[2]|1>>", [[SHADE], [CRUST]], "behind the stop"),
        (
            "Roofs are hot.<<1|0>> Moss is wet.<<2|1>>",
            [[SHADE], [CRUST]],
            "raised, behind the stop",
        ),
        ("Roofs are hot. <<[1]|0>> Moss is wet.", [[SHADE], []], "behind the stop and a space"),
        ("Roofs are hot. <<[1]|0>> show moss.", [[], [SHADE]], "the subject of its sentence"),
        ("Roofs <<[1]|0>> are hot, says <<[2]|1>> of moss.", [[SHADE, CRUST]], "behind a clause"),
        ("<<Okoro et al. (2019)|0>> cool roofs. Moss is wet.", [[SHADE], []], "named in the text"),
        ("Roofs are hot <<[1-3]|0,1,2>>.", [[SHADE, CRUST, LOOSE]], "several in one bracket"),
        ("Roofs are hot <<[1]|0>><<[1]|0>>.", [[SHADE]], "twice"),
        (
            "Roofs are hot. As Lee et al. <<[1]|0>> show, moss is wet.",
            [[], [SHADE]],
            "an abbreviation",
        ),
        ("Roofs are hot (cf. <<Lee et al. 2019|0>>). Moss.", [[SHADE], []], "full stops inside"),
        ("Roofs are hot. <<[1]|0>><<[2]|1>>", [[SHADE, CRUST]], "two behind the last stop"),
        ("Roofs are hot <<[9]|8>>.", [[]], "an entry that the list has not"),
    ],
)
def test_citations_belong_to_their_sentence(text: str, works: list[list[object]], why: str) -> None:
    item = paragraph(MOSS, 9, text)
    found = [
        [PAPERS[work] for work in works_cited(item, line.start, line.end, ENTRIES)]
        for line in source_lines(item)
    ]
    assert found == works, why


def test_part_of_a_paragraph_gives_the_lines_that_it_touches() -> None:
    second = source_lines(COOL)[1]
    found = source_lines(COOL, [(second.start + 5, second.end - 5)])
    assert [line.start for line in found] == [second.start]


@given(st.text(alphabet="ab. [1]\n,A\"'é²", min_size=1, max_size=80), st.data())
def test_lines_of_any_text_are_slices_in_order(text: str, data: st.DataObject) -> None:
    offsets = st.integers(0, len(text))
    marks = data.draw(st.lists(st.tuples(offsets, offsets), max_size=4))
    citations = tuple(
        ParagraphCitation(start=min(mark), end=max(mark), entries=(0,)) for mark in marks
    )
    item = Paragraph(id="p", paper=MOSS.id, number=1, text=text, citations=citations)
    lines = source_lines(item)
    assert all(text[line.start : line.end] == line.text != "" for line in lines)
    assert all(one.end <= two.start for one, two in pairwise(lines))
    assert set("".join(text.split())) >= set("".join("".join(line.text for line in lines).split()))
