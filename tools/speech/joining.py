"""One speech out of the pieces that an engine says one by one."""

from collections.abc import Callable
from time import perf_counter

import numpy as np

from tools.errors import InputError
from tools.speech.port import Seconds, Speech
from tools.speech.samples import Samples, write_wave
from tools.speech.speakable import pieces, speakable

MAX_CHARACTERS = 20_000
"""About 25 minutes of speech."""
_PAUSE = 0.25
"""Seconds of silence between two pieces."""


def parts_of(text: str) -> list[str]:
    """Return what is to be said of a text, in pieces of whole sentences.

    Raises:
        InputError: There is nothing to say, or it is too long.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"the text has {len(text):,} characters: read at most {MAX_CHARACTERS:,} aloud at once"
        )
    found = pieces(speakable(text))
    if not found:
        raise InputError("there are no words in the text to read aloud")
    return found


def join(
    parts: list[str], say: Callable[[str], tuple[Samples, int]], *, load: float, engine: str
) -> Speech:
    """Have each piece said, and return all with pauses between them.

    Args:
        parts: What `parts_of` found.
        say: Returns the sound of a piece, and its rate, the same for all.
        load: Seconds that loading the engine took.
        engine: Its name and version.
    """
    start = perf_counter()
    sound: list[Samples] = []
    rate = 0
    for part in parts:
        samples, rate = say(part)
        if sound:
            sound.append(np.zeros(int(_PAUSE * rate), dtype=np.float32))
        sound.append(samples)
    whole = np.concatenate(sound)
    wav = write_wave(whole, rate)
    seconds = Seconds(load=load, run=perf_counter() - start, audio=len(whole) / rate)
    return Speech(wav, rate, seconds, engine)
