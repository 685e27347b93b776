"""The listed form of a plan: one line for each sentence, paragraphs apart by blank lines."""

from collections.abc import Sequence

from nodes.write.plan_language.measures import Count, refuse_denial
from nodes.write.plan_language.reading import Content, TextLine, read_content
from nodes.write.plan_language.sketch import Scope, Sketch, sentences
from tools.errors import InputError


class Listing:
    """Collects the sentences of a listed plan; used once."""

    def __init__(self) -> None:
        self.lines: list[Sketch] = []
        self.scopes: dict[int | None, Scope] = {None: Scope()}
        self._paragraph = 1
        self._theme = ""
        self._heading = ""
        """A heading that has no line under it yet."""

    def read(self, lines: Sequence[TextLine]) -> None:
        """Take the lines of the plan's text in turn.

        Raises:
            InputError: A heading without lines, a wrong number, or counts that do not fit.
        """
        for line in lines:
            if line.kind == "heading":
                self._head(line)
            elif line.kind == "counts":
                self._count(line)
            else:
                self._add(line)
        self._close()
        self._compare()

    def _head(self, line: TextLine) -> None:
        same = line.same and bool(self.lines)
        self._close()
        if self._open() and not same:
            self._paragraph += 1
        if line.paragraph not in {None, self._paragraph}:
            raise InputError(
                f"the plan says '{line.text[:60]}' where paragraph {self._paragraph} begins: number the "
                "paragraphs 1, 2, ... in their order"
            )
        self._theme, self._heading = line.theme, "" if same else line.text
        self.scopes.setdefault(self._paragraph, Scope(self._paragraph))

    def _close(self) -> None:
        if self._heading:
            raise InputError(
                f"the plan's heading '{self._heading[:60]}' has no sentence under it: give a line for each "
                "sentence, or say 'Paragraph 1: 3 sentences'"
            )

    def _open(self) -> bool:
        return bool(self.lines) and self.lines[-1].paragraph == self._paragraph

    def _count(self, line: TextLine) -> None:
        inside = self._paragraph if line.after_heading else None
        for count in line.counts:
            everywhere = count.for_all or count.each == "paragraph"
            self.scopes[None if everywhere else inside].take(count)

    def _add(self, line: TextLine) -> None:
        if line.blank_before and self._open() and not self._heading:
            self._paragraph += 1
            self._theme = ""
        content = read_content(line.text)
        if content.fault:
            raise InputError(content.fault)
        if not (content.firm and content.role):
            refuse_denial(content.note)
        if line.label is not None:
            self._check_label(line)
        self.lines.append(
            Sketch(
                paragraph=self._paragraph, theme=self._theme, keys=content.keys,
                notes=[content.note] if content.note else [], words=content.words, role=content.role,
            )
        )  # fmt: skip
        self._total(content)
        self._heading = ""

    def _check_label(self, line: TextLine) -> None:
        inside = sum(item.paragraph == self._paragraph for item in self.lines) + 1
        if line.label not in {inside, len(self.lines) + 1}:
            raise InputError(
                f"the plan's line {len(self.lines) + 1} is labelled {line.label}: '{line.text[:60]}'; put the "
                "lines in their order and give one for each sentence"
            )

    def _total(self, content: Content) -> None:
        if content.total is not None:
            words = f"{content.total} words in all"
            self.scopes[None].take(Count(content.total, "word", "", words, for_all=True))

    def _compare(self) -> None:
        """Compare what is there with the counts that are told."""
        whole = self.scopes[None]
        given = {
            number: sum(line.paragraph == number for line in self.lines)
            for number in range(1, self._paragraph + 1)
        }
        if whole.number("paragraph") not in {None, len(given)}:
            raise InputError(
                f"the plan announces {whole.number('paragraph')} paragraphs, but gives {len(given)}: put a "
                "blank line between paragraphs, and nowhere else"
            )
        _same(whole.number("sentence"), len(self.lines), "")
        for number, count in given.items():
            scope = self.scopes.get(number, Scope())
            _same(scope.number("sentence"), count, f" in paragraph {number}")
            _same(whole.number("sentence each paragraph"), count, f" in paragraph {number}")


def _same(asked: int | None, given: int, where: str) -> None:
    if asked is not None and asked != given:
        raise InputError(
            f"the plan asks for {sentences(asked)}{where}, but gives {given} lines: give one line for "
            "each sentence, or change the number"
        )
