"""Speech: questions from a recording or a microphone, answers read aloud."""
