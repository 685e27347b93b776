"""eSpeak NG as the library in the package espeakng_loader: a speaker that pip alone installs.

The library is under the GPL, version 3 or later. It is a plug-in: no file of CiteLoom contains any
of it, no extra but `voice` names its package, and where it is missing all else works.
"""

import ctypes
from importlib import import_module
from importlib.metadata import version
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from tools.errors import InputError, PermanentError, how_to_install
from tools.speech.audio import Samples, Seconds, Speech, write_wave
from tools.speech.spoken_text import pieces, speakable

MAX_CHARACTERS = 20_000
"""About 25 minutes of speech."""
_PAUSE = 0.25
"""Seconds of silence between two pieces."""

# From speak_lib.h.
_SYNCHRONOUS = 2
_DO_NOT_EXIT = 0x8000
_CHARACTERS = 1
_UTF8 = 1

_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)
_lock = Lock()  # the library has one state for the whole process
_loaded: list[tuple[Any, int]] = []


class Espeak:
    """eSpeak NG in this process; initialised on first use, one call at a time."""

    def __init__(self, voice: str | None = None) -> None:
        self._voice = voice or "en-us"

    def speak(self, text: str) -> Speech:
        """Return a text as speech, made speakable first; calls from several threads queue.

        Raises:
            InputError: There is nothing in it to say, it is too long, or there is no such voice.
            PermanentError: The library cannot be loaded, or fails on this text.
        """
        if len(text) > MAX_CHARACTERS:
            raise InputError(
                f"the text has {len(text):,} characters: read at most {MAX_CHARACTERS:,} aloud at once"
            )
        parts = pieces(speakable(text))
        if not parts:
            raise InputError("the text has no words to read aloud")
        with _lock:
            start = perf_counter()
            fresh = not _loaded
            if fresh:
                _loaded.append(_load())
            library, rate = _loaded[0]
            if library.espeak_SetVoiceByName(self._voice.encode()) != 0:
                raise InputError(f"eSpeak NG has no voice {self._voice!r}: try 'en-us' or 'en-gb'")
            load = perf_counter() - start if fresh else 0.0
            engine = f"espeakng-loader {version('espeakng-loader')} {self._voice}"
            start = perf_counter()
            silence = np.zeros(int(_PAUSE * rate), dtype=np.float32)
            sounds = [sound for part in parts for sound in (silence, _say(library, part))][1:]
            whole = np.concatenate(sounds)
            wav = write_wave(whole, rate)
            seconds = Seconds(load=load, run=perf_counter() - start, audio=len(whole) / rate)
            return Speech(wav, rate, seconds, engine)


def _say(library: Any, text: str) -> Samples:
    heard: list[bytes] = []

    def keep(samples: Any, count: int, _events: Any) -> int:
        if samples and count > 0:
            heard.append(ctypes.string_at(samples, 2 * count))
        return 0

    said = text.encode("utf-8") + b"\0"
    callback = _CALLBACK(keep)  # a name of its own: the library does not keep it alive
    library.espeak_SetSynthCallback(callback)
    failed = library.espeak_Synth(said, len(said), 0, _CHARACTERS, 0, _UTF8, None, None)
    if failed or not heard:
        raise PermanentError(f"eSpeak NG could not say {text[:40]!r}")
    whole = np.frombuffer(b"".join(heard), dtype="<i2").astype(np.float32)
    return np.asarray(whole / 32_768, dtype=np.float32)


def _load() -> tuple[Any, int]:
    try:
        package = import_module("espeakng_loader")
    except ImportError as error:
        raise PermanentError(
            f"no speech output (eSpeak NG, under the GPL) installed: {how_to_install('voice')}"
        ) from error
    try:
        library = ctypes.CDLL(package.get_library_path())
        data = str(package.get_data_path()).encode()
    except (OSError, RuntimeError) as error:
        raise PermanentError(f"the eSpeak NG library cannot be loaded: {error}") from error
    library.espeak_Synth.argtypes = [
        ctypes.c_char_p,
        ctypes.c_size_t,
        ctypes.c_uint,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_uint,
        ctypes.c_void_p,
        ctypes.c_void_p,
    ]
    library.espeak_SetSynthCallback.argtypes = [_CALLBACK]
    rate = library.espeak_Initialize(_SYNCHRONOUS, 0, data, _DO_NOT_EXIT)
    if rate <= 0:
        raise PermanentError("the eSpeak NG library did not find its data: install it anew")
    return library, rate
