"""A run's papers, quotes and highlights in the user's Zotero: first what would change, then the change.

CiteLoom changes what it made itself, as long as nobody else has changed it since. To an item that the user has it adds
the collection and tags.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from citeloom.report.zotero_notes import NotedPaper, highlight_of, note_of, noted_papers
from citeloom.runs.local_executor import read_run
from citeloom.runs.run_record import RunRecord, load_run
from tools.bibliography.keys import numbered
from tools.bibliography.zotero import attachment_path
from tools.errors import DocumentError
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
class Plan:
    """What would be written."""

    changes: list[Change] = field(default_factory=list)
    """In the order of writing: parents first."""
    left: list[str] = field(default_factory=list)
    """What is left alone, and why, in words."""


async def put_in_zotero(
    name: str, collection: str, group: int | None, agree: Callable[[Plan], bool]
) -> tuple[int, list[str]]:
    """Put a run's papers into a collection of the user's library, or a group's, once they `agree`.

    Returns how many objects were written, and what Zotero did not take, in words.

    Raises:
        InputError: There is no such run, it has no papers, or the key may not write.
        PermanentError, TransientError: Zotero refuses, does not answer, or was changed twice meanwhile.
    """
    load_run(name)
    library = await ZoteroLibrary.opened(settings(), group)
    with (run := load_run(name)).hold_lock():
        papers = await _papers(run)
        kept = run.zotero.setdefault(library.place, {"items": {}, "written": {}})
        try:
            for is_last in (False, True):
                try:
                    plan = await plan_changes(library, papers, run.name, collection, kept)
                    if not is_last and not agree(plan):
                        return 0, []
                    try:
                        return await write_changes(library, plan, kept)
                    finally:
                        run.save()
                except ZoteroChangedError:  # it is read again, once
                    if is_last:
                        raise
        finally:
            close_workers()
    raise AssertionError("unreachable")


async def _papers(run: RunRecord) -> list[NotedPaper]:
    """Return the papers of a run; those of a check are kept beside its result."""
    async with read_run(run) as (values, _, store):
        if run.graph == "verify":
            cited = {
                one.paper for item in values.get("sentences") or () for one in item.citations
            } - {""}
            papers = await RunStore(store, values["run"]).papers.values(sorted(cited))
            values["references"] = numbered(papers)
        return noted_papers(values)


async def plan_changes(
    zotero: ZoteroLibrary, papers: Sequence[NotedPaper], run: str, collection: str, kept: Kept
) -> Plan:
    """Return what is to be written into a library so that it has these papers and what a run found of them.

    Raises:
        ZoteroChangedError: It was changed while it was read.
        PermanentError, TransientError: Zotero refuses, or does not answer.
    """
    zotero.version = None
    plan, marks = Plan(), list[tuple[str, dict[str, Any]]]()
    there = await zotero.everything("collections")
    place = next((item["key"] for item in there if item["data"]["name"] == collection), "")
    if not place:
        place = key_of(zotero.place, "collection", collection)
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
            marks += await _highlights(plan, zotero, one, key) if item else []
    await _plan_marks(plan, zotero, marks, run, kept)
    return plan


def _plan_item(
    plan: Plan, one: NotedPaper, item: Object | None, key: str, collection: str, kept: Kept
) -> None:
    """Plan a paper's item, or what is added to the one that is there."""
    data = item["data"] if item else item_of(one.paper, one.key)
    tags, places = data.get("tags", []), data.get("collections", [])
    new = [{"tag": tag} for tag in one.tags if tag not in {tag["tag"] for tag in tags}]
    more = {
        "key": key,
        "tags": tags + new,
        "collections": [*{**dict.fromkeys(places), collection: 1}],
    }
    if item:
        kept["items"][one.paper.id] = key
    # Once it was filed and tagged, the user may file it elsewhere and take the tags away.
    digest = _digest([one.tags, collection])
    if kept["written"].get(key, (0, ""))[1] != digest and (new or collection not in places):
        told = f"{'found' if item else 'new'}: “{one.paper.title}”"
        sent = more if item else data | more
        plan.changes.append(Change("items", told, sent, digest, one.paper.id))


async def _highlights(
    plan: Plan, zotero: ZoteroLibrary, one: NotedPaper, key: str
) -> list[tuple[str, dict[str, Any]]]:
    """Return highlights of a paper's quotes, each in the first of its PDFs that has it."""
    found = []
    children = await zotero.everything(f"items/{key}/children") if one.marked else ()
    files = [
        child["key"]
        for child in children
        if child["data"].get("contentType") == "application/pdf" and not is_trashed(child)
    ]
    for text, findings in one.marked.items() if files else ():
        for file in files:
            if place := await _place(file, zotero.place, one, text):
                mark = {"parentItem": file, **highlight_of(text, findings, place)}
                found.append((f"highlight in “{one.paper.title}”, page {place.label}", mark))
                break
    if files and (missing := len(one.marked) - len(found)):
        plan.left.append(
            f"“{one.paper.title}”: {missing} of {len(one.marked)} quotes not highlighted; start Zotero on this "
            "machine, and see that it has the PDF and the PDF these words"
        )
    return found


async def _place(file: str, library: str, one: NotedPaper, text: str) -> QuotePlace | None:
    """Return where words stand in the file of an attachment; None where it is not here, or lacks them."""
    path = await attachment_path(file, library, settings().zotero_url)
    where = next(q.place for finding in one.marked[text] for q in finding.quotes if q.text == text)
    page = where.rpartition("p. ")[2]
    hint = int(page) if page.isdecimal() else None
    if not path:
        return None
    try:
        return await run_apart(
            settings(), quote_place, path=str(path), name=one.paper.title, page=hint, quote=text
        )
    except (DocumentError, OSError):
        return None


async def _plan_marks(
    plan: Plan,
    zotero: ZoteroLibrary,
    marks: Sequence[tuple[str, dict[str, Any]]],
    run: str,
    kept: Kept,
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
        version, before = kept["written"].get(key, (None, ""))
        if (now and is_trashed(now)) or (before and not now):
            plan.left.append(f"{told}: you deleted it in Zotero")
        elif now and version and now["version"] != version:
            plan.left.append(f"{told}: it was changed in Zotero")
        elif before != digest:
            plan.changes.append(Change("items", told, {"key": key, **data}, digest))


def _digest(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


async def write_changes(zotero: ZoteroLibrary, plan: Plan, kept: Kept) -> tuple[int, list[str]]:
    """Write a plan; return how many objects were written, and what Zotero did not take, in words.

    Raises:
        ZoteroChangedError: The library was changed since it was read.
        PermanentError, TransientError: Zotero refuses, or does not answer.
    """
    problems: list[str] = []
    for kind in ("collections", "items"):
        changes = [one for one in plan.changes if one.kind == kind]
        versions, failed = await zotero.write(kind, [one.data for one in changes])
        for one in changes:
            key = one.data["key"]
            if key not in versions:
                problems.append(f"{one.told}: {failed.get(key, 'Zotero does not say why')}")
                continue
            kept["written"][key] = [versions[key], one.digest]
            if one.paper:
                kept["items"][one.paper] = key
    return len(plan.changes) - len(problems), problems
