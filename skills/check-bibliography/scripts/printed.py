"""Print the entries of a .bib as a reference list, one a line, each after its key: `printed.py FILE`.

Needs pybtex, which comes with citeloom.
"""

import sys

from pybtex.database import BibliographyDataError, Entry, Person, parse_file
from pybtex.scanner import PybtexSyntaxError

VENUES = ("journal", "booktitle", "publisher", "school", "institution", "howpublished")


def plain(text):
    """Return a field without braces and on one line."""
    return " ".join(text.replace("{", "").replace("}", "").split())


def named(person: Person):
    """Return a name with its initials first."""
    first = [plain(one)[:1] + "." for one in [*person.first_names, *person.middle_names]]
    last = [plain(one) for one in [*person.prelast_names, *person.last_names]]
    return " ".join([*first, *last])


def printed(key, entry: Entry):
    """Return an entry as a line of a reference list."""
    get = {name.lower(): plain(value) for name, value in entry.fields.items()}.get
    people = [named(one) for one in entry.persons.get("author") or entry.persons.get("editor", [])]
    venue = next(filter(None, map(get, VENUES)), "")
    volume = " ".join(filter(None, [get("volume"), get("number") and f"({get('number')})"]))
    pages = (get("pages") or "").replace("--", "-")
    year = get("year") or (get("date") or "")[:4]
    doi = get("doi") and f"doi:{get('doi')}"
    arxiv = get("eprint") and f"arXiv:{get('eprint')}"
    where = ", ".join(filter(None, [f"{venue} {volume}".strip(), pages, year]))
    return (
        f"[{key}] "
        + ". ".join(filter(None, [", ".join(people), get("title"), where, doi, arxiv]))
        + "."
    )


def main(path):
    """Print the list; return 1 if the file cannot be read."""
    try:
        entries = parse_file(path, "bibtex").entries
    except (BibliographyDataError, PybtexSyntaxError, OSError, UnicodeError) as error:
        sys.stderr.write(f"{path}: {error}\n")
        return 1
    for key, entry in entries.items():
        sys.stdout.write(printed(key, entry) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
