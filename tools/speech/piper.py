"""Piper, with a voice that the user has: the most natural of the speakers.

Piper is under the GPL since version 1.3, and its wheels hold no voice: it is a plug-in for those
who have both. No extra of CiteLoom names it, and nothing is ever downloaded.
"""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from tools.errors import InputError, PermanentError
from tools.speech.joining import join, parts_of
from tools.speech.port import SpeakerName, Speech
from tools.speech.samples import Samples


class Piper:
    """Piper and one voice, loaded on first use."""

    name: SpeakerName = "piper"

    def __init__(self, voice: Path) -> None:
        """Prepare the engine.

        Args:
            voice: The ONNX file of a voice; its settings lie beside it, as NAME.onnx.json.

        Raises:
            InputError: One of the two files is missing.
        """
        for file in (voice, voice.with_name(f"{voice.name}.json")):
            if not file.is_file():
                raise InputError(f"{file} is missing: name the .onnx file of a Piper voice")
        self._file = voice
        self._lock = Lock()
        self._voice: Any = None

    def speak(self, text: str) -> Speech:
        """Return a text as speech; see tools.speech.port."""
        parts = parts_of(text)
        with self._lock:
            start = perf_counter()
            loaded = self._voice is not None
            self._voice = self._voice or self._load()
            load = 0.0 if loaded else perf_counter() - start
            engine = f"piper-tts {version('piper-tts')} {self._file.stem}"
            return join(parts, self._say, load=load, engine=engine)

    def _say(self, text: str) -> tuple[Samples, int]:
        # Piper takes [[...]] for phonemes.
        chunks = list(self._voice.synthesize(text.replace("[[", "(").replace("]]", ")")))
        if not chunks:
            raise PermanentError(f"Piper could not say {text[:40]!r}")
        sound = np.concatenate([np.asarray(chunk.audio_float_array) for chunk in chunks])
        return sound.astype(np.float32), int(chunks[0].sample_rate)

    def _load(self) -> Any:
        try:
            module = import_module("piper")
        except ImportError as error:
            raise PermanentError("Piper is missing: run `pip install piper-tts`") from error
        try:
            return module.PiperVoice.load(self._file)
        except Exception as error:  # ONNX Runtime's errors have no base of their own
            raise PermanentError(f"{self._file} is no voice that Piper reads: {error}") from error
