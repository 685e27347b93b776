"""The digest of a watch as Markdown, feed and mail: whatever stands in titles, and by the rules of Atom."""

from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

from citeloom.report.watch_digest import digest_mail, digest_markdown, feed_xml
from state.paper import Author, Paper
from state.quote import Quote
from state.watch import Placed, Watch, WatchCheck, WatchItem

UGLY = 'A <b>bold</b> & "quoted" title \x0b with\ufffe `marks` | [link](http://x)\nBcc: eve@example.org'
NOW = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)
WATCH = Watch(
    name="mine",
    subject=UGLY,
    every=7,
    added=NOW,
    since="2026-11-28",
    inputs={},
    settings={},
    run="r",
)
NEW = WatchItem(
    kind="new",
    paper=Paper(id="local:ugly", title=UGLY, authors=(Author(name="Eve <eve@x>"),)),
    score=72.4,
    judged=True,
    placed=Placed(
        change="contradicts",
        sentence=3,
        sentence_text="Owls | hoot [1].",
        says="reports\nsilence",
        words=Quote(text="Owls are silent.", paper="local:ugly"),
    ),
)
GONE = WatchItem(
    kind="retracted",
    paper=Paper(id="doi:10.1/a", title="Gone", doi="10.1/a"),
    detail="retracted (doi:10.1/b)",
)
CHECK = WatchCheck(
    at=NOW,
    run="r2",
    number=1,
    items=(NEW, GONE),
    after="2026-09-29",
    searched={"openalex": "2026-11-28"},
    failed={"arxiv": "no answer\n> in time"},
    mind="some-model",
    bar=20,
)
ATOM = "{http://www.w3.org/2005/Atom}"


def test_digest_says_what_is_new_by_whom_judged_and_what_failed() -> None:
    text = digest_markdown(WATCH, CHECK)
    assert text.startswith("# mine: 1 new paper, 1 retracted\n")
    assert "searched openalex, papers from 2026-09-29 on" in text
    assert "> Not searched: arxiv (no answer \\> in time)." in text
    assert r"\<b\>bold\</b\>" in text
    assert "Relevance: 72 of 100, judged by some-model (bar: 20)." in text
    assert "   - Contradicts sentence 3 of the section: “Owls \\| hoot [1].”" in text
    assert "   - It reports silence\n   - Its words: “Owls are silent.”" in text
    assert "   - Retracted (doi:10.1/b)." in text
    assert text.index("## Retracted") < text.index("## New papers")
    assert "citeloom update r --write" in text


def test_feed_is_what_atom_asks_for_and_its_ids_never_change() -> None:
    feed = Xml.fromstring(feed_xml(WATCH, [CHECK]).encode())
    later = WatchCheck(
        at=NOW, run="r3", number=2, items=(GONE.model_copy(update={"kind": "notice"}),)
    )
    again = Xml.fromstring(feed_xml(WATCH, [CHECK, later]).encode())
    assert feed.tag == f"{ATOM}feed"
    for node in (feed, *feed.findall(f"{ATOM}entry")):
        assert (node.findtext(f"{ATOM}id") or "").startswith("urn:uuid:")
        assert node.findtext(f"{ATOM}title")
        assert datetime.fromisoformat(node.findtext(f"{ATOM}updated") or "") == NOW
    # An entry without a link needs its content.
    assert all(entry.findtext(f"{ATOM}content") for entry in feed.findall(f"{ATOM}entry"))
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "CiteLoom"
    first = [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    second = [entry.findtext(f"{ATOM}id") for entry in again.findall(f"{ATOM}entry")]
    assert second[1:] == first
    assert len({*second}) == 3
    links = [link.get("href") for link in feed.iter(f"{ATOM}link")]
    assert links == ["https://doi.org/10.1/a"]
    titles = [entry.findtext(f"{ATOM}title") for entry in feed.findall(f"{ATOM}entry")]
    assert (titles[0] or "").startswith('A <b>bold</b> & "quoted" title with')
    assert titles[1] == "Retracted: Gone"


def test_mail_takes_no_header_from_a_title_and_keeps_its_id() -> None:
    watch = WATCH.model_copy(update={"name": "mine\nBcc: eve@example.org"})
    mail = digest_mail(watch, CHECK, "ada@example.org", "bo@example.org")
    assert mail["Bcc"] is None
    assert (
        mail["Message-ID"] == digest_mail(watch, CHECK, "ada@example.org", "b@x.org")["Message-ID"]
    )
    assert "Gone" in mail.get_content()
    assert mail.as_bytes().startswith(b"From: ada@example.org")
