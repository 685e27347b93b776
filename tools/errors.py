"""The errors of CiteLoom's tools, and what every message and log line is made of.

CiteLoomError
├── InputError                    the caller's input cannot be used; the message says what to send instead
├── TransientError                worth trying again: time-outs, 429, 5xx, a lock held for a moment
└── PermanentError                trying again will not help
    ├── AnswerError               a mind's answer stayed outside its schema after every repair
    ├── RefusedError              the model refused, or a content filter stopped it
    ├── BudgetError               a budget, of the run or of the day, is spent; what there is so far is kept
    │   ├── FinishRequestedError  a person wants the run to end now, with what it has
    │   └── KeptError             what is left of the run's budget is kept for its later steps
    ├── EndedError                a person whom the run asked ended it
    ├── QuotaError                a source's own allowance is spent; the message says when it comes back
    ├── RequestRejectedError      a source finds fault with the request itself (HTTP 400 and the like)
    ├── NotInSourceError          a source does not have what it was asked for (HTTP 404 or 410)
    ├── DocumentError             nothing of a file can be read: encrypted, empty, damaged, too large
    └── LibraryError              a library is unknown, locked, damaged or of another embedder

Foreign exceptions become one of these in the one module that calls the foreign library,
with `raise ... from error`. Every message is for a person: what happened, and what to do.
"""

import os
import re
import traceback
from collections.abc import Iterable
from logging import Logger, getLogger


class CiteLoomError(Exception):
    """Base of all: its text may be shown to a user."""


class InputError(CiteLoomError):
    """The caller's input cannot be used."""


class TransientError(CiteLoomError):
    """It may work on another try; `retry_after` is in seconds where the server named it."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class PermanentError(CiteLoomError):
    """Trying again will not help."""


class AnswerError(PermanentError):
    """A mind's answer stayed outside its schema after every repair."""


class RefusedError(PermanentError):
    """The model refused to answer, or a content filter stopped it."""


class BudgetError(PermanentError):
    """The run's budget, or its caller's for the day, does not allow another call."""


class FinishRequestedError(BudgetError):
    """A person wants the run to end with what it has: it asks for nothing more."""

    def __init__(self) -> None:
        super().__init__("you asked the run to finish now")


class EndedError(PermanentError):
    """A person, asked by the run, ended it."""


class KeptError(BudgetError):
    """What is left of the run's budget is kept for steps that come later: this one goes on without."""


class QuotaError(PermanentError):
    """What the source allows this key, or this machine, is spent for hours."""


class RequestRejectedError(PermanentError):
    """The source finds fault with the request itself; it would do so again."""


class NotInSourceError(PermanentError):
    """The source does not have what it was asked for."""


class LibraryError(PermanentError):
    """A library is unknown, locked, damaged or was made with another embedder."""


class DocumentError(PermanentError):
    """Nothing of a file can be read; `remedy` says what to do about it."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


PROGRAM = os.environ.get("CITELOOM_PROGRAM") or "citeloom"
"""What starts this program, for hints that name a command; a server's are for who runs it. ./run sets it."""


def logger_of(module: str) -> Logger:
    """Return the logger of a module, below `citeloom` wherever the module's room stands."""
    return getLogger(module if module.partition(".")[0] == "citeloom" else f"citeloom.{module}")


def plain_fault(message: str) -> str:
    """Return what a validator says of a value in plain words."""
    return message.removeprefix("Value error, ").replace("Input should", "must", 1)


def how_to_install(extra: str) -> str:
    """Say how to get an extra of the package, for each way in which people install it."""
    package = f"'citeloom[{extra}]'"
    return (
        f"run `pip install {package}`; if you installed CiteLoom with pipx, `pipx install --force {package}`; "
        f"if you use uvx, `uvx --from {package} citeloom ...`"
    )


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun ('1 paper', '2 papers'), and with its verb where `one` and `many` bring it."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return " (did you mean 'pool'?)" where a known name is close to the one given, else ''.

    It is put behind the misspelt name of a message.
    """
    from difflib import get_close_matches

    names = {name.casefold(): name for name in known}
    near = get_close_matches(given.casefold(), names, n=1, cutoff=0.8)
    return f" (did you mean '{names[near[0]]}'?)" if near else ""


_STATUS = re.compile(r"\bHTTP \d{3}\b")


def loggable_kind(error: BaseException) -> str:
    """Return what a log may say of an error: its class, and a status of HTTP, but none of its words.

    They may quote what was sent, or what came back.
    """
    status = _STATUS.search(str(error))
    return type(error).__name__ + (f" ({status[0]})" if status else "")


def loggable_trace(error: BaseException) -> str:
    """Return what a log may say of an error that nobody expected: its class, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(
        [loggable_kind(error), *(f"{at.filename}:{at.lineno}" for at in reversed(frames))]
    )
