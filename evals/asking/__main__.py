"""`python -m evals.asking`: the command without the product's command line."""

import argparse
import sys
from pathlib import Path

from evals.asking.command import Options, run


def main(arguments: list[str] | None = None) -> int:
    """Read the arguments and run; see evals.asking.command.run for the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evals.asking", description=run.__doc__)
    parser.add_argument(
        "--data", type=Path, help="papers with questions; the packaged questions if not given"
    )
    parser.add_argument("--n", type=int, help="questions to ask, the first of each group")
    parser.add_argument("--groups", default="", metavar="A,B", help="groups of the questions")
    parser.add_argument("--arms", default="", metavar="A,B", help="what to compare")
    parser.add_argument("--mind", default="extractive", help="extractive or llm")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--workers", type=int, default=1, help="runs side by side")
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    return run(Options(**vars(parser.parse_args(arguments))))


if __name__ == "__main__":
    sys.exit(main())
