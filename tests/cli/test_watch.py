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
from typer.testing import CliRunner, Result

from citeloom.cli.app import app
from citeloom.runs.local_executor import local_runs
from citeloom.runs.watch_record import WatchFolder
from citeloom.service.watching import check_watch, send_digests
from state.watch import WatchCheck
from tests.cli.commands import Done
from tests.cli.conftest import Cite
from tests.cli.processes import started
from tests.fakes.mail import PASSWORD, USER, MailServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.reviewer import reviewer
from tests.fakes.scholar.server import ScholarServer
from tests.fakes.scholar.world import Work, make_world
from tests.support import ABSTRACT, SMALL, small_records
from tools.disk import write_whole
from tools.settings import settings

SOURCES = ("--source", "openalex", "--source", "arxiv")
SEARCH = (*SOURCES, "--keep", "8", "--set", "pool=12", "--set", "max_hops=1")
WEEK = timedelta(days=7)
NOW = datetime.now(UTC)
W = "mine"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScholarServer]:
    world = make_world(size=120, seed=2, about=ABSTRACT.read_text(encoding="utf-8"), crowd=10)
    with ScholarServer(world) as running:
        for name, value in variables_of(running).items():
            monkeypatch.setenv(name, value)
        settings.cache_clear()
        yield running


def variables_of(server: ScholarServer) -> dict[str, str]:
    found = {"CITELOOM_SOURCE_PATIENCE": "0.5"}
    for name in ("openalex", "crossref", "arxiv"):
        found[f"CITELOOM_{name.upper()}_URL"] = getattr(server, f"{name}_url")
        found[f"CITELOOM_{name.upper()}_RATE"] = "500"
    return found


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


def watch(*arguments: str | Path) -> Result:
    result = CliRunner().invoke(app, ["watch", *map(str, arguments)])
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    return result


@pytest.fixture
def watched(cite: Cite, server: ScholarServer) -> Done:
    """A search, and the watch on it."""
    done = cite("find", ABSTRACT, *SEARCH)
    assert done.code == 0, done.stderr
    added = watch("add", done.run["run"], "--name", W, "--every", "week")
    assert added.exit_code == 0, added.output
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


def entries(name: str = W) -> list[Xml.Element]:
    return Xml.parse(WatchFolder(name).feed).getroot().findall(f"{ATOM}entry")


def test_four_weeks_tell_each_paper_once_and_a_missed_fortnight_is_caught_up(
    watched: Done, server: ScholarServer
) -> None:
    publish(server, "Owls that check quotations", day(0.5))
    first = check(1)
    assert told(first) == ["Owls that check quotations"]
    assert check(2).number == 0  # nothing is no digest
    # Held by a source weeks after it appeared; then nobody called for a fortnight.
    publish(server, "Bats that verify citations", day(-3))
    publish(server, "Moths that rank evidence", day(2.5))
    publish(server, "Newts that cite with care", day(4.5))
    caught = check(5)
    assert sorted(told(caught)) == [
        "Bats that verify citations",
        "Moths that rank evidence",
        "Newts that cite with care",
    ]
    assert (caught.number, check(6).items) == (2, ())
    again = Xml.tostring(Xml.parse(WatchFolder(W).feed).getroot())
    ids = [entry.findtext(f"{ATOM}id") for entry in entries()]
    assert len(ids) == len({*ids}) == 4
    check(7)
    assert Xml.tostring(Xml.parse(WatchFolder(W).feed).getroot()) == again
    shown = watch("digest", W, "--number", "1").stdout
    assert "Owls that check quotations" in shown
    assert "no model judged it" in shown
    listed = json.loads(watch("list", "--json").stdout)
    assert (listed["name"], listed["digests"], listed["max_usd"]) == (W, 2, 0.5)


def test_preprint_that_is_published_is_told_once_as_that(
    watched: Done, server: ScholarServer
) -> None:
    names = (("Ada", "Heron"), ("Bo", "Crane"))
    arxiv = f"{NOW:%y%m}.12345"
    more = {"arxiv": arxiv, "doi": None, "held_by": frozenset({"arxiv"}), "authors": names}
    publish(server, "Herons that weigh arguments word for word", day(0.5), venue=None, **more)
    assert told(check(1)) == ["Herons that weigh arguments word for word"]
    publish(server, "Herons that weigh arguments word for word", day(1.5), authors=names)
    second = check(2)
    published = ["Herons that weigh arguments word for word"]
    assert (told(second), told(second, kind="published")) == ([], published)
    assert "Appeared as doi:10.5555/new." in watch("digest", W).stdout
    assert check(3).items == ()


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


