"""Write references as BibTeX: what came from BibTeX as it stood, the rest escaped for LaTeX."""

from collections.abc import Mapping, Sequence
from typing import Any

from state.paper import Paper
from state.results import Reference
from tools.bibliography.fields import FIELDS, FROM_CSL
from tools.bibliography.names import in_parts
from tools.bibliography.plain_latex import PRINTS_NOTHING, plain_text
from tools.bibliography.read_record import is_retracted_note
from tools.bibliography.text_runs import balanced, commands_in, escape
from tools.bibliography.write_records import csl_item, short_title, web_address
from tools.text.markup import retracted_title, without_markup

_UNSAFE = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C"})
_NO_NAME = frozenset(" \t\r\n{}(),\"#%'=~\\")
_DOES_MORE = frozenset(
    {
        "input",
        "include",
        "openin",
        "openout",
        "read",
        "write",
        "immediate",
        "special",
        "catcode",
        "csname",
        "def",
        "edef",
        "gdef",
        "xdef",
        "let",
        "newcommand",
        "renewcommand",
        "directlua",
    }
)
"""Commands of LaTeX that read or write files, or change what others mean."""
_MONTHS = frozenset(
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
)
_SAME = (
    {"author", "editor"},
    {"year", "date"},
    {"month", "date"},
    {"day", "date"},
    {"journal", "booktitle", "journaltitle", "publisher", "school", "institution", "series"},
    {"number", "issue"},
    {"archiveprefix", "eprinttype"},
    {"url", "doi", "eprint", "howpublished"},
)
"""Fields of which one says what another would."""


def to_bibtex(references: Sequence[Reference], keywords: Mapping[str, str] | None = None) -> str:
    """Return one entry for each reference, in the order of their numbers.

    Args:
        references: What to write.
        keywords: By key: what to put into the entry's `keywords`, plain words.
    """
    entries: list[str] = []
    for item in references:
        kind, fields = _entry(item)
        if more := (keywords or {}).get(item.key):
            fields = [pair for pair in fields if pair[0].lower() != "keywords"]
            fields.append(("keywords", more))
        lines = "".join(f"\t{name} = {_value(name, value)},\n" for name, value in fields)
        entries.append(f"@{kind}{{{item.key},\n{lines}}}\n")
    text = "\n\n".join(entries)
    unknown = [name for name in PRINTS_NOTHING if f"\\{name}" in text]
    defined = "".join(f"\\providecommand{{\\{name}}}[1]{{}}" for name in unknown)
    return f"@preamble{{{{{defined}}}}}\n\n{text}" if defined else text


def _value(name: str, value: str) -> str:
    return value if name.lower() == "month" and value in _MONTHS else f"{{{value}}}"


def _entry(reference: Reference) -> tuple[str, list[tuple[str, str]]]:
    """Return an entry's type and fields: those of its record, then what the paper has besides."""
    paper, record = reference.paper, reference.paper.record
    made = [(name, value) for name, value in _fields(paper, reference.key).items() if value]
    if not record or record.format != "bibtex" or not _is_name(record.type):
        kind = str(csl_item(paper, reference.key)["type"])
        return FROM_CSL["bibtex"].get(kind, "misc"), made
    own = [(name, _harmless(value)) for name, value in record.fields if _is_name(name)]
    have = {name.lower() for name, _ in own}
    lacking = [
        (name, value)
        for name, value in made
        if name in _OF_PAPER
        and name not in have
        and not any(name in one and one & have for one in _SAME)
    ]
    return record.type, [*_with_note(own, paper), *lacking]


def _is_name(text: str) -> bool:
    return bool(text) and _NO_NAME.isdisjoint(text)


_OF_PAPER = frozenset(
    [
        "author",
        "year",
        "month",
        "day",
        "journal",
        "booktitle",
        "volume",
        "number",
        "pages",
        "doi",
        "eprint",
        "archiveprefix",
        "url",
    ]
)


def _harmless(value: str) -> str:
    """Return LaTeX as it stands, unless it breaks its entry or could do more than print."""
    good = balanced(value) and _DOES_MORE.isdisjoint(commands_in(value)) and "^^" not in value
    return value if good else escape(plain_text(value))


def _with_note(fields: list[tuple[str, str]], paper: Paper) -> list[tuple[str, str]]:
    """Say that a paper is retracted where its record does not yet."""
    notes = [value for name, value in fields if name.lower() == "note"]
    if not paper.retracted or any(map(is_retracted_note, notes)) or retracted_title(paper.title):
        return fields
    rest = [pair for pair in fields if pair[0].lower() != "note"]
    return [*rest, ("note", ". ".join([*notes, "Retracted"]))]


def _fields(paper: Paper, key: str) -> dict[str, str | None]:
    item = csl_item(paper, key)
    kind = str(item["type"])
    names = [_name(name) for name in item.get("author", ()) if isinstance(name, Mapping)]
    editors = [_name(name) for name in item.get("editor", ()) if isinstance(name, Mapping)]
    day, nameless = paper.published, not names and not editors
    on_arxiv = f"https://arxiv.org/abs/{paper.arxiv}" if paper.arxiv and not paper.doi else ""
    held = "booktitle" if kind in ("paper-conference", "chapter") else "journal"
    fields: dict[str, str | None] = {
        "author": " and ".join(names),
        "editor": " and ".join(editors),
        "key": escape(short_title(paper.title)) if nameless else None,
        "title": escape(paper.title, keep_case=True),
        held: escape(without_markup(str(item.get("container-title") or ""))),
        "year": str(paper.year) if paper.year else "n.d.",
        "month": str(day.month) if day and paper.year in {None, day.year} else None,
        "day": str(day.day) if day and paper.year in {None, day.year} else None,
        "volume": _place(item, "volume"),
        "number": _place(item, "issue"),
        "pages": _place(item, "page").replace("-", "--"),
        "doi": paper.doi and paper.doi.translate(_UNSAFE),
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv" if paper.arxiv else None,
        "url": (web_address(paper) or on_arxiv).translate(_UNSAFE),
    }
    return fields | (_more(item, kind) if paper.record else _note(item))


def _place(item: Mapping[str, Any], name: str) -> str:
    return escape(str(item.get(name) or ""))


def _note(item: Mapping[str, Any]) -> dict[str, str]:
    return {"note": escape(str(item["note"]))} if item.get("note") else {}


def _more(item: Mapping[str, Any], kind: str) -> dict[str, str]:
    """Return what a record of another format says that BibTeX has a field for."""
    by = {"thesis": "school", "report": "institution"}.get(kind, "publisher")
    known = ("title", "container-title", "DOI", "URL")
    told = {
        by
        if field.csl == "publisher"
        else field.bibtex.split()[-1 if field.csl == "issue" else 0]: item[field.csl]
        for field in FIELDS
        if field.csl not in known and isinstance(item.get(field.csl), str | int)
    }
    if "pages" in told:
        told["pages"] = str(told["pages"]).replace("-", "--")
    # LaTeX reads the end of a line as space.
    return {
        name: escape(without_markup(str(value).replace("\n", ". "))) for name, value in told.items()
    }


def _name(name: Mapping[str, str]) -> str:
    if literal := name.get("literal"):
        if literal == "et al.":
            return "others"
        whole = escape(literal)
        return f"{{{whole}}}" if "," in literal or len(literal.split()) > 1 else whole
    family, given, suffix = in_parts(name)
    return escape(", ".join(filter(None, (family, suffix, given))))
