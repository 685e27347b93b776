"""Questions by voice and answers read aloud, for `citeloom ask`; needs the extra 'speech'."""

from pathlib import Path

import typer
from rich.markup import escape

from citeloom.cli.telling import say, tell, tell_error
from citeloom.settings import settings
from tools.errors import CiteLoomError, InputError

MICROPHONE = "mic"
ALOUD = "aloud"


def heard(source: str) -> str:
    """Return the question in an audio file or spoken into the microphone, and say how long it took.

    Raises:
        typer.Exit: It cannot be heard; the reason has been printed.
    """
    from tools.speech.devices import Pause, record
    from tools.speech.whisper import Whisper

    try:
        transcriber = Whisper(settings().speech_model)
        if source == MICROPHONE:
            say("Speak now; a pause ends the question.")
            audio: Path | bytes = record(Pause())
        else:
            audio = Path(source)
        transcript = transcriber.transcribe(audio)
    except (CiteLoomError, OSError) as error:
        tell_error(error)
        raise typer.Exit(2 if isinstance(error, InputError | OSError) else 1) from error
    spent = transcript.seconds
    say(
        f"Heard in {spent.run:.1f} s (and {spent.load:.1f} s to load {escape(transcript.engine)}): "
        f"“{escape(transcript.text)}”"
    )
    return transcript.text


def say_aloud(text: str, where: str) -> None:
    """Read a text aloud, or into a WAV file; what cannot be spoken is told, for it is printed, too."""
    from tools.speech.devices import play
    from tools.speech.espeak import Espeak

    try:
        speech = Espeak(settings().speech_voice).speak(text)
        if where == ALOUD:
            play(speech)
        else:
            Path(where).write_bytes(speech.wav)
    except (CiteLoomError, OSError) as error:
        tell("Not spoken", str(error))
        return
    spent = speech.seconds
    say(
        f"Spoken in {spent.run:.1f} s (and {spent.load:.1f} s to load {escape(speech.engine)}), "
        f"{spent.audio:.0f} s of audio"
    )
