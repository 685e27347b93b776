"""`python -m citeloom`: the command line."""

from citeloom.cli import main

main()
