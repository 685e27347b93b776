"""A screening on disk: its protocol, its papers, and a log of decisions that is only ever appended to.

The folder has two files. `protocol.json` is the user's to edit: a change is logged with its day as an amendment when
the folder is next opened. `log.jsonl` has everything else, one event a line: each version of the protocol, each
import with its records, each decision. All numbers are counted from it. An event is one write that reaches the
disk before the call returns; half a line, as a killed process may leave, is dropped.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import combinations, takewhile
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter, ValidationError

from state.merging import merge_papers
from state.paper import Paper, title_key
from state.screening import Choice, Protocol, ScreeningDecision, Stage
from tools.bibliography.read_records import read_whole
from tools.disk import write_whole
from tools.errors import InputError, plain_fault
from tools.screening.agreement import Agreement, agreement
from tools.screening.paper_order import PaperOrder
from tools.screening.stopping import RecallEstimate, estimate_recall

Outcome = Literal["include", "exclude", "not_retrieved", "conflict", "waiting"]
"""What a stage comes to for a paper; 'conflict' also where all screeners said maybe."""
PROTOCOL, LOG = "protocol.json", "log.jsonl"
_ON: Collection[Choice] = ("include", "maybe")
_COMES_TO: Mapping[Choice, Outcome] = {
    "include": "include",
    "maybe": "include",
    "exclude": "exclude",
    "not_retrieved": "not_retrieved",
}


class Screening:
    """A screening, opened from its folder."""

    def __init__(self, folder: Path) -> None:
        """Open a screening.

        Raises:
            InputError: The folder has none, or its protocol cannot be used.
        """
        self.folder = folder
        self.papers: dict[str, Paper] = {}
        self.sources: dict[str, int] = {}
        """Records identified, by source."""
        self.duplicates = 0
        self.protocols: list[tuple[str, Protocol]] = []
        """Each version with the time from which it holds."""
        self.decisions: list[ScreeningDecision] = []
        """All of them, in order; the last one of a screener on a paper counts."""
        self._latest: dict[Stage, dict[str, dict[str, ScreeningDecision]]] = {}
        self._settled: dict[Stage, dict[str, ScreeningDecision]] = {}
        self._of_source: dict[str, set[str]] = {}
        """The ids of the papers that each source has brought."""
        self._files: dict[str, str] = {}
        """The source of each file that was added, by the SHA-256 of its bytes."""
        self._order: PaperOrder | None = None
        self._known: dict[str, str] = {}
        """The id of each paper here, by all its ids and its title."""
        self._read = self._lines = 0
        """Bytes and lines of the log that were taken in."""
        if not (folder / LOG).is_file():
            raise InputError(f"there is no screening in {folder}: begin one with `screen new`")
        self.refresh()

    def refresh(self) -> None:
        """Take in what was added to the folder since, here or elsewhere; an edit of the protocol is logged.

        Raises:
            InputError: The folder is damaged, or its protocol cannot be used.
        """
        self._take_in()
        with refusing_protocol(str(self.folder / PROTOCOL)):
            edited = Protocol.model_validate_json(read_whole(self.folder / PROTOCOL))
        if not self.protocols or edited != self.protocol:
            self._log({"type": "protocol", "protocol": edited.model_dump(mode="json")})

    @classmethod
    def new(cls, folder: Path, protocol: Protocol) -> "Screening":
        """Begin a screening with its protocol.

        Raises:
            InputError: The folder has one already.
        """
        if (folder / LOG).exists():
            raise InputError(f"{folder} has a screening already: edit its {PROTOCOL} to amend it")
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / PROTOCOL, protocol)
        (folder / LOG).touch()
        return cls(folder)

    def amend(self, protocol: Protocol) -> None:
        """Replace the protocol; the log keeps each version with its day."""
        _write(self.folder / PROTOCOL, protocol)
        self.refresh()

    @property
    def protocol(self) -> Protocol:
        """The protocol as it holds now."""
        return self.protocols[-1][1]

    @property
    def amended(self) -> list[str]:
        """When the protocol was changed after the first decision."""
        first = min((one.protocol for one in self.decisions), default=len(self.protocols))
        return [at for at, _ in self.protocols[first:]]

    def add_papers(
        self, source: str, papers: Iterable[Paper], sha256: str = ""
    ) -> tuple[int, int, int, str]:
        """Add the records of a source; say how many are new, duplicates and added before, and of which source.

        A file whose bytes were added before is that one, whatever its name.
        """
        source = self._files.get(sha256, source)
        records = [one.model_dump(mode="json", exclude_defaults=True) for one in papers]
        if not records:
            raise InputError(f"{source} has no paper that can be screened")
        before, doubles = len(self.papers), self.duplicates
        self._log({"type": "papers", "source": source, "sha256": sha256, "papers": records})
        fresh, known = len(self.papers) - before, self.duplicates - doubles
        return fresh, known, len(records) - fresh - known, source

    def decide(self, decisions: Sequence[ScreeningDecision]) -> None:
        """Add decisions to the log.

        Raises:
            InputError: One names a paper, a stage or a criterion that does not exist, or excludes without one.
        """
        events = []
        for one in decisions:
            reason = one.reason.upper() if one.decision == "exclude" else ""
            stamped = one.model_copy(
                update={"reason": reason, "protocol": len(self.protocols), "at": ""}
            )
            self._check(stamped)
            told = stamped.model_dump(mode="json", exclude_defaults=True)
            events.append({"type": "decision", **told})
        self._log(*events)

    def withdraw(self, by: str, stage: Stage) -> Paper:
        """Take back the last decision of a screener that counts, and return its paper; the log keeps both.

        Raises:
            InputError: The screener has not decided on anything.
        """
        mine = [
            one for one in self.decisions if (one.by, one.stage, one.kind) == (by, stage, "person")
        ]
        if not mine:
            raise InputError(f"{by} has not decided on any paper here")
        self._log({"type": "withdrawn", "paper": mine[-1].paper, "stage": stage, "by": by})
        return self.papers[mine[-1].paper]

    def _check(self, one: ScreeningDecision) -> None:
        criteria = self.protocol.criteria
        if one.paper not in self.papers:
            raise InputError(f"the screening has no paper '{one.paper}'")
        if one.stage not in self.protocol.stages:
            raise InputError(f"the protocol has no stage '{one.stage}'")
        if one.decision == "not_retrieved" and one.stage != "full_text":
            raise InputError("only a full text can be not retrieved")
        if one.reason and one.reason not in criteria:
            raise InputError(
                f"there is no criterion '{one.reason}': the protocol has {', '.join(criteria)}"
            )
        if one.decision == "exclude" and not (one.reason or one.note):
            raise InputError(f"an exclusion needs the number of a criterion: {', '.join(criteria)}")

    def latest(self, stage: Stage) -> Mapping[str, Mapping[str, ScreeningDecision]]:
        """Return the last decision of each screener on each paper; without what settled conflicts."""
        return self._latest.get(stage, {})

    def outcomes(self, stage: Stage) -> dict[str, tuple[Outcome, str]]:
        """Return what each paper of a stage comes to, with the criterion that excludes it."""
        settled, latest = self._settled.get(stage, {}), self.latest(stage)
        return {
            key: self._outcome(stage, settled.get(key), [*latest.get(key, {}).values()])
            for key in self.in_stage(stage)
        }

    def in_stage(self, stage: Stage) -> list[str]:
        """Return the papers that a stage has to decide on: all, or those that the stage before let through."""
        if stage == "title_abstract":
            return [*self.papers]
        before = self.outcomes("title_abstract")
        return [key for key, (outcome, _) in before.items() if outcome == "include"]

    def conflicts(self, stage: Stage) -> list[Paper]:
        """Return the papers of a stage that a person has to settle."""
        return [
            self.papers[key] for key, (one, _) in self.outcomes(stage).items() if one == "conflict"
        ]

    def _outcome(
        self, stage: Stage, settled: ScreeningDecision | None, said: Sequence[ScreeningDecision]
    ) -> tuple[Outcome, str]:
        if settled:
            return _COMES_TO[settled.decision], settled.reason
        if len(said) < self.protocol.screeners:
            return "waiting", ""
        choices = {one.decision for one in said}
        if choices == {*_ON} and stage == "title_abstract":
            return "include", ""
        if len(choices) > 1 or choices == {"maybe"}:
            return "conflict", ""
        # A person's reason stands before a model's.
        first = min(said, key=lambda one: one.kind != "person")
        return _COMES_TO[first.decision], first.reason

    def agreements(self, stage: Stage) -> list[Agreement]:
        """Return how each two screeners agree."""
        latest = self.latest(stage)
        names = sorted({by for said in latest.values() for by in said})
        both = {
            (first, second): [
                (said[first].decision in _ON, said[second].decision in _ON)
                for said in latest.values()
                if {first, second} <= said.keys()
            ]
            for first, second in combinations(names, 2)
        }
        return [agreement(stage, *pair, decided) for pair, decided in both.items() if decided]

    def made_under_older_protocol(self) -> int:
        """Return how many decisions that count were made before the protocol was last amended."""
        return sum(
            one.protocol < len(self.protocols)
            for stage in self.protocol.stages
            for said in self.latest(stage).values()
            for one in said.values()
        )

    def next_papers(self, by: str, stage: Stage, most: int, *, random: bool = False) -> list[Paper]:
        """Return papers that a screener has not decided on, those most likely to be relevant first.

        The order is learnt from this screener's own decisions, so that nobody sees another's in it.

        Args:
            by: The screener.
            stage: Of the screening.
            most: How many.
            random: Draw them at random instead, for an exact estimate of recall.
        """
        own = {key: said[by] for key, said in self.latest(stage).items() if by in said}
        keys = [*self.papers]
        wanted = {*self.in_stage(stage)} - own.keys()
        left = [at for at, key in enumerate(keys) if key in wanted]
        if random:
            drawn = np.random.default_rng(len(self.decisions)).permutation(left)[:most]
            return [self.papers[keys[int(at)]] for at in drawn]
        if self._order is None:
            asked = " ".join([self.protocol.question, *self.protocol.include])
            self._order = PaperOrder([one.text for one in self.papers.values()], asked)
        labels = {at: own[key].decision in _ON for at, key in enumerate(keys) if key in own}
        scores = self._order.scores(labels)
        return [
            self.papers[keys[at]] for at in sorted(left, key=lambda at: (-scores[at], at))[:most]
        ]

    def recall(self, by: str) -> RecallEstimate:
        """Estimate which share of the papers that a screener would include they have found, by titles and abstracts."""
        latest = self.latest("title_abstract")
        mine = (one for one in self.decisions if (one.by, one.stage) == (by, "title_abstract"))
        first = dict.fromkeys(one.paper for one in mine)
        own = [latest[key][by] for key in first if by in latest.get(key, {})]
        tail = [*takewhile(lambda one: one.drawn == "random", reversed(own))]
        labels = [one.decision in _ON for one in own]
        return estimate_recall(labels, len(self.papers), random=len(tail))

    def _log(self, *events: dict[str, Any]) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        _append(self.folder / LOG, [{"at": now, **one} for one in events])
        self._take_in()

    def _take_in(self) -> None:
        """Take in the whole lines of the log that are new; the last one may be unfinished."""
        path = self.folder / LOG
        with path.open("rb") as log:
            log.seek(self._read)
            *lines, _ = log.read().split(b"\n")
        try:
            for line in lines:
                self._lines += 1
                self._take(json.loads(line))
                self._read += len(line) + 1
        except ValueError as error:  # no JSON, or not what it says
            raise InputError(
                f"line {self._lines} of {path} is damaged: restore the file from a backup"
            ) from error

    def _take(self, event: Mapping[str, Any]) -> None:
        match event:
            case {"type": "protocol", "at": at, "protocol": protocol}:
                self.protocols.append((at, Protocol.model_validate(protocol)))
                self._order = None
            case {"type": "papers", "source": source, "papers": records}:
                self._take_papers(source, TypeAdapter(list[Paper]).validate_python(records))
                if sha256 := event.get("sha256"):  # earlier versions kept none
                    self._files[sha256] = source
                self._order = None
            case {"type": "decision", **said}:
                self._take_decision(ScreeningDecision.model_validate(said))
            case {"type": "withdrawn", "paper": paper, "stage": stage, "by": by}:
                self._take_back(paper, stage, by)

    def _take_decision(self, one: ScreeningDecision) -> None:
        self.decisions.append(one)
        if one.kind == "resolution":
            self._settled.setdefault(one.stage, {})[one.paper] = one
        else:
            self._latest.setdefault(one.stage, {}).setdefault(one.paper, {})[one.by] = one

    def _take_back(self, paper: str, stage: Stage, by: str) -> None:
        asked = (paper, stage, by, "person")
        places = [
            at
            for at, one in enumerate(self.decisions)
            if (one.paper, one.stage, one.by, one.kind) == asked
        ]
        del self.decisions[places[-1]], self._latest[stage][paper][by]
        if places[1:]:
            self._latest[stage][paper][by] = self.decisions[places[-2]]

    def _take_papers(self, source: str, papers: Iterable[Paper]) -> None:
        """Count the records of a source; one of a paper that an earlier file of this source had is no new record."""
        brought = self._of_source.setdefault(source, set())
        before, here = {*brought}, len(self.papers)
        keys = [self._unite(paper) for paper in papers]
        brought.update(keys)
        records = sum(key not in before for key in keys)
        self.sources[source] = self.sources.get(source, 0) + records
        self.duplicates += records - (len(self.papers) - here)

    def _unite(self, paper: Paper) -> str:
        """Add a paper, or merge its record with the one that is here; return its id."""
        same = (paper.id, *paper.aliases, _title(paper))
        key = next((self._known[one] for one in same if one in self._known), None)
        if key is None:
            self.papers[paper.id], key = paper, paper.id
        else:
            self.papers[key] = merge_papers(self.papers[key], paper)
        self._known |= dict.fromkeys(same, key)
        return key


def delete_screening(folder: Path) -> None:
    """Delete what CiteLoom keeps of a screening, and its folder unless that has other files."""
    for name in (LOG, PROTOCOL, f"{LOG}.lock"):
        (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


@contextmanager
def refusing_protocol(name: str) -> Iterator[None]:
    """Raise InputError, which names each fault, where a protocol is not one."""
    try:
        yield
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, one['loc'])) or 'protocol'}: {plain_fault(one['msg'])}"
            for one in error.errors()
        )
        raise InputError(f"{name} cannot be used: {faults}") from error


def _title(paper: Paper) -> str:
    first = paper.authors[0].family if paper.authors else paper.id
    return f"title:{title_key(paper.title)}-{paper.year or ''}-{title_key(first)}"


def _write(path: Path, protocol: Protocol) -> None:
    write_whole(path, protocol.model_dump_json(indent=2) + "\n")


def _append(path: Path, events: Iterable[Mapping[str, Any]]) -> None:
    """Write whole lines to the end of a file, after dropping half a line that stands there."""
    from filelock import FileLock

    data = b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in events)
    with FileLock(f"{path}.lock"), path.open("ab+") as stream:
        if stream.tell():
            stream.seek(-1, os.SEEK_END)
            if stream.read() != b"\n":
                stream.seek(0)
                stream.truncate(stream.read().rfind(b"\n") + 1)
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
