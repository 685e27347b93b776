"""The command line: `citeloom review`, `find`, `write`, `library`, `doctor`."""

from citeloom.cli.app import app


def main() -> None:
    """Run the command line."""
    app()


__all__ = ["app", "main"]
