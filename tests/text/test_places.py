"""Places of sentences in the files that they were read from."""

import pytest

from state.place import Place
from tools.references.manuscript import is_latex, read_manuscript
from tools.text.places import PlaceFinder, words_in
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
