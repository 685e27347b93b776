"""A run's papers, quotes and highlights in the user's Zotero: first what would change, then the change.

CiteLoom changes what it made itself, as long as nobody else has changed it since. To an item that the user has it adds
the collection and tags.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from citeloom.report.zotero_notes import (
    NotedPaper,
    QuotedClaim,
    highlight_of,
    note_of,
    noted_papers,
)
from citeloom.runs.local_executor import read_run
from citeloom.runs.run_record import RunRecord, load_run
from tools.bibliography.keys import numbered
from tools.bibliography.zotero import attachment_path
from tools.errors import DocumentError, counted
from tools.ingest.reader_processes import close_workers, run_apart
from tools.pdf.page_image import QuotePlace, quote_place
from tools.run_store import RunStore
from tools.scholar.zotero_library import (
    BATCH,
    Object,
    ZoteroChangedError,
    ZoteroLibrary,
    is_trashed,
    item_of,
    key_of,
    matching_items,
)
from tools.settings import settings

Kept = dict[str, dict[str, Any]]
"""What a run has in one library: 'items', the key of each paper's item by the paper's id; and 'written', by key the
version that each object had then, and the digest of what it said."""
Mark = tuple[str, dict[str, Any]]
"""A note or highlight: what it is, for a person, and its data."""


@dataclass(frozen=True)
class Change:
    """One object to be created or changed."""

    kind: str
    """'collections' or 'items'."""
    told: str
    """What it is, for a person."""
    data: Object
    digest: str
    paper: str = ""
    """The id of the paper whose item it is."""


@dataclass
class ExportPlan:
    """What would be written."""

    changes: list[Change] = field(default_factory=list)
    """In the order of writing: parents first."""
    left: list[str] = field(default_factory=list)
    """What is left alone, and why, in words."""


async def put_in_zotero(
    name: str, collection: str, group: int | None, agree: Callable[[ExportPlan], bool]
) -> tuple[int, list[str]]:
    """Put a run's papers into a collection of the user's library, or a group's, once they `agree`.

    They are asked again where somebody changed the library meanwhile. Returns how many objects were written, and what
    Zotero did not take, in words.

    Raises:
        InputError: There is no such run, it has no papers, or the key may not write.
        PermanentError, TransientError: Zotero refuses, does not answer, or was changed twice meanwhile.
    """
    with (run := load_run(name)).hold_lock():
        papers = await _papers(run)
        library = await ZoteroLibrary.opened(settings(), group)
        kept = run.zotero.setdefault(library.place, {"items": {}, "written": {}})

        async def put() -> tuple[int, list[str]]:
            plan = await plan_changes(library, papers, run.name, collection, kept)
            if not agree(plan):
                return 0, []
            try:
                return await write_changes(library, plan, kept)
            finally:
                run.save()

        try:
            return await put()
        except ZoteroChangedError:
            return await put()
        finally:
            close_workers()


async def _papers(run: RunRecord) -> list[NotedPaper]:
    """Return the papers of a run; those of a check are kept beside its result, and only those it quotes are known."""
    async with read_run(run) as (values, _, store):
        if run.graph == "verify":
            sentences = values.get("sentences") or ()
            quoted = {one.paper for item in sentences for one in item.citations if one.quote}
            papers = await RunStore(store, values["run"]).papers.values(sorted(quoted))
            values["references"] = numbered(papers)
        return noted_papers(values)


async def plan_changes(
    zotero: ZoteroLibrary, papers: Sequence[NotedPaper], run: str, collection: str, kept: Kept
) -> ExportPlan:
    """Return what is to be written into a library so that it has these papers and what a run found of them.

    Raises:
        ZoteroChangedError: It was changed while it was read.
        PermanentError, TransientError: Zotero refuses, or does not answer.
    """
    zotero.version = None
    plan, marks = ExportPlan(), list[Mark]()
    named = [one for one in await zotero.everything("collections") if not is_trashed(one)]
    place = next((one["key"] for one in named if one["data"]["name"] == collection), "")
    if not place:  # one that the user deleted is another, and gets the papers anew
        place = key_of(zotero.place, collection, str(zotero.version))
        data = {"key": place, "name": collection}
        plan.changes.append(Change("collections", f"collection “{collection}”", data, ""))
    listed = await zotero.everything("items/top?include=data,csljson")
    by_key: dict[str, Object] = {item["key"]: item for item in listed}
    matches = matching_items([one.paper for one in papers], listed)
    for one in papers:
        paper, told = one.paper.id, f"“{one.paper.title}”"
        own = key_of(zotero.place, "item", paper)  # as a call that was cut off left it
        item = by_key.get(kept["items"].get(paper, own))
        if not item or is_trashed(item):
            item = matches.get(paper, item)
        if not item and paper in kept["items"]:
            plan.left.append(f"{told}: you deleted it in Zotero")
        elif item and is_trashed(item):
            plan.left.append(f"{told}: it is in Zotero's trash; restore it there")
        else:
            key = item["key"] if item else own
            _plan_item(plan, one, item, key, place, kept)
            if one.findings:
                note = {"itemType": "note", "parentItem": key, "note": note_of(one, run)}
                marks.append((f"note to {told}", note))
            if item and one.marked:
                marks += await _highlights(plan, zotero, one, key)
    await _plan_marks(plan, zotero, marks, run, kept)
    return plan


def _plan_item(
    plan: ExportPlan, one: NotedPaper, item: Object | None, key: str, collection: str, kept: Kept
) -> None:
    """Plan a paper's item, or what is added to the one that is there."""
    there = item["data"] if item else item_of(one.paper, one.key)
    tags, places = there.get("tags", []), there.get("collections", [])
    new = [{"tag": tag} for tag in one.tags if tag not in {tag["tag"] for tag in tags}]
    data = {"key": key, "tags": tags + new, "collections": [*dict.fromkeys([*places, collection])]}
    if item:
        kept["items"][one.paper.id] = key
    # Once it was filed and tagged, the user may file it elsewhere and take the tags away.
    digest = _digest([one.tags, collection])
    if kept["written"].get(key, (0, ""))[1] != digest and (new or collection not in places):
        told = f"{'found' if item else 'new'}: “{one.paper.title}”"
        sent = data if item else there | data
        plan.changes.append(Change("items", told, sent, digest, one.paper.id))


