"""A microphone and a loudspeaker, where the machine has them."""

import io
import queue
import wave
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tools.errors import PermanentError, how_to_install
from tools.speech.audio import MAX_SECONDS, RATE, Samples, Speech, write_wave

_BLOCK = RATE // 10
_PATIENCE = 5.0  # seconds without a block: the device is gone
_NO_MICROPHONE = "give a recording instead"
_NO_LOUDSPEAKER = "have it written into a file instead"


class Pause:
    """Ends a recording when somebody has spoken and then been quiet for a while.

    Speech is what is three times as loud as the quietest tenth of a second so far.
    """

    def __init__(self, seconds: float = 1.5, *, patience: float = 15.0) -> None:
        """Prepare for one recording.

        Args:
            seconds: Quiet for so long after speech ends it.
            patience: So long without any speech ends it too.
        """
        self._ending = round(seconds * RATE)
        self._patience = round(patience * RATE)
        self._floor = 1.0
        self._spoken = 0
        self._quiet = 0

    def __call__(self, block: Samples) -> bool:
        """Return whether the recording ends with this block of it."""
        loudness = float(block.std()) if len(block) else 0.0
        self._floor = min(self._floor, max(loudness, 0.001))
        if loudness > 3 * self._floor:
            self._spoken += 1
            self._quiet = 0
        else:
            self._quiet += len(block)
        # One loud block is a click.
        return self._quiet >= (self._ending if self._spoken > 1 else self._patience)


def record(until: Callable[[Samples], bool], *, longest: float = 60.0) -> bytes:
    """Record from the microphone and return a WAV file of one channel at 16,000 samples a second.

    Args:
        until: Called with each tenth of a second as it comes; true ends the recording. `Pause()`
            ends it when the speaker has ended.
        longest: Seconds after which it ends in any case.

    Raises:
        PermanentError: There is no microphone, or no PortAudio; the message says what to do.
    """
    device = _device(_NO_MICROPHONE)
    blocks: queue.SimpleQueue[Samples] = queue.SimpleQueue()
    heard: list[Samples] = []

    def keep(data: Any, _count: int, _time: Any, _status: Any) -> None:
        # A device that is no real one may send anything.
        blocks.put(np.clip(np.nan_to_num(data[:, 0]), -1, 1).astype(np.float32))

    limit = min(longest, MAX_SECONDS) * RATE
    try:
        with device.InputStream(
            samplerate=RATE, channels=1, dtype="float32", blocksize=_BLOCK, callback=keep
        ):
            while sum(map(len, heard)) < limit:
                heard.append(blocks.get(timeout=_PATIENCE))
                if until(heard[-1]):
                    break
    except device.PortAudioError as error:
        raise PermanentError(
            f"the microphone cannot be used ({error}): {_NO_MICROPHONE}"
        ) from error
    except queue.Empty as error:
        raise PermanentError(f"no sound from the microphone: {_NO_MICROPHONE}") from error
    return write_wave(np.concatenate(heard), RATE)


def play(speech: Speech) -> None:
    """Play speech to its end.

    Raises:
        PermanentError: There is no loudspeaker, or no PortAudio; the message says what to do.
    """
    with wave.open(io.BytesIO(speech.wav)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    device = _device(_NO_LOUDSPEAKER)
    try:
        device.play(samples, samplerate=speech.rate, blocking=True)
    except device.PortAudioError as error:
        raise PermanentError(
            f"the loudspeaker cannot be used ({error}): {_NO_LOUDSPEAKER}"
        ) from error


def _device(remedy: str) -> Any:
    try:
        return import_module("sounddevice")
    except ImportError as error:
        raise PermanentError(
            f"sounddevice is missing: {how_to_install('speech')}; or {remedy}"
        ) from error
    except OSError as error:
        raise PermanentError(
            "PortAudio, which microphone and loudspeaker need, is missing: install it "
            f"(`apt install libportaudio2`), or {remedy}"
        ) from error
