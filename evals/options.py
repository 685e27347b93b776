"""`python -m evals.options` writes docs/options.md: each command with its options, and what `--set` changes.

The page is made from the program itself, so a test can hold that it is current.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from citeloom.cli.app import app
from tools.documented_methods import methods_by_step
from tools.run_settings import setting_fields_by_group

PAGE = Path(__file__).parents[1] / "docs" / "options.md"
_INTRO = """# Every command, option and setting of a run

Made from the program by `python -m evals.options`; each command's `--help` says the same. What holds for all runs on a
machine (models, keys, addresses, folders) stands in [settings](settings.md) and `.env.example`.
"""
_HEAD = "| option | default | meaning |\n|---|---|---|"
_EVERYWHERE = {"help", "install_completion", "show_completion"}


def page() -> str:
    """Return the page's text."""
    parts = [_INTRO]
    for name, command in _commands("citeloom", typer.main.get_command(app)):
        rows = [_row(item) for item in command.params if item.name not in _EVERYWHERE]
        table = f"\n{_HEAD}\n" + "\n".join(rows) + "\n" if rows else ""
        parts.append(f"## {name}\n\n{_plain(command.help)}\n{table}")
    parts.append("## Methods\n")
    for step in methods_by_step():
        rows = [
            f"| {one['name']} | {one['source'] or 'CiteLoom'} | {_sets(one['settings'])} | {one['when']} |"
            for one in step["methods"]
        ]
        parts.append(
            f"### {step['title']}\n\n"
            + "\n".join(["| method | from | settings | when |\n|---|---|---|---|", *rows, ""])
        )
    parts.append("## --set NAME=VALUE\n")
    for title, group in setting_fields_by_group().items():
        rows = [
            f"| `{name}` | {_default(field.default)} | {_plain(field.description)} |"
            for name, field in group.items()
        ]
        parts.append(f"### {title}\n\n" + "\n".join([_HEAD.replace("option", "name"), *rows, ""]))
    return "\n".join(parts)


def _sets(settings: dict[str, Any]) -> str:
    return " ".join(f"`{name}={value}`" for name, value in settings.items()) or "default"


def _commands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield the commands that do something, with their names, as help lists them."""
    below = getattr(command, "commands", {})
    if not below or any(item.name not in _EVERYWHERE for item in command.params):
        yield name, command
    for word in below:  # some are made when they are called
        yield from _commands(
            f"{name} {word}", command.resolve_command(typer.Context(command), [word])[1]
        )


def _row(item: Any) -> str:
    names = ", ".join(
        f"`{name}`"
        for name in (*getattr(item, "opts", []), *getattr(item, "secondary_opts", []))
        if name.startswith("-")
    )
    default = "" if item.required or item.param_type_name == "argument" else _default(item.default)
    return f"| {names or f'`{item.metavar or item.name.upper()}`'} | {default} | {_plain(getattr(item, 'help', ''))} |"


def _default(value: object) -> str:
    if value is None or callable(value) or value in ("", (), []):
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "value", value))


def _plain(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
