"""Read a reference list that stands in a text: its entries, and what each says of its paper."""

import re
from dataclasses import dataclass

from state.paper import Author

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
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>{}]+[^\s\"<>{}.,;)\]]")
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|[:\s]+(?:preprint\s+)?(?:arxiv:)?)\s*(\d{4}\.\d{4,5})",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://\S+")
_YEAR = re.compile(r"(?<![\d.:/-])((?:1[6-9]|20)\d\d)[a-z]?(?![\d/])")
_QUOTED = re.compile(r"[“\"«]([^”\"»]{8,400}?)[,.]?[”\"»]")
_AFTER_YEAR = re.compile(
    r"\(?(?<![\d.:/-])(?:1[6-9]|20)\d\d[a-z]?\)?[.,:]\s+(.{8,400}?)[.?!](?:\s|$)"
)
_AUTHORS = re.compile(
    r"^(?:(?:and |& )?[^\W\d_][\w'’-]*(?: [A-Z][\w'’-]+)?,? (?:[A-Z]\b\.?[ -]?){1,3}(?:, ?|(?<=[ .]))){1,40}(?=\w)"
)
_STOP = re.compile(r"(?<!\b[^\W\d_])(?<!\bal)(?<!\bJr)\.\s+")


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
    """Read one entry of any common style; what cannot be told is left empty."""
    text = " ".join(_plain(raw).split())
    doi, arxiv = _DOI.search(text), _ARXIV.search(text)
    bare = _URL.sub(" ", _DOI.sub(" ", text))
    years = _YEAR.findall(bare)
    title = _title(raw, bare)
    authors = bare.split(title)[0] if title and title in bare else bare
    return ListedReference(
        label=label,
        raw=text,
        title=title,
        family=_family(authors),
        year=int(years[-1]) if years else None,
        doi=doi[0].lower() if doi else "",
        arxiv=arxiv[1] if arxiv else "",
    )


def _plain(raw: str) -> str:
    """Take the commands of LaTeX and the marks of Markdown out of an entry."""
    text = re.sub(r"\\newblock\b", " ", raw).replace("~", " ").replace("``", "“").replace("''", "”")
    text = re.sub(r"\\(?:em|it|bf|sc|rm)\b\s*", "", text)
    text = re.sub(r"\\(?:emph|textit|textbf|textsc|url|href)\b\*?", "", text)
    text = re.sub(r"\\([&%#_$])", r"\1", text)
    return re.sub(r"[{}]|(?<!\w)[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}(?!\w)", "", text)


def _title(raw: str, text: str) -> str:
    if found := _QUOTED.search(text):
        return found[1].strip()
    blocks = [" ".join(_plain(piece).split()) for piece in raw.split("\\newblock")]
    if len(blocks) >= 2:
        return blocks[1].rstrip(" .,")
    found = _AFTER_YEAR.search(text)
    if found and 0 < len(_STOP.split(text[: found.start()].strip(" ."))) <= 2:
        return found[1].strip()
    if (named := _AUTHORS.match(text)) and (left := _STOP.split(text[named.end() :])[0]):
        return left.strip(" .,")
    pieces = [piece.strip() for piece in _STOP.split(text) if piece.strip()]
    wordy = [piece for piece in pieces[1:] if len(piece.split()) >= 2]
    return (wordy[0] if wordy else pieces[0] if pieces else text).rstrip(" .,")[:400]


def _family(authors: str) -> str:
    """Return the first author's family name: of 'Lewis, P., ...', 'P. Lewis and ...', 'Lewis P, ...'."""
    chunk = re.split(r",| and | & |;|\bet al\b|\(", authors.strip(), maxsplit=1)[0].strip(" .")
    words = chunk.split()
    if not words or any(char.isdigit() for char in chunk):
        return ""
    # 'Lewis P' and 'Lewis PJ': initials without stops stand behind the name.
    while len(words) > 1 and re.fullmatch(r"[A-Z]{1,3}\.?", words[-1]):
        words.pop()
    return Author(name=" ".join(words)).family
