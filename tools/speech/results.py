"""What hearing and speaking give."""

from dataclasses import dataclass


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