def test_retraction_and_correction_since_are_told_once(
    watched: Done, server: ScholarServer
) -> None:
    works = [
        work
        for item in watched.papers["papers"]
        if item["selected"]
        and (work := server.world.find_doi(item["paper"]["doi"] or ""))
        and "crossref" in work.held_by
    ]
    assert check(1).items == ()
    server.world.add_notice(works[0])
    first = check(2)
    assert told(first, kind="retracted") == [works[0].title]
    assert "Retracted (doi:10.9999/notice." in watch("digest", W).stdout
    assert check(3).items == ()
    server.world.add_notice(works[1], "correction")
    assert told(check(4), kind="notice") == [works[1].title]
    assert check(5).items == ()


@pytest.mark.parametrize("moment", ["searching", "asking for notices"])
def test_check_that_is_killed_goes_on_and_tells_once(
    watched: Done, home: Path, server: ScholarServer, moment: str
) -> None:
    publish(server, "Owls that check quotations", NOW.date())
    service = {"searching": "openalex", "asking for notices": "crossref"}[moment]
    with started(home, "watch", "run", variables=variables_of(server)) as process:
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
    done = watch("run", "--stdout")
    assert done.exit_code == 0, done.output
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
    cite: Cite, server: ScholarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITELOOM_STRONG_MODEL", "m")
    monkeypatch.setenv("CITELOOM_LLM_API_KEY", "sk-test")
    with OpenAIServer(reviewer({})) as model:
        monkeypatch.setenv("CITELOOM_LLM_BASE_URL", model.url)
        settings.cache_clear()
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
    assert watch("add", done.run["run"], "--name", W).exit_code == 0
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

    script = reviewer({})
    monkeypatch.setattr("tests.fakes.reviewer._EVERY", {**_every(), "place_in_section": place})
    monkeypatch.setenv("CITELOOM_STRONG_MODEL", "m")
    monkeypatch.setenv("CITELOOM_LLM_API_KEY", "sk-test")
    with OpenAIServer(script) as model:
        monkeypatch.setenv("CITELOOM_LLM_BASE_URL", model.url)
        settings.cache_clear()
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
    assert "judged by m" in shown
    assert "Contradicts sentence" in shown
    assert "It reports the opposite" in shown
    assert "Not done: a new paper was not compared with the section" in shown


def _every() -> dict[str, Any]:
    from tests.fakes import reviewer as module

    return dict(module._EVERY)


@pytest.fixture
def mail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MailServer]:
    with MailServer(tmp_path) as running:
        given = {
            "SMTP_HOST": running.host,
            "SMTP_PORT": str(running.port),
            "SMTP_USER": USER,
            "SMTP_PASSWORD": PASSWORD,
            "MAIL_FROM": "ada@example.org",
            "MAIL_TO": "bo@example.org, cy@example.org",
        }
        for name, value in given.items():
            monkeypatch.setenv(f"CITELOOM_{name}", value)
        monkeypatch.setenv("SSL_CERT_FILE", str(running.certificate))
        settings.cache_clear()
        yield running


OWN = "own"


