"""What goes wrong at an endpoint, as errors of ours that say what to do.

The one place that knows the exceptions of openai, langchain_openai and httpx2.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from tools.errors import CiteLoomError, PermanentError, RefusedError, TransientError
from tools.http.response_errors import retry_after, says

_KEY = re.compile(r"\b(?:sk|gsk|pk)[-_][\w*.-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
# Of a reasoning model that thought until the end, and of one that is held to a format.
_CUT = re.compile(
    r"could not finish the message|output limit was reached"
    r"|max(?:imum)?[_ ](?:completion[_ ]|output[_ ])?tokens[^.]{0,40}reached",
    re.I,
)
_STREAM = r"(?:only|must|require|enable)\b.{0,60}\bstream|data: ?\{"
_ELSEWHERE = "name another model, or put a gateway between that translates, such as LiteLLM"
_STREAMED = (
    "{url} answers {model} only as a stream, and CiteLoom asks for whole answers, since a stream "
    f"that is cut looks whole: {_ELSEWHERE}"
)
_FILTER = ("content filter", "content policy", "content management", "safety system")
_MODEL = re.compile(
    r"model[_ ]not[_ ]found|\bmodel\b.{0,80}(?:not found|does not exist|not exist)|unknown model"
    r"|not a valid model|no such model",
    re.I | re.S,
)
_HTML = ("<!doctype html", "<html")
_LONG = (
    "the question is longer than {model} takes: set CITELOOM_LLM_CONTEXT_TOKENS to its real window: "
    "{said}"
)
_NO_CREDIT = "the account at {url} has no credit or quota left: {said}"
_STOPS: tuple[tuple[set[int], str, str], ...] = (
    ({401}, "", "{url} rejects the API key: check {prefix}_API_KEY"),
    ({402}, "", _NO_CREDIT),
    # Some endpoints speak of quota and billing when they mean the calls of this minute; then they say
    # when to retry.
    (
        {400, 403, 429},
        r"insufficient[_ ](?:quota|balance|credit|funds)|payment required|^(?!.*retry).*billing",
        _NO_CREDIT,
    ),
    (
        {403},
        "",
        "{url} does not let this key use {model}: check {prefix}_API_KEY and the key's rights: {said}",
    ),
    ({413}, "", _LONG),
    (
        {400, 422, 500},
        r"context[_ ](?:length|window|size)|maximum context|prompt is too long|too many tokens"
        r"|exceed\w* the (?:configured|available|model)",
        _LONG,
    ),
    ({400, 404, 405, 422, 501}, _STREAM, _STREAMED),
    (
        {400, 404, 405},
        r"only\b.{0,60}\bresponses\b",
        f"{{url}} serves {{model}} by its Responses API only, and CiteLoom speaks chat completions: {_ELSEWHERE}",
    ),
)
"""What trying again cannot help, by status and words: the first that fits."""
_BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})


@dataclass(frozen=True)
class CallPlace:
    """Where a call went, for messages."""

    url: str
    model: str
    setting: str
    """The setting that names the model."""
    seconds: float
    """The time-out."""
    secret: str
    prefix: str = "CITELOOM_LLM"
    """What the names of the settings of address and key begin with."""
    wanted: str = "chat completion"
    """What it is asked for."""
    slow: str = "; if the model is that slow, raise CITELOOM_LLM_TIMEOUT"
    """What to do where the time-out is too short."""

    def tell(self, text: str) -> str:
        """Return the endpoint's own words, short and without any key."""
        # A key of a few letters is a local server's placeholder, and would blank out half the text.
        hidden = text.replace(self.secret, "…") if len(self.secret) > 5 else text
        flat = " ".join(_KEY.sub("…", hidden).split())
        return flat if len(flat) <= 300 else f"{flat[:300]}…"


@dataclass(frozen=True)
class EndpointFault:
    """A failed call: the error to raise, and what the endpoint said."""

    error: CiteLoomError
    status: int = 0
    text: str = ""
    billed: bool = True
    """Whether the endpoint may have charged for it."""
    fitting: bool = False
    """Whether another form of the same request may pass."""
    cut: bool = False
    """The output limit was reached: there is no answer, and more room may give one."""


def foreign_errors() -> tuple[type[Exception], ...]:
    """Return what a call through langchain_openai may raise.

    Besides the SDK's own errors: a body that is no chat completion becomes a ValueError, KeyError,
    IndexError, TypeError or AttributeError, by what is missing in it.
    """
    import httpx2
    import openai

    return (
        openai.OpenAIError,
        httpx2.HTTPError,
        httpx2.InvalidURL,
        TimeoutError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
    )


