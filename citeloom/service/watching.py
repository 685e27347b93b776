"""One check of a watch: the search again from where it last succeeded, and what of its answer is new.

A check is a run of `find` on the days since each source last answered, with an overlap; what a source brings late is
found, and the identity of works keeps it from being told twice. Then publishers' notices are asked for, and new papers
are put beside the sentences of the section. A check that was stopped goes on where it was.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any, get_args

from langgraph.runtime import Runtime

from citeloom.report.account import failure_lines
from citeloom.report.watch_digest import digest_mail, digest_markdown, feed_xml
from citeloom.runs.run_record import RunRecord, load_run, new_run
from citeloom.runs.runs import Runs, UnknownRunError, wait_until_resting
from citeloom.runs.watch_record import WatchFolder, WatchHistory, watch_of
from citeloom.service.updating import repeat_search_input
from nodes.common.publisher_notices import noticed_now, published_doi, standings
from nodes.find.select_papers import NOTHING
from nodes.watch.place_in_section import place_in_section
from state.merging import is_preprint
from state.paper import Paper, published_before
from state.results import RankedPaper
from state.watch import ItemKind, Watch, WatchCheck, WatchItem, without_texts
from tools.disk import write_whole
from tools.errors import CiteLoomError, InputError, TransientError, counted
from tools.library.open_library import library_names
from tools.llm.endpoint import model_price
from tools.llm.task import Tier
from tools.mail import send_mail
from tools.run_settings import RunSettings
from tools.scholar.open_source import check_source, is_online
from tools.scholar.same_work import unite_records
from tools.services import open_services
from tools.settings import settings
from tools.text.words import tokens

MAX_USD, MAX_CALLS = 0.5, 60
"""What a check may cost where nobody says so, and how often it may ask a model whose price is not known."""
Follow = Callable[[Runs, str], Awaitable[object]]


async def begin_watch(
    runs: Runs,
    what: str,
    *,
    name: str = "",
    library: str = "",
    sources: Sequence[str] = (),
    criteria: Sequence[str] = (),
    every: int = 7,
    max_usd: float | None = None,
) -> Watch:
    """Keep a watch that begins now, on the search of a run of this machine or on a question; see `Watch`.

    Raises:
        InputError: There is no such run, source or library, or there is a watch of this name.
    """
    if not is_run_name(what):
        search = search_for_text(what, library, sources)
    elif sources:
        raise InputError("a run is searched again where it searched: name no sources")
    else:
        old = load_run(what)
        search = search_of_run(old, await runs.values(old.name))
    inputs = {**search["inputs"], "before": None, "after": None}
    inputs |= {"library": library} if library else {}
    searched, known = inputs.get("sources") or ["library"], library_names(settings())
    for source in searched:
        check_source(source, settings())
    if "library" in searched and inputs.get("library", "starter") not in known:
        raise InputError(f"there is no library '{inputs['library']}'; there are {', '.join(known)}")
    # What was typed may be no UTF-8.
    text = str(inputs["text"]).encode("utf-8", "replace").decode()
    wanted = "\n".join(f"- {' '.join(one.split())}" for one in criteria if one.strip())
    inputs["text"] = f"{text}\n\nPapers must meet:\n\n{wanted}\n" if wanted else text
    # What was left out of a run's settings is None there.
    context = {**search["settings"], **({} if max_usd is None else {"max_usd": max_usd})}
    kept = {key: value for key, value in context.items() if value is not None}
    now = datetime.now(UTC)
    fields = {
        "since": f"{now:%Y-%m-%d}",
        **search,
        "name": name or search["name"],
        "subject": " ".join(text.split())[:200],
        "every": every,
        "added": now,
        "inputs": inputs,
        "settings": {
            **kept,
            **dict.fromkeys(("review_cost", "review_queries", "review_papers"), "off"),
            "refresh": True,
        },
    }
    watch = Watch(**fields)
    WatchFolder(watch.name).add(watch)
    return watch


def is_run_name(text: str) -> bool:
    """Whether a text names a run, perhaps one that is not there."""
    return text[:8].isdigit() and text[8:9] == "-"


def watch_card(folder: WatchFolder) -> dict[str, Any]:
    """Return what a list of watches says of one.

    Raises:
        InputError: Its files are damaged.
    """
    watch, history = folder.watch(), folder.history()
    limits = run_settings(watch)
    return {
        "name": watch.name,
        "every": counted(watch.every, "day"),
        "next": f"{history.next_due(watch):%Y-%m-%d}",
        "digests": len(history.digests),
        "max_usd": limits.get("max_usd"),
        "max_calls": limits.get("max_calls"),
        "searched": history.searched(watch),
        "feed": str(folder.feed),
        "subject": watch.subject,
    }


def search_of_run(run: RunRecord, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a watch on the search of a run, and on the papers and sentences of its section.

    Raises:
        InputError: The run did not search.
    """
    papers: Sequence[RankedPaper] = values.get("papers") or ()
    cited = [item.paper for item in values.get("references") or ()]
    return {
        "name": run.name,
        "inputs": repeat_search_input(run, None),
        "settings": run.context,
        "run": run.name,
        "since": run.started[:10],
        "known": [without_texts(item.paper) for item in papers],
        "cited": [
            without_texts(paper)
            for paper in cited or [item.paper for item in papers if item.selected]
        ],
        "sentences": [item.text for item in values.get("sentences") or ()],
    }


