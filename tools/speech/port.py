"""What engines of speech offer, in each direction."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

TranscriberName = Literal["whisper", "sphinx"]
SpeakerName = Literal["piper", "flite", "espeak"]


@dataclass(frozen=True, slots=True)
class Seconds:
    """What one call took, and how long its audio is."""

    load: float
    """Loading the engine; 0 where it was loaded already."""
    run: float
    """All the rest: decoding, resampling and the engine itself."""
    audio: float
    """Length of the audio that was heard or made."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said; `text` is never empty."""

    text: str
    seconds: Seconds
    language: str
    """ISO 639-1 code."""
    engine: str
    """Name and version of engine and model."""


@dataclass(frozen=True, slots=True)
class Speech:
    """A text read aloud: `wav` is a whole WAV file, 16 bits a sample, one channel."""

    wav: bytes
    rate: int
    """Samples a second."""
    seconds: Seconds
    engine: str


class Transcriber(Protocol):
    """Turns speech into text. Synchronous, CPU-bound, offline; calls from several threads queue."""

    @property
    def name(self) -> TranscriberName:
        """By which it is chosen."""
        ...

    def transcribe(self, audio: Path | bytes) -> Transcript:
        """Return what is said in a file, or in the bytes of one; see tools.speech.audio.

        Raises:
            InputError: It is no audio, is damaged, too long, or nobody speaks in it.
            PermanentError: The engine or its model cannot be loaded.
        """
        ...


class Speaker(Protocol):
    """Reads text aloud. Synchronous, CPU-bound, offline; calls from several threads queue."""

    @property
    def name(self) -> SpeakerName:
        """By which it is chosen."""
        ...

    def speak(self, text: str) -> Speech:
        """Return a text as speech, made speakable first; see tools.speech.speakable.

        Raises:
            InputError: There is nothing in it to say, or it is too long.
            PermanentError: The engine or its voice cannot be loaded, or it fails on this text.
        """
        ...
