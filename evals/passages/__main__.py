"""`python -m evals.passages`: the command without the product's command line."""

import argparse
import sys
from pathlib import Path

from evals.passages.command import HALVES, Options, run


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments and run; see evals.passages.command.run for the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evals.passages", description=run.__doc__)
    parser.add_argument("data", type=Path, help="folder of the question sets")
    parser.add_argument("--half", default="held-out", choices=HALVES, help="which questions")
    parser.add_argument("--sets", default="", metavar="A,B", help="which sets, if not all")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    return run(Options(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    sys.exit(main())
