"""Read a reference list that stands in a text: its entries, and what each says of its paper."""

import re
from dataclasses import dataclass

from tools.references.authors import split_authors
from tools.references.entries import read_entry

_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]*|\\(?:sub)?section\*?\{|\*\*)?(?:References|Bibliography|Literature(?: cited)?|Works cited)"
    r"[ \t]*(?:\}|\*\*|:|#*)?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LATEX_LIST = re.compile(
    r"\\begin\{thebibliography\}(?:\{[^{}]*\})?(.*?)(?:\\end\{thebibliography\}|\Z)", re.DOTALL
)
_BIBITEM = re.compile(r"\\bibitem(?:\[[^\]]*\])?\{([^{}]*)\}")
_NUMBERED = re.compile(r"^\s*(?:[-*+]\s+)?(?:\[\^?([\w:.-]{1,40})\]:?|(\d{1,3})[.)])\s+(?=\S)")
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class ListedReference:
    """One entry of a list, as far as it could be read."""

    label: str
    """Its number or key; empty in a list without."""
    raw: str
    title: str
    family: str
    """The first author's family name."""
    year: int | None
    doi: str = ""
    arxiv: str = ""


def split_references(text: str) -> tuple[str, list[ListedReference]]:
    """Return a text without its reference list, and the entries of the list."""
    if found := _LATEX_LIST.search(text):
        body = text[: found.start()] + text[found.end() :]
        pieces = _BIBITEM.split(found[1])[1:]
        pairs = list(zip(pieces[::2], pieces[1::2], strict=False))
        return _without_heading(body), [read_reference(raw, key.strip()) for key, raw in pairs]
    headings = list(_HEADING.finditer(text))
    if not headings:
        return text, []
    last = headings[-1]
    return text[: last.start()], [
        read_reference(raw, label) for label, raw in _entries(text[last.end() :])
    ]


def _without_heading(text: str) -> str:
    return _HEADING.sub("", text)


def _entries(text: str) -> list[tuple[str, str]]:
    """Cut a list at its labels; one without any at blank lines, or else at the ends of lines."""
    lines = text.splitlines()
    if any(_NUMBERED.match(line) for line in lines):
        entries: list[tuple[str, str]] = []
        for line in lines:
            if found := _NUMBERED.match(line):
                entries.append((found[1] or found[2], line[found.end() :]))
            elif entries and line.strip() and not line.lstrip().startswith("#"):
                entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}")
        return entries
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text)]
    if sum(bool(block) for block in blocks) < 2:
        blocks = [line.strip(" -*+\t") for line in lines]
    return [
        ("", block) for block in blocks if len(block.split()) >= 3 and not block.startswith("#")
    ]


def read_reference(raw: str, label: str = "") -> ListedReference:
    """Read one entry of any common style, plain, Markdown or LaTeX; what cannot be told is left empty."""
    text = " ".join(_plain(raw).split())
    entry = read_entry(text, 0)
    authors, title = entry.authors, entry.title or ""
    blocks = [" ".join(_plain(piece).split()) for piece in raw.split("\\newblock")]
    if len(blocks) >= 2:
        authors, _ = split_authors(blocks[0])
        title = blocks[1].rstrip(" .,")
    return ListedReference(
        label=label,
        raw=text,
        title=title or text.rstrip(" .,")[:_LONGEST],
        family=authors[0].family if authors else "",
        year=entry.year,
        doi=entry.doi or "",
        arxiv=entry.arxiv or "",
    )


def _plain(raw: str) -> str:
    """Take the commands of LaTeX and the marks of Markdown out of an entry."""
    text = re.sub(r"\\newblock\b", " ", raw).replace("~", " ").replace("``", "“").replace("''", "”")
    text = re.sub(r"\\(?:em|it|bf|sc|rm)\b\s*", "", text)
    text = re.sub(r"\\(?:emph|textit|textbf|textsc|url|href)\b\*?", "", text)
    text = re.sub(r"\\([&%#_$])", r"\1", text)
    return re.sub(r"[{}]|(?<!\w)[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}(?!\w)", "", text)
