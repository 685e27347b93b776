"""`python -m evals.citation_truth` is `python -m evals citation_truth`."""

import sys

from evals.__main__ import app

app(["citation_truth", *sys.argv[1:]], prog_name="python -m evals")
