"""A mind that lies at fixed rates, and keeps a record of each lie.

It spoils the good answers of tests.fakes.reviewer: citations of papers that are none, claims of one
paper cited to another, quotes that stand nowhere; and where its own misplaced citations are checked,
it calls them supported, with words that are the paper's and have nothing to do with the claim.
"""

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Literal

from tests.fakes.openai_server import Reply
from tests.fakes.reviewer import Spoil, sentences

Kind = Literal["invented", "misplaced", "false_quote"]
_SENTENCE_END = re.compile(r"(?<=\.)\s+(?=On the whole)")
_MARKER = re.compile(r"\{(P\d+)\}")


@dataclass(frozen=True)
class Lie:
    """One lie."""

    kind: Kind
    task: str
    sentence: str
    key: str
    said: str
    """The citation or the quote that was made up, or the claim that was misplaced."""


@dataclass
class DishonestMind:
    """Lies at these rates; what it does depends on its seed and on what it is shown, not on when."""

    papers: Sequence[dict[str, Any]]
    """Records of which it takes claims to misplace."""
    seed: int = 0
    invents: float = 0.1
    misplaces: float = 0.1
    false_quotes: float = 0.2
    lies: list[Lie] = field(default_factory=list)
    seen: Sequence[str] = ()
    """Sentences that it was asked to check; a test notes them here."""
    _lock: Lock = field(default_factory=Lock)

    def spoilers(self) -> Mapping[str, Spoil]:
        """Return what spoils the answers, by task, for `reviewer`."""
        written = (
            "write_section",
            "extend_draft",
            "write_cited",
            "join_cited",
            "rewrite_unsupported",
        )
        drafted = {task: self._drafted(task) for task in ("draft_section", "revise_draft")}
        lines = {task: self._written(task) for task in written}
        return {**lines, **drafted, "judge_claims": self._check}

    def of(self, kind: Kind) -> list[Lie]:
        """Return the lies of one kind."""
        return [lie for lie in self.lies if lie.kind == kind]

    def _written(self, task: str) -> Spoil:
        def spoil(answer: Any, inputs: dict[str, Any]) -> Reply:
            dice = self._dice(task, inputs)
            written: list[dict[str, Any]] = []
            grounds: list[dict[str, Any]] = []
            for place, item in enumerate(answer["sentences"], start=1):
                mine = [one for one in answer["grounds"] if one["sentence"] == place]
                lied = self._spoiled(task, {"sentence": item["text"], "support": mine}, dice)
                written.append({**item, "text": lied["sentence"]})
                grounds += lied["support"]
            return {"sentences": written, "grounds": grounds}

        return spoil

    def _drafted(self, task: str) -> Spoil:
        def spoil(answer: Any, inputs: dict[str, Any]) -> Reply:
            dice = self._dice(task, inputs)
            if task == "draft_section":
                return {**answer, "text": self._lied(task, answer["text"], dice)}
            whole = dict(enumerate(inputs["section"].split("\n\n"), start=1))
            whole |= {item["number"]: item["text"] for item in answer["paragraphs"]}
            told = [
                {"number": number, "text": self._lied(task, text, dice)}
                for number, text in whole.items()
            ]
            return {**answer, "paragraphs": told}

        return spoil

    def _lied(self, task: str, text: str, dice: random.Random) -> str:
        said = _SENTENCE_END.split(text)
        return " ".join(self._spoiled(task, {"sentence": item}, dice)["sentence"] for item in said)

    def _dice(self, task: str, inputs: dict[str, Any]) -> random.Random:
        return random.Random(f"{self.seed}/{task}/{json.dumps(inputs, sort_keys=True)}")

    def _tell(self, kind: Kind, task: str, sentence: str, key: str, said: str) -> None:
        with self._lock:
            self.lies.append(Lie(kind, task, " ".join(sentence.split()), key, said))

    def _spoiled(self, task: str, answer: dict[str, Any], dice: random.Random) -> dict[str, Any]:
        """Spoil one written sentence in at most one way, and its quotes besides."""
        text = str(answer["sentence"])
        keys = list(dict.fromkeys(_MARKER.findall(text)))
        # The rates are of citations, and a sentence may have several.
        draw = dice.random() / max(len(keys), 1)
        if keys and draw < self.invents:
            said, text = dice.choice(_INVENTIONS)(text, dice)
            self._tell("invented", task, text, said.strip("{}"), said)
        elif keys and draw < self.invents + self.misplaces:
            key, (claim, text) = keys[0], self._misplace(text, keys, dice)
            self._tell("misplaced", task, text, key, claim)
        support = []
        for item in answer.get("support", []):
            quotes = item["quotes"]
            if dice.random() < self.false_quotes:
                quote = f"It is beyond doubt that {dice.randint(10**6, 10**7)} trials agree on it."
                self._tell("false_quote", task, text, item["key"], quote)
                quotes = [quote]
            support.append({**item, "quotes": quotes})
        return {**answer, "sentence": text, "support": support}

    def _misplace(self, text: str, keys: Sequence[str], dice: random.Random) -> tuple[str, str]:
        """Swap two papers' markers, or cite the sentence's papers for what another paper says."""
        if len(keys) > 1 and dice.random() < 0.5:
            swap = {keys[0]: keys[1], keys[1]: keys[0]}
            swapped = _MARKER.sub(lambda mark: f"{{{swap.get(mark[1], mark[1])}}}", text)
            return f"{keys[0]} for {keys[1]}", swapped
        strangers = [item for item in self.papers if not _speaks_of(text, item)]
        claim = sentences(dice.choice(strangers)["abstract"])[dice.randint(0, 2)].rstrip(".")
        marks = "".join(f"{{{key}}}" for key in keys)
        return claim, f"{claim} {marks}."

    def _check(self, answer: Any, inputs: dict[str, Any]) -> Reply:
        """Call everything supported; make up quotes, and quote beside the point for own lies."""
        dice = self._dice("judge_claims", inputs)
        texts = {item["number"]: " ".join(item["text"].split()) for item in inputs["sentences"]}
        abstracts = {item["key"]: item["abstract"] for item in inputs["sources"]}
        findings = []
        for item, asked in zip(answer["findings"], inputs["asked"], strict=True):
            text, key, quotes = texts[asked["sentence"]], asked["sources"][0], item["quotes"]
            if key in abstracts and any(lie.sentence == text for lie in self.of("misplaced")):
                quotes = [sentences(abstracts[key])[-1]]
            if dice.random() < self.false_quotes:
                quotes = [f"All {dice.randint(10**6, 10**7)} cases were found to confirm it."]
                cited = key if _MARKER.search(text) else ""
                self._tell("false_quote", "judge_claims", text, cited, quotes[0])
            # What it restates is what it quotes, so that nothing seems wrong.
            claim = quotes[0] if dice.random() < 0.5 else ""
            findings.append({**item, "claim": claim, "quotes": quotes, "verdict": "supported"})
        return {"findings": findings}


