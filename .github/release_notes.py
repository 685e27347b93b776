"""Print the notes of a release out of CHANGELOG.md: `python .github/release_notes.py v0.5.0`.

It is refused unless the tag is that of the version in pyproject.toml, and the changelog has a part on it.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def notes(tag: str, changelog: str, version: str) -> str:
    """Return what a changelog says of a version, without its heading.

    Raises:
        SystemExit: The tag is not of this version, or the changelog says nothing of it.
    """
    if tag != f"v{version}":
        raise SystemExit(f"the tag is {tag}, and pyproject.toml has {version}: tag it v{version}")
    found: list[str] | None = None
    for line in changelog.splitlines():
        if line.startswith("## "):
            if found is not None:
                break
            found = [] if line.startswith(f"## [{version}]") else None
        elif found is not None:
            found.append(line)
    text = "\n".join(found or ()).strip()
    if not text:
        raise SystemExit(
            f"CHANGELOG.md says nothing of {version}: name what is under 'Unreleased' after it"
        )
    return f"{text}\n"


def main(tag: str) -> None:
    """Print the notes for a tag of this checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sys.stdout.write(notes(tag, changelog, project["version"]))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: release_notes.py TAG")
    main(sys.argv[1])
