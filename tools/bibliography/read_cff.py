"""CITATION.cff: the software that it describes, and the article that it asks to cite."""

from collections.abc import Iterator, Mapping
from typing import Any

from state.paper import Paper
from state.record import Record
from tools.bibliography.read_csl import read_record
from tools.bibliography.read_record import BadRecord, bad_record
from tools.bibliography.record_as_csl import issued, pairs_of

_TYPES = {
    "article": "article-journal",
    "conference-paper": "paper-conference",
    "book": "book",
    "thesis": "thesis",
    "report": "report",
    "dataset": "dataset",
    "manual": "book",
    "unpublished": "manuscript",
}
_NAMES = {
    "title": "title",
    "abstract": "abstract",
    "doi": "DOI",
    "url": "URL",
    "volume": "volume",
    "issue": "issue",
    "journal": "container-title",
    "collection-title": "container-title",
    "version": "version",
    "isbn": "ISBN",
    "issn": "ISSN",
    "pages": "number-of-pages",
    "notes": "note",
}


def read_cff(text: str) -> Iterator[Paper | BadRecord]:
    """Yield the works of a CITATION.cff file; those that they cite are left out."""
    import yaml

    try:  # dates stay texts
        whole = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        yield bad_record(1, f"the file is not YAML: {str(error).splitlines()[0]}", text)
        return
    whole = whole if isinstance(whole, Mapping) else {}
    for number, work in enumerate((whole, whole.get("preferred-citation")), start=1):
        if isinstance(work, Mapping):
            yield from read_record(number, _record(work), str(work.get("title")))


def _record(work: Mapping[str, Any]) -> Record:
    kind = _TYPES.get(str(work.get("type")), "software")
    item: dict[str, Any] = {
        csl: work[name] for name, csl in _NAMES.items() if isinstance(work.get(name), str)
    }
    item["author"] = [_name(one) for one in work.get("authors") or () if isinstance(one, Mapping)]
    item["editor"] = [_name(one) for one in work.get("editors") or () if isinstance(one, Mapping)]
    for name, csl in (("publisher", "publisher"), ("conference", "event-title")):
        if isinstance(work.get(name), Mapping):
            item[csl] = str(work[name].get("name") or "")
    pages = [str(work[name]) for name in ("start", "end") if work.get(name)]
    dates = ("date-published", "date-released", "year", "issue-date")
    item |= {
        "page": "-".join(pages),
        "issued": issued(*(str(work.get(one) or "") for one in dates)),
    }
    known = {
        *_NAMES,
        *dates,
        "authors",
        "editors",
        "publisher",
        "conference",
        "start",
        "end",
        "type",
        "preferred-citation",
        "references",
    }
    rest = {name: value for name, value in work.items() if name not in known}
    if rest:
        item["custom"] = rest
    said = [(name, value) for name, value in item.items() if value]
    return Record(format="cff", type=kind, fields=pairs_of(said))


def _name(name: Mapping[str, Any]) -> dict[str, str]:
    parts = {
        "family": name.get("family-names"),
        "given": name.get("given-names"),
        "non-dropping-particle": name.get("name-particle"),
        "suffix": name.get("name-suffix"),
        "literal": name.get("name") or name.get("alias") if not name.get("family-names") else None,
    }
    return {key: str(value) for key, value in parts.items() if value}
