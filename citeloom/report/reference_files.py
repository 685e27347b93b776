"""References that were read from print, as a file for a reference manager, with what each record rests on."""

import json
from collections.abc import Iterator, Mapping, Sequence

from nodes.common.notices import standings
from state.references import ReadReference
from tools.bibliography.write_bibtex import to_bibtex
from tools.bibliography.write_csl import to_csl
from tools.bibliography.write_ris import to_ris

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
        notes = [{"custom": {"citeloom": list(notes_on(one))}} for one in references]
        items = [item | more for item, more in zip(to_csl(references), notes, strict=True)]
        return json.dumps(items, ensure_ascii=False, indent=1) + "\n"
    # Outside of entries BibTeX knows no comments: there an @ begins an entry.
    return "\n".join(
        "".join(f"% {note.replace('@', '(at)')}\n" for note in notes_on(one)) + to_bibtex([one])
        for one in references
    )


def notes_on(reference: ReadReference) -> Iterator[str]:
    """Yield what a record rests on, in words, each on one line."""
    paper, check = reference.paper, reference.check
    yield f"As printed: {' '.join(reference.entry.split())}"
    yield f"Read with a confidence of {reference.confidence:.2f}."
    for told in standings([paper]).get(paper.id, []):
        yield f"Note: {told.detail}."
    if check is None:
        return
    where = ", ".join(check.found_in or check.missing_in)
    yield f"Looked up: {check.outcome.replace('_', ' ')}{f' ({where})' if where else ''}."
    for wrong in check.wrong:
        yield f"Differs: {wrong.field} is {wrong.stated}; the record has {wrong.right or 'none'}."
    for source in dict.fromkeys(paper.origin.values()):
        names = [name for name, whose in paper.origin.items() if whose == source]
        if source in check.found_in:
            yield f"From {source}: {', '.join(names)}."
