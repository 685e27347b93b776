"""Whether damaged PDFs end well: `python -m evals.pdf_fuzz FOLDER [--count N] [--seed S]`.

Every PDF below FOLDER, and N made from them (cut off, bytes changed, random bytes behind a header,
two files joined, parts exchanged), is read by the processes that read files for a library, within
their limits of time and memory. Each must end in a document or in an error that says what to do.
Prints how they ended, the slowest, and the most memory; ends with 1 where one ended otherwise.

    --seconds S    for one file (30)       --megabytes M  for one process (500)
    --workers W    processes (2)           --keep DIR     where files that ended badly are put
    --only KEY     make and read this one again, such as 'cut-17'
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from evals.pdf.damage import WAYS, damaged
from evals.pdf.fuzz_worker import Outcome, read_measured
from tools.errors import DocumentError
from tools.ingest.workers import Limits, Workers

_BAD = {"untyped", "without a remedy"}
_WELL = {"read", "read in part", "refused"}


@dataclass(frozen=True)
class Case:
    """A file to be read; `key` names the damage and the number that it is made of."""

    key: str
    base: Path
    """The file that it is, or is made of."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Read every file and print how they ended; return 1 where one ended badly."""
    given = _given(arguments)
    files = sorted(given.folder.rglob("*.pdf"))
    if not files:
        print(f"{given.folder} has no PDFs")
        return 1
    cases = [one for one in planned(files, given.count) if given.only in ("", one.key)]
    if not cases:
        print(f"there is no {given.only} among {given.count} files; see the keys that a run prints")
        return 1
    limits = Limits(workers=given.workers, seconds=given.seconds, megabytes=given.megabytes)
    workers = Workers(limits)
    outcomes: dict[str, Outcome] = {}
    try:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(given.workers) as threads:
            jobs = {
                case.key: threads.submit(_run, case, files, given, workers, Path(folder))
                for case in cases
            }
            for key, job in jobs.items():
                outcomes[key] = job.result()
    finally:
        workers.stop()
    return report({case.key: case.base.name for case in cases}, outcomes, limits)


def _given(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=500, help="Damaged files to make.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=30.0, help="For one file.")
    parser.add_argument("--megabytes", type=int, default=500, help="For one process.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="A folder for files that ended badly.")
    parser.add_argument("--only", default="", help="The key of the one file to make and read.")
    return parser.parse_args(arguments)


def planned(files: Sequence[Path], count: int) -> Iterator[Case]:
    """Yield each file as it is, then the damaged ones, ways and files taking turns."""
    for number, file in enumerate(files):
        yield Case(f"whole-{number}", file)
    for number in range(count):
        way = WAYS[number % len(WAYS)]
        yield Case(f"{way}-{number}", files[number // len(WAYS) % len(files)])


def made(case: Case, files: Sequence[Path], seed: int) -> bytes:
    """Return the bytes of a case; the same for the same seed, whatever else is made."""
    content = case.base.read_bytes()
    way, _, number = case.key.partition("-")
    if way == "whole":
        return content
    rng = random.Random(f"{seed}:{number}")
    return damaged(way, content, rng.choice(files).read_bytes(), rng)


def _run(
    case: Case, files: Sequence[Path], given: argparse.Namespace, workers: Workers, folder: Path
) -> Outcome:
    content = made(case, files, given.seed)
    path = folder / f"{case.key}.pdf"
    path.write_bytes(content)
    try:
        outcome = workers.run(Event(), read_measured, str(path), path.name)
    except DocumentError as error:
        outcome = Outcome(_ended(error), str(error), given.seconds, 0)
    except Exception as error:  # noqa: BLE001 - that any can come is what is looked for
        outcome = Outcome("untyped", f"{type(error).__name__}: {error}", 0.0, 0)
    path.unlink()
    if given.keep and outcome.end not in _WELL:
        given.keep.mkdir(parents=True, exist_ok=True)
        (given.keep / path.name).write_bytes(content)
    return outcome


def _ended(error: DocumentError) -> str:
    """Return how a process ended that gave no answer."""
    if not error.remedy:
        return "without a remedy"
    if "longer than" in str(error):
        return "out of time"
    return "out of memory" if "memory than" in str(error) else "crashed"


def report(bases: dict[str, str], outcomes: dict[str, Outcome], limits: Limits) -> int:
    """Print the tables; return 1 where a file ended badly."""
    counts = Counter((key.partition("-")[0], one.end) for key, one in outcomes.items())
    ends = sorted({end for _, end in counts})
    print(f"{'':10}" + "".join(f"{end:>18}" for end in ends))
    for way in ("whole", *WAYS):
        if any(name == way for name, _ in counts):
            print(f"{way:10}" + "".join(f"{counts[way, end]:18}" for end in ends))
    print(
        f"{'all':10}"
        + "".join(f"{sum(counts[w, end] for w, _ in counts if _ == end):18}" for end in ends)
    )
    slowest = sorted(outcomes, key=lambda key: outcomes[key].seconds, reverse=True)[:5]
    print(f"\nslowest (limit {limits.seconds:g} s):")
    for key in slowest:
        print(f"  {key:16} {outcomes[key].seconds:6.2f} s  of {bases[key]}")
    peak = max(outcomes, key=lambda key: outcomes[key].peak, default="")
    if peak:
        print(f"\nmost memory of a process: {outcomes[peak].peak:.0f} MB, reading {peak}")
    for key, one in outcomes.items():
        if one.end not in _WELL:
            print(f"  {one.end}: {key} of {bases[key]}: {one.cause[:160]}")
    bad = sum(one.end in _BAD for one in outcomes.values())
    print(f"\n{len(outcomes)} files; {bad} ended in no document and no error that says what to do")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
