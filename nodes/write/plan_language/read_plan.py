"""A plan that a person wrote or edited is read, in either form: a row for each sentence, or directions.

Directions are such as 'cite [1] on line 2'. `plan_text` prints a plan so that it is read back as it was.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from nodes.write.plan_language.plan_rows import (
    FIRM,
    TAGS,
    Place,
    PlanRow,
    agree,
    names_to_markers,
    note_of,
    placed_texts,
    refuse_denial,
    refuse_unread,
    rows_of,
    take_counts,
    unknown_papers,
)
from state.writing import MARKER, LineRole, Plan, PlanLine
from tools.errors import InputError, counted

MAX_LINES = 60
MIN_WORDS = 3
"""Fewest words of a sentence that names a paper and says something of it."""
_MIN_TOTAL = 10
_CLAUSES = re.compile(r"(?<=[.;!?])\s")


@dataclass
class PlanSketch:
    """A line to be: what is known of it so far."""

    paragraph: int = 1
    theme: str = ""
    keys: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    words: int | None = None
    role: LineRole | None = None


def read_rows(rows: Sequence[PlanRow]) -> Plan:
    """Return the plan that the rows ask for.

    Raises:
        InputError: The rows mix the two forms, contradict each other, or are not clear.
    """
    bodies = [row for row in rows if row.kind in {"item", "text"}]
    items = [row for row in bodies if row.kind == "item"]
    directing = [row for row in bodies if row.kind == "text" and row.directs]
    other = [*items, *(row for row in rows if row.kind == "heading")]
    if directing and other:
        raise InputError(
            f"the plan mixes directions, '{directing[0].text[:60]}', with a list of sentences, "
            f"'{other[0].text[:60]}': use one of the two"
        )
    counts: dict[str, int] = {}
    if directing or (rows and all(row.kind == "counts" for row in rows)):
        return _finished(_read_directions(rows, counts), counts)
    lines = _read_list(rows, counts)
    if "sentence" not in counts and not any(item.keys or item.role for item in lines):
        raise InputError(
            f"the plan names no paper and counts no sentences: '{' '.join(row.text for row in rows)[:60]}'; "
            "name papers as [1] on the lines that cite them, or write for example '5 sentences. Cite [1] on line 1'"
        )
    return _finished(lines, counts)


def _read_list(rows: Sequence[PlanRow], counts: dict[str, int]) -> list[PlanSketch]:
    lines: list[PlanSketch] = []
    paragraph, theme = 1, ""
    bare = ""  # a heading that has no line under it yet
    for row in (*rows, PlanRow("heading", "")):
        there = any(item.paragraph == paragraph for item in lines)
        if row.kind == "counts":
            agree(counts, take_counts(row.text)[0])
            continue
        if (row.kind == "heading" and row.text) or (row.blank_before and not bare):
            paragraph, theme = paragraph + there, row.theme
        if row.kind == "heading":
            if bare or row.number not in {0, paragraph}:
                raise InputError(
                    f"the plan's heading '{(bare or row.text)[:60]}' has no sentence under it, or paragraph "
                    f"{paragraph} begins there: number them 1, 2, ... and give a line for each sentence"
                )
            bare = row.text
            continue
        lines.append(_item(row, paragraph, theme))
        if row.number not in {0, sum(item.paragraph == paragraph for item in lines), len(lines)}:
            raise InputError(
                f"the plan's line {len(lines)} is labelled {row.number}: '{row.text[:60]}'; put the lines in "
                "their order and give one for each sentence"
            )
        bare = ""
    for name, given in (("paragraph", paragraph), ("sentence", len(lines))):
        if counts.get(name, given) != given:
            raise InputError(
                f"the plan asks for {counts[name]} {name}s, but gives {given}: give one line for each "
                "sentence, a blank line between paragraphs, or change the number"
            )
    return lines


def _item(row: PlanRow, paragraph: int, theme: str) -> PlanSketch:
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
    return PlanSketch(
        paragraph=paragraph,
        theme=theme,
        keys=MARKER.findall(f"{found[1] if found else ''} {note}"),
        notes=[note] if said else [],
        words=next(iter(words), None),
        role=next(iter(roles), None),
    )


def _read_directions(rows: Sequence[PlanRow], counts: dict[str, int]) -> list[PlanSketch]:
    """Read '5 sentences in 60 words. Cite [1] on line 1', then lay out the sentences."""
    placed: list[tuple[Place, list[str], str]] = []
    notes: list[str] = []
    for clause in _clauses(rows):
        refuse_denial(clause)
        for place, text in placed_texts(clause):
            new, rest = take_counts(text)
            agree(counts, new)
            keys, note = MARKER.findall(rest), note_of(rest)
            refuse_unread(rest)
            _check_place(place, clause, keys, note)
            if place:
                placed.append((place, keys, note))
            elif note:
                notes.append(note)
    lines = _laid_out(counts, placed)
    for place, keys, note in placed:
        for first, last in place.ranges or ((1, len(lines)),):
            if last > len(lines):
                raise InputError(
                    f"the plan cites on line {last}, but asks for {counted(len(lines), 'sentence')}"
                )
            for line in lines[first - 1 : last]:
                line.keys += keys
                line.notes += [note] if note else []
                line.words = place.words or line.words
    for line in lines:
        line.notes += notes
    return lines


def _clauses(rows: Sequence[PlanRow]) -> Iterator[str]:
    """Yield the clauses; a row that goes on in lower case belongs to the row before."""
    text = "".join(f" {row.text}" if row.text[:1].islower() else f"\n{row.text}" for row in rows)
    for line in text.splitlines():
        for clause in _CLAUSES.split(line):
            yield clause.strip(" .;")


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


def _laid_out(
    counts: dict[str, int], placed: Sequence[tuple[Place, list[str], str]]
) -> list[PlanSketch]:
    """Return the sentences, shared out among the paragraphs, the first of which take what is left over."""
    paragraphs, each = counts.get("paragraph", 1), counts.get("sentence each")
    last = max([0, *(end for place, _, _ in placed for _, end in place.ranges)])
    total = counts.get("sentence", each * paragraphs if each else last)
    if total < paragraphs or (each and total != each * paragraphs):
        raise InputError(
            f"the plan asks for {counted(total, 'sentence')} in {counted(paragraphs, 'paragraph')}"
            f"{f' of {each}' if each else ''}: change one of the numbers"
        )
    _check_size(total)
    sizes = [total // paragraphs + (place < total % paragraphs) for place in range(paragraphs)]
    return [
        PlanSketch(paragraph=place)
        for place, size in enumerate(sizes, start=1)
        for _ in range(size)
    ]


def _finished(sketches: Sequence[PlanSketch], counts: dict[str, int]) -> Plan:
    """Return the plan; raise InputError where it has no line, too many, or impossible numbers of words."""
    _check_size(len(sketches))
    words, each = counts.get("word"), counts.get("word each")
    lengths = [item.words or each for item in sketches]
    said = [length for length in lengths if length is not None]
    free = len(lengths) - len(said)
    left = MIN_WORDS * free if words is None else words - sum(said)
    short = min([MIN_WORDS, *said]) < MIN_WORDS or (words is not None and words < _MIN_TOTAL)
    if short or (left and not free) or left < MIN_WORDS * free:
        raise InputError(
            f"the plan asks for {words or sum(said)} words in {counted(len(sketches), 'sentence')}, of which the "
            f"lines' own words add up to {sum(said)}: a sentence takes at least {MIN_WORDS} words, a section "
            f"{_MIN_TOTAL}; change one of the numbers"
        )
    lines: list[PlanLine] = []
    for item, length in zip(sketches, lengths, strict=True):
        opens = not lines or lines[-1].paragraph != item.paragraph
        lines.append(
            PlanLine(
                number=len(lines) + 1,
                keys=tuple(dict.fromkeys(item.keys)),
                theme=item.theme,
                role=item.role or ("open" if opens else "develop"),
                note="; ".join(dict.fromkeys(item.notes)),
                paragraph=item.paragraph,
                words=length,
            )
        )
    return Plan(lines=tuple(lines), words=words, origin="user")


def _check_size(lines: int) -> None:
    if not 1 <= lines <= MAX_LINES:
        raise InputError(
            f"the plan has {counted(lines, 'line')}: ask for 1 to {MAX_LINES} sentences, or give one line for each"
        )


def named_papers(plan: str, papers: Sequence[str], aliases: Mapping[str, str]) -> list[str]:
    """Return the ids of the papers that a plan names, in the order of `papers`.

    Raises:
        InputError: As `names_to_markers`.
    """
    named = set(MARKER.findall(names_to_markers(plan, papers, aliases)))
    return [paper for place, paper in enumerate(papers, start=1) if f"P{place}" in named]


def parse_plan(
    plan: str, papers: Sequence[str], aliases: Mapping[str, str], keys: Mapping[str, str]
) -> Plan:
    """Turn a plan into lines; in their notes the papers are markers.

    Args:
        plan: The researcher's text, not empty.
        papers: Ids in the order in which `[n]` counts them.
        aliases: Other ids of these papers.
        keys: The key (P1, ...) of each paper to be cited, and its id.

    Raises:
        InputError: The plan cannot be followed; the message quotes the piece and says what to write.
    """
    text = names_to_markers(plan, papers, aliases)
    by_id = {paper: key for key, paper in keys.items()}
    key_of = {
        f"P{place}": by_id[paper] for place, paper in enumerate(papers, start=1) if paper in by_id
    }
    if unknown := [name[1:] for name in MARKER.findall(text) if name not in key_of]:
        raise unknown_papers(unknown, len(papers))
    try:
        read = read_rows(list(rows_of(text)))
    except InputError as error:
        raise InputError(MARKER.sub(lambda found: f"[{found[1][1:]}]", str(error))) from error
    return read.model_copy(
        update={
            "lines": tuple(
                line.model_copy(
                    update={
                        "keys": tuple(key_of[key] for key in line.keys),
                        "note": MARKER.sub(lambda found: f"{{{key_of[found[1]]}}}", line.note),
                    }
                )
                for line in read.lines
            )
        }
    )


def with_themes(edited: Plan, before: Plan) -> Plan:
    """Return an edited plan with what the themes that it still names are to argue, which no line tells."""
    named = {line.theme for line in edited.lines}
    known = {_flat(theme.label): theme for theme in before.themes}
    themes = (theme.model_copy(update={"label": label}) for label, theme in known.items())
    return edited.model_copy(update={"themes": tuple(one for one in themes if one.label in named)})


def plan_text(plan: Plan, numbers: Mapping[str, int]) -> str:
    """Return a plan as text that `parse_plan` reads as the same plan, so that a person can edit it.

    What the language has no words for is not in it: who made the plan, and why; lines that code writes.

    Args:
        plan: Its paragraphs are numbered from 1 without a gap, each with one theme.
        numbers: The number `[n]` of each paper by its key; a key that is not here is left out.
    """
    rows = [f"{plan.words} words in all", ""] if plan.words is not None else []
    before: PlanLine | None = None
    for number, line in enumerate([line for line in plan.lines if not line.covers], start=1):
        if before is None or line.paragraph != before.paragraph:
            rows += [""] if before else []
            rows += [f"# {_flat(line.theme)}"] if line.theme.strip() else []
        rows.append(f"{number}. {_line(line, numbers)}")
        before = line
    return "\n".join(rows) + "\n"


def _line(line: PlanLine, numbers: Mapping[str, int]) -> str:
    """Return '[1], [2] (20 words, contrast): note'."""
    known = [key for key in line.keys if key in numbers]
    names = ", ".join(f"[{numbers[key]}]" for key in known)
    words = f"{line.words} words, " if line.words else ""

    def name(key: str) -> str:
        return f"[{numbers[key]}]" if key in known else key

    note = MARKER.sub(lambda found: name(found[1]), _flat(line.note))
    return f"{names} ({words}{line.role})".lstrip() + (f": {note}" if note else "")


def _flat(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())
