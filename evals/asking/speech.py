"""Questions spoken by eSpeak NG and heard again by Whisper, and answers spoken: what a spoken question adds."""

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from rapidfuzz.distance import Levenshtein

from tools.settings import settings
from tools.text.words import tokens

if TYPE_CHECKING:
    from tools.speech.espeak import Espeak
    from tools.speech.whisper import Whisper


@dataclass(frozen=True, kw_only=True)
class Heard:
    """A question as it was heard."""

    text: str
    stt_seconds: float
    """Without what it took to load the engine."""
    word_error_rate: float


@cache
def heard(question: str) -> Heard:
    """Speak a question and hear it; the same question is heard once in a process.

    Raises:
        PermanentError: An extra is not installed; the message says which.
    """
    speaker, listener = _engines()
    transcript = listener.transcribe(speaker.speak(question).wav)
    return Heard(
        text=transcript.text,
        stt_seconds=transcript.seconds.run,
        word_error_rate=word_error_rate(question, transcript.text),
    )


def tts_seconds(answer: str) -> float:
    """Speak an answer; return what that took."""
    return _engines()[0].speak(answer).seconds.run


def word_error_rate(said: str, understood: str) -> float:
    """Return the words put in, left out or changed, over the words said; case and signs do not count."""
    wanted = tokens(said)
    return Levenshtein.distance(wanted, tokens(understood)) / max(len(wanted), 1)


@cache
def _engines() -> "tuple[Espeak, Whisper]":
    from tools.speech.espeak import Espeak
    from tools.speech.whisper import Whisper

    return Espeak(settings().speech_voice), Whisper(settings().speech_model)
