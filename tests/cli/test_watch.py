"""`citeloom watch` over real HTTP: nothing twice, nothing lost, and what each digest tells."""

import asyncio
import json
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from typer.testing import Result

from citeloom.runs.local_executor import local_runs
from citeloom.runs.watch_record import WatchFolder
from citeloom.service.watching import check_watch, send_digests
from state.watch import WatchCheck
from tests.cli.commands import Done, addresses, model, run, sources, variables
from tests.cli.conftest import Cite
from tests.cli.processes import started
from tests.fakes import reviewer as fakes_of_reviewer
from tests.fakes.mail import PASSWORD, USER, MailServer
from tests.fakes.reviewer import reviewer
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, make_world
from tests.support import ABSTRACT, SMALL, small_records
from tools.disk import write_whole

SOURCES = ("--source", "openalex", "--source", "arxiv")
SEARCH = (*SOURCES, "--keep", "8", "--set", "pool=12", "--set", "max_hops=1")
WEEK = timedelta(days=7)
NOW = datetime.now(UTC)
W = "mine"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def server(home: Path) -> Iterator[ScholarServer]:
    world = make_world(size=120, seed=2, about=ABSTRACT.read_text(encoding="utf-8"), crowd=10)
    with sources(world, SOURCE_PATIENCE="0.5") as running:
        yield running


def publish(server: ScholarServer, title: str, day: date, **more: Any) -> Work:
    """Have the sources hold a new work on the subject of the abstract."""
    world, number = server.world, len(server.world.works)
    text = ". ".join(ABSTRACT.read_text(encoding="utf-8").split(". ")[2:4])
    given: dict[str, Any] = {
        "abstract": f"We ask about {title.lower()}. Two studies compare them with people. {text}.",
        "held_by": frozenset({"openalex", "crossref"}),
        "doi": f"10.5555/new.{number}",
        "arxiv": None,
        "authors": (("Ada", f"Newton{number}"),),
        "references": (),
        "retraction_in": frozenset(),
        "openalex": f"W88{number:07}",
        "s2": f"{number:040x}",
        "kind": "article",
        "bare": False,
        **more,
    }
    ordinary = next(one for one in world.works if one.day_known and one.abstract and one.venue)
    work = replace(ordinary, number=number, title=title, date=day, **given)
    world.works.append(work)
    for name in ("by_doi", "by_openalex", "by_s2", "by_arxiv", "_held", "_citing", "_counts"):
        world.__dict__.pop(name, None)
    return work


def watch(*arguments: str | Path, code: int | None = None) -> Result:
    return run("watch", *arguments, code=code)


@pytest.fixture
def watched(cite: Cite, server: ScholarServer) -> Done:
    """A search, and the watch on it."""
    done = cite("find", ABSTRACT, *SEARCH)
    assert done.code == 0, done.stderr
    watch("add", done.run["run"], "--name", W, "--every", "week", code=0)
    return done


def check(weeks: float, name: str = W) -> WatchCheck:
    """Check and tell at a time, whether a check is due or not."""
    folder = WatchFolder(name)

    async def checked() -> WatchCheck:
        async with local_runs() as runs:
            with folder.hold():
                found = await check_watch(folder, runs, NOW + weeks * WEEK)
                send_digests(folder)
                return found

    return asyncio.run(checked())


def told(*checks: WatchCheck, kind: str = "new") -> list[str]:
    return [item.paper.title for one in checks for item in one.items if item.kind == kind]


def day(weeks: float) -> date:
    return (NOW + weeks * WEEK).date()


