"""PocketSphinx: a small transcriber with its model in its wheel; hears much worse than Whisper."""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from tools.errors import InputError, PermanentError
from tools.speech.audio import read_audio
from tools.speech.port import Seconds, TranscriberName, Transcript
from tools.speech.samples import RATE


class Sphinx:
    """PocketSphinx with its own American English model, loaded on first use."""

    name: TranscriberName = "sphinx"

    def __init__(self) -> None:
        self._lock = Lock()
        self._decoder: Any = None

    def transcribe(self, audio: Path | bytes) -> Transcript:
        """Return what is said, in lower case and without punctuation; see tools.speech.port."""
        start = perf_counter()
        samples = read_audio(audio)
        whole = np.rint(np.clip(samples, -1, 1) * 32_767).astype(np.int16).tobytes()
        decoding = perf_counter() - start
        with self._lock:
            start = perf_counter()
            loaded = self._decoder is not None
            decoder = self._decoder = self._decoder or _load()
            load = 0.0 if loaded else perf_counter() - start
            start = perf_counter()
            decoder.start_utt()
            decoder.process_raw(whole, full_utt=True)
            decoder.end_utt()
            found = decoder.hyp()
            run = decoding + perf_counter() - start
        if found is None or not found.hypstr.strip():
            raise InputError("nobody speaks in the recording: check the microphone and try again")
        seconds = Seconds(load=load, run=run, audio=len(samples) / RATE)
        return Transcript(found.hypstr, seconds, "en", f"pocketsphinx {version('pocketsphinx')}")


def _load() -> Any:
    try:
        module = import_module("pocketsphinx")
    except ImportError as error:
        raise PermanentError("PocketSphinx is missing: run `pip install pocketsphinx`") from error
    return module.Decoder(samprate=RATE, loglevel="FATAL")
