"""How far a run is and what its caller does next, in words."""

from citeloom.runs.runs import RunSnapshot


def next_step(view: RunSnapshot) -> str:
    """Return what whoever called a tool does next."""
    match view.status:
        case "working":
            far = view.progress and f" ({progress_text(view)})"
            return f"Call get_run with this run in a while{far or ''}; it goes on by itself."
        case "input_required":
            return (
                "Put the question to a person, then call get_run with `answer`: '' goes on as proposed, "
                "'stop' ends the run, other text replaces the proposal."
            )
        case _ if view.has_ended:
            return _after(view)
    return "get_run with action 'resume' lets it go on from where it stopped."


def _after(view: RunSnapshot) -> str:
    """Return what to do once a run's graph has come to its end."""
    if view.status == "failed":
        return "Do what `problem` says, then call the tool again: this run cannot go on."
    if view.outcome == "nothing":
        said = "problem" if view.problem else "text"
        return f"Done, with nothing found: `{said}` says why."
    if view.problem:
        return (
            "Not complete: `problem` says why. get_run pages through `parts` for what it has; the linked files "
            "have all of it."
        )
    if view.outcome == "partial":
        return "Done in part: `parts` say what is missing. get_run pages through them; the linked files have all."
    return "Done. get_run pages through `parts`; the linked files have all of it."


def progress_text(view: RunSnapshot) -> str:
    """Return how far a run is, in words."""
    if not (progress := view.progress):
        return ""
    counted = f" {progress.done} of {progress.total}" if progress.total else ""
    return f"{progress.title or progress.stage}{counted}"