def test_weeks_tell_each_paper_and_notice_once_and_a_missed_fortnight_is_caught_up(
    watched: Done, server: ScholarServer
) -> None:
    retracted, corrected, *_ = [
        work
        for item in watched.papers["papers"]
        if item["selected"]
        and (work := server.world.find_doi(item["paper"]["doi"] or ""))
        and "crossref" in work.held_by
    ]
    herons = "Herons that weigh arguments word for word"
    names = (("Ada", "Heron"), ("Bo", "Crane"))
    arxiv = f"{NOW:%y%m}.12345"
    preprint = {"arxiv": arxiv, "doi": None, "held_by": frozenset({"arxiv"}), "venue": None}
    publish(server, "Owls that check quotations", day(0.5))
    publish(server, herons, day(0.5), authors=names, **preprint)
    assert sorted(told(check(1))) == [herons, "Owls that check quotations"]
    publish(server, herons, day(1.5), authors=names)
    server.world.add_notice(retracted)
    second = check(2)
    assert (told(second), told(second, kind="published")) == ([], [herons])
    assert told(second, kind="retracted") == [retracted.title]
    shown = watch("digest", W).stdout
    assert "Appeared as doi:10.5555/new." in shown
    assert "Retracted (doi:10.9999/notice." in shown
    nothing = check(3)
    assert (nothing.items, nothing.number) == ((), 0)  # nothing is no digest
    server.world.add_notice(corrected, "correction")
    # Held by a source weeks after it appeared; then nobody called for a fortnight.
    publish(server, "Bats that verify citations", day(-3))
    publish(server, "Moths that rank evidence", day(3.5))
    publish(server, "Newts that cite with care", day(4.5))
    caught = check(5)
    assert sorted(told(caught)) == [
        "Bats that verify citations",
        "Moths that rank evidence",
        "Newts that cite with care",
    ]
    assert told(caught, kind="notice") == [corrected.title]
    assert caught.number == 3
    again = WatchFolder(W).feed.read_bytes()
    ids = [entry.findtext(f"{ATOM}id") for entry in Xml.fromstring(again).iter(f"{ATOM}entry")]
    assert len(ids) == len({*ids}) == 8
    assert check(6).items == ()
    assert Xml.canonicalize(WatchFolder(W).feed.read_text("utf-8")) == Xml.canonicalize(again)
    shown = watch("digest", W, "--number", "1").stdout
    assert "Owls that check quotations" in shown
    assert "no model judged it" in shown
    listed = json.loads(watch("list", "--json").stdout)
    assert (listed["name"], listed["digests"], listed["max_usd"]) == (W, 3, 0.5)


def test_source_that_is_down_for_a_week_is_told_and_caught_up(
    watched: Done, server: ScholarServer
) -> None:
    assert check(1).number == 0
    server.down("openalex")
    publish(server, "Owls that check quotations", day(1.5))
    without = check(2)
    assert ({*without.failed}, {*without.searched}) == ({"openalex"}, {"arxiv"})
    assert "Not searched: openalex (" in watch("digest", W).stdout
    assert check(3).number == 0  # told already
    assert WatchFolder(W).history().searched(WatchFolder(W).watch())["openalex"] == f"{day(1)}"
    server._down.clear()
    again = check(4)
    assert again.after == f"{day(1) - timedelta(days=60)}"
    assert (told(again), again.failed) == (["Owls that check quotations"], {})


@pytest.mark.parametrize("moment", ["searching", "asking for notices"])
def test_check_that_is_killed_goes_on_and_tells_once(
    watched: Done, home: Path, server: ScholarServer, moment: str
) -> None:
    publish(server, "Owls that check quotations", NOW.date())
    service = {"searching": "openalex", "asking for notices": "crossref"}[moment]
    given = {f"CITELOOM_{name}": value for name, value in addresses(server).items()}
    with started(home, "watch", "run", variables=given) as process:
        searched = "select_papers" if moment == "asking for notices" else ""
        server.on_answer = lambda request: (
            process.running.kill()
            if request.service == service and (not searched or _ended(home))
            else None
        )
        assert process.wait() == -signal.SIGKILL
    server.on_answer = None
    folder = WatchFolder(W)
    begun = folder.history().begun
    assert begun
    assert not folder.history().checks
    done = watch("run", "--stdout", code=0)
    assert done.stdout.count("Owls that check quotations") == 2  # its title, and its reference
    assert [one.run for one in folder.history().checks] == [begun]
    nothing = watch("run", "--stdout")
    assert (nothing.exit_code, nothing.output) == (0, "")
    assert told(check(1)) == []


def _ended(home: Path) -> bool:
    """Whether the search of the check has come to its end."""
    begun = WatchFolder(W).history().begun
    record = json.loads((home / "runs" / f"{begun}.json").read_text(encoding="utf-8"))
    return record["status"] in {"complete", "partial"}


def test_budget_that_is_spent_ends_with_what_there_is_and_the_rest_comes_later(
    cite: Cite, server: ScholarServer
) -> None:
    with model(reviewer({})):
        done = cite("find", ABSTRACT, *SEARCH, "--set", "debate_batch=1")
        added = watch("add", done.run["run"], "--name", W)
        assert "a check asks the model at most 60 times" in added.stderr
        for place in range(4):
            publish(server, f"Owls that check quotations, part {'ABCD'[place]}", day(0.5))
        folder = WatchFolder(W)
        kept = folder.watch()
        write_whole(folder.path / "watch.json", _with_calls(kept, 3))
        first = check(1)
        assert not first.searched
        assert "budget" in " ".join(first.unasked)
        assert first.number == 1
        write_whole(folder.path / "watch.json", _with_calls(kept, None))
        second = check(2)
        assert second.searched
        names = told(first, second)
        assert len(names) == len({*names}) == 4
        assert all(item.judged for item in second.items)