def search_for_text(text: str, library: str, sources: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a watch on what is found for a question or a text."""
    return {
        "name": "-".join(word for word in tokens(text)[:4] if word.isalnum())[:40] or "watch",
        "inputs": {
            "text": text,
            "library": "starter",
            "sources": [
                *dict.fromkeys(sources or (["library"] if library else ["openalex", "arxiv"]))
            ],
        },
        "settings": {},
    }


def run_settings(watch: Watch) -> dict[str, Any]:
    """Return the settings of a check; it has a limit also where nobody gave one."""
    if {"max_usd", "max_calls"} & watch.settings.keys():
        return watch.settings
    mine = settings()
    unpriced = mine.llm_configured and not all(model_price(mine, tier) for tier in get_args(Tier))
    return {**watch.settings, **({"max_calls": MAX_CALLS} if unpriced else {"max_usd": MAX_USD})}


async def check_now(
    name: str,
    runs: Runs,
    follow: Follow = wait_until_resting,
    show: Callable[[int, str], None] = lambda number, text: None,
) -> tuple[WatchCheck, str]:
    """Check a watch and tell what is new; see `check_watch` and `send_digests`."""
    folder = watch_of(name)
    with folder.hold():
        check = await check_watch(folder, runs, datetime.now(UTC), follow)
        return check, await asyncio.to_thread(send_digests, folder, show)


async def check_watch(
    folder: WatchFolder, runs: Runs, now: datetime, follow: Follow = wait_until_resting
) -> WatchCheck:
    """Check a watch that the caller holds, and keep what was found; telling it is another step.

    Args:
        folder: The watch.
        runs: Of this machine.
        now: The time of the check.
        follow: Waits until a run rests.

    Raises:
        InputError: The search cannot be made.
        TransientError: It was stopped, or failed; the next check goes on with it or begins anew.
    """
    watch = folder.watch()
    await _begin(folder, watch, runs, now)
    history = folder.history()
    name = history.begun
    await follow(runs, name)
    view = await runs.get(name)
    if view.status == "cancelled":
        raise TransientError(f"the check of '{watch.name}' was stopped: the next one continues it")
    values = await runs.values(name) if view.has_ended else {}
    if view.is_refused or "request" not in values:
        folder.append({"begun": "", "at": now.isoformat()})
        raise (InputError if view.is_refused else TransientError)(view.problem)
    check = await _check(watch, history, values, history.begun_at or now)
    folder.append({"check": check.model_dump(mode="json")})
    return check


async def _begin(folder: WatchFolder, watch: Watch, runs: Runs, now: datetime) -> None:
    """Begin the search of a check, or let the one go on that an earlier process began."""
    history = folder.history()
    if history.begun:
        with suppress(UnknownRunError):  # killed before it was kept, or deleted since
            view = await runs.get(history.begun)
            if view.is_resting and not view.has_ended:
                await runs.resume(history.begun)
            return
    run = new_run("find", _inputs(watch, history), run_settings(watch))
    folder.append({"begun": run.name, "at": now.isoformat()})
    await runs.start(
        "find", run.inputs, run.context, name=run.name, results={"started": run.started}
    )


def _inputs(watch: Watch, history: WatchHistory) -> dict[str, Any]:
    """Return the input of `find`: from the oldest day up to which a source was searched, without what is known."""
    after, given = None, dict(watch.inputs)
    if any(map(is_online, watch.sources)):
        # Sources hold a paper weeks after it appeared.
        after = date.fromisoformat(min(history.searched(watch).values())) - timedelta(days=60)
    else:
        last = next((one.at for one in reversed(history.checks) if one.searched), watch.added)
        given["added_after"] = last.isoformat()
    known = {
        one.id
        for one in _known(watch, history)
        if not one.id.startswith("title:") and not (after and published_before(one, after))
    }
    return {
        **given,
        "after": after and after.isoformat(),
        "exclude": sorted({*watch.inputs.get("exclude", ()), *known}),
    }


def _known(watch: Watch, history: WatchHistory) -> list[Paper]:
    seen = (paper for check in history.checks for paper in check.seen)
    return [*watch.cited, *(item.paper for item in history.told), *watch.known, *seen]


async def _check(
    watch: Watch, history: WatchHistory, values: Mapping[str, Any], at: datetime
) -> WatchCheck:
    services = open_services(
        Runtime(context=RunSettings(**run_settings(watch))), str(values["run"])
    )
    papers: Sequence[RankedPaper] = values.get("papers") or ()
    stop, request = values.get("stop"), values["request"]
    stopped = stop if stop and stop.subject != NOTHING else None
    # A source's days stay unsearched where it did not answer, or the run stopped before all was judged.
    failed = dict.fromkeys(watch.sources, stopped.cause) if stopped else {}
    failed |= {
        item.subject.partition(":")[0]: item.cause
        for item in values.get("failures") or ()
        if item.stage == "search_source"
    }
    read = [item for item in papers if item.judge_score is not None or not stopped]
    relevant = [
        item
        for item in read
        if item.selected and not any(one.required and one.met == "no" for one in item.criteria)
    ]
    new, published = _told_apart(watch, history, relevant)
    judged = services.mind.judges
    placed, left = await place_in_section(services, [one.paper for one in new], watch.sentences)
    items = [
        WatchItem(kind="new", paper=one.paper, score=one.score, judged=judged, placed=place)
        for one, place in zip(new, placed, strict=True)
    ]
    told = [*watch.cited, *(item.paper for item in history.told[::-1] if item.kind == "new")]
    # Notices are asked for of at most 200: those cited, then those told last.
    noticed, unasked = await noticed_now(services, request, told[:200], "watch", records=True)
    items += [*published, *_appeared(told, values.get("same") or {}), *_notices(told, noticed)]
    before = {item.key for item in history.told}
    fresh = {item.key: item for item in items if item.key not in before}
    left = [*left, *failure_lines(unasked)]
    if stopped and stopped.subject == "budget":
        left.insert(0, f"{stopped.cause}; the next check goes on from the same day")
    last = history.checks[-1] if history.checks else WatchCheck(at=at, run="")
    worse = failed.keys() - last.failed.keys() or {*left} - {*last.unasked}
    return WatchCheck(
        at=at,
        run=history.begun,
        number=len(history.digests) + 1 if fresh or worse else 0,
        items=tuple(fresh.values()),
        after=str(request.after or ""),
        searched={name: f"{at:%Y-%m-%d}" for name in watch.sources if name not in failed},
        failed=failed,
        unasked=tuple(left),
        untold=values["counts"].excluded_by_number if fresh else 0,
        seen=tuple(without_texts(item.paper) for item in read),
        mind=services.mind_name,
        bar=services.context.effective_bar,
    )


def _told_apart(
    watch: Watch, history: WatchHistory, found: Sequence[RankedPaper]
) -> tuple[list[RankedPaper], list[WatchItem]]:
    """Return which papers are new works, and which are the published version of a preprint cited or told."""
    known = _known(watch, history)
    told = len(watch.cited) + len(history.told)
    new: list[RankedPaper] = []
    published: list[WatchItem] = []
    for group in unite_records([*known, *(item.paper for item in found)]):
        mine = [found[at - len(known)] for at in group if at >= len(known)]
        if mine and group[0] >= len(known):
            new.append(max(mine, key=lambda item: item.score))
        elif mine and group[0] < told:
            preprint = all(is_preprint(known[at]) for at in group if at < len(known))
            better = next((one.paper for one in mine if not is_preprint(one.paper)), None)
            if preprint and better:
                published.append(_published(known[group[0]], published_doi(better), better.venue))
    return sorted(new, key=lambda item: -item.score), published


def _appeared(papers: Sequence[Paper], same: Mapping[str, str]) -> Iterator[WatchItem]:
    """Yield the preprints whose records a search united with that of a published version."""
    for paper in papers:
        united = tuple(same[key] for key in (paper.id, *paper.aliases) if key in same)
        doi = published_doi(paper.model_copy(update={"aliases": united}))
        if doi and is_preprint(paper):
            yield _published(paper, doi)


def _published(paper: Paper, doi: str, venue: str | None = None) -> WatchItem:
    where = f"appeared as doi:{doi}" if doi else f"appeared in {venue or 'a journal'}"
    return WatchItem(kind="published", paper=without_texts(paper), detail=where)


def _notices(papers: Sequence[Paper], marked: Mapping[str, Paper]) -> Iterator[WatchItem]:
    """Yield what was said of papers since they were cited or told."""
    before = {paper.id: paper for paper in papers}
    for key, paper in marked.items():
        known = standings([before[key]]).get(key, ())
        for one in standings([paper]).get(key, ()):
            if one not in known and one.cause == "superseded":
                yield _published(paper, published_doi(paper))
            elif one not in known:
                kind: ItemKind = "retracted" if one.cause == "retracted" else "notice"
                yield WatchItem(kind=kind, paper=without_texts(paper), detail=one.detail)


def send_digests(
    folder: WatchFolder, show: Callable[[int, str], None] = lambda number, text: None
) -> str:
    """Write, show and mail the digests of a watch that have not gone out; return why a mail did not, or "".

    Each way is noted when it is done: one killed in between does it again, under the same name and id.

    Args:
        folder: The watch, which the caller holds.
        show: Is given each digest that is new, by number, as Markdown.
    """
    watch, history, mine, unsent = folder.watch(), folder.history(), settings(), ""
    for check in history.digests:
        if (check.number, "files") not in history.delivered:
            text = digest_markdown(watch, check)
            write_whole(folder.digest(check.number), text)
            write_whole(folder.feed, feed_xml(watch, history.digests))
            show(check.number, text)
            folder.append({"delivered": check.number, "by": "files"})
        if unsent or (check.number, "mail") in history.delivered:
            continue
        if mine.smtp_host:
            sender = mine.mail_from or mine.smtp_user or ""
            try:
                send_mail(digest_mail(watch, check, sender, mine.mail_to or ""), mine)
            except CiteLoomError as error:
                unsent = f"{error}. CiteLoom keeps the digest and mails it with the next check"
                continue
        folder.append({"delivered": check.number, "by": "mail"})  # or it was not to be mailed
    return unsent
