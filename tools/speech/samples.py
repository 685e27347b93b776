"""Samples of sound: WAV files in and out, another rate."""

import io
import wave
from math import ceil, gcd

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
"""One channel, from -1 to 1."""

RATE = 16_000
"""Samples a second that the transcribers were trained on."""
_HALF_WIDTH = 24  # zero crossings of the low-pass filter on each side
_BLOCK = 32_768  # output samples at once: bounds the memory of `resample`


class UnreadableWaveError(ValueError):
    """Not a PCM WAV file that the standard library reads; the message says why."""


def read_wave(content: bytes, longest: float) -> tuple[Samples, int]:
    """Return the samples of a PCM WAV file, its channels mixed, and its rate.

    Lengths in the header are not believed: programs that write to a pipe cannot know them.

    Args:
        content: The whole file.
        longest: Seconds after which reading stops, so that the caller can see "too long".

    Raises:
        UnreadableWaveError: It is damaged or holds another encoding, such as float or A-law.
    """
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            if not (channels and rate and width in (1, 2, 3, 4)):
                raise UnreadableWaveError("its header makes no sense")
            wanted = min(file.getnframes(), ceil(longest * rate), len(content) // width)
            data = file.readframes(wanted)
    except (wave.Error, EOFError, ValueError, RuntimeError) as error:
        raise UnreadableWaveError(str(error) or "it ends too early") from error
    frame = channels * width
    numbers = _numbers(data[: len(data) // frame * frame], width)
    return numbers.reshape(-1, channels).mean(axis=1, dtype=np.float32), rate


def _numbers(data: bytes, width: int) -> Samples:
    if width == 1:  # the only unsigned one
        unsigned = np.frombuffer(data, dtype=np.uint8).astype(np.float32)
        return np.asarray((unsigned - 128) / 128, dtype=np.float32)
    if width == 3:
        packed = np.frombuffer(data, dtype=np.uint8).reshape(-1, 3)
        wide = np.zeros((len(packed), 4), dtype=np.uint8)
        wide[:, 1:] = packed
        return _numbers(wide.tobytes(), 4)
    found = np.frombuffer(data, dtype=f"<i{width}")
    return np.asarray(found / np.float32(2 ** (8 * width - 1)), dtype=np.float32)


def write_wave(samples: Samples, rate: int) -> bytes:
    """Return a WAV file of 16 bits a sample; what is louder than 1 is cut off there."""
    whole = np.rint(np.clip(samples, -1, 1) * 32_767).astype("<i2")
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(whole.tobytes())
    return target.getvalue()


def resample(samples: Samples, rate: int, wanted: int) -> Samples:
    """Return the same sound at another rate, without what that rate cannot hold.

    A polyphase filter: a sinc in a Hann window (J. O. Smith, Digital Audio Resampling).
    """
    if rate == wanted or not len(samples):
        return samples
    up, down = wanted // gcd(rate, wanted), rate // gcd(rate, wanted)
    cutoff = min(1.0, wanted / rate)
    half = ceil(_HALF_WIDTH / cutoff)
    padded = np.pad(samples, half)
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * half)
    resampled = np.empty(len(samples) * up // down, dtype=np.float32)
    for phase in range(min(up, len(resampled))):
        first, rest = divmod(phase * down, up)
        taps = _taps(rest / up, half, cutoff)
        chosen = windows[first + 1 :: down][: len(resampled[phase::up])]
        for start in range(0, len(chosen), _BLOCK):
            block = chosen[start : start + _BLOCK] @ taps
            begin = phase + start * up
            resampled[begin : begin + len(block) * up : up] = block
    return resampled


def _taps(offset: float, half: int, cutoff: float) -> Samples:
    distance = np.arange(1 - half, half + 1) - offset
    taps = np.sinc(distance * cutoff) * np.cos(np.pi * distance / (2 * half)) ** 2
    return np.asarray(taps / taps.sum(), dtype=np.float32)
