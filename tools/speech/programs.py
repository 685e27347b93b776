"""Speakers that are programs of the system: Flite and eSpeak NG, each in a process of its own."""

import re
import shutil
import subprocess
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from tools.errors import InputError, PermanentError
from tools.speech.joining import join, parts_of
from tools.speech.port import SpeakerName, Speech
from tools.speech.samples import Samples, UnreadableWaveError, read_wave

_TIME_LIMIT = 120.0  # seconds for one piece, which takes a tenth of one
_LONGEST = 600.0
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class _Program:
    command: str
    arguments: tuple[str, ...]
    """{voice}, {text} and {wav} are the voice, the file to read and the file to write."""
    voice: str
    voices: tuple[str, ...]
    """What lists its voices; empty where it refuses an unknown one itself."""
    ascii_only: bool
    install: str


_PROGRAMS: dict[SpeakerName, _Program] = {
    "flite": _Program(
        command="flite",
        arguments=("-voice", "{voice}", "-f", "{text}", "-o", "{wav}"),
        voice="slt",
        voices=("-lv",),
        ascii_only=True,
        install="install Flite: `apt install flite`",
    ),
    "espeak": _Program(
        command="espeak-ng",
        arguments=("-v", "{voice}", "-b", "1", "-f", "{text}", "-w", "{wav}"),
        voice="en-us",
        voices=(),
        ascii_only=False,
        install="install eSpeak NG: `apt install espeak-ng` or `pip install espeakng-loader`",
    ),
}


class Program:
    """A program that reads a text file and writes a WAV file."""

    def __init__(self, name: SpeakerName, voice: str | None = None) -> None:
        """Prepare the program.

        Args:
            name: "flite" or "espeak".
            voice: One of its voices; None means the default.

        Raises:
            InputError: A voice cannot have such a name.
        """
        self.name = name
        self._program = _PROGRAMS[name]
        self._voice = voice or self._program.voice
        if self._voice.startswith("-"):
            raise InputError(f"{self._voice!r} is no name of a voice")
        self._lock = Lock()
        self._engine = ""

    def speak(self, text: str) -> Speech:
        """Return a text as speech; see tools.speech.port."""
        parts = parts_of(text)
        with self._lock:
            if not self._engine:
                self._check_voice()
                self._engine = self._named()
            return join(parts, self._say, load=0.0, engine=self._engine)

    def _say(self, text: str) -> tuple[Samples, int]:
        said = _ascii(text) if self._program.ascii_only else text
        if not any(sign.isalnum() for sign in said):
            raise InputError(f"{self._program.command} cannot say {text[:40]!r}: not its script")
        with TemporaryDirectory(prefix="citeloom-speech-") as folder:
            written, wav = Path(folder) / "said.txt", Path(folder) / "said.wav"
            written.write_text(said + "\n", encoding="utf-8")
            names = {"voice": self._voice, "text": str(written), "wav": str(wav)}
            self._run(*(part.format(**names) for part in self._program.arguments))
            try:
                return read_wave(wav.read_bytes(), _LONGEST)
            except (OSError, UnreadableWaveError) as error:
                raise PermanentError(
                    f"{self._program.command} wrote no sound with the voice {self._voice!r}: "
                    "check that it has such a voice"
                ) from error

    def _check_voice(self) -> None:
        if not self._program.voices or Path(self._voice).is_file():
            return
        known = self._run(*self._program.voices).partition(":")[2].split()
        if self._voice not in known:  # Flite would take another without a word
            raise InputError(
                f"{self._program.command} has no voice {self._voice!r}: choose {', '.join(known)}"
            )

    def _named(self) -> str:
        said = self._run("--version", ends_well=False)
        number = _VERSION.search(said)
        return f"{self._program.command} {number[0] if number else '?'} {self._voice}"

    def _run(self, *arguments: str, ends_well: bool = True) -> str:
        found = shutil.which(self._program.command)
        if found is None:
            raise PermanentError(f"{self._program.command} is missing: {self._program.install}")
        try:
            done = subprocess.run(
                [found, *arguments], capture_output=True, timeout=_TIME_LIMIT, check=ends_well
            )
        except subprocess.TimeoutExpired as error:
            raise PermanentError(f"{found} did not end in {_TIME_LIMIT:.0f} s") from error
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode("utf-8", "replace").strip()[:300]
            raise PermanentError(f"{found} failed: {said or error.returncode}") from error
        except OSError as error:
            raise PermanentError(f"{found} cannot be started: {error.strerror}") from error
        return done.stdout.decode("utf-8", "replace")


def _ascii(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss").replace("ø", "o"))
    return parts.encode("ascii", "ignore").decode("ascii")


def is_installed(name: SpeakerName) -> bool:
    """Whether the program is found on the search path."""
    return shutil.which(_PROGRAMS[name].command) is not None
