"""How far a run is and what its caller does next, in words."""

from citeloom.runs.runs import RunSnapshot


def next_step(view: RunSnapshot) -> str:
    """Return what whoever called a tool does next."""
    far = view.progress and f" ({progress_text(view)})"
    told = "problem" if view.problem else "text"
    table = (
        (
            view.status == "working",
            f"Call get_run with this run in a while{far or ''}; it continues by itself.",
        ),
        (
            view.status == "input_required",
            "Put the question to a person, then call get_run with `answer`: '' accepts the "
            "proposal, 'stop' ends the run, other text replaces the proposal.",
        ),
        (
            not view.has_ended,
            "get_run with action 'resume' continues it from where it stopped.",
        ),
        (
            view.status == "failed",
            "Do what `problem` says, then call the tool again: this run cannot continue.",
        ),
        (view.outcome == "nothing", f"Done, with no results: `{told}` says why."),
        (
            bool(view.problem),
            "Not complete: `problem` says why. get_run pages through the `parts` it has; the "
            "linked files have everything.",
        ),
        (
            view.outcome == "partial",
            "Partly done: `parts` say what is missing. get_run pages through them; the "
            "linked files have everything.",
        ),
    )
    done = "Done. get_run pages through `parts`; the linked files have everything."
    return next((what for holds, what in table if holds), done)


def progress_text(view: RunSnapshot) -> str:
    """Return how far a run is, in words."""
    if not (progress := view.progress):
        return ""
    counted = f" {progress.done} of {progress.total}" if progress.total else ""
    return f"{progress.title or progress.stage}{counted}"
