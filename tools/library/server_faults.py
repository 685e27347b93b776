"""What the faults of a Qdrant server are to CiteLoom: worth another try or not, and what to do about them."""

from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from typing import Any

from tools.errors import CiteLoomError, LibraryError, TransientError
from tools.program import PROGRAM

_BUSY = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "RESOURCE_EXHAUSTED", "408", "429")
_GONE = ("NOT_FOUND", "404")
_EXISTS = ("ALREADY_EXISTS", "409")
_SILENT = (
    "the Qdrant server at {} does not answer ({}): see that it runs, or unset CITELOOM_QDRANT_URL "
    f"and run `{PROGRAM} library index NAME` to use the embedded engine"
)
_REFUSED = (
    "the Qdrant server at {} refused: {}; see CITELOOM_QDRANT_URL and CITELOOM_QDRANT_API_KEY"
)
_VANISHED = (
    f"the Qdrant server at {{}} has lost vectors ({{}}): run `{PROGRAM} library index NAME` to make them "
    "anew"
)
_STRANGER = "what answers at {} is no Qdrant server: set CITELOOM_QDRANT_URL to the address of one"


class ExistsError(LibraryError):
    """A collection of that name is there already."""


@contextmanager
def told_faults(at: str) -> Iterator[None]:
    """Turn what the client raises of the server at this address into TransientError or LibraryError."""
    from grpc import RpcError  # type: ignore[import-untyped]
    from pydantic import ValidationError
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

    try:
        yield
    except ResourceExhaustedResponse as error:
        raise TransientError(_SILENT.format(at, error), retry_after=error.retry_after_s) from error
    except ResponseHandlingException as error:
        if isinstance(error.source, ValidationError):
            raise LibraryError(_STRANGER.format(at)) from error
        raise TransientError(_SILENT.format(at, error)) from error
    except (JSONDecodeError, AssertionError) as error:  # the client asserts that there is a result
        raise LibraryError(_STRANGER.format(at)) from error
    except RpcError as error:
        code: Any = error
        raise _fault(at, code.code().name, str(code.details())) from error
    except UnexpectedResponse as error:
        raise _fault(at, str(error.status_code), _words(error)) from error


def _fault(at: str, status: str, words: str) -> CiteLoomError:
    told = f"{status}: {words}"
    if status in _BUSY or status.startswith("5"):
        return TransientError(_SILENT.format(at, told))
    if status in _GONE and "Collection" in words:
        return LibraryError(_VANISHED.format(at, told))
    return (ExistsError if status in _EXISTS else LibraryError)(_REFUSED.format(at, told))


def _words(error: Any) -> str:
    """Return what a server says of an error over HTTP; others, such as a proxy, only by its status."""
    try:
        return str(error.structured()["status"]["error"])
    except (ValueError, LookupError, TypeError):
        return str(error.reason_phrase)