def _speaks_of(text: str, record: dict[str, Any]) -> bool:
    from tests.fakes.made_papers import subject_of

    return subject_of(record) in text.lower()


def _nobody(text: str, dice: random.Random) -> tuple[str, str]:
    key = f"P{dice.randint(90, 99)}"
    return f"{{{key}}}", f"{text.rstrip('.')} {{{key}}}."


def _author_year(text: str, dice: random.Random) -> tuple[str, str]:
    said = f"({dice.choice(('Smith', 'Jones', 'Garcia'))}, {dice.randint(2000, 2024)})"
    return said, f"{text.rstrip('.')} {said}."


def _number(text: str, dice: random.Random) -> tuple[str, str]:
    said = f"[{dice.randint(31, 60)}]"
    return said, f"{text.rstrip('.')} {said}."


def _form(form: str) -> Callable[[str, random.Random], tuple[str, str]]:
    def invent(text: str, dice: random.Random) -> tuple[str, str]:
        year = dice.randint(2000, 2024)
        said = form.format(name=dice.choice(("Smith", "Jones", "Garcia")), year=year)
        return said, f"{text.rstrip('.')} {said}."

    return invent


_FORMS = (
    "(see {name}, {year}, p. 3)",
    "{name} and Doe ({year})",
    "({name}, Doe, and Roe, {year})",
    "[@{name}{year}]",
    "doi:10.1234/made.{year}",
    "[P9{year}]",
    "({name}, in press)",
    "\\cite{{{name}{year}}}",
    "https://example.org/{year}",
)
_INVENTIONS: tuple[Callable[[str, random.Random], tuple[str, str]], ...] = (
    _nobody,
    _author_year,
    _number,
    *map(_form, _FORMS),
)