def endpoint_error(error: Exception, place: CallPlace) -> EndpointFault:
    """Say what a foreign error means."""
    import httpx2
    import openai

    if isinstance(error, openai.APIStatusError):
        return _status_fault(error, place)
    if isinstance(error, TimeoutError | openai.APITimeoutError | httpx2.TimeoutException):
        return EndpointFault(
            TransientError(
                f"{place.url} gave no {place.wanted} within {place.seconds:g} s{place.slow}"
            ),
            billed=not isinstance(_root(error), httpx2.ConnectTimeout),
        )
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | httpx2.InvalidURL):
        return _connection_fault(error, place)
    return _garbled_fault(error, place)


def _connection_fault(error: Exception, place: CallPlace) -> EndpointFault:
    import httpx2

    root = _root(error)
    cause = place.tell(str(root) or type(root).__name__)
    if isinstance(root, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        advice = f"check {place.prefix}_BASE_URL, which looks like http://host:port/v1"
        return EndpointFault(
            PermanentError(f"{place.url} is not an address: {cause}; {advice}"), billed=False
        )
    return EndpointFault(
        TransientError(
            f"the connection to {place.url} failed: {cause}; check that the endpoint runs and that "
            f"{place.prefix}_BASE_URL leads to it"
        ),
        billed=not isinstance(root, httpx2.ConnectError),
    )


def _root(error: BaseException) -> BaseException:
    """Return what the HTTP client raised, below what two SDKs made of it."""
    import httpx2

    while not isinstance(error, httpx2.HTTPError | httpx2.InvalidURL) and error.__cause__:
        error = error.__cause__
    return error


def _garbled_fault(error: Exception, place: CallPlace) -> EndpointFault:
    """Judge a body that came with status 200 and is no chat completion."""
    body = error.args[0] if error.args else ""
    text = str(body)
    if says(f"{text} {getattr(error, 'doc', '')}", _HTML):
        return EndpointFault(
            PermanentError(
                f"{place.url} answered with a web page, not with a {place.wanted}; check "
                f"{place.prefix}_BASE_URL, which mostly ends in /v1"
            ),
            billed=False,
        )
    if re.search(_STREAM, text, re.I | re.S):
        return _judge(400, text, None, place)
    if isinstance(body, dict):
        code = body.get("code")
        status = code if isinstance(code, int) else 429 if "rate" in text.lower() else 0
        if status:
            return replace(_judge(status, text, None, place), status=status, text=text)
        return EndpointFault(
            PermanentError(f"{place.url} answered with an error: {place.tell(text)}")
        )
    return EndpointFault(
        TransientError(
            f"what {place.url} answered is no {place.wanted}: {place.tell(text) or 'no content'}"
        )
    )


def _status_fault(error: Any, place: CallPlace) -> EndpointFault:
    body = error.body if isinstance(error.body, dict) else {}
    words = f"{error.message} {json.dumps(body, default=str)}" if body else str(error.message)
    fault = _judge(error.status_code, words, retry_after(error.response.headers), place)
    return replace(fault, status=error.status_code, text=words, billed=fault.cut)


def _judge(status: int, words: str, retry_after: float | None, place: CallPlace) -> EndpointFault:
    """Turn a status and the endpoint's words into an error."""
    said = place.tell(words)
    model = f"the model '{place.model}' ({place.setting})"
    if status == 400 and _CUT.search(words):
        return EndpointFault(PermanentError(f"{place.url} cut the answer: {said}"), cut=True)
    for statuses, pattern, message in _STOPS:
        if status in statuses and re.search(pattern, words, re.I | re.S):
            told = message.format(url=place.url, prefix=place.prefix, model=model, said=said)
            return EndpointFault(PermanentError(told), fitting=message is _LONG)
    if status in {400, 422} and says(words.replace("_", " "), _FILTER):
        return EndpointFault(
            RefusedError(f"a content filter at {place.url} stopped the question: {said}")
        )
    if status == 404 and (_MODEL.search(words) or "model" not in words.lower()):
        return EndpointFault(
            PermanentError(
                f"{place.url} does not know {model}, or is not an endpoint: check {place.setting} "
                f"and {place.prefix}_BASE_URL: {said}"
            ),
            fitting=not _MODEL.search(words),
        )
    if status in _BUSY or status > 504:
        text = f"{place.url} is busy or not working right now (HTTP {status}): {said}"
        return EndpointFault(TransientError(text, retry_after=retry_after), fitting=status == 500)
    return EndpointFault(
        PermanentError(
            f"{place.url} rejects the request to {model} (HTTP {status}): {said}; check "
            f"{place.setting} and {place.prefix}_BASE_URL"
        ),
        fitting=not _MODEL.search(words),
    )
