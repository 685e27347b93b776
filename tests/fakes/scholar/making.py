"""Makes the works of a world."""

import hashlib
import random
from dataclasses import replace
from datetime import date, timedelta

from tests.fakes.scholar import vocabulary
from tests.fakes.scholar.world import SERVICES, Service, Work

_FIRST_FOREIGN = 9_000_000_000
_REFERENCES = 15
"""Works that a work cites, on average."""
_DOI_PREFIXES = ("10.55501/loom", "10.55502/jir", "10.55503/LOOM", "10.18653/v1")
_NOWHERE: frozenset[Service] = frozenset()


class Maker:
    """Draws a world from a seed."""

    def __init__(self, seed: int, about: str) -> None:
        self.seed = seed
        self.draw = random.Random(seed)
        self.topics = dict(vocabulary.TOPICS)
        self.weights = [1.0] * len(self.topics)
        if terms := vocabulary.terms_of(about):
            self.topics[" ".join(terms[:2])] = terms
            self.weights.append(4.0)
        self.names = list(self.topics)
        self.landmark = 0
        self.works: list[Work] = []
        self.titles: set[str] = set()
        self.foreign = _FIRST_FOREIGN

    def make(self, size: int, crowd: int) -> list[Work]:
        """Return all works; the number of each is its place."""
        for when in sorted(self._date() for _ in range(size)):
            self._add(self._work(when))
        self.landmark = size // 6
        self._link()
        self._make_awkward()
        ordinary = len(self.works)
        for _ in range(crowd):
            self._add_follower()
        for original in self.works[3:ordinary:17]:
            self._add_preprint(original)
        for original in self.works[5:ordinary:61]:
            self._add_duplicate(original)
        for original in [work for work in self.works if "crossref" in work.retraction_in]:
            self._add_notice(original)
        return self.works

    def _add(self, work: Work) -> Work:
        work.number = len(self.works)
        work.s2 = hashlib.sha1(f"{self.seed}:{work.number}".encode()).hexdigest()
        work.corpus = 200_000_000 + 13 * work.number
        work.openalex = f"W{2_100_000_000 + 7919 * work.number + self.seed}"
        self.works.append(work)
        return work

    def _date(self) -> date:
        year = 1995 + int(31 * self.draw.random() ** 0.6)
        return date(year, 1, 1) + timedelta(days=self.draw.randrange(365))

    def _work(self, when: date) -> Work:
        topic = self.draw.choices(self.names, self.weights)[0]
        work = Work(
            number=len(self.works),
            title=self._title(topic),
            abstract=None if self.draw.random() < 0.08 else self._abstract(topic),
            date=when,
            day_known=self.draw.random() < 0.8,
            authors=self._authors(),
            venue=self.draw.choice(vocabulary.VENUES),
            topic=topic,
            open_access=self.draw.random() < 0.5,
        )
        if not work.day_known:
            work.date = when.replace(month=1, day=1)
        self._name(work)
        return work

    def _name(self, work: Work) -> None:
        number, year = work.number, work.year
        if self.draw.random() < 0.8:
            prefix = self.draw.choice(_DOI_PREFIXES)
            if prefix == "10.18653/v1":
                work.doi, work.kind = f"{prefix}/{year}.loom-main.{number}", "proceedings-article"
            else:
                work.doi = f"{prefix}.{year}.{number:05d}"
        if work.doi is None or self.draw.random() < 0.35:
            work.arxiv = self._arxiv_id(work.date, number)
        held: set[Service] = {"arxiv"} if work.arxiv else set()
        if work.doi and self.draw.random() < 0.95:
            held.add("crossref")
        for service, share in (("openalex", 0.93), ("semantic_scholar", 0.9), ("serpapi", 0.9)):
            if self.draw.random() < share:
                held.add(service)  # type: ignore[arg-type]  # the tuple's strings are services
        work.held_by = frozenset(held or {"openalex"})

    @staticmethod
    def _arxiv_id(when: date, number: int) -> str:
        if when < date(2007, 4, 1):
            return f"cs/{when:%y%m}{number % 1000:03d}"
        width = 5 if when.year >= 2015 else 4
        return f"{when:%y%m}.{(number * 7 + 11) % 10**width:0{width}d}"

    def _authors(self) -> tuple[tuple[str, str], ...]:
        count = self.draw.choices((1, 2, 3, 4, 6, 12), (2, 4, 5, 4, 2, 1))[0]
        return tuple(
            (self.draw.choice(vocabulary.GIVEN), self.draw.choice(vocabulary.FAMILY))
            for _ in range(count)
        )

    def _terms(self, topic: str) -> tuple[str, str]:
        own = self.topics[topic]
        pool = own if self.draw.random() < 0.8 else self.topics[self.draw.choice(self.names)]
        first = self.draw.choice(own)
        return first, self.draw.choice([term for term in pool if term != first] or list(own))

    def _fill(self, template: str, topic: str) -> str:
        a, b = self._terms(topic)
        return template.format(
            a=a,
            b=b,
            A=a.capitalize(),
            topic=topic,
            Topic=topic.capitalize(),
            method=self.draw.choice(vocabulary.METHODS),
            count=self.draw.randrange(3, 900),
            percent=self.draw.randrange(2, 60),
        )

    def _title(self, topic: str) -> str:
        title = self._fill(self.draw.choice(vocabulary.TITLES), topic)
        if title in self.titles:
            title = self._fill(f"{title}: {self.draw.choice(vocabulary.SUBTITLES)}", topic)
        while title in self.titles:
            title = f"{title}, part {len(self.works)}"
        self.titles.add(title)
        return title

    def _abstract(self, topic: str) -> str:
        chosen = self.draw.sample(vocabulary.SENTENCES, self.draw.randrange(5, 9))
        return " ".join(self._fill(sentence, topic) for sentence in chosen)

    def _link(self) -> None:
        same: dict[str, list[int]] = {name: [] for name in self.names}
        for work in self.works:
            wanted = max(1, round(self.draw.gauss(_REFERENCES, _REFERENCES / 4)))
            strangers = sum(self.draw.random() < 0.07 for _ in range(wanted))
            chosen: dict[int, None] = {}
            for _ in range(4 * (wanted - strangers) if work.number else 0):
                if len(chosen) == wanted - strangers:
                    break
                chosen[self._reference(work.number, same[work.topic])] = None
            unknown = range(self.foreign + 1, self.foreign + 1 + wanted - len(chosen))
            self.foreign += len(unknown)
            work.references = (*chosen, *(f"W{number}" for number in unknown))
            same[work.topic].append(work.number)

    def _reference(self, number: int, same: list[int]) -> int:
        """Draw an earlier work, or one that an earlier work cites, which makes a few famous."""
        one = self.draw.choice(same) if same and self.draw.random() < 0.8 else None
        if one is None:
            one = self.draw.randrange(number)
        known = [other for other in self.works[one].references if isinstance(other, int)]
        return self.draw.choice(known) if known and self.draw.random() < 0.35 else one

    def _make_awkward(self) -> None:
        works = self.works
        for work in works[7::25]:
            work.lists_references = frozenset({"semantic_scholar", "crossref"})
        for work in works[11::40]:
            work.lists_references = frozenset({"crossref"})
        for work in works[13::45]:
            work.references, work.lists_references = (), _NOWHERE
        for work in works[17::50]:
            work.abstract = work.venue = work.doi = None
            work.arxiv, work.authors, work.bare = None, (), True
            work.held_by = (work.held_by - {"arxiv", "crossref"}) | {"openalex"}
        for work in works[19::150]:
            work.title, work.abstract = "", None
        for work in works[23::60]:
            work.authors = (*work.authors, ("", ""))
        for at, work in enumerate(works[29::37]):
            work.retracted = True
            known: tuple[Service, ...] = ("openalex", "crossref") if at % 2 else ("crossref",)
            work.retraction_in = frozenset(known if work.doi else ("openalex",)) & work.held_by
        for work in works[31::43]:
            work.merged_from = f"W{3_000_000_000 + work.number}"
            work.held_by |= {"openalex"}
        for work in works[20 : len(works) - 9 : 90]:
            later = works[work.number + 8]
            later.references = tuple(dict.fromkeys((*later.references, work.number)))
            work.references = tuple(dict.fromkeys((*work.references, later.number)))
        for work in works[41:42]:
            work.references = (*work.references, 41)
        landmark = works[self.landmark]
        landmark.held_by = frozenset(SERVICES) - (_NOWHERE if landmark.arxiv else {"arxiv"})

    def _add_follower(self) -> None:
        landmark = self.works[self.landmark]
        number = len(self.works)
        span = (date(2025, 12, 31) - landmark.date).days
        self._add(
            Work(
                number=number,
                title=f"Annotated ledger entry {number} from the allotment society",
                abstract=None,
                date=landmark.date + timedelta(days=1 + number * 37 % span),
                authors=self._authors()[:1],
                topic="ledger",
                references=(self.landmark,),
                held_by=frozenset({"openalex", "semantic_scholar"}),
            )
        )

    def _add_preprint(self, original: Work) -> None:
        if original.doi is None or original.arxiv is not None or not original.title:
            return
        original.held_by |= {"openalex", "crossref"}
        original.held_by -= {"semantic_scholar"}
        when = original.date - timedelta(days=self.draw.randrange(60, 300))
        twin = self._add(
            replace(
                original,
                abstract=original.abstract and f"{original.abstract} This is an early version.",
                date=when,
                day_known=True,
                venue=None,
                kind="preprint",
                doi=None,
                held_by=frozenset({"arxiv", "semantic_scholar"}),
                merged_from=None,
                retracted=False,
                retraction_in=_NOWHERE,
                preprint_of=original.number,
            )
        )
        twin.arxiv = self._arxiv_id(when, twin.number)

    def _add_duplicate(self, original: Work) -> None:
        if "openalex" not in original.held_by or not original.title:
            return
        self._add(
            replace(
                original,
                doi=None,
                arxiv=None,
                references=(),
                lists_references=_NOWHERE,
                held_by=frozenset({"openalex"}),
                merged_from=None,
                retracted=False,
                retraction_in=_NOWHERE,
                duplicate_of=original.number,
            )
        )

    def _add_notice(self, original: Work) -> None:
        self._add(
            Work(
                number=0,
                title=f"Retraction note to: {original.title}",
                abstract=None,
                date=original.date + timedelta(days=400),
                venue=original.venue,
                kind="journal-article",
                doi=f"10.55501/notice.{original.number}",
                held_by=frozenset({"crossref"}),
                retracts=original.number,
            )
        )
