"""The two forms of a plan: a row for each sentence, or directions such as 'cite [1] on line 2'."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import get_args

from nodes.write.plan_language.reading import (
    FIRM,
    TAGS,
    Place,
    Row,
    note_of,
    placed_texts,
    refuse_denial,
    refuse_unread,
    take_counts,
)
from nodes.write.plan_language.sketch import Sketch, Sketches, check_size, sentences, share
from state.writing import MARKER, LineRole
from tools.errors import InputError

_CLAUSES = re.compile(r"(?<=[.;!?])\s")


def read_rows(rows: Sequence[Row]) -> Sketches:
    """Return the lines that the rows ask for.

    Raises:
        InputError: The rows mix the two forms, contradict each other, or are not clear.
    """
    made = Sketches()
    bodies = [row for row in rows if row.kind in {"item", "text"}]
    items = [row for row in bodies if row.kind == "item"]
    directing = [row for row in bodies if row.kind == "text" and row.directs]
    if directing and items:
        raise InputError(
            f"the plan mixes directions, '{directing[0].text[:60]}', with a list of sentences, "
            f"'{items[0].text[:60]}': use one of the two"
        )
    if directing or (rows and not bodies):
        _read_directions(rows, made)
        return made
    _read_list(rows, made)
    if "sentence" not in made.asked(0) and not any(item.keys or item.role for item in made.lines):
        raise InputError(
            f"the plan names no paper and counts no sentences: '{' '.join(row.text for row in rows)[:60]}'; "
            "name papers as [1] on the lines that cite them, or write such as '5 sentences. Cite [1] on line 1'"
        )
    return made


def _read_list(rows: Sequence[Row], made: Sketches) -> None:
    paragraph, theme = 1, ""
    bare = ""  # a heading that has no line under it yet
    for row in rows:
        there = any(item.paragraph == paragraph for item in made.lines)
        if row.kind == "counts":
            made.take(take_counts(row.text)[0], 0)
            continue
        if row.kind == "heading" or (row.blank_before and not bare):
            paragraph, theme = paragraph + there, row.theme
        if row.kind == "heading":
            _check_heading(row, paragraph, bare)
            bare = row.text
            continue
        made.lines.append(_item(row, paragraph, theme))
        _check_label(row, made.lines)
        bare = ""
    _check_heading(Row("heading", ""), 0, bare)
    made.compare("paragraph", paragraph, "paragraphs apart by blank lines")
    made.compare("sentence", len(made.lines), "lines")


def _check_heading(row: Row, paragraph: int, bare: str) -> None:
    if bare:
        raise InputError(
            f"the plan's heading '{bare[:60]}' has no sentence under it: give a line for each "
            "sentence, or say 'Paragraph 1: 3 sentences'"
        )
    if row.number not in {0, paragraph}:
        raise InputError(
            f"the plan says '{row.text[:60]}' where paragraph {paragraph} begins: number the "
            "paragraphs 1, 2, ... in their order"
        )


def _check_label(row: Row, lines: Sequence[Sketch]) -> None:
    inside = sum(item.paragraph == lines[-1].paragraph for item in lines)
    if row.number not in {0, inside, len(lines)}:
        raise InputError(
            f"the plan's line {len(lines)} is labelled {row.number}: '{row.text[:60]}'; put the lines in "
            "their order and give one for each sentence"
        )


def _item(row: Row, paragraph: int, theme: str) -> Sketch:
    """Read one row of a list, '[1], [2] (20 words, contrast): note' or 'Contrast [2] with [3] (20 words)'."""
    found = FIRM.fullmatch(row.text)
    if found:
        tags, note = [found[2]], (found[3] or "").strip()
    else:
        tags, note = TAGS.findall(row.text), TAGS.sub("", row.text).strip()
        if replace(row, text=note).directs or take_counts(note)[0]:
            raise InputError(
                f"the plan's line '{row.text[:80]}' stands for one sentence, but counts something or points "
                "to another line: write its length as (20 words), or directions without numbering"
            )
        refuse_denial(note)
    told = {part.strip().lower() for tag in tags for part in tag.split(",")}
    words = {int(part.split()[0]) for part in told if part[0].isdecimal()}
    roles = [role for role in get_args(LineRole) if role in told]
    if len(words) > 1 or len(roles) > 1:
        raise InputError(
            f"the plan's line '{row.text[:80]}' asks for two roles or two numbers of words: say one of them"
        )
    said = any(char.isalnum() for char in MARKER.sub("", note))
    return Sketch(
        paragraph=paragraph, theme=theme,
        keys=MARKER.findall(f"{found[1] if found else ''} {note}"), notes=[note] if said else [],
        words=next(iter(words), None), role=next(iter(roles), None),
    )  # fmt: skip


def _read_directions(rows: Sequence[Row], made: Sketches) -> None:
    """Read 'Paragraph 1: 3 sentences in 60 words. Cite [1] on line 1', then lay out the sentences."""
    placed: list[tuple[int, Place, list[str], str]] = []
    themes: dict[int, str] = {}
    notes: dict[int, list[str]] = {}
    for number, clause in _clauses(rows, themes):
        refuse_denial(clause)
        for place, text in placed_texts(clause):
            counts, rest = take_counts(text)
            made.take(counts, number)
            keys, note = MARKER.findall(rest), note_of(rest)
            refuse_unread(rest)
            _check_place(place, clause, keys, note)
            if place:
                placed.append((number, place, keys, note))
            elif note:
                notes.setdefault(number, []).append(note)
    counts_ = _sizes(made, max([0, *themes, *(item[0] for item in placed)]), placed)
    check_size(sum(counts_))
    made.lines = [
        Sketch(paragraph=number, theme=themes.get(number, ""))
        for number, count in enumerate(counts_, start=1)
        for _ in range(count)
    ]
    for number, place, keys, note in placed:
        for line in _lines_at(place, number, made.lines):
            line.keys += keys
            line.notes += [note] if note else []
            line.words = place.words or line.words
    for line in made.lines:
        line.notes += [*notes.get(line.paragraph, []), *notes.get(0, [])]


def _clauses(rows: Sequence[Row], themes: dict[int, str]) -> Iterator[tuple[int, str]]:
    """Yield the clauses with the paragraph that they speak of, 0 for the whole; note the themes.

    A row that goes on in lower case belongs to the row before.
    """
    texts: list[tuple[int, str]] = []
    number, goes_on = 0, False
    for row in rows:
        if row.kind == "heading":
            number, goes_on = row.number or max([0, *themes]) + 1, False
            themes[number] = row.theme
        elif goes_on and row.text[:1].islower() and not row.blank_before:
            texts[-1] = (number, f"{texts[-1][1]} {row.text}")
        else:
            texts.append((number, row.text))
            goes_on = True
    for place, text in texts:
        for clause in _CLAUSES.split(text):
            yield place, clause.strip(" .;")


def _check_place(place: Place | None, clause: str, keys: Sequence[str], note: str) -> None:
    if place is None and keys:
        raise InputError(
            f"the plan says '{clause[:80]}' without a line for it: write 'cite {{{keys[0]}}} on line 1', "
            "or give one line for each sentence and no count"
        )
    if place and any(first == 0 for first, _ in place.ranges):
        raise InputError("the plan cites on line 0: the first line is line 1")
    if place and not keys and not note and place.words is None:
        raise InputError(
            f"the plan says '{place.shown}', and not what stands there: write 'cite [1] {place.shown}', "
            "one direction after the other"
        )


def _sizes(
    made: Sketches, last: int, placed: Sequence[tuple[int, Place, list[str], str]]
) -> list[int]:
    """Return how many sentences each paragraph has; what is not said of one is shared out."""
    paragraphs = made.asked(0).get("paragraph", max(last, 1))
    if last > paragraphs or -1 in made.scopes:
        raise InputError(
            f"the plan has {paragraphs} paragraphs, but speaks of paragraph {max(last, 0)}: number them 1, "
            "2, ... and announce them all"
        )
    check_size(paragraphs)
    total, each = made.asked(0).get("sentence"), made.asked(0).get("sentence each paragraph")
    known = {
        number: made.asked(number).get("sentence", each) for number in range(1, paragraphs + 1)
    }
    unsaid = [number for number, count in known.items() if count is None]
    sure = sum(count or 0 for count in known.values())
    if total is not None and (total - sure < len(unsaid) if unsaid else total != sure):
        raise InputError(
            f"the plan asks for {total} sentences, but its {paragraphs} paragraphs have {sure}"
            + (f" and {len(unsaid)} of them none yet" if unsaid else "")
            + ": change one of the numbers"
        )
    check_size(total or sure or 1)
    shares = share(total - sure, len(unsaid)) if total is not None and unsaid else []
    for place, number in enumerate(unsaid):
        ends = [end for inside, at, _, _ in placed if inside in {number, 0} for _, end in at.ranges]
        known[number] = shares[place] if shares else max([0, *ends])
        if not known[number] and (paragraphs > 1 or placed):
            raise InputError(
                f"the plan does not say how many sentences paragraph {number} has: write 'Paragraph "
                f"{number}: 3 sentences'"
            )
    return [count or 0 for count in known.values()]


def _lines_at(place: Place, paragraph: int, lines: Sequence[Sketch]) -> Iterator[Sketch]:
    here = [line for line in lines if paragraph in {0, line.paragraph}]
    where = f" of paragraph {paragraph}" if paragraph else ""
    for first, last in place.ranges or ((1, len(here)),):
        if last > len(here):
            raise InputError(
                f"the plan cites on line {last}{where}, but asks for {sentences(len(here))}; lines "
                f"are counted from 1{' in each paragraph' if where else ''}"
            )
        yield from here[first - 1 : last]