def _with_calls(kept: Any, calls: int | None) -> str:
    given = {**kept.settings, "max_calls": calls}
    return str(kept.model_copy(update={"settings": given}).model_dump_json())


def test_model_says_what_changes_a_sentence_and_code_finds_its_words(
    cite: Cite, server: ScholarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = cite("review", ABSTRACT, *SEARCH, "--cite", "4")
    watch("add", done.run["run"], "--name", W, code=0)
    publish(server, "Moths that rank evidence", day(0.5))
    (moths,) = check(1).items
    assert moths.placed
    assert moths.placed.change == "nearest"
    assert moths.placed.sentence_text == done.run["sentences"][moths.placed.sentence - 1]["text"]
    publish(server, "Owls that check quotations", day(1.5))
    publish(server, "Bats that invent quotations", day(1.5))

    def place(inputs: dict[str, Any]) -> dict[str, Any]:
        title = inputs["paper"]["title"]
        false = title.startswith("Bats")
        words = "words that stand in no abstract at all"
        words = words if false else inputs["paper"]["abstract"].partition(". ")[0]
        number = inputs["sentences"][0]["number"]
        return {
            "paper_words": words,
            "sentence": number,
            "says": "reports the opposite",
            "change": "contradicts",
        }

    monkeypatch.setitem(fakes_of_reviewer._EVERY, "place_in_section", place)
    with model(reviewer({})):
        found = {item.paper.title: item for item in check(2).items}
    owls, bats = found["Owls that check quotations"], found["Bats that invent quotations"]
    assert owls.placed
    assert bats.placed
    assert (owls.judged, owls.placed.change) == (True, "contradicts")
    assert owls.placed.words
    assert owls.placed.words.verified
    assert bats.placed.change == "nearest"
    first = watch("digest", W, "--number", "1").stdout
    assert "Nearest to (not compared): sentence" in first
    assert "Its words: “" in first
    shown = watch("digest", W).stdout
    for part in (
        "judged by m",
        "Contradicts sentence",
        "It reports the opposite",
        "Not done: a new paper was not compared with the section",
    ):
        assert part in shown


@pytest.fixture
def mail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    with MailServer(tmp_path) as running:
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        with variables(**mailing(running)):
            yield running


def mailing(server: MailServer) -> dict[str, str]:
    """The settings that have a digest mailed by a server."""
    return {
        "SMTP_HOST": server.host,
        "SMTP_PORT": str(server.port),
        "SMTP_USER": USER,
        "SMTP_PASSWORD": PASSWORD,
        "MAIL_FROM": "ada@example.org",
        "MAIL_TO": "bo@example.org, cy@example.org",
    }


OWN = "own"


def add_to_library(home: Path, first: int, last: int, name: str = OWN) -> None:
    rows = [one.model_dump_json(exclude_defaults=True) for one in small_records()[first:last]]
    (home / "more.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    run("library", "add", home / "more.jsonl", "--library", name, code=0)


@pytest.fixture
def library_watch(home: Path) -> None:
    """A watch on a question to a library of ten papers, to which ten more came since."""
    add_to_library(home, 0, 10)
    asked = "How are literature reviews written by machine?"
    watch("add", asked, "--library", OWN, "--name", W, code=0)
    add_to_library(home, 10, 20)


def test_mail_that_could_not_be_sent_is_sent_once_with_the_next_check(
    library_watch: None, home: Path, mail: MailServer
) -> None:
    mail.refuses = True
    first = watch("run", code=1)
    assert "did not take the mail (SMTPDataError 451)" in first.stderr
    assert WatchFolder(W).digest(1).is_file()
    assert PASSWORD not in first.output
    mail.refuses = False
    second = watch("run")
    assert (second.exit_code, second.stdout) == (0, "")
    watch("run", code=0)
    (one,) = mail.mails
    assert one["Subject"].startswith(f"{W}: ")
    assert "new paper" in one["Subject"]
    assert one["Message-ID"].endswith("@citeloom.invalid>")
    assert one["To"] == "bo@example.org, cy@example.org"
    assert "Relevance: " in one.get_content()
    kept = (home / "watches" / W / "log.jsonl").read_text(encoding="utf-8")
    assert PASSWORD not in kept


def test_mail_without_an_address_or_to_a_server_that_cannot_show_who_it_is_stops_no_check(
    library_watch: None, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = {"SMTP_HOST": "mail.example.org", "SMTP_TLS": "none"}
    for checks, given, why in (
        (1, {"MAIL_TO": ""}, "set CITELOOM_MAIL_FROM and CITELOOM_MAIL_TO"),
        (2, {"MAIL_TO": "bo@example.org"}, "SSLCertVerificationError"),
        (3, elsewhere, "would send your password readable"),
    ):
        with variables(**given):
            assert why in watch("run", W, code=1).stderr
        assert len(WatchFolder(W).history().checks) == checks
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert mail.mails == []


def test_process_killed_while_it_mails_loses_nothing(
    library_watch: None, home: Path, mail: MailServer
) -> None:
    sent = {f"CITELOOM_{name}": value for name, value in mailing(mail).items()}
    sent["SSL_CERT_FILE"] = str(mail.certificate)
    with started(home, "watch", "run", variables=sent) as process:
        mail.on_mail = process.running.kill
        mail.refuses = True
        assert process.wait() == -signal.SIGKILL
    mail.on_mail, mail.refuses = None, False
    watch("run", code=0)
    assert len(mail.mails) == 1
    assert len(WatchFolder(W).history().checks) == 1


def test_library_tells_what_was_added_since(library_watch: None, home: Path) -> None:
    old, mine, later = (
        {one.title for one in small_records()[first:last]}
        for first, last in ((0, 10), (10, 20), (20, 40))
    )
    found = {*told(check(0))}
    assert found
    assert found <= mine
    with closing(sqlite3.connect(home / "libraries" / OWN / "catalog.sqlite")) as db, db:
        db.execute("DROP TABLE added")  # an earlier version kept no days
    assert check(0).number == 0
    add_to_library(home, 0, 40)
    folder = WatchFolder(W)
    watched = folder.watch()
    watched.inputs["keep"] = 1
    write_whole(folder.path / "watch.json", watched.model_dump_json())
    last = check(0)
    assert len(told(last)) == 1 <= last.untold
    assert {*told(last)} < later - old - mine
    assert f"\n{last.untold} more paper" in folder.digest(last.number).read_text("utf-8")
    with (folder.path / "log.jsonl").open("ab") as log:
        log.write(b'{"check": {"at": "20')  # a process was killed in the middle of a line
    assert len(folder.history().checks) == 3
    assert not {*told(check(0))} & {*told(last)}
    assert len(folder.history().checks) == 4


def test_what_cannot_be_watched_is_refused_in_a_sentence(cite: Cite, library_watch: None) -> None:
    written = cite("write", ABSTRACT, "--library", SMALL, "--paper", small_records()[0].id)
    wrong = {
        ("add", written.run["run"]): "a run of `write`, which does not search",
        ("add", "20261128-000000-abcdef"): "there is no run '20261128-000000-abcdef'",
        ("add", "How are reviews written?", "--name", "../x"): "cannot be the name of a watch",
        ("add", "How are reviews written?", "--name", W): f"there is a watch '{W}' already",
        ("add", "none.md"): "there is no file 'none.md'",
        (
            "add",
            "How are reviews written?",
            "--source",
            "[/nowhere]",
        ): "there is no source '[/nowhere]'",
        ("add", "How are reviews written?", "--library", "gone"): "there is no library 'gone'",
        ("run", "other"): f"there is no watch 'other'; there are {W}",
        ("digest", W): "has no such digest yet",
        ("remove", "other", "--yes"): "there is no watch 'other'",
    }
    for given, why in wrong.items():
        done = watch(*given)
        assert done.exit_code in {1, 2}, given
        assert why in done.stderr, given
    with WatchFolder(W).hold():
        busy = watch("run")
        assert (busy.exit_code, "CiteLoom leaves it to that one" in busy.stderr) == (0, True)
        watch("remove", W, "--yes", code=2)
    watch("remove", W, "--yes", code=0)
    assert "no watches yet" in watch("list").stderr
    watch("run", code=0)


def test_search_that_cannot_be_made_is_told_and_stays_due(library_watch: None, home: Path) -> None:
    add_to_library(home, 20, 22, "gone")
    asked = "Which methods write reviews?"
    watch("add", asked, "--library", "gone", "--name", "gone", code=0)
    run("library", "remove", "gone", "--yes", code=0)
    done = watch("run", code=1)
    assert "there is no library 'gone'" in done.stderr
    assert len(WatchFolder(W).history().checks) == 1  # the other watch was checked
    assert not WatchFolder("gone").history().begun


def test_damaged_watch_does_not_hide_others_and_can_be_removed(library_watch: None) -> None:
    asked = "Who checks quotes?"
    watch("add", asked, "--criteria", " ", "--library", OWN, "--name", "bad", code=0)
    folder = WatchFolder("bad")
    assert folder.watch().inputs["text"] == asked  # no condition was given
    write_whole(folder.path / "watch.json", "{}")
    listed = watch("list")
    assert listed.stdout.startswith(f"{W} ")
    assert "what is kept of watch 'bad' is damaged" in listed.stderr
    watch("remove", "bad", "--yes", code=0)
    assert not folder.path.exists()
