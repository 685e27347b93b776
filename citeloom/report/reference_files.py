"""References that were read from print, as a file for a reference manager, with what each record rests on."""

import json
from collections.abc import Mapping, Sequence

from state.verify import ReadReference
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_records import to_csl, to_ris

FORMS: Mapping[str, str] = {
    "bibtex": "references.bib",
    "csl": "references.csl.json",
    "ris": "references.ris",
}
"""The name of the file in each form."""
LISTS: Mapping[str, str] = {
    FORMS["bibtex"]: "the references as BibTeX",
    FORMS["csl"]: "the references as CSL-JSON",
    FORMS["ris"]: "the references for reference managers",
}
"""What each file is."""


def reference_file(form: str, references: Sequence[ReadReference]) -> str:
    """Return the file in one of the `FORMS`. BibTeX and CSL JSON tell what each record rests on."""
    if form == "ris":
        return to_ris(references)
    if form == "csl":
        notes = [{"custom": {"citeloom": notes_on(one)}} for one in references]
        items = [item | more for item, more in zip(to_csl(references), notes, strict=True)]
        return json.dumps(items, ensure_ascii=False, indent=1) + "\n"
    # Outside of entries BibTeX knows no comments: there an @ begins an entry.
    return "\n".join(
        "".join(f"% {note.replace('@', '(at)')}\n" for note in notes_on(one)) + to_bibtex([one])
        for one in references
    )


def notes_on(reference: ReadReference) -> list[str]:
    """Return what a record rests on, in words, each on one line."""
    from nodes.common.publisher_notices import (
        standings,  # loads the sources, which agents' tools start without
    )

    paper, check = reference.paper, reference.check
    notes = [
        f"As printed: {' '.join(reference.entry.split())}",
        f"Confidence of reading: {reference.confidence:.2f}.",
        *(f"Note: {told.detail}." for told in standings([paper]).get(paper.id, [])),
    ]
    if check is None:
        return notes
    where = ", ".join(check.found_in or check.missing_in)
    origins = {
        source: ", ".join(name for name, whose in paper.origin.items() if whose == source)
        for source in dict.fromkeys(paper.origin.values())
        if source in check.found_in
    }
    return [
        *notes,
        f"Looked up: {check.outcome.replace('_', ' ')}{where and f' ({where})'}.",
        *(
            f"Differs: {wrong.field} is {wrong.stated}; the record has {wrong.right or 'none'}."
            for wrong in check.wrong
        ),
        *(f"From {source}: {names}." for source, names in origins.items()),
    ]
