"""What the entries of a list can be cited by, whether they were read from a text or sent as records."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from state.bibliography import CitationStyle, ReferenceEntry
from state.paper import Paper, canonical_id
from tools.references.in_text import Label, Linker, first_keys, folded
from tools.references.read_bibliography import style_of
from tools.references.read_entry import read_entry

_LETTERS = ("", "a", "b", "c", "d", "e")
"""What tells apart the works of one author and year."""


class Citable:
    """The entries of a list, to be found by their number, their key, or their authors and year.

    Args:
        entries: Of each its label, its text in a list (empty for a record sent) and its record.
    """

    def __init__(self, entries: Sequence[tuple[str, str, Paper | None]]) -> None:
        printed = [label for label, text, _ in entries if text]
        counted = bool(printed) and not any(printed)
        self._entries: list[ReferenceEntry] = []
        self._names: dict[str, int] = {}
        alpha: defaultdict[str, list[int]] = defaultdict(list)
        for place, (label, text, paper) in enumerate(entries):
            label = str(place + 1) if counted and text else label
            self._entries.append(_entry(place, label, text, paper))
            if label:
                self._names.setdefault(folded(label), place)
        for place, (_, _, paper) in enumerate(entries):
            for name in (paper.id, *paper.aliases) if paper else ():
                self._names.setdefault(name, place)
            for key in _alpha_keys(self._entries[place]):
                alpha[key].append(place)
        self._linker = Linker(self._entries, scanned=False)
        if not any(label and not label.isdigit() for label in printed):
            self._names = {key: at[0] for key, at in alpha.items() if len(at) == 1} | self._names
            for key, at in alpha.items():
                for letter, place in zip(_LETTERS[1:], at, strict=False):
                    self._names.setdefault(key + letter, place)
        self.labels = frozenset(name.removeprefix("local:") for name in self._names)
        """Numbers and keys."""
        self.families = frozenset(key for entry in self._entries for key in first_keys(entry))
        """Of first authors, folded by `title_key`."""
        read = [entry for entry, (_, text, _) in zip(self._entries, entries, strict=True) if text]
        self.style: CitationStyle | None = style_of(read) if any(printed) else None
        """How the text's own list is cited, where its labels tell."""

    def find(self, label: Label) -> ReferenceEntry | None:
        """Return the entry that a citation leads to."""
        if label.kind == "author_year":
            places: Sequence[int] = self._linker.link(label)
        else:
            names = [folded(label.text)]
            if label.kind == "key":
                names += [f"local:{label.text}", canonical_id(label.text)]
            places = [self._names[name] for name in names if name in self._names]
        return self._entries[places[0]] if places else None


def _entry(place: int, label: str, text: str, paper: Paper | None) -> ReferenceEntry:
    """Return an entry with its label: its authors as its record has them, its year as it is printed."""
    read = read_entry(text, place) if text else None
    if paper is None:
        bare = ReferenceEntry(place=place, text=label or "—")
        return (read or bare).model_copy(update={"label": label})
    authors, complete = paper.authors, paper.authors_complete
    if read and len(read.authors) > len(authors):
        authors, complete = read.authors, read.authors_complete
    return ReferenceEntry(
        place=place,
        label=label,
        text=text or paper.title,
        authors=authors,
        authors_complete=complete,
        title=paper.title,
        year=(read and read.year) or paper.year,
        suffix=read.suffix if read else "",
    )


def _alpha_keys(entry: ReferenceEntry) -> Iterator[str]:
    """Yield the keys that BibTeX's style `alpha` and BibLaTeX's `alphabetic` make, folded: 'lwm20'."""
    if not entry.authors or not entry.year:
        return
    families = [author.family for author in entry.authors]
    initials = "".join(word[0] for family in families for word in family.split())
    names = {initials[:3], initials[:4], initials} if len(initials) > 1 else set()
    names.add(families[0][:3])
    for name in {*names, *(f"{name}+" for name in names)} if len(families) > 1 else names:
        yield folded(f"{name}{entry.year % 100:02}")
