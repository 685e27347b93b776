"""The digest of a watch: as Markdown, as an Atom feed of all digests, and as a mail."""

from collections.abc import Iterator, Sequence
from email.message import EmailMessage
from email.utils import format_datetime
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as Xml

from citeloom.report.escaping import escape, one_line, unescaped
from state.watch import ItemKind, Watch, WatchCheck, WatchItem
from tools.bibliography.text_runs import on_one_line
from tools.bibliography.write_records import address, reference_line
from tools.errors import PROGRAM, counted

_HEADINGS: dict[ItemKind, str] = {
    "retracted": "Retracted",
    "new": "New papers",
    "published": "Now published",
    "notice": "Notice of the publisher",
}
_COUNTED: dict[ItemKind, str] = {
    "retracted": "retracted",
    "published": "now published",
    "notice": "with a notice",
}
_CHANGES = {
    "contradicts": "Contradicts",
    "extends": "Extends",
    "same": "Says the same as",
    "nearest": "Nearest to (not compared):",
}


def digest_title(watch: Watch, check: WatchCheck) -> str:
    """Return what a digest is about, on one line of plain text."""
    kinds = [item.kind for item in check.items]
    told = [f"{kinds.count(kind)} {word}" for kind, word in _COUNTED.items() if kind in kinds]
    return f"{watch.name}: {', '.join([counted(kinds.count('new'), 'new paper'), *told])}"


def digest_markdown(watch: Watch, check: WatchCheck) -> str:
    """Return a digest as Markdown."""
    return "\n\n".join(_blocks(watch, check)) + "\n"


def _blocks(watch: Watch, check: WatchCheck) -> Iterator[str]:
    yield f"# {escape(digest_title(watch, check))}"
    days = f", papers from {check.after} on" if check.after else ""
    searched = f"searched {', '.join(check.searched) or 'nothing'}{days}"
    subject = escape(one_line(watch.subject, 200))
    yield f"Digest {check.number} of {check.at:%Y-%m-%d}: {searched}. Watched: “{subject}”"
    for name, why in check.failed.items():
        yield f"> Not searched: {name} ({escape(one_line(why))}). The next check starts from the same day."
    for line in check.unasked:
        yield f"> Not done: {escape(one_line(line))}."
    for kind, heading in _HEADINGS.items():
        if items := [item for item in check.items if item.kind == kind]:
            yield f"## {heading}"
            yield "\n".join(line for item in items for line in _item(item, check))
    if check.untold:
        more = counted(check.untold, "more paper")
        yield f"{more} reached the bar: `{PROGRAM} runs show {check.run}` says how to see them."
    if watch.run and any(item.kind in {"new", "retracted"} for item in check.items):
        yield f"To write the section again with new papers: `{PROGRAM} update {watch.run} --write`"


def _item(item: WatchItem, check: WatchCheck) -> Iterator[str]:
    yield f"- **{escape(one_line(item.paper.title))}**"
    yield f"   {escape(one_line(reference_line(item.paper)))}"
    yield from (f"   - {escape(line)}" for line in _item_lines(item, check))


def _item_lines(item: WatchItem, check: WatchCheck) -> Iterator[str]:
    """Yield the lines of plain text for one item."""
    if item.kind != "new":
        yield one_line(f"{item.detail[:1].upper()}{item.detail[1:]}.")
        return
    how = (
        f"judged by {check.mind}"
        if item.judged
        else "by meaning, shared words, links and age; no model judged it"
    )
    yield f"Relevance: {item.score:.0f} of 100, {how} (bar: {check.bar:.0f})."
    if not (placed := item.placed) or not placed.sentence:
        return
    if placed.change == "none":
        yield "Changes no sentence of the section."
    else:
        yield f"{_CHANGES[placed.change]} sentence {placed.sentence} of the section: “{one_line(placed.sentence_text)}”"
    if placed.says:
        yield f"It {one_line(placed.says)}"
    if placed.words:
        yield f"Its words: “{one_line(placed.words.text)}”{placed.words.whose}"


def feed_xml(watch: Watch, checks: Sequence[WatchCheck]) -> str:
    """Return the Atom feed of a watch: an entry for each thing told, with an id that never changes."""
    feed = Xml.Element("feed", xmlns="http://www.w3.org/2005/Atom")
    _put(feed, "id", _id(watch))
    _put(feed, "title", f"{watch.name}: new papers on {one_line(watch.subject, 80)}")
    _put(feed, "updated", checks[-1].at.isoformat())
    _put(_put(feed, "author"), "name", "CiteLoom")
    told = [(item, check) for check in reversed(checks) for item in check.items]
    for item, check in told[:200]:
        entry = _put(feed, "entry")
        _put(entry, "id", _id(watch, item.key))
        sign = "" if item.kind == "new" else f"{_HEADINGS[item.kind]}: "
        _put(entry, "title", f"{sign}{item.paper.title}")
        _put(entry, "updated", check.at.isoformat())
        for author in item.paper.authors[:20]:
            _put(_put(entry, "author"), "name", author.name)
        if link := address(item.paper):
            _put(entry, "link", href=on_one_line(link))
        lines = [reference_line(item.paper), *_item_lines(item, check)]
        _put(entry, "content").text = "\n".join(map(on_one_line, lines))
    Xml.indent(feed)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(feed, "unicode")}\n'


def _id(watch: Watch, key: str = "") -> str:
    return uuid5(NAMESPACE_URL, f"citeloom-watch {watch.name} {watch.added.isoformat()} {key}").urn


def _put(parent: Xml.Element, name: str, text: str = "", **attributes: str) -> Xml.Element:
    """Add an element; characters that XML cannot hold are left out."""
    made = Xml.SubElement(parent, name, attributes)
    made.text = on_one_line(text) or None
    return made


def digest_mail(watch: Watch, check: WatchCheck, sender: str, receivers: str) -> EmailMessage:
    """Return a digest as a mail, under an id by which a mail program knows it if it comes twice."""
    mail = EmailMessage()
    mail["From"], mail["To"] = one_line(sender), one_line(receivers)
    mail["Subject"] = one_line(digest_title(watch, check), 200)
    mail["Date"] = format_datetime(check.at)
    mail["Message-ID"] = f"<{_id(watch, str(check.number)).rpartition(':')[2]}@citeloom.invalid>"
    mail.set_content(unescaped(digest_markdown(watch, check)))
    return mail