def add_to_library(home: Path, first: int, last: int, name: str = OWN) -> None:
    rows = [one.model_dump_json(exclude_defaults=True) for one in small_records()[first:last]]
    (home / "more.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["library", "add", str(home / "more.jsonl"), "--library", name])
    assert done.exit_code == 0, done.output


@pytest.fixture
def library_watch(home: Path) -> None:
    """A watch on a question to a library of ten papers, to which ten more came since."""
    add_to_library(home, 0, 10)
    asked = "How are literature reviews written by machine?"
    done = watch("add", asked, "--library", OWN, "--name", W)
    assert done.exit_code == 0, done.output
    add_to_library(home, 10, 20)


def test_mail_that_could_not_be_sent_is_sent_once_with_the_next_check(
    library_watch: None, home: Path, mail: MailServer
) -> None:
    mail.refuses = True
    first = watch("run")
    assert first.exit_code == 1
    assert "did not take the mail (SMTPDataError 451)" in first.stderr
    assert WatchFolder(W).digest(1).is_file()
    assert PASSWORD not in first.output
    mail.refuses = False
    second = watch("run")
    assert (second.exit_code, second.stdout) == (0, "")
    assert watch("run").exit_code == 0
    (one,) = mail.mails
    assert one["Subject"].startswith(f"{W}: ")
    assert "new paper" in one["Subject"]
    assert one["Message-ID"].endswith("@citeloom.invalid>")
    assert one["To"] == "bo@example.org, cy@example.org"
    assert "Relevance: " in one.get_content()
    kept = (home / "watches" / W / "log.jsonl").read_text(encoding="utf-8")
    assert PASSWORD not in kept


def test_mail_is_not_sent_to_a_server_that_cannot_show_who_it_is(
    library_watch: None, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    done = watch("run")
    assert (done.exit_code, mail.mails) == (1, [])
    assert "SSLCertVerificationError" in done.stderr
    monkeypatch.setenv("CITELOOM_SMTP_TLS", "none")
    monkeypatch.setenv("CITELOOM_SMTP_HOST", "mail.example.org")
    settings.cache_clear()
    refused = watch("run")
    assert refused.exit_code == 1
    assert "would send your password readable" in refused.stderr


def test_process_killed_while_it_mails_loses_nothing(
    library_watch: None, home: Path, mail: MailServer
) -> None:
    sent = {
        "CITELOOM_SMTP_HOST": mail.host,
        "CITELOOM_SMTP_PORT": str(mail.port),
        "CITELOOM_SMTP_USER": USER,
        "CITELOOM_SMTP_PASSWORD": PASSWORD,
        "CITELOOM_MAIL_FROM": "ada@example.org",
        "CITELOOM_MAIL_TO": "bo@example.org",
        "SSL_CERT_FILE": str(mail.certificate),
    }
    with started(home, "watch", "run", variables=sent) as process:
        mail.on_mail = process.running.kill
        mail.refuses = True
        assert process.wait() == -signal.SIGKILL
    mail.on_mail, mail.refuses = None, False
    assert watch("run").exit_code == 0
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
        assert watch("remove", W, "--yes").exit_code == 2
    assert watch("remove", W, "--yes").exit_code == 0
    assert "no watches yet" in watch("list").stderr
    assert watch("run").exit_code == 0


def test_search_that_cannot_be_made_is_told_and_stays_due(library_watch: None, home: Path) -> None:
    add_to_library(home, 20, 22, "gone")
    asked = watch("add", "Which methods write reviews?", "--library", "gone", "--name", "gone")
    assert asked.exit_code == 0
    removed = CliRunner().invoke(app, ["library", "remove", "gone", "--yes"])
    assert removed.exit_code == 0, removed.output
    done = watch("run")
    assert done.exit_code == 1
    assert "there is no library 'gone'" in done.stderr
    assert len(WatchFolder(W).history().checks) == 1  # the other watch was checked
    assert not WatchFolder("gone").history().begun


def test_damaged_watch_does_not_hide_others_and_can_be_removed(library_watch: None) -> None:
    added = watch("add", "Who checks quotes?", "--criteria", " ", "--library", OWN, "--name", "bad")
    assert added.exit_code == 0
    folder = WatchFolder("bad")
    assert folder.watch().inputs["text"] == "Who checks quotes?"  # no condition was given
    write_whole(folder.path / "watch.json", "{}")
    listed = watch("list")
    assert listed.stdout.startswith(f"{W} ")
    assert "what is kept of watch 'bad' is damaged" in listed.stderr
    assert watch("remove", "bad", "--yes").exit_code == 0
    assert not folder.path.exists()


def test_mail_without_an_address_stops_no_check(
    library_watch: None, mail: MailServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITELOOM_MAIL_TO")
    settings.cache_clear()
    for checks in (1, 2):
        done = watch("run", W)
        assert done.exit_code == 1
        assert "set CITELOOM_MAIL_FROM and CITELOOM_MAIL_TO" in done.stderr
        assert len(WatchFolder(W).history().checks) == checks
