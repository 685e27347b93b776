"""`citeloom keys`: who may call a server that others can reach."""

from typing import TYPE_CHECKING, Annotated

import typer

from citeloom.cli.telling import exit_on_error, print_status

if TYPE_CHECKING:
    from tools.callers import ApiKeys

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="The caller, such as a person or a program.")],
    runs_at_once: Annotated[int, typer.Option(min=1, help="Most runs under way at once.")] = 4,
    requests_a_minute: Annotated[int, typer.Option(min=1, help="Most requests a minute.")] = 600,
    runs_a_day: Annotated[
        int | None, typer.Option(min=1, help="Most runs started in 24 hours; no limit if left out.")
    ] = None,
    usd_a_day: Annotated[
        float | None, typer.Option(min=0, help="Most USD a day (UTC); no limit if left out.")
    ] = None,
) -> None:
    """Make a caller's key and print it once: it is kept as a hash only."""
    with exit_on_error():
        from tools.callers import ApiKeyLimits

        limits = ApiKeyLimits(
            runs_at_once=runs_at_once,
            requests_a_minute=requests_a_minute,
            runs_a_day=runs_a_day,
            usd_a_day=usd_a_day,
        )
        secret = _keys().add(name, limits)
        print_status(
            "It is shown this once. Callers send it as `Authorization: Bearer KEY` or `X-Api-Key: KEY`."
        )
        typer.echo(secret)


@app.command("list")
def list_() -> None:
    """List the callers that have a key, and what it allows."""
    with exit_on_error():
        for key in _keys().all():
            allowed = key.limits.model_dump(exclude_none=True).items()
            told = ", ".join(f"{value} {name.replace('_', ' ')}" for name, value in allowed)
            typer.echo(f"{key.name}  made {key.made:%Y-%m-%d}  {told}")


@app.command()
def revoke(name: Annotated[str, typer.Argument(help="The caller.")]) -> None:
    """Let a caller's key open nothing from now on; runs and libraries of the caller stay."""
    with exit_on_error():
        _keys().revoke(name)


def _keys() -> "ApiKeys":
    from tools.callers import ApiKeys
    from tools.settings import settings

    return ApiKeys(settings().home)
