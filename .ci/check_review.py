"""Check what the README's main command wrote: `python .ci/check_review.py DIR`.

Standard library only. Says every fault it finds and exits with 1 if there is one.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILES = (
    "review.html",
    "review.md",
    "papers.json",
    "run.json",
    "audit.json",
    "files/README.md",
    "files/references.bib",
    "files/references.csl.json",
    "files/references.ris",
    "files/table.md",
    "files/table.csv",
)
SENTENCES = range(8, 26)
FEWEST_CITED = 8

_CITATION = re.compile(r"\[(\d+(?:\s*[,;–-]\s*\d+)*)\]")
_REFERENCE = re.compile(r"^(?:[-*]\s+)?(?:<a [^>]*></a>\s*)?(?:\[(\d+)\]|(\d+)[.)])\s+\S")
_REFERENCES_HEAD = re.compile(r"#+\s+(?:references|bibliography)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<!et al)(?<!e\.g)(?<!i\.e)(?<!\b[A-Z])[.!?][”\"')\]]*(?=\s|$)")
_BIB_ENTRY = re.compile(r"^@\w+\{\s*([^,\s]+)\s*,", re.MULTILINE)
_OWN_SENTENCE = re.compile(
    r"[^{}]+ \{P\d+\} (?:\(annotation\): “(?P<quoted>.+)”"
    r"|(?:(?:also|then|further|first|next|\w+ly) )?[a-z]+ (?P<rest>.+))"
)
_COUNTED = re.compile(
    r"(?:[^“”{}.;]+|Papers close to “[^“”{}]+”) \(\d+ papers?(?:, \d{4}(?: to \d{4})?)?\)\."
)
_NOT_PROSE = ("#", ">", "|", "- ", "* ", "<!--", "```", "---")


def main(folder: Path) -> int:
    """Return 0 if the review in `folder` is what the README promises, else 1."""
    faults = list(faults_of(folder))
    for line in faults or [f"everything in order in {folder}"]:
        sys.stdout.write(f"review: {line}\n")
    return 1 if faults else 0


def faults_of(folder: Path) -> Iterator[str]:
    """Yield each fault of the output folder, in words."""
    texts: dict[str, str] = {}
    for name in FILES:
        path = folder / name
        if path.is_file() and (text := path.read_text(encoding="utf-8")).strip():
            texts[name] = text
        else:
            yield f"{name} is missing or empty"
    cited: set[int] = set()
    if "review.md" in texts:
        cited = cited_in(split_review(texts["review.md"])[0])
        yield from faults_of_review(texts["review.md"], cited)
    if "files/references.bib" in texts:
        yield from faults_of_bibtex(texts["files/references.bib"], len(cited))
    for name, text in texts.items():
        if name.endswith(".json"):
            yield from faults_of_json(name, text, len(cited))
    if {"run.json", "papers.json"} <= set(texts):
        yield from faults_of_words(
            json.loads(texts["run.json"]), json.loads(texts["papers.json"])["papers"]
        )


def faults_of_words(run: dict[str, Any], papers: list[dict[str, Any]]) -> Iterator[str]:
    """Yield each sentence that is neither of a paper's annotation nor a count of papers.

    'Tang et al. {P1} (annotation): “We see X.”' has whole sentences of it; 'Tang et al. {P1} see
    X.' ends like one of them, behind the name and at most two words more.
    """
    abstracts = {item["paper"]["id"]: item["paper"]["abstract"] or "" for item in papers}
    for sentence in run["sentences"]:
        marked = sentence["marked"]
        said = _OWN_SENTENCE.fullmatch(marked)
        if not sentence["citations"] and not _COUNTED.fullmatch(marked):
            yield f"nobody's own words and no count of papers: {marked}"
        for item in sentence["citations"]:
            abstract = abstracts[item["paper"]]
            own = said and (
                said["quoted"] in abstract if said["quoted"] else f" {said['rest']}" in abstract
            )
            if not own or item["verdict"] != "supported":
                yield f"not the annotation's words, or not checked: {marked}"
            elif item["quote"]["part"] != "annotation":
                yield f"an annotation that is not called one: {marked}"


def split_review(markdown: str) -> tuple[str, list[str]]:
    """Return the prose before the heading of the references, and the lines under it."""
    lines = [line.strip().replace("\\[", "[").replace("\\]", "]") for line in markdown.splitlines()]
    end = next((at for at, line in enumerate(lines) if _REFERENCES_HEAD.match(line)), len(lines))
    prose = [line for line in lines[:end] if line and not line.startswith(_NOT_PROSE)]
    rest = lines[end + 1 :]
    after = next((at for at, line in enumerate(rest) if line.startswith("#")), len(rest))
    return " ".join(prose), rest[:after]


def cited_in(prose: str) -> set[int]:
    """Return the numbers cited in square brackets, ranges expanded."""
    numbers: set[int] = set()
    for group in _CITATION.findall(prose):
        for part in re.split(r"\s*[,;]\s*", group):
            first, _, last = re.sub(r"\s*–\s*", "-", part).partition("-")
            numbers |= set(range(int(first), int(last or first) + 1))
    return numbers


def faults_of_review(markdown: str, cited: set[int]) -> Iterator[str]:
    """Yield what is wrong with review.md itself."""
    prose, rest = split_review(markdown)
    sentences = len(_SENTENCE_END.findall(prose))
    if sentences not in SENTENCES:
        yield f"review.md has {sentences} sentences of prose, not {SENTENCES[0]} to {SENTENCES[-1]}"
    if len(cited) < FEWEST_CITED:
        yield f"review.md cites {len(cited)} numbers, fewer than {FEWEST_CITED}"
    listed = [int(found[1] or found[2]) for line in rest if (found := _REFERENCE.match(line))]
    if missing := sorted(cited - set(listed)):
        yield f"review.md cites {missing}, which its reference list lacks"
    if len(listed) != len(set(listed)):
        yield f"review.md lists a number twice: {listed}"


def faults_of_bibtex(text: str, cited: int) -> Iterator[str]:
    """Yield what is wrong with references.bib: braces, keys, number of entries."""
    keys = _BIB_ENTRY.findall(text)
    bare = re.sub(r"\\[{}]", "", text)
    if bare.count("{") != bare.count("}"):
        yield "references.bib has unbalanced braces"
    if len(keys) != len(set(keys)):
        yield f"references.bib has a key twice: {sorted(keys)}"
    if len(keys) < cited:
        yield f"references.bib has {len(keys)} entries for {cited} cited papers"


def faults_of_json(name: str, text: str, cited: int) -> Iterator[str]:
    """Yield what is wrong with a JSON file: it does not parse, is empty, or lacks entries."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        yield f"{name} is not JSON: {error}"
        return
    if not isinstance(value, dict | list) or not value:
        yield f"{name} holds nothing"
    if name == "files/references.csl.json" and not (
        isinstance(value, list) and len(value) >= cited
    ):
        yield f"{name} has fewer entries than the {cited} cited papers"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python .ci/check_review.py DIR")
    sys.exit(main(Path(sys.argv[1])))