async def _highlights(
    plan: ExportPlan, zotero: ZoteroLibrary, one: NotedPaper, key: str
) -> list[Mark]:
    """Return highlights of a paper's quotes, each in the first of its PDFs that has it."""
    found: list[Mark] = []
    files = {
        child["key"]: await attachment_path(child["key"], zotero.place, settings().zotero_url)
        for child in await zotero.everything(f"items/{key}/children")
        if child["data"].get("contentType") == "application/pdf" and not is_trashed(child)
    }
    for text, findings in one.marked.items():
        for file, path in files.items():
            if path and (place := await _place(path, one.paper.title, text, findings)):
                mark = {"parentItem": file, **highlight_of(text, findings, place)}
                found.append((f"highlight in “{one.paper.title}”, page {place.label}", mark))
                break
    if files and (missing := len(one.marked) - len(found)):
        plan.left.append(
            f"“{one.paper.title}”: {missing} of {counted(len(one.marked), 'quote')} not highlighted; start Zotero "
            "on this machine, and see that it has the PDF and the PDF these words"
        )
    return found


async def _place(
    path: Path, title: str, text: str, findings: Iterable[QuotedClaim]
) -> QuotePlace | None:
    """Return where words stand in a PDF; None where it cannot be read, or lacks them."""
    places = (
        q.place.rpartition("p. ")[2] for one in findings for q in one.quotes if q.text == text
    )
    page = next((int(place) for place in places if place.isdecimal()), None)
    try:
        return await run_apart(
            settings(), quote_place, path=str(path), name=title, page=page, quote=text
        )
    except (DocumentError, OSError):
        return None


async def _plan_marks(
    plan: ExportPlan, zotero: ZoteroLibrary, marks: Iterable[Mark], run: str, kept: Kept
) -> None:
    """Plan notes and highlights, but for those that are as they should be or that the user has changed."""
    keyed = {
        key_of(run, data["parentItem"], data.get("annotationText", "")): (told, data)
        for told, data in marks
    }
    there: dict[str, Object] = {}
    for start in range(0, len(keyed), BATCH):
        keys = ",".join([*keyed][start : start + BATCH])
        there |= {item["key"]: item for item in await zotero.everything(f"items?itemKey={keys}")}
    for key, (told, data) in keyed.items():
        now, digest = there.get(key), _digest(data)
        if now and now["data"] | data == now["data"]:  # as a call that was cut off left it
            kept["written"][key] = [now["version"], digest]
        version, before = kept["written"].get(key, (None, ""))
        if (now and is_trashed(now)) or (before and not now):
            plan.left.append(f"{told}: you deleted it in Zotero")
        elif now and now["version"] != version:
            plan.left.append(f"{told}: it was changed in Zotero")
        elif before != digest:
            plan.changes.append(Change("items", told, {"key": key, **data}, digest))


def _digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


async def write_changes(
    zotero: ZoteroLibrary, plan: ExportPlan, kept: Kept
) -> tuple[int, list[str]]:
    """Write a plan; return how many objects were written, and what Zotero did not take, in words.

    Raises:
        ZoteroChangedError: The library was changed since it was read; what was written before is kept.
        PermanentError, TransientError: Zotero refuses, or does not answer.
    """
    problems: list[str] = []
    for kind in ("collections", "items"):
        changes = [one for one in plan.changes if one.kind == kind]
        for start in range(0, len(changes), BATCH):
            batch = changes[start : start + BATCH]
            versions, failed = await zotero.write(kind, [one.data for one in batch])
            for one in batch:
                key = one.data["key"]
                if key in failed:
                    problems.append(f"{one.told}: {failed[key]}")
                    continue
                # Zotero tells no version of what it has so already: that stays as it was.
                version = versions.get(key) or kept["written"].get(key, [None])[0]
                kept["written"][key] = [version, one.digest]
                if one.paper:
                    kept["items"][one.paper] = key
    return len(plan.changes) - len(problems), problems
