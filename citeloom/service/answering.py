"""How the service's own routes answer: JSON, and errors as a status with a sentence for a person."""

from collections.abc import Awaitable, Callable

from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from citeloom.runs.runs import UnknownRunError
from citeloom.service.entry import RequestRefusedError
from tools.errors import CiteLoomError, DocumentError, InputError, LibraryError

Answering = Callable[[Request], Awaitable[object]]


def answering(answer: Answering, *, unknown: int = 422) -> Callable[[Request], Awaitable[Response]]:
    """Return a route that gives what `answer` does, as JSON unless it is a response already.

    `unknown` is the status of a run that the caller does not have.
    """

    async def route(request: Request) -> Response:
        try:
            given = await answer(request)
        except RequestRefusedError as error:
            return JSONResponse({"detail": error.text}, error.status)
        except DocumentError as error:
            remedy = f": {error.remedy}" if error.remedy else ""
            return JSONResponse({"detail": f"{error}{remedy}"}, 422)
        except InputError as error:
            status = unknown if isinstance(error, UnknownRunError) else 422
            return JSONResponse({"detail": str(error)}, status)
        except LibraryError as error:
            return JSONResponse({"detail": str(error)}, 404)
        except CiteLoomError as error:
            return JSONResponse({"detail": str(error)}, 503)
        return given if isinstance(given, Response) else JSONResponse(to_jsonable_python(given))

    return route


async def sent(request: Request) -> dict[str, object]:
    """Return the JSON object that a request carries.

    Raises:
        InputError: It carries none.
    """
    try:
        given = await request.json()
    except ValueError as error:
        raise InputError("send a JSON object") from error
    if not isinstance(given, dict):
        raise InputError("send a JSON object")
    return given
